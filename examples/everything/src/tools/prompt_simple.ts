export default () => 'This is a simple prompt for testing.';
