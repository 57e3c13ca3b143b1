/** Text of each claim in the list. The kernel that the launch explorer shows before the user chooses one. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test, vi } from 'vitest';
import type { TableClaim } from '../../../electron/contract/bench/claim-table.ts';
import type { MeasuredSessionEntry, Session } from '../../../electron/contract/bench/session.ts';
import type { KernelSet } from '../../../electron/contract/launches.ts';
import { publishedLimits } from '../../../electron/domain/launch/occupancy.ts';
import { parseTaskSession } from '../../../electron/host/workloads/task/index.ts';
import { chartFigure } from '../../../renderer/drawing/charts/chart-figure.ts';
import { claimChart, sweptClaims } from '../../../renderer/drawing/charts/claim-curve.ts';
import { claimText, findingTone, matchesSearch, toneOf } from '../../../renderer/panels/claims/claims-panel.tsx';
import { createLaunchStore, explainSelection } from '../../../renderer/panels/launch-explorer/model.ts';
import { memoryStorage } from '../../../renderer/state/persisted.ts';
import { fusedPairs, fusionCeiling } from '../../../renderer/workloads/linear-relu/index.tsx';
import { unprovenReadouts } from '../../../renderer/workloads/task/index.tsx';

describe('the table of claims', () => {
  const found = (value: number | null, unit = '×') => ({ value, unit }) as TableClaim['findings'][number];

  test('shows a unit only together with a number', () => {
    const claim = { from: 0.05, to: 0.2, tolerance: 0, reason: null, unit: '', findings: [found(null)] };
    expect(claimText(claim as unknown as TableClaim)).toBe('–');
    const measured = { ...claim, unit: 's', findings: [found(0.1, 's')] };
    expect(claimText(measured as unknown as TableClaim)).toBe('50–200 ms');
  });

  test('colours only plain answers', () => {
    const words = ['true', 'true-when', 'not-true', 'cannot-judge', 'not-measured'] as const;
    expect(words.map((word) => toneOf({ word }))).toEqual(['good', 'none', 'less', 'none', 'none']);
    expect(['as claimed', 'more', 'not judged'].map(findingTone)).toEqual(['good', 'less', 'none']);
  });

  test('requires every searched word', () => {
    const row = { title: 'Bank conflicts cost 5–10×', source: 'a note' };
    const claim = {
      ...{ workload: 'micro', bench: 'coalescing', id: 'random' },
      claim: 'Avoiding them',
      answer: { sentence: 'true when stride is 16' },
      about: null,
      remark: null,
    } as unknown as TableClaim;
    expect(['', 'BANK stride', 'bank tiles'].map((sought) => matchesSearch(row, claim, sought))).toEqual([
      true,
      true,
      false,
    ]);
    // Claims about coalesced access do not contain the name of their benchmark.
    expect(matchesSearch(row, claim, 'coalescing')).toBe(true);
  });
});

describe('the launch explorer', () => {
  const none = { constant_bytes: 0, stack_bytes: 0, spill_store_bytes: 0, spill_load_bytes: 0, barriers: 0 };
  const set = (workload: string): KernelSet =>
    ({
      workload,
      kernels: [{ name: `${workload}_kernel`, architecture: 'sm_90', registers: 32, shared_bytes: 0, ...none }],
    }) as unknown as KernelSet;
  const sets = ['probe', 'diffraction', 'transport'].map(set);
  const gpus = publishedLimits
    .filter(({ architecture }) => architecture === 'sm_90')
    .map((limits) => ({ id: limits.architecture, limits }));
  const config = createLaunchStore(memoryStorage(), vi.fn()).getState();
  const chosen = (kernel: string, preferred: string) =>
    explainSelection({ ...config, kernel }, sets, gpus, preferred)?.choice?.id;

  it("selects a kernel of the scenario's workload, otherwise any except a probe, and keeps a choice", () => {
    expect(chosen('', 'transport')).toBe('transport/transport_kernel');
    expect(chosen('', 'micro')).toBe('diffraction/diffraction_kernel');
    expect(chosen('diffraction/diffraction_kernel', 'transport')).toBe('diffraction/diffraction_kernel');
  });

  it('uses the block size of the launch bounds until another block size is chosen', () => {
    const bound = (threads: number | null): readonly KernelSet[] =>
      sets.map((one) => ({ ...one, kernels: one.kernels.map((kernel) => ({ ...kernel, max_threads: threads })) }));
    const launched = (threads: number | null, block: [number, number, number] | null) =>
      explainSelection({ ...config, block }, bound(threads), gpus, 'transport');
    expect(launched(128, null)?.block).toEqual([128, 1, 1]);
    expect(launched(128, null)?.launch.notes.filter(({ severity }) => severity === 'refused')).toEqual([]);
    expect(launched(null, null)?.block).toEqual([256, 1, 1]);
    expect(launched(128, [64, 2, 1])?.block).toEqual([64, 2, 1]);
  });
});

const recordedSession = (name: string): Session =>
  parseTaskSession(
    readFileSync(path.join(import.meta.dirname, '../../../assets/runs/linear-relu', name), 'utf8'),
    name,
  );

describe('the upper limit of the gain from fusion', () => {
  it('depends only on the inputs and the machine, and bounds the FP32 saving of a recorded session', () => {
    const [report] = recordedSession('layer-8192.json').reports;
    if (report === undefined) throw new Error('nothing was recorded');
    // The large layer of the source note, which estimates 56 µs at 4.8 TB/s, and 4.10 ms at 67 TFLOP/s.
    const peaks = { copy_bytes_per_s: 4.8e12, fp32_flops_per_s: 67e12 };
    const { gpu } = report.machine;
    if (gpu?.ceilings == null) throw new Error('the session has no ceilings');
    const ideal = {
      ...report,
      machine: { ...report.machine, gpu: { ...gpu, ceilings: { ...gpu.ceilings, ...peaks } } },
    };
    const document = { problem: { batch: 8192, inputs: 4096, outputs: 4096 } };
    const note = fusionCeiling({ ...ideal, document });
    expect(note?.relu_s).toBeCloseTo(56e-6, 6);
    expect(note?.gemm_s).toBeCloseTo(4.1e-3, 4);
    expect(note?.share).toBeCloseTo(0.0135, 3);
    const wider = fusionCeiling({ ...ideal, document: { problem: { batch: 64, inputs: 4096, outputs: 9000 } } });
    expect(wider?.share).toBeCloseTo(note?.share ?? 0, 12);
    expect(fusionCeiling({ ...report, document: {} })).toBeNull();
    const measured = report.entries.filter((entry) => entry.status === 'measured');
    const pairs = fusedPairs(measured);
    expect(pairs.map(([apart, fused]) => [apart.variant, fused.variant])).toContainEqual([
      'cuda-cublas',
      'cuda-lt-fp32',
    ]);
  });
});

describe('the curves of a sweep', () => {
  it('show the claim as a band, and the gain with its interval at every value', () => {
    const base = recordedSession('layer-256.json');
    const [report] = base.reports;
    if (report === undefined) throw new Error('nothing was recorded');
    const gain = (value: number) => ({ value, interval: { low: value * 0.9, high: value * 1.1 } });
    const claim = (value: number) => ({
      id: 'fusing',
      claim: 'Fusing',
      from: 3,
      to: 12,
      source: 'a note',
      reason: null,
      pairs: [{ slower: 'a', faster: 'b', what: 'one launch', gain: gain(value), verdict: 'as claimed' as const }],
      values: [],
    });
    const at = (value: number) => ({ ...report, claims: [claim(value)] });
    const fitOf = (label: string, time_s: number) => ({
      label,
      points: [1, 10, 100].map((value) => ({
        ...{ value, size: value, time_s: time_s * value, setup_s: 0, setup_share: 0, rate: null },
      })),
      fixed_s: 0,
      slope_s: time_s,
    });
    const sweep = { path: 'problem.steps', values: [1, 10, 100], fits: [fitOf('a', 1e-3), fitOf('b', 1e-4)] };
    const session = { ...base, reports: [at(2), at(4), at(8)], sweep };
    const size = { width: 600, label: 11 };
    const [found] = sweptClaims(session);
    if (found === undefined) throw new Error('the claim was not found');
    const curve = chartFigure(claimChart(session, found), size);
    const [band] = curve.shapes.filter((shape) => shape.kind === 'rect');
    expect(band).toMatchObject({ ink: 'accent', tip: 'claimed 3–12×' });
    expect(curve.shapes.filter((shape) => shape.kind === 'dot')).toHaveLength(3);
    expect(curve.arrays.at(-1)?.values).toEqual(Float64Array.of(2, 4, 8));
    // A session of a single size has no curves.
    expect(sweptClaims({ ...base, reports: [{ ...report, claims: [] }] })).toEqual([]);
  });
});

describe('counts of a finished session', () => {
  it('distinguish unchecked answers from wrong ones', () => {
    const counted = (...verdicts: MeasuredSessionEntry['verdict'][]) =>
      unprovenReadouts(verdicts.map((verdict) => ({ verdict }))).map(({ name, value }) => [name, value]);
    expect(counted('reference', 'faster', 'wrong', 'impossible', 'not checked')).toEqual([
      ['Wrong', '2'],
      ['Not checked', '1'],
    ]);
    expect(counted('reference', 'undecided')).toEqual([['Wrong', '0']]);
  });
});
