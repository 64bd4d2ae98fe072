// ReadableStream: what the Streams Standard says of the default reader and
// controller, async iteration, tee and from.

import { ReadableStream } from 'neuralis:web/streams';
import { equal, rejects, testAsync, test, throws, type Report } from './report';

const collect = async (stream: ReadableStream): Promise<unknown[]> => {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

function counting(limit: number, log: string[] = []): ReadableStream<number> {
  let n = 0;
  return new ReadableStream<number>({
    pull(controller) {
      log.push(`pull ${n}`);
      if (n === limit) controller.close();
      else controller.enqueue(n++);
    },
    cancel(reason) {
      log.push(`cancel ${reason}`);
    },
  });
}

export async function run(report: Report): Promise<void> {
  await reading(report);
  await errors(report);
  await iteration(report);
  await teeing(report);
}

async function reading(report: Report): Promise<void> {
  await testAsync(report, 'reads what is enqueued, then done', async () => {
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue('a');
        controller.enqueue('b');
        controller.close();
      },
    });
    const reader = stream.getReader();
    equal(stream.locked, true);
    equal(await reader.read(), { done: false, value: 'a' });
    equal(await reader.read(), { done: false, value: 'b' });
    equal(await reader.read(), { done: true, value: undefined });
    equal(await reader.closed, undefined);
  });
  await testAsync(report, 'pulls once ahead with the default strategy', async () => {
    const log: string[] = [];
    const stream = counting(9, log);
    await turns();
    equal(log, ['pull 0']);
    const reader = stream.getReader();
    await reader.read();
    await turns();
    equal(log, ['pull 0', 'pull 1']);
  });
  await testAsync(report, 'does not pull ahead with highWaterMark 0', async () => {
    let pulls = 0;
    const stream = new ReadableStream({ pull: (controller) => controller.enqueue(pulls++) }, { highWaterMark: 0 });
    await turns();
    equal(pulls, 0);
    equal((await stream.getReader().read()).value, 0);
    equal(pulls, 1);
  });
  await testAsync(report, 'desiredSize follows size()', async () => {
    let controller: any;
    new ReadableStream({ start: (c) => void (controller = c) }, { highWaterMark: 5, size: (chunk: any) => chunk.length });
    equal(controller.desiredSize, 5);
    controller.enqueue('abc');
    equal(controller.desiredSize, 2);
    controller.enqueue('abc');
    equal(controller.desiredSize, -1);
    controller.close();
    throws(() => controller.enqueue('x'), 'TypeError');
    throws(() => controller.close(), 'TypeError');
  });
  await testAsync(report, 'reads wait for chunks, in order', async () => {
    let controller: any;
    const reader = new ReadableStream({ start: (c) => void (controller = c) }).getReader();
    const reads = [reader.read(), reader.read(), reader.read()];
    controller.enqueue(1);
    controller.enqueue(2);
    controller.close();
    equal(await Promise.all(reads), [{ done: false, value: 1 }, { done: false, value: 2 }, { done: true }]);
  });
  await testAsync(report, 'a released reader rejects what is pending', async () => {
    const stream = new ReadableStream();
    const reader = stream.getReader();
    const pending = reader.read();
    const closed = reader.closed;
    reader.releaseLock();
    await rejects(pending, 'TypeError');
    await rejects(closed, 'TypeError');
    await rejects(reader.read(), 'TypeError');
    equal(stream.locked, false);
    stream.getReader();
  });
  await testAsync(report, 'async start and async pull are waited for', async () => {
    const log: string[] = [];
    const stream = new ReadableStream({
      async start() {
        await turns();
        log.push('started');
      },
      async pull(controller) {
        log.push('pull');
        await turns();
        controller.enqueue(log.length);
        if (log.length > 2) controller.close();
      },
    });
    equal(await collect(stream), [2, 3]);
    equal(log, ['started', 'pull', 'pull']);
  });
  test(report, 'arguments', () => {
    throws(() => new ReadableStream({ type: 'nope' } as any), 'TypeError');
    throws(() => new ReadableStream(null as any), 'TypeError');
    throws(() => new ReadableStream({}, { highWaterMark: -1 }), 'RangeError');
    throws(() => new ReadableStream().getReader({ mode: 'byob' } as any), 'TypeError');
    throws(() => {
      const stream = new ReadableStream();
      stream.getReader();
      stream.getReader();
    }, 'TypeError');
    throws(() => new ReadableStream({ start() { throw new RangeError('start'); } }), 'RangeError');
  });
}

async function errors(report: Report): Promise<void> {
  const failed = (): Promise<unknown> => Promise.reject(new RangeError('failed'));
  await testAsync(report, 'a pull that throws or rejects fails the stream', async () => {
    for (const pull of [() => { throw new RangeError('x'); }, failed]) {
      const reader = new ReadableStream({ pull }).getReader();
      await rejects(reader.read(), 'RangeError');
      await rejects(reader.closed, 'RangeError');
      await rejects(reader.read(), 'RangeError');
      await rejects(reader.cancel(), 'RangeError');
    }
  });
  await testAsync(report, 'a start that rejects fails the stream', async () => {
    await rejects(new ReadableStream({ start: failed }).getReader().read(), 'RangeError');
  });
  await testAsync(report, 'controller.error drops the queue', async () => {
    let controller: any;
    const stream = new ReadableStream({ start: (c) => void (controller = c) });
    controller.enqueue(1);
    controller.error(new RangeError('x'));
    equal(controller.desiredSize, null);
    controller.error(new Error('a second time is ignored'));
    await rejects(stream.getReader().read(), 'RangeError');
  });
  await testAsync(report, 'a bad size fails the stream', async () => {
    const stream = new ReadableStream({ start: (c) => throws(() => c.enqueue(1), 'RangeError') }, { size: () => NaN });
    await rejects(stream.getReader().read(), 'RangeError');
  });
  await testAsync(report, 'cancel reaches the source with its reason', async () => {
    const log: string[] = [];
    const stream = counting(9, log);
    await turns();
    equal(await stream.cancel('why'), undefined);
    equal(log, ['pull 0', 'cancel why']);
    equal((await stream.getReader().read()).done, true);
    await rejects(new ReadableStream({ cancel: failed }).cancel(), 'RangeError');
    const locked = counting(1);
    locked.getReader();
    await rejects(locked.cancel(), 'TypeError');
  });
}

async function iteration(report: Report): Promise<void> {
  await testAsync(report, 'for await', async () => equal(await collect(counting(3)), [0, 1, 2]));
  await testAsync(report, 'leaving the loop cancels and unlocks', async () => {
    const log: string[] = [];
    const stream = counting(9, log);
    for await (const n of stream) if (n === 1) break;
    equal(log.at(-1), 'cancel undefined');
    equal(stream.locked, false);
  });
  await testAsync(report, 'preventCancel', async () => {
    const stream = counting(3);
    for await (const n of stream.values({ preventCancel: true })) if (n === 0) break;
    equal(await collect(stream), [1, 2]);
  });
  await testAsync(report, 'next() calls may overlap', async () => {
    const iterator = counting(2).values();
    equal(await Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.next()]),
      [{ done: false, value: 0 }, { done: false, value: 1 }, { done: true }, { done: true }]);
  });
  await testAsync(report, 'from iterables and async iterables', async () => {
    equal(await collect(ReadableStream.from(['a', Promise.resolve('b')])), ['a', 'b']);
    equal(await collect(ReadableStream.from('xy')), ['x', 'y']);
    let returned = false;
    const stream = ReadableStream.from((async function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        returned = true;
      }
    })());
    for await (const n of stream) {
      equal(n, 1);
      break;
    }
    await turns();
    equal(returned, true);
    throws(() => ReadableStream.from(5 as any), 'TypeError');
  });
}

async function teeing(report: Report): Promise<void> {
  await testAsync(report, 'both branches get every chunk', async () => {
    const stream = counting(3);
    const [a, b] = stream.tee();
    equal(stream.locked, true);
    equal(await collect(a), [0, 1, 2]);
    equal(await collect(b), [0, 1, 2]);
  });
  await testAsync(report, 'the source is cancelled when both branches are', async () => {
    const log: string[] = [];
    const [a, b] = counting(9, log).tee();
    const first = a.cancel('x');
    await turns();
    equal(log.includes('cancel x,y'), false);
    await Promise.all([first, b.cancel('y')]);
    equal(log.at(-1), 'cancel x,y');
  });
  await testAsync(report, 'errors reach both branches', async () => {
    const [a, b] = new ReadableStream({ pull() { throw new RangeError('x'); } }).tee();
    await rejects(a.getReader().read(), 'RangeError');
    await rejects(b.getReader().read(), 'RangeError');
  });
}

/** Lets every job that is due run. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await null;
}
