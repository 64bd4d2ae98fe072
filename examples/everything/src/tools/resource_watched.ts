export default () => 'Subscribe to hear of the next version of this package.';
