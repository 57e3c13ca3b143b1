/** Measures the engine in this process after a first run, as a host uses it. */
import {
  loadAddon,
  type NativeAddon,
  type TransportProblem,
  type TransportResult,
} from '../../../electron/host/io/addon/addon.ts';
import type { DiffractionProblem } from '../../../electron/host/io/addon/task.ts';
import { problemOf, type ScenarioReading } from '../../../electron/host/workloads/scenarios/scenarios.ts';
import { openTestScenarios } from '../../electron/host/small-run.ts';
import {
  type GpuVariant,
  imageInFp32,
  median,
  type Row,
  rowWithUpperLimit,
  warmImageTarget,
  warmRunTarget,
} from './row.ts';

const ENERGIES = 24;
const WARM_UPS = 4;
const IMAGES = 7;

export interface Solver {
  readonly addon: NativeAddon;
  /** Throws the issues of a scenario that is not valid. */
  readonly problem: (document: object) => Promise<ScenarioReading>;
}

export async function openSolver(): Promise<Solver> {
  const addon = loadAddon();
  const scenarios = await openTestScenarios(addon, 2 ** 34);
  return { addon, problem: (document) => scenarios.any.check(document, { name: 'bench', folder: null }) };
}

export function transportProblem(reading: ScenarioReading): TransportProblem {
  if (reading.kind !== 'transport') throw new Error('not a scenario of transport');
  return problemOf(reading);
}

function imageProblem(reading: ScenarioReading): DiffractionProblem {
  if (reading.kind !== 'diffraction') throw new Error('not a scenario of an image');
  return problemOf(reading);
}

/** Solver settings for a variant, with the stepping that it needs. */
export function solverSettings(variant: string): object {
  return { step_mm: 0.2, variant, stepping: variant.endsWith('depth') ? 'depth' : 'path' };
}

interface SolveTimes {
  readonly whole_s: number;
  readonly result: TransportResult;
}

/** Solves a problem completely: layout, tables, state, steps and read-back. */
export async function solveProblem({ addon }: Pick<Solver, 'addon'>, problem: TransportProblem): Promise<SolveTimes> {
  const begun = performance.now();
  const run = await addon.layTransport({ ...problem, keyframes: 0 });
  const result = await run.start(() => undefined, { unwatched: true });
  const whole_s = (performance.now() - begun) / 1000;
  if (result.status !== 'done') throw new Error(`the run ended as ${result.status}: ${result.error?.message ?? ''}`);
  return { whole_s, result };
}

/** Time of a warm end-to-end run, with a different energy each time; the bound is the time of its steps. */
export async function warmRun(solver: Solver, base: object, variant: GpuVariant): Promise<Row> {
  const [wholes, steps]: [number[], number[]] = [[], []];
  for (let i = 0; i < ENERGIES; i += 1) {
    const energy_MeV = 65 + 0.37 * i;
    const reading = await solver.problem({ ...base, beam: { energy_MeV }, solver: solverSettings(variant) });
    const { whole_s, result } = await solveProblem(solver, transportProblem(reading));
    if (i < WARM_UPS) continue;
    wholes.push(whole_s);
    steps.push(result.solve_s);
  }
  return rowWithUpperLimit(warmRunTarget(variant), median(wholes), median(steps));
}

/** A warm image of 4096² by the fastest correct variant of each precision; the bound is the device's own time. */
export async function warmImages(solver: Solver, base: object): Promise<readonly Row[]> {
  const { addon } = solver;
  const rows: Row[] = [];
  const medians: number[] = [];
  for (const precision of ['fp32', 'fp64'] as const) {
    const right = addon
      .diffractionVariants()
      .filter((one) => one.device === 'cuda' && one.available && one.precision === precision && one.brightError < 1);
    let best: { readonly id: string; readonly whole_s: number; readonly device_s: number } | null = null;
    for (const { id } of right) {
      const problem = imageProblem(await solver.problem({ ...base, solver: { variant: id } }));
      const [wholes, devices]: [number[], number[]] = [[], []];
      for (let i = 0; i <= IMAGES; i += 1) {
        const begun = performance.now();
        const { device_s } = await addon.createDiffraction(problem).start(() => undefined, {});
        if (i === 0) continue;
        wholes.push((performance.now() - begun) / 1000);
        devices.push(device_s);
      }
      const whole_s = median(wholes);
      if (best === null || whole_s < best.whole_s) best = { id, whole_s, device_s: median(devices) };
    }
    const limit = warmImageTarget(precision, best?.id ?? 'no right variant');
    rows.push(rowWithUpperLimit(limit, best?.whole_s ?? null, best?.device_s ?? null));
    if (best !== null) medians.push(best.whole_s);
  }
  const [fp32, fp64] = medians;
  const slower = fp32 === undefined || fp64 === undefined ? null : fp32 / fp64;
  return [...rows, rowWithUpperLimit(imageInFp32, slower)];
}
