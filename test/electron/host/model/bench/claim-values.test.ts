/** Claims about numbers that variants report. The agreement of the variants' instances determines their precision. */
import { describe, expect, test } from 'vitest';
import type { Interval } from '../../../../../electron/contract/bench/bench-session.ts';
import {
  judgeTaskClaims,
  quantityValue,
  type ReportMeasurements,
} from '../../../../../electron/host/model/bench/claim-results.ts';
import type { Claim, ClaimSide } from '../../../../../electron/host/model/bench/claims.ts';
import { collectMeasurements } from '../../../../../electron/host/model/bench/report-claims.ts';

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
const ratioClaim: Claim = { ...claim, from: 9, to: 11, values: claim.values.map((one) => ({ ...one, over: 'near' })) };

/** A session whose times are precise to a thousandth, with any reported values. */
function claimText(
  all: Readonly<Record<string, { readonly value: number; readonly interval?: Interval | null }>>,
): ReportMeasurements {
  return {
    gpu: null,
    seed: 1,
    timesFor: ({ variant }) =>
      variant in all
        ? { times: [1, 2, 3].map((i) => [1 + 1e-4 * i, 1, 1]), wrong: false }
        : { times: [], wrong: false },
    numberOf: (variant) => (all[variant] === undefined ? null : { ...all[variant], unit: 'cycles' }),
  };
}
const verdictOf = (requested: Claim, measured: ReportMeasurements) =>
  judgeTaskClaims([requested], measured)[0]?.values[0]?.verdict;
const about = (value: number, half: number) => ({ value, interval: { low: value - half, high: value + half } });

test('a metric has its own interval, whatever the precision of the time', () => {
  expect(verdictOf(claim, claimText({ far: about(30, 1) }))).toBe('as claimed');
  expect(verdictOf(claim, claimText({ far: about(30, 5) }))).toBe('undecided');
  expect(verdictOf(claim, claimText({ far: about(40, 5) }))).toBe('more');
});

test('a metric reported once decides nothing, and one derived from the time is as precise as the time', () => {
  expect(verdictOf(claim, claimText({ far: { value: 30, interval: null } }))).toBe('not judged');
  expect(verdictOf(claim, claimText({ far: { value: 30 } }))).toBe('as claimed');
});

test('a quotient is as precise as its parts, and is not given if the divisor may be zero', () => {
  expect(verdictOf(ratioClaim, claimText({ far: about(30, 0.3), near: about(3, 0.03) }))).toBe('as claimed');
  expect(verdictOf(ratioClaim, claimText({ far: about(30, 0.3), near: about(3, 1) }))).toBe('undecided');
  expect(verdictOf(ratioClaim, claimText({ far: about(30, 0.3), near: about(3, 4) }))).toBe('not judged');
  expect(verdictOf(ratioClaim, claimText({ far: about(30, 0.3), near: { value: 3, interval: null } }))).toBe(
    'not judged',
  );
});

test("a metric derived from the time has the half-width of the time, from Student's t over its instances", () => {
  // Logarithms of the times of four instances: -1, 1, -1 and 1 per cent. The standard error of their mean is √(4/3)/√4
  // per cent; Student's t with three degrees of freedom at 5 % is 3.18245. So the half-width is 0.0183739.
  const times = [-0.01, 0.01, -0.01, 0.01].map((log) => [Math.exp(log), Math.exp(log)]);
  const measured: ReportMeasurements = {
    ...claimText({ far: { value: 30 } }),
    timesFor: () => ({ times, wrong: false }),
  };
  const [value] = claim.values;
  const interval = value === undefined ? null : quantityValue(value, measured).found?.interval;
  expect(interval?.low).toBeCloseTo(30 * Math.exp(-0.0183739), 4);
  expect(interval?.high).toBeCloseTo(30 * Math.exp(0.0183739), 4);
});

test('a metric of a variant with wrong results decides no claim', () => {
  const quantity = { id: 'cycles', value: 30, unit: 'cycles', interval: { low: 29, high: 31 } };
  const entry = (verdict: string) => ({
    ...{ status: 'measured', label: 'far', verdict, time_s: 1, first: null, process: null, roofline: null },
    ...{ samples: [], modes: [], quantities: [quantity] },
  });
  const report = (verdict: string) =>
    ({ entries: [entry(verdict)], external: [], machine: { gpu: null }, seed: 1 }) as unknown as Parameters<
      typeof collectMeasurements
    >[0];
  expect(verdictOf(claim, collectMeasurements(report('faster')))).toBe('as claimed');
  expect(verdictOf(claim, collectMeasurements(report('wrong')))).toBe('not measured');
});

describe('a session with other programs', () => {
  /**
   * Three first runs in new processes: 4 s each, including set-ups of 1, 2 and 3 s; starting the process needs 6 s
   * more.
   */
  const cold = [1, 2, 3].map((setup_s, i) => ({ instance: i, round: i, time_s: 10, setup_s, wall_s: 4 }));
  const measured = (
    verdict: string,
    errors: Readonly<Record<string, number | null>>,
    samples: readonly object[] = cold,
  ) =>
    collectMeasurements({
      entries: [
        {
          ...{ status: 'measured', label: 'torch', verdict, time_s: 1, roofline: null, samples: [], modes: [] },
          ...{ first: { time_s: 2, wall_s: 12 }, quantities: [], determinism: { bitwise: true } },
          accuracy: Object.entries(errors).map(([id, value]) => ({ id, value })),
          process: { samples },
        },
      ],
      ...{ external: [], machine: { gpu: null }, seed: 1 },
    } as unknown as Parameters<typeof collectMeasurements>[0]);
  const side = (clock: ClaimSide['clock'], within?: ClaimSide['within']): ClaimSide => ({
    ...{ variant: 'torch', mode: 'warm', clock },
    ...(within === undefined ? {} : { within }),
  });

  test('times the first run of each process with set-up, without it, and with process start', () => {
    const { timesFor } = measured('faster', {});
    expect(timesFor(side('cold-whole')).times).toEqual([[4], [4], [4]]);
    expect(timesFor(side('cold-run')).times).toEqual([[3], [2], [1]]);
    expect(timesFor(side('process')).times).toEqual([[10], [10], [10]]);
    expect(timesFor(side('first')).times).toEqual([[12]]);
    // Processes of the engine report only the total time.
    expect(measured('faster', {}, [{ time_s: 10 }]).timesFor(side('cold-whole')).times).toEqual([]);
  });

  test('reports the set-up share of these times, with an interval from five processes on', () => {
    expect(measured('faster', {}).numberOf('torch', 'setup-share')).toEqual({ value: 50, unit: '%', interval: null });
    const six = [...cold, ...cold].map((one, i) => ({ ...one, instance: i }));
    const share = measured('faster', {}, six).numberOf('torch', 'setup-share');
    expect(share?.value).toBe(50);
    expect(share?.interval?.low).toBeLessThan(50);
    expect(share?.interval?.high).toBeGreaterThan(50);
    expect(measured('faster', {}, [{ time_s: 10 }]).numberOf('torch', 'setup-share')).toBeNull();
  });

  test('reports the numerical error even if it makes the answer wrong', () => {
    const error = { value: 2e-3, unit: '', interval: { low: 2e-3, high: 2e-3 } };
    expect(measured('wrong', { mean: 2e-3 }).numberOf('torch', 'error.mean')).toEqual(error);
    expect(measured('wrong', { mean: null }).numberOf('torch', 'error.mean')).toBeNull();
  });

  test('accepts an answer within the limit of the note, but never an impossible time', () => {
    const within = { error: 'rel_l2', most: 2e-4 };
    const wrong = (verdict: string, rel_l2: number, limit: ClaimSide['within']) =>
      measured(verdict, { rel_l2 }).timesFor(side('process', limit)).wrong;
    expect(wrong('wrong', 1e-4, undefined)).toBe(true);
    expect(wrong('wrong', 1e-4, within)).toBe(false);
    expect(wrong('wrong', 3e-4, within)).toBe(true);
    expect(wrong('impossible', 1e-4, within)).toBe(true);
  });
});

test('a pair with an unchecked answer decides no claim, and is named', () => {
  const side = (variant: string): ClaimSide => ({ variant, mode: 'warm', clock: 'counted' });
  const pair = { slower: side('slow'), faster: side('fast'), what: 'a trick', rival: false };
  const measured: ReportMeasurements = {
    ...claimText({}),
    timesFor: ({ variant }) => ({
      times: [1, 2, 3].map((i) => (variant === 'slow' ? [10 + 1e-4 * i, 10, 10] : [1 + 1e-4 * i, 1, 1])),
      wrong: false,
      unchecked: variant === 'fast',
    }),
  };
  const [result] = judgeTaskClaims([{ ...ratioClaim, pairs: [pair], values: [] }], measured);
  expect(result?.pairs).toMatchObject([{ verdict: 'not judged', unchecked: ['fast'] }]);
});
