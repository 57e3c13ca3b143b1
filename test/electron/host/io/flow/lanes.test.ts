import { expect, test } from 'vitest';
import { EVERY_LANE, Lanes } from '../../../../../electron/host/io/flow/lanes.ts';

function stage() {
  const started: string[] = [];
  const finish = new Map<string, () => void>();
  let changes = 0;
  const lanes = new Lanes(() => {
    changes += 1;
  });
  const add = (id: string, lane: string): void =>
    lanes.add({
      id,
      lane,
      run: () => {
        started.push(id);
        return new Promise((resolve) => finish.set(id, resolve));
      },
    });
  const end = async (id: string): Promise<void> => {
    finish.get(id)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { lanes, started, add, end, changes: () => changes };
}

test('one job at a time on each device, in order', async () => {
  const { lanes, started, add, end, changes } = stage();
  add('a', 'cpu');
  add('b', 'cpu');
  add('c', 'cuda');
  expect(started).toEqual(['a', 'c']);
  expect([lanes.position('a'), lanes.position('b')]).toEqual([null, 1]);
  await end('a');
  expect(started).toEqual(['a', 'c', 'b']);
  expect(changes()).toBe(1);
});

test('what needs the whole machine waits for all before it, and all after it wait', async () => {
  const { lanes, started, add, end } = stage();
  add('run', 'cpu');
  add('bench', EVERY_LANE);
  add('gpu', 'cuda');
  add('cpu', 'cpu');
  expect(started).toEqual(['run']);
  expect(['bench', 'gpu', 'cpu'].map((id) => lanes.position(id))).toEqual([1, 2, 2]);
  await end('run');
  expect(started).toEqual(['run', 'bench']);
  await end('bench');
  expect(started).toEqual(['run', 'bench', 'gpu', 'cpu']);
});

test('a job that is taken off lets those behind it start', () => {
  const { lanes, started, add } = stage();
  add('run', 'cpu');
  add('bench', EVERY_LANE);
  add('gpu', 'cuda');
  expect(lanes.remove('bench')).toBe(true);
  expect(lanes.remove('bench')).toBe(false);
  expect(started).toEqual(['run', 'gpu']);
});
