/** The queue of measurements that the servers of several agents share. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MeasurementQueue } from '../../../../electron/cli/mcp/queue.ts';
import { scratchFolder } from '../../../scratch-folder.ts';

const { signal } = new AbortController();

test('a client with many concurrent submissions takes turns with another client', async () => {
  const folder = scratchFolder('measuring-queue');
  const [first, second] = [new MeasurementQueue(folder), new MeasurementQueue(folder)];
  const order: string[] = [];
  const [started, go, waits] = [0, 0, 0].map(() => Promise.withResolvers<void>());
  const measure = (queue: MeasurementQueue, name: string, work: () => Promise<void> | undefined, waiting = () => {}) =>
    queue.enqueue(
      async () => {
        order.push(name);
        await work();
      },
      signal,
      waiting,
    );
  const nothing = () => undefined;
  const all = [
    measure(first, 'a1', () => {
      started?.resolve();
      return go?.promise;
    }),
    measure(first, 'a2', nothing),
    measure(first, 'a3', nothing),
  ];
  await started?.promise;
  all.push(measure(second, 'b1', nothing, () => waits?.resolve()));
  await waits?.promise;
  go?.resolve();
  await Promise.all(all);
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
  expect(await readdir(path.join(folder, 'locks', 'measuring'))).not.toContainEqual(expect.stringMatching(/ticket$/));
});

test('cancelling a waiting submission removes it from the queue', async () => {
  const queue = new MeasurementQueue(scratchFolder('measuring-queue-cancelled'));
  const [started, go] = [0, 0].map(() => Promise.withResolvers<void>());
  const running = queue.enqueue(
    async () => {
      started?.resolve();
      await go?.promise;
    },
    signal,
    () => {},
  );
  await started?.promise;
  const cancel = new AbortController();
  const waiting = queue.enqueue(
    () => Promise.resolve('measured'),
    cancel.signal,
    () => cancel.abort(),
  );
  await expect(waiting).rejects.toThrow('cancelled while it waited');
  go?.resolve();
  await running;
  expect(
    await queue.enqueue(
      () => Promise.resolve('measured'),
      signal,
      () => {},
    ),
  ).toBe('measured');
});
