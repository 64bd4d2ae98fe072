export default () => ({ content: [{ type: 'text', text: 'This is a simple text response for testing.' }] });
