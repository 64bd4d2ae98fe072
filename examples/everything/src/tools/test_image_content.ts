import { redPixel } from '../lib/samples.ts';

export default () => ({ content: [redPixel] });
