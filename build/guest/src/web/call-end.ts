// What a Web API keeps for the length of one call, such as console's indentation, it
// forgets here: the next call of the instance may be another user's.

const tasks = new Set<() => void>();

/** Runs a function once, when the call in progress ends. */
export function atCallEnd(task: () => void): void {
  tasks.add(task);
}

/** Runs what was asked for. */
export function runCallEnd(): void {
  if (tasks.size === 0) return;
  for (const task of tasks) task();
  tasks.clear();
}
