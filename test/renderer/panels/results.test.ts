import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../electron/contract/bench/session.ts';
import { parseTaskSession } from '../../../electron/host/workloads/task/session-file.ts';
import { chartFigure } from '../../../renderer/drawing/charts/chart-figure.ts';
import { claimChart, sweptClaims } from '../../../renderer/drawing/charts/claim-curve.ts';
import { fusedPairs, fusionCeiling } from '../../../renderer/workloads/linear-relu/fusion-ceiling.tsx';

const recorded = (name: string): Session =>
  parseTaskSession(
    readFileSync(path.join(import.meta.dirname, '../../../assets/runs/linear-relu', name), 'utf8'),
    name,
  );

describe('the fusion ceiling', () => {
  it('depends on the inputs and the machine alone, and bounds what a recorded session saved in FP32', () => {
    const [report] = recorded('layer-8192.json').reports;
    if (report === undefined) throw new Error('nothing was recorded');
    // The estimate of the note's large layer: 56 µs compared with 4.10 ms at 67 TFLOP/s and 4.8 TB/s.
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
    const base = recorded('layer-256.json');
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
    // A session of one size has none.
    expect(sweptClaims({ ...base, reports: [{ ...report, claims: [] }] })).toEqual([]);
  });
});
