/** Shared by the tests of the programs of assets/external. */
import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, type TestContext } from 'vitest';
import type { TransportProblem } from '../../../../../electron/host/io/addon/addon.ts';
import { relativeL2 } from '../../../../../electron/host/model/bench/bench-candidate.ts';
import {
  type Baseline,
  parseBaselines,
  readRegistry,
} from '../../../../../electron/host/model/external/conversation.ts';
import { ProgramCandidate } from '../../../../../electron/host/model/external/program-candidate.ts';
import { transportTerms } from '../../../../../electron/host/workloads/transport/bench/bench-candidate.ts';
import { assetsFolder } from '../../small-run.ts';
import { addon, checkBeam, scenarios } from '../scenarios/open.ts';

export function pythonRuns(code: string): boolean {
  try {
    execFileSync('python3', ['-c', code], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const registry = await readRegistry(assetsFolder);
export const transport = { workload: 'transport', bench: '' };
/** Bins of equal energy are used unchanged. Bins of equal range would be split, which slows NumPy's loops down. */
export const coarse = {
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 50, energy: { kind: 'uniform', step_MeV: 0.5 } },
  geometry: { width_mm: 10, depth_mm: 10 },
};

export async function problemOf(parts: object): Promise<TransportProblem> {
  const problem = scenarios.resolve(await checkBeam({ ...coarse, ...parts }, 30));
  return { ...problem, keyframes: 0, solver: { ...problem.solver, variant: 'gather' } };
}

/** A candidate process of this program; closed at the end of the test. */
export function startCandidate(id: string, problem: TransportProblem, other: Partial<Baseline> = {}): ProgramCandidate {
  const [chosen] = parseBaselines(registry, transport, [id]);
  if (chosen === undefined) throw new Error(id);
  const changed = { ...chosen, baseline: { ...chosen.baseline, ...other } };
  const terms = transportTerms(addon, problem, changed);
  const out = new ProgramCandidate({ addon, folder: registry.folder, chosen: changed, terms });
  onTestFinished(() => out.close());
  return out;
}

export type TransportCase = readonly [
  id: string,
  name: string,
  parts: object,
  precision: 'fp32' | 'fp64',
  limit: number,
];

/** Checks the dose against the engine's, and that the ledger balances. */
export async function expectDose([id, _name, parts, precision, limit]: TransportCase, ctx: TestContext): Promise<void> {
  if (!pythonRuns('import numpy')) ctx.skip('python3 with NumPy is not installed');
  const regions =
    precision === 'fp64'
      ? {
          geometry: {
            ...coarse.geometry,
            regions: [{ material: 'bone-compact-icru', x_mm: [0, 2], z_mm: [1, 2] }],
          },
        }
      : {};
  const problem = await problemOf({ ...parts, ...regions, solver: { precision, step_mm: 0.5 } });
  const engine = await addon.createTransport(problem).start(() => undefined);
  const program = startCandidate(id, problem);
  const taken = await program.first();
  const answer = await program.answer();
  expect(relativeL2(answer?.values ?? new Float64Array(), engine.dose)).toBeLessThan(limit);
  expect(program.quantities(1)).toContainEqual(expect.objectContaining({ id: 'steps', value: engine.steps }));
  const right = program.accuracy(engine.dose);
  expect(right.map((one) => [one.id, one.holds])).toEqual([
    ['parity', true],
    ['ledger', true],
  ]);
  expect(taken?.wall_s).toBeGreaterThan(taken?.time_s ?? Number.POSITIVE_INFINITY);
}
