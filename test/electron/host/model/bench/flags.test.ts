import { expect, test } from 'vitest';
import { flagSeries, highestOf, oddIn } from '../../../../../electron/host/model/bench/flags.ts';

/** Quartiles 1.01 and 1.03: the far fences are 0.95 and 1.09. */
const calm = [1, 1.01, 1.01, 1.02, 1.02, 1.02, 1.03, 1.03, 1.04];

test('a time beyond the far fences is odd, on either side', () => {
  const odd = oddIn([...calm, 1.5, 0.5]);
  expect([0.5, 0.94, 0.99, 1.08, 1.5].map(odd)).toEqual([true, true, false, false, true]);
});

test('of few samples nothing is odd, and neither is what lies near to the median of a calm series', () => {
  expect(oddIn([1, 1, 1, 1, 9])(9)).toBe(false);
  const still = oddIn([...Array.from({ length: 11 }, () => 1), 1.04, 1.06]);
  expect([1.04, 1.06].map(still)).toEqual([false, true]);
});

test('every sample stays, flagged by its clock or else by its time', () => {
  const at = (time_s: number, sm_MHz: number) => {
    const clock = { sm_MHz, memory_MHz: null, power_W: null, powerLimit_W: null, temperature_C: null };
    return { time_s, clocks: { before: null, after: { ...clock, reasons: [], throttled: false } } };
  };
  const samples = [...calm.map((time_s) => at(time_s, 1980)), at(3, 1980), at(3, 1500)];
  const flagged = flagSeries(samples, { highest_MHz: highestOf(samples), timeOf: ({ time_s }) => time_s });
  expect(flagged.map(({ raw }) => raw)).toEqual(samples);
  expect(flagged.map(({ flag }) => flag)).toEqual([
    ...calm.map(() => null),
    'far from the others of its series',
    'clock at 1500 MHz, 1980 MHz at best',
  ]);
  expect(highestOf([])).toBeNull();
});
