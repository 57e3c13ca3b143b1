/** The verdict on a session without instances: limited by its own noise, never "same" beyond 5 %. */
import { expect, test } from 'vitest';
import { bootstrapVerdictOf } from '../../../../../electron/host/model/bench/comparison.ts';

test.each([
  [{ low: 0.5, high: 0.6 }, 0.02, 'faster'],
  [{ low: 1.5, high: 1.6 }, 0.02, 'slower'],
  [{ low: 0.995, high: 1.01 }, 0.02, 'same'],
  [{ low: 0.97, high: 1.01 }, 0.02, 'undecided'],
  [{ low: 0.97, high: 0.985 }, 0.02, 'undecided'],
  // A session whose control strays by a factor of two still separates 220 from 1, and calls nothing the same.
  [{ low: 218, high: 221 }, 1.04, 'slower'],
  [{ low: 0.0045, high: 0.0046 }, 1.04, 'faster'],
  [{ low: 0.5, high: 0.7 }, 0.6, 'undecided'],
  [{ low: 0.93, high: 1.02 }, 0.14, 'undecided'],
  [{ low: 0.97, high: 1.02 }, 0.14, 'same'],
  [null, 0.02, 'undecided'],
  [{ low: 0.5, high: 0.6 }, null, 'undecided'],
] as const)('%j with a noise floor of %s: %s', (ratio, floor, verdict) => {
  expect(bootstrapVerdictOf(ratio, floor)).toBe(verdict);
});
