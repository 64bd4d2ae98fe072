export default (args: object) => `These arguments fit: ${JSON.stringify(args)}`;
