import { expect, test } from 'vitest';
import { completed, configurationsOf, type Space } from '../../../../../electron/host/model/tuning/space.ts';

const space: Space = {
  variant: 'own',
  file: 'own.cu',
  tunables: [
    { name: 'kX', values: [16, 32, 64], about: '' },
    { name: 'kY', values: [1, 2, 16, 64], about: '' },
  ],
  conditions: ['kX * kY <= 1024', 'kX % 32 == 0 || kY == 1'],
  usual: { kX: 32, kY: 2 },
};

test('all configurations that the conditions allow, in order', () => {
  expect(configurationsOf(space).map(({ kX, kY }) => [kX, kY])).toEqual([
    [16, 1],
    [32, 1],
    [32, 2],
    [32, 16],
    [64, 1],
    [64, 2],
    [64, 16],
  ]);
});

test('what is not named stays as the source has it; the rest is refused with what is allowed', () => {
  expect(completed(space, { kX: 64 })).toEqual({ kX: 64, kY: 2 });
  expect(() => completed(space, { kX: 48 })).toThrow('own: kX = 48; allowed: 16, 32, 64');
  expect(() => completed(space, { kZ: 1 })).toThrow('own has no tunable kZ; allowed: kX, kY');
  expect(() => completed(space, { kX: 64, kY: 64 })).toThrow('own: kX * kY <= 1024 does not hold');
});

test('conditions read values and run nothing', () => {
  const asks = (condition: string) => () => configurationsOf({ ...space, conditions: [condition] });
  expect(asks('process.exit(1) == 1')).toThrow('own: the condition "process.exit(1) == 1"');
  expect(asks('kQ > 1')).toThrow('kQ is not set at this point');
  expect(asks('kX * kY')).toThrow('is neither true nor false');
});

test('a space too large to be written down is refused', () => {
  const values = Array.from({ length: 101 }, (_, i) => i);
  const tunables = ['kA', 'kB', 'kC'].map((name) => ({ name, values, about: '' }));
  expect(() => configurationsOf({ ...space, tunables })).toThrow(
    '1030301 configurations are too many; allowed: 1000000',
  );
});
