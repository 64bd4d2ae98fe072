import { redPixel } from '../lib/samples.ts';

export default () => ({ content: [redPixel, { type: 'text', text: 'Please analyze the image above.' }] });
