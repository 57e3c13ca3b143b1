/** The table of a sweep. */
import { describe, expect, it, test } from 'vitest';
import { sweepLines } from '../../../../electron/cli/benching.ts';
import { claimsReport } from '../../../../electron/cli/reports/bench-parts.ts';
import { samplesCsv } from '../../../../electron/cli/verbs/export.ts';
import { transportRunTexts } from '../../../../electron/cli/workloads/transport/index.ts';
import type { TaskClaimResult } from '../../../../electron/contract/bench/claims.ts';
import type { Session } from '../../../../electron/contract/bench/session.ts';
import { qualityOf } from '../../../../electron/host/workloads/transport/metrics/quality.ts';
import type { RunData } from '../../../../electron/host/workloads/transport/run-data.ts';
import { transportSessionTerms } from '../../../../electron/host/workloads/transport/user-kernels.ts';
import { runScenario } from '../../host/small-run.ts';

describe('the CSV file of samples', () => {
  const gpu = (name: string) => ({ name, uuid: name, driver: null, ceilings: null });
  const entry = (label: string, device: 'cpu' | 'cuda', index: number | null) => ({
    ...{ status: 'measured', label, device, gpu: index, precision: 'fp32', verdict: 'same' },
    samples: [{ round: 0, time_s: 0.25, sm_MHz: null, flag: label === 'b' ? 'hot, "slow"' : null }],
  });

  it('names the device of every sample, and quotes text that contains separators', () => {
    const machine = { cpu: 'A CPU', gpu: gpu('First'), gpus: [{ index: 1, ...gpu('Second') }] };
    const entries = [entry('a', 'cpu', null), entry('b', 'cuda', null), entry('b:1', 'cuda', 1)];
    const report = { entries, external: [], program: { commit: null }, machine };
    const { text, rows } = samplesCsv({ reports: [report], sweep: null } as unknown as Session);
    expect(rows).toBe(3);
    expect(text.split('\n')).toEqual([
      'at,variant,kind,device,precision,round,time_s,sm_MHz,flag,verdict,commit',
      ',a,variant,A CPU,fp32,0,0.25,,,same,',
      ',b,variant,First,fp32,0,0.25,,"hot, ""slow""",same,',
      ',b:1,variant,Second,fp32,0,0.25,,,same,',
      '',
    ]);
  });
});

describe('the report of a session', () => {
  const claim = (id: string, values: TaskClaimResult['values']): TaskClaimResult => ({
    ...{ id, claim: `Claim ${id}`, from: 2, to: 10, source: 'A note, §1', reason: null },
    ...{ pairs: [{ slower: 'naive', faster: 'tiled', what: '', gain: null, verdict: 'not measured' }], values },
  });

  const value = (measured: number | null): TaskClaimResult['values'][number] => ({
    ...{ variant: 'tiled', what: 'time', value: measured, unit: 'µs' },
    verdict: measured === null ? 'not measured' : 'not judged',
  });

  const plain = (text: string): string => text;

  it('shows the claims that were measured, and counts the others', () => {
    const lines = claimsReport([claim('a', [value(3), value(null)]), claim('b', [value(null)]), claim('c', [])], plain);
    expect(lines).toHaveLength(4);
    expect(lines[2]).toMatch(/^Claim a +2–10 µs +3 µs/);
    expect(lines[3]).toBe('2 more claims about this workload were not measured in this session: braggbench claims');
  });

  it('omits claims if none were measured', () => {
    expect(claimsReport([claim('b', [value(null)])], plain)).toEqual([]);
  });
});

describe('the report of a sweep', () => {
  const point = (value: number) => ({ value, size: 1e6, time_s: 1e-3, setup_s: 1e-3, setup_share: 0.5, rate: 1e9 });

  /** Lines of a sweep's table; `window` has ranges, as in saved sessions. */
  const swept = (ranges: readonly (number | null)[]): readonly string[] => {
    const reports = ranges.map((value) => ({
      entries: [
        {
          ...{ label: 'window', status: 'measured' },
          quantities: value === null ? [] : [{ id: 'r80', title: 'R80', value, unit: 'mm' }],
        },
      ],
    }));
    const sweep = {
      ...{ path: 'beam.energy_MeV', values: [60, 70] },
      fits: [{ label: 'window', points: [point(60), point(70)], fixed_s: null, slope_s: null }],
    };
    return sweepLines({ sweep, words: transportSessionTerms, reports } as unknown as Session, (_, text) => text);
  };

  test('shows the range of each beam if the physics of a beam is swept', () => {
    const [, , head, first, second] = swept([30.894, 40.796]);
    expect(head).toMatch(/ R80$/);
    expect([first, second].map((line) => line?.match(/[\d.]+ mm$/)?.[0])).toEqual(['30.89 mm', '40.80 mm']);
  });

  test('shows a dash for a beam without a range, and no range column if no session has one', () => {
    expect(swept([30.894, null])[4]).toMatch(/ –$/);
    expect(swept([null, null]).join('\n')).not.toContain('R80');
  });
});

describe('the report of a run', () => {
  const parts = {
    kind: 'transport',
    version: 1,
    beam: { energy_MeV: 40, x_sigma_mm: 2 },
    geometry: { width_mm: 20, depth_mm: 20 },
    grid: { energy: { kind: 'uniform', step_MeV: 0.5 }, dz_mm: 0.5, dx_mm: 1, dtheta_mrad: 40 },
    solver: { stepping: 'depth' },
  } as const;

  const told = (run: RunData): readonly string[] =>
    transportRunTexts
      .describeRun(run, { scenario: null, issues: [], range_mm: null, table: null } as never)
      .lines(null, (_, text) => text);

  test('contains the RBE of each model where the run scored LET', async () => {
    const run = await runScenario({ ...parts, output: { let: true, alpha_beta_Gy: 3, fraction_Gy: 1.8 } });
    const lines = told(run);
    const title = lines.findIndex((line) => line.startsWith('  RBE, α/β 3 Gy, 1.8 Gy per fraction'));
    expect(lines[title]?.trim().split(/ {2,}/)).toEqual([
      'RBE, α/β 3 Gy, 1.8 Gy per fraction',
      'depth',
      '1.1',
      'McNamara',
      'Wedenberg',
      'Carabe',
    ]);
    const quality = qualityOf(run);
    const entrance = quality?.rbe.curves.map(({ rbe }) => rbe[0]?.toFixed(3));
    expect(lines[title + 1]?.trim().split(/ {2,}/)).toEqual(['entrance', '0.25 mm', ...(entrance ?? [])]);
    expect(lines.slice(title + 1, title + 5).map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
      'entrance',
      'half of R80',
      'peak',
      'R80',
    ]);
    expect(told(await runScenario(parts)).some((line) => line.includes('RBE'))).toBe(false);
  });

  test('contains the dose in Gy on the axis, or the reason why there is none', async () => {
    const layered = told(await runScenario(parts));
    expect(layered.find((line) => line.includes('On axis'))).toMatch(/Gy per 10⁹ protons at/);
    const regions = [{ material: 'lead', x_mm: [2, 4], z_mm: [1, 3] }];
    const beside = told(await runScenario({ ...parts, geometry: { ...parts.geometry, regions } }));
    expect(beside.find((line) => line.includes('On axis'))).toMatch(
      /no dose in Gy: matter is not layered: at z = 1\.25 mm water and lead are next to each other/,
    );
  });

  test('contains no width if the cells are too wide to resolve it', async () => {
    const width = (lines: readonly string[]) => lines.find((line) => /^ *σx at z/.test(line))?.trim();
    expect(width(told(await runScenario(parts)))).toMatch(/ 2\.\d\d mm$/);
    const coarse = { ...parts, grid: { ...parts.grid, dx_mm: 20 } };
    expect(width(told(await runScenario(coarse)))).toMatch(/ –$/);
  });
});
