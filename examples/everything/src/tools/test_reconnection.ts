import { pause } from '../lib/pause.ts';

export default async function () {
  await pause(100);
  return 'Here is the answer.';
}
