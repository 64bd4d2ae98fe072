import { silence } from '../lib/samples.ts';

export default () => ({ content: [silence] });
