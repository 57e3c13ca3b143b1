/** Agreement between the verdicts of two machines. */
import { describe, expect, it, test } from 'vitest';
import { isTooNoisy } from '../../../electron/contract/bench/bench-session.ts';
import type { ClaimFinding, ClaimTableRow, TableClaim } from '../../../electron/contract/bench/claim-table.ts';
import { advice, breakEvenRuns, correctnessText, type VariantTimes } from '../../../electron/domain/advice.ts';
import { answersByGpuText, findingsOnSeveralMachines, gpuAnswerCounts } from '../../../electron/domain/claim-texts.ts';
import { noiseText, noiseWarning } from '../../../electron/domain/measured.ts';

const quietNoise = { ratio: { value: 1.004, interval: { low: 0.99, high: 1.018 } }, floor: 0.003 };
const context = { where: 'here', noise: quietNoise, instances: 12, longer: ' (--time)' };

const variant = (name: string, setup_s: number, time_s: number, more: Partial<VariantTimes> = {}) => ({
  ...{ name, setup_s, time_s, wall_s: setup_s + time_s, whole: null },
  ...{ right: true, error: 'dose error 2.0×10⁻⁷', isReference: false },
  steps: { ratio: { value: 1, interval: null }, verdict: 'undecided' as const },
  ...more,
});

describe('the answer of a comparison', () => {
  const window = variant('cuda-window', 0.0105, 0.0038, { isReference: true });
  // Ratio of the times of two machines: the other machine is 1.3 times as fast (interval 1.2 to 1.4).
  const whole = { ratio: { value: 1 / 1.3, interval: { low: 1 / 1.4, high: 1 / 1.2 } }, verdict: 'faster' as const };
  const depth = variant('cuda-depth', 0.0094, 0.0016, { whole });

  it('names the fastest variant, its lead and its correctness; then the reason, the certainty, and what could change the answer', () => {
    expect(advice([window, depth], context)).toEqual([
      'cuda-depth is the fastest here: 11.0 ms a run, 1.3 times cuda-window (1.2–1.4). Its answer is correct (dose error 2.0×10⁻⁷).',
      'Why: steps 1.60 ms compared with 3.80 ms; set-up and reading back 9.40 ms compared with 10.5 ms. Steps are 14.5 % of its run.',
      'How certain: 95 % interval from 12 instances of each; the reference against itself gives 1.00.',
    ]);
  });

  it('omits the sentence on certainty if neither instances nor noise are known', () => {
    const unknown = { ...context, instances: null, noise: { ...context.noise, ratio: null } };
    expect(advice([window, depth], unknown)?.some((line) => line.startsWith('How certain'))).toBe(false);
  });

  it('names the variants slower than the reference if the reference is the fastest', () => {
    const slower = { ratio: { value: 1.5, interval: { low: 1.4, high: 1.6 } }, verdict: 'slower' as const };
    const [first, , , change] =
      advice(
        [variant('window', 0.02, 0.00384, { isReference: true }), variant('depth', 0.0784, 0.0016, { whole: slower })],
        context,
      ) ?? [];
    expect(first).toMatch(/^window is the fastest here: 23\.8 ms a run, 1\.5 times depth \(1\.4–1\.6\)\. /);
    // Break-even number of runs: (78.4 − 20) ms / (3.84 − 1.6) ms = 26.07, rounded up.
    expect(change).toBe('How this could change: if at least 27 runs share one set-up, depth is faster.');
  });

  it('does not call an uncertain lead certain, and suggests what would help', () => {
    const open = {
      ratio: { value: 1 / 1.21, interval: { low: 1 / 1.98, high: 1 / 0.746 } },
      verdict: 'undecided' as const,
    };
    const found = advice([window, { ...depth, whole: open }], context) ?? [];
    expect(found[0]).toMatch(
      /^cuda-depth looks fastest here \(11\.0 ms a run\), but its lead over cuda-window is not yet certain: 1\.2 times cuda-window \(0\.75–2\.0\)\. /,
    );
    expect(found.at(-1)).toBe('How this could change: a longer session (--time).');
  });

  it('reports too few rounds, not an overlap, if there is no interval', () => {
    const few = { ratio: { value: 1 / 33.6, interval: null }, verdict: 'undecided' as const };
    expect(advice([window, { ...depth, whole: few }], context)?.[0]).toMatch(
      /^cuda-depth looks fastest here: 11\.0 ms a run, 33\.6 times cuda-window, with too few rounds for an interval\. /,
    );
  });

  it('reports equal variants as the same', () => {
    const same = { ratio: { value: 0.999, interval: { low: 0.995, high: 1.003 } }, verdict: 'same' as const };
    expect(advice([window, { ...depth, whole: same }], context)?.[0]).toMatch(
      /^cuda-depth and cuda-window are equally fast here: 11\.0 ms a run\. /,
    );
  });

  it('calls no variant the fastest while others may be as fast', () => {
    const near = variant('cuda-fused', 0.0096, 0.0016, {
      whole: { ratio: { value: 1 / 1.28, interval: { low: 1 / 1.37, high: 1 / 1.19 } }, verdict: 'faster' },
    });
    const said = advice([window, depth, near], context) ?? [];
    expect(said[0]).toMatch(
      / is among the fastest here: .* cuda-(depth|fused) may be equally fast: the intervals overlap\.$/,
    );
    expect(said.at(-1)).toMatch(/^How this could change: a longer session/);
  });

  it('compares repetitions if no end-to-end times exist', () => {
    const step = (name: string, time_s: number, more: Partial<VariantTimes>) =>
      variant(name, 1, time_s, { ...more, wall_s: null });
    const steps = { ratio: { value: 0.25, interval: { low: 0.2, high: 0.3 } }, verdict: 'faster' as const };
    const [first, ...others] =
      advice([step('cpu-strided', 4e-4, { isReference: true }), step('cpu-fused', 1e-4, { steps })], context) ?? [];
    expect(first).toMatch(
      /^cpu-fused is the fastest here: 100 µs a repetition, 4\.0 times cpu-strided \(3\.3–5\.0\)\. /,
    );
    expect(others).toHaveLength(1);
  });

  it('never names a wrong variant, even if it is fast, and reports if nothing was checked', () => {
    const wrong = variant('fast', 0, 1e-6, { right: false });
    expect(advice([window, depth, wrong], context)?.join(' ')).not.toContain('fast ');
    expect(advice([wrong, { ...wrong, name: 'faster' }], context)).toBeNull();
    expect(advice([window, { ...depth, error: '' }], context)?.[0]).toMatch(/Its answer was not checked\.$/);
    expect(advice([window, wrong], context)?.[0]).toMatch(
      /^cuda-window is the only correct variant here: 14\.3 ms a run\. /,
    );
  });

  it('compares by medians alone if nothing else was recorded', () => {
    expect(advice([window, variant('depth', 0.005, 0.002)], context)?.[0]).toMatch(
      /^depth is the fastest here by medians alone: 7\.00 ms a run, 2\.0 times cuda-window\. /,
    );
  });

  it('warns first about a noisy machine', () => {
    const noise = { ratio: { value: 0.9, interval: { low: 0.696, high: 1.165 } }, floor: Math.expm1(0.02) };
    expect(advice([window, depth], { ...context, noise })?.[0]).toMatch(
      /^This machine was noisy: the reference against itself \(A\/A\) gave 0\.900× \(0\.696–1\.17\), so repeat the measurement on an idle one\. cuda-depth is/,
    );
  });

  it('does not advise repeating a shipped recording, and names the device of the fastest variant', () => {
    const noise = { ratio: { value: 0.9, interval: { low: 0.696, high: 1.165 } }, floor: Math.expm1(0.02) };
    const there = { ...context, where: 'on EPYC', noise, isRecorded: true };
    expect(
      advice(
        [
          { ...window, on: 'on EPYC' },
          { ...depth, on: 'on NVIDIA H200' },
        ],
        there,
      )?.[0],
    ).toMatch(
      /^The machine of this recording was noisy: [^.]*\.900× \(0\.696–1\.17\)\. cuda-depth is the fastest on NVIDIA H200: /,
    );
  });

  it('gives no answer for a single variant', () => {
    expect(advice([window], context)).toBeNull();
  });
});

describe('several runs with one set-up', () => {
  it('count the time of each run until its answer is in memory', () => {
    // Break-even number of runs: (78.4 − 20) ms / (3.84 − 1.6) ms = 26.07.
    const [window, depth] = [
      { setup_s: 0.02, time_s: 0.00384, wall_s: 0.02384 },
      { setup_s: 0.0784, time_s: 0.0016, wall_s: 0.08 },
    ];
    expect(breakEvenRuns(window, depth)).toBe(27);
    // In a session on an H200 the kernel needs 13 µs, and 1.7 ms until its image is in memory.
    const cpu = { ...variant('mixed', 0.001, 0.00108), wall_s: 0.00214 };
    expect(breakEvenRuns(cpu, { ...variant('cuda-constant', 0.00177, 0.0000135), wall_s: 0.0035 })).toBeNull();
    // Break-even number of runs: (1.83 − 1) ms / (1.14 − 0.68) ms = 1.8.
    expect(breakEvenRuns(cpu, { ...variant('cuda-fp64', 0.00183, 0.00002), wall_s: 0.00251 })).toBe(2);
  });
});

describe('the accuracy of the recommended variant', () => {
  const measure = { tip: '', unit: '', bound: null };
  const error = { ...measure, id: 'relL2', title: 'relL2', value: 1.2e-7, holds: true };

  it('is reported by its first measure, and by a closed ledger', () => {
    const ledger = { ...measure, id: 'ledger', title: 'Ledger', value: 1e-9, holds: true };
    expect(correctnessText([error, ledger])).toBe('relL2 1.2×10⁻⁷, ledger closes');
    expect(correctnessText([error, { ...ledger, holds: false }])).toBe('relL2 1.2×10⁻⁷');
    expect(correctnessText([{ ...error, value: null }])).toBe('');
  });
});

describe('the noise of a session', () => {
  const quiet = { ratio: { value: 1.004, interval: { low: 0.99, high: 1.018 } }, floor: 0.003 };
  // On a loaded machine the noise floor is limited to 2 %.
  const noisy = { ratio: { value: 0.9, interval: { low: 0.696, high: 1.165 } }, floor: Math.expm1(0.02) };

  it('is the measured value, not the capped floor', () => {
    expect(noiseText(quiet)).toBe('A/A 1.00× (0.990–1.02); differences below 0.30 % count as noise');
    expect(noiseText(noisy)).toBe(
      'A/A 0.900× (0.696–1.17): too noisy for small differences; differences below 2.02 % count as noise, the maximum noise floor',
    );
    expect(noiseText({ ratio: null, floor: null })).toBe('unknown: too few rounds');
    expect(noiseText({ ratio: { value: 0.98, interval: null }, floor: null })).toBe(
      'A/A 0.980×: too few rounds for verdicts',
    );
  });

  it('is reported first if the reference differs from itself', () => {
    expect(noiseWarning(quiet)).toBe('');
    expect(noiseWarning(noisy)).toBe(
      'This machine was noisy: the reference against itself (A/A) gave 0.900× (0.696–1.17), so repeat the measurement on an idle one. ',
    );
  });

  it.each([
    ['more than 2 % to either side', { value: 1.021, interval: { low: 0.9, high: 1.2 } }, 0.001, true],
    ['at most 2 %', { value: 1.0199, interval: { low: 0.9, high: 1.2 } }, 0.001, false],
    ['a small but certain amount', { value: 1.01, interval: { low: 1.002, high: 1.018 } }, 0.001, true],
    ['so much that the floor is capped', { value: 1, interval: { low: 0.9, high: 1.1 } }, Math.expm1(0.02), true],
    ['by an unknown amount', { value: 1.5, interval: null }, null, false],
  ])('is too high if the A/A ratio is off by %s: %j', (_, ratio, floor, strays) => {
    expect(isTooNoisy({ ratio, floor })).toBe(strays);
  });
});

describe('summaries of claims', () => {
  const finding = (machine: string, verdict: string, more: Partial<ClaimFinding> = {}) =>
    ({ machine, verdict, by: 'a → b', scenario: 's', at: null, value: 2, ...more }) as ClaimFinding;
  const rowOf = (...claims: readonly (readonly ClaimFinding[])[]) =>
    [
      {
        claims: claims.map((findings, i) => ({
          claim: `claim ${i}`,
          findings,
          cards: [...new Set(findings.map(({ machine }) => machine))].map((machine) => ({
            machine,
            sessions: 1,
            answer: { sentence: findings.find((one) => one.machine === machine)?.verdict ?? '' },
          })),
        })),
      },
    ] as unknown as readonly ClaimTableRow[];

  test('statements are compared if two machines measured them for one problem', () => {
    const rows = rowOf(
      [finding('B', 'less'), finding('A', 'less')],
      [finding('A', 'less'), finding('B', 'more')],
      [finding('A', 'less'), finding('B', 'undecided')],
      [finding('A', 'not judged'), finding('B', 'not judged')],
      [finding('A', 'less'), finding('B', 'less', { scenario: 'another' })],
      [finding('A', 'less'), finding('B', 'less', { at: 4 })],
      [finding('A', 'less'), finding('B', 'less', { value: null })],
      [finding('A', 'less'), finding('B', 'less', { counted: true })],
    );
    expect(
      findingsOnSeveralMachines(rows).map(({ claim, holds, found }) => [claim, holds, found.map((one) => one.machine)]),
    ).toEqual([
      ['claim 0', 'same verdict', ['A', 'B']],
      ['claim 1', 'different verdicts', ['A', 'B']],
      ['claim 2', 'not decided on every machine', ['A', 'B']],
      ['claim 3', 'not judged', ['A', 'B']],
    ]);
  });

  test('a claim measured on only one machine is marked and counted', () => {
    const rows = rowOf(
      [finding('A', 'less')],
      [finding('A', 'more')],
      [finding('A', 'less'), finding('B', 'more')],
      [],
    );
    expect([...gpuAnswerCounts(rows)]).toEqual([
      ['A', 2],
      ['A, B', 1],
    ]);
    const words = (rows[0]?.claims ?? []).map((claim: TableClaim) => answersByGpuText(claim));
    expect(words[0]).toBe('Recorded on A only.');
    expect(words[2]).toBe('On A: less. On B: more.');
    expect(words[3]).toBeNull();
  });
});
