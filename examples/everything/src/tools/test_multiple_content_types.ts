import { redPixel } from '../lib/samples.ts';

export default () => ({
  content: [
    { type: 'text', text: 'Multiple content types test:' },
    redPixel,
    { type: 'resource', resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: JSON.stringify({ test: 'data', value: 123 }) } },
  ],
});
