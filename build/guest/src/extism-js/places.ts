// What the engine of extism-js calls the bundle, and how many lines its compiler put in front,
// found out from the stack of an error made in the bundle's first line.

/** The name that the source map's readers know the bundle by. */
const bundle = 'package.js';

/** Returns a function that gives places in stacks the name and the lines of the bundle. */
export function places(origin: string): (text: string) => string {
  // "at <eval> (eval_script:2:33)"; older versions give no place, and then nothing can be done.
  const match = /([^\s()]+?):(\d+)(?::\d+)?\)?\s*$/m.exec(origin);
  if (!match) return (text) => text;
  const [, file, line] = match;
  const before = Number(line) - 1;
  const place = new RegExp(`(?<=[ (])${file!.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}:(\\d+)`, 'g');
  return (text) => text.replace(place, (_, at: string) => `${bundle}:${Number(at) - before}`);
}
