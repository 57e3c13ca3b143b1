import { expect, test } from 'vitest';
import { hostTime } from '../../../../../electron/host/model/timeline/host-time.ts';
import { traceOf } from './make.ts';

const span = (name: string, start_ns: number, duration_ns: number) => ({ name, start_ns, duration_ns });

test('time within a call is its own, and not its caller’s; one that calls itself counts once', () => {
  const trace = traceOf({
    spans: [span('step', 0, 100), span('scatter', 10, 40), span('remap', 60, 20), span('scatter', 20, 10)],
  });
  const { operations, operationCount } = hostTime(trace);
  expect(operationCount).toBe(3);
  expect(operations.map(({ name, count, sum_ns, own_ns, share }) => [name, count, sum_ns, own_ns, share])).toEqual([
    ['step', 1, 100, 40, 0.4],
    ['scatter', 2, 40, 40, 0.4],
    ['remap', 1, 20, 20, 0.2],
  ]);
});

test('threads: how long each works, and how far the busiest is above the mean', () => {
  const trace = traceOf(
    { name: 'thread 0', spans: [span('set-up', 0, 1000), span('rows', 1000, 300)] },
    { name: 'thread 1', spans: [span('rows', 1000, 100)] },
  );
  const [use] = hostTime(trace).processes;
  expect(use).toMatchObject({ extent_ns: 1300, threadCount: 2, busyShare: (1300 + 100) / 2 / 1300 });
  expect(use?.threads.map(({ name, busy_ns }) => `${name} ${busy_ns}`)).toEqual(['thread 0 1300', 'thread 1 100']);
  // The set-up is one thread's alone: 300 and 100 are what is uneven.
  expect(use?.imbalance).toBeCloseTo(0.5, 12);
  const of = Object.fromEntries(hostTime(trace).operations.map(({ name, imbalance }) => [name, imbalance]));
  expect(of).toEqual({ 'set-up': null, rows: 0.5 });
});

test('a thread that had no part in the work makes it uneven', () => {
  const trace = traceOf(
    { name: 'a', spans: [span('rows', 0, 90)] },
    { name: 'b', spans: [span('rows', 0, 90)] },
    { name: 'c', spans: [span('set-up', 0, 10)] },
  );
  expect(hostTime(trace).processes[0]?.imbalance).toBeCloseTo(0.5, 12);
});

test('variants of a session are apart, and calls of CUDA are a table of their own', () => {
  const trace = traceOf(
    { process: 'fast', spans: [span('rows', 0, 10)] },
    { process: 'slow', spans: [span('rows', 0, 30)] },
    { process: 'slow', kind: 'api', spans: [{ ...span('cuLaunchKernel', 5, 2), kind: 'call' }] },
    { process: 'GPU', kind: 'thread', spans: [{ ...span('steps on the device', 0, 99), kind: 'range' }] },
  );
  const { processes, operations, calls } = hostTime(trace);
  expect(processes.map(({ process, imbalance }) => [process, imbalance])).toEqual([
    ['fast', null],
    ['slow', null],
  ]);
  expect(operations).toEqual([
    { name: 'rows', count: 2, sum_ns: 40, own_ns: 40, share: 1, threads: 2, imbalance: null },
  ]);
  expect(calls.map(({ name, own_ns }) => `${name} ${own_ns}`)).toEqual(['cuLaunchKernel 2']);
});

test('a thread that had nothing to do is there', () => {
  const rows = [{ name: 'rows', start_ns: 0, duration_ns: 80 }];
  const trace = traceOf({ name: 'thread 0', spans: rows }, { name: 'thread 1', spans: [], kept: true });
  const [use] = hostTime(trace).processes;
  expect(use).toMatchObject({ threadCount: 2, busyShare: 0.5, extent_ns: 80 });
  expect(use?.threads[1]).toEqual({ name: 'thread 1', busy_ns: 0, share: 0 });
});
