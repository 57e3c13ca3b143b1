/** Claims about numbers that variants tell of themselves: known as far as their own instances agree. */
import { expect, test } from 'vitest';
import type { Interval } from '../../../../../electron/contract/bench/interval.ts';
import {
  type Measured,
  measuredReport,
  notMeasured,
  statedValue,
  taskClaimResults,
} from '../../../../../electron/host/model/bench/claim-results.ts';
import type { Claim } from '../../../../../electron/host/model/bench/claims.ts';

const claim: Claim = {
  id: 'one',
  claim: 'A load takes 30 cycles, ten times as many as the other.',
  from: 28,
  to: 32,
  source: 'a note',
  kind: 'cost',
  reason: '',
  about: null,
  remark: null,
  gpus: 'any',
  where: {},
  pairs: [],
  values: [{ variant: 'far', quantity: 'cycles', what: 'a load', rival: false }],
  counted: [],
  across: [],
};
const over: Claim = { ...claim, from: 9, to: 11, values: claim.values.map((one) => ({ ...one, over: 'near' })) };

/** A session whose times are known to a thousandth, whatever it tells. */
function saying(
  all: Readonly<Record<string, { readonly value: number; readonly interval?: Interval | null }>>,
): Measured {
  return {
    gpu: null,
    seed: 1,
    timesFor: ({ variant }) =>
      variant in all ? { times: [1, 2, 3].map((i) => [1 + 1e-4 * i, 1, 1]), wrong: false } : notMeasured,
    numberOf: (variant) => (all[variant] === undefined ? null : { ...all[variant], unit: 'cycles' }),
  };
}
const verdictOf = (asked: Claim, measured: Measured) => taskClaimResults([asked], measured)[0]?.values[0]?.verdict;
const about = (value: number, half: number) => ({ value, interval: { low: value - half, high: value + half } });

test('a number has its own interval, however well the time is known', () => {
  expect(verdictOf(claim, saying({ far: about(30, 1) }))).toBe('as claimed');
  expect(verdictOf(claim, saying({ far: about(30, 5) }))).toBe('undecided');
  expect(verdictOf(claim, saying({ far: about(40, 5) }))).toBe('more');
});

test('a number that was told once judges nothing; one that follows from the time is known as far as the time', () => {
  expect(verdictOf(claim, saying({ far: { value: 30, interval: null } }))).toBe('not judged');
  expect(verdictOf(claim, saying({ far: { value: 30 } }))).toBe('as claimed');
});

test('a quotient is as far known as both; by what may be zero it is not', () => {
  expect(verdictOf(over, saying({ far: about(30, 0.3), near: about(3, 0.03) }))).toBe('as claimed');
  expect(verdictOf(over, saying({ far: about(30, 0.3), near: about(3, 1) }))).toBe('undecided');
  expect(verdictOf(over, saying({ far: about(30, 0.3), near: about(3, 4) }))).toBe('not judged');
  expect(verdictOf(over, saying({ far: about(30, 0.3), near: { value: 3, interval: null } }))).toBe('not judged');
});

test('a number that follows from the time has the half-width of the time, by Student for its instances', () => {
  // Log times of four instances: -1, 1, -1 and 1 per cent. Their mean has the error of independent values, √(4/3)/√4 of
  // a per cent; Student's t of three degrees of freedom at 5 % is 3.18245. So the half-width is 0.0183739.
  const times = [-0.01, 0.01, -0.01, 0.01].map((log) => [Math.exp(log), Math.exp(log)]);
  const measured: Measured = { ...saying({ far: { value: 30 } }), timesFor: () => ({ times, wrong: false }) };
  const [value] = claim.values;
  const interval = value === undefined ? null : statedValue(value, measured).found?.interval;
  expect(interval?.low).toBeCloseTo(30 * Math.exp(-0.0183739), 4);
  expect(interval?.high).toBeCloseTo(30 * Math.exp(0.0183739), 4);
});

test('a number of a variant with wrong results judges no claim', () => {
  const quantity = { id: 'cycles', value: 30, unit: 'cycles', interval: { low: 29, high: 31 } };
  const entry = (verdict: string) => ({
    ...{ status: 'measured', label: 'far', verdict, time_s: 1, first: null, process: null, roofline: null },
    ...{ samples: [], modes: [], quantities: [quantity] },
  });
  const report = (verdict: string) =>
    ({ entries: [entry(verdict)], external: [], machine: { gpu: null }, seed: 1 }) as unknown as Parameters<
      typeof measuredReport
    >[0];
  expect(verdictOf(claim, measuredReport(report('faster')))).toBe('as claimed');
  expect(verdictOf(claim, measuredReport(report('wrong')))).toBe('not measured');
});
