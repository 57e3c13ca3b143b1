/**
 * Prepares a run for a Live request: on the scenario's grid as for Run, or on a grid with a fast answer. The fast one
 * uses depth stepping, cells larger by whole factors, and few keyframes. Its energy grid is the scenario's, which
 * determines range and falloff. The factors are chosen from the times of earlier answers.
 */
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import type { WhatIfMethod } from '../../../../contract/scenario/transport/what-if.ts';
import type { TransportResolved } from '../../../../contract/scenario/transport/workload.ts';
import type { ScenarioDraft } from '../../../../contract/scenario/workload.ts';
import type { NativeAddon, TransportProblem } from '../../../io/addon/addon.ts';
import {
  problemOf,
  refusalOf,
  type ScenarioOrigin,
  type ScenarioReading,
  type Scenarios,
  type TransportReading,
} from '../../scenarios/scenarios.ts';
import { prepareRun } from '../batch.ts';
import { rangesOf } from '../bench/expected-time.ts';
import { TransportWorkloadRun } from '../running.ts';
import { variantsFor } from '../variants.ts';

/** Ratio of cell sizes of the coarser grid to the scenario's. */
interface Factors {
  readonly x: number;
  readonly z: number;
  readonly theta: number;
}

const unchangedFactors: Factors = { x: 1, z: 1, theta: 1 };

/** Depth stepping supports up to 60° from the axis. */
const LIMIT_MRAD = (Math.PI / 3) * 1000;
/** Minimum of cells across the box, or of bins on either side of the beam, for a usable display. */
const MIN_CELLS = 16;
const MIN_BINS = 8;
/** Number of keyframes while a control is dragged; saving each needs longer than the steps between two of them. */
const MAX_KEYFRAMES = 9;

/** Cell size that divides the box after the number of cells is reduced. */
function coarseCellSize(box_mm: number, cell_mm: number, factor: number): number {
  const cells = Math.round(box_mm / cell_mm);
  return box_mm / Math.max(Math.min(cells, MIN_CELLS), Math.ceil(cells / factor));
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Returns `document` with the values of `complete`, its completed form, on a grid coarser by `factors`. */
export function coarsenGrid(
  document: ScenarioDraft,
  complete: TransportScenario,
  factors: Factors,
  variant: 'auto' | 'moments' = 'auto',
): ScenarioDraft {
  const { geometry, grid, beam, output } = complete;
  const { step_mm: _, ...solver } = record(document['solver']);
  const bins = Math.round(grid.theta_max_mrad / grid.dtheta_mrad);
  const room_mrad = LIMIT_MRAD - (Math.abs(beam.angle_deg) * 1000 * Math.PI) / 180;
  const left = Math.max(Math.min(bins, MIN_BINS), Math.ceil(bins / factors.theta));
  const dtheta_mrad = left === bins ? grid.dtheta_mrad : grid.theta_max_mrad / left;
  const within = Math.min(left, Math.floor(room_mrad / dtheta_mrad));
  return {
    ...document,
    geometry: { ...record(document['geometry']), width_mm: geometry.width_mm, depth_mm: geometry.depth_mm },
    grid: {
      ...record(document['grid']),
      dx_mm: coarseCellSize(geometry.width_mm, grid.dx_mm, factors.x),
      dz_mm: coarseCellSize(geometry.depth_mm, grid.dz_mm, factors.z),
      dtheta_mrad,
      theta_max_mrad: within * dtheta_mrad,
      energy: grid.energy,
      cutoff_MeV: grid.cutoff_MeV,
    },
    solver: { ...solver, stepping: 'depth', variant, precision: 'fp32' },
    output: { ...record(document['output']), keyframes: Math.min(output.keyframes, MAX_KEYFRAMES) },
  };
}

/** Whether the moments method can solve the problem: layers across the full width, and beams along z. */
export function isLayered({ map, grid, beam, spots, initial }: TransportProblem): boolean {
  if (initial.kind !== 'beam' || (spots ?? [beam]).some(({ angle_rad }) => angle_rad !== 0)) return false;
  for (let cell = 0; cell < map.length; cell += 1) {
    if (map[cell] !== map[cell - (cell % grid.nx)]) return false;
  }
  return true;
}

/** Solver time for one answer: a tenth of a second on the CPU; two display frames on a GPU. */
const BUDGET_S = { cpu: 0.1, gpu: 0.03 } as const;
/** Seconds per cell visit before there is a measurement: for two cores, and for a GPU. */
const FIRST_GUESS_S = { cpu: 2.5e-10, gpu: 2e-12 } as const;
/** Once the grid is coarse, an answer may exceed its time by this factor before the grid becomes coarser. */
const TOLERATED_OVERRUN = 1.5;
const MAX_FACTOR = 4;
/**
 * Limit on the factor in z, along which range and falloff are read: doubled cells move R80 by hundredths of a
 * millimetre.
 */
const MAX_FACTOR_IN_Z = 2;
/** Weight of the newest measurement. */
const NEWEST_WEIGHT = 0.5;

type Kind = 'cpu' | 'gpu';

/** `sameDose`: whether the cells of the dose must not change, because another dose is subtracted. */
function factorsOf(factor: number, sameDose: boolean): Factors {
  return sameDose
    ? { ...unchangedFactors, theta: factor }
    : { x: factor, z: Math.min(factor, MAX_FACTOR_IN_Z), theta: factor };
}

const reduction = ({ x, z, theta }: Factors): number => x * z * theta;

export class Pace {
  readonly #visit_s: Record<Kind, number> = { ...FIRST_GUESS_S };
  readonly #setUp_s: Record<Kind, number> = { cpu: 0, gpu: 0 };
  #held = 1;

  /** Factors for a scenario with this many cells. The grid only becomes finer again after editing pauses. */
  factors(kind: Kind, cells: number, sameDose: boolean): Factors {
    const takes_s = (factor: number): number =>
      this.#setUp_s[kind] + (this.#visit_s[kind] * cells) / reduction(factorsOf(factor, sameDose));
    // Set-up time does not depend on the cells, so coarser cells cannot reduce it.
    const allowed_s = Math.max(BUDGET_S[kind], this.#setUp_s[kind] + BUDGET_S[kind] / 2);
    const most_s = this.#held > 1 ? allowed_s * TOLERATED_OVERRUN : allowed_s;
    while (this.#held < MAX_FACTOR && takes_s(this.#held) > most_s) this.#held += 1;
    return factorsOf(this.#held, sameDose);
  }

  took(kind: Kind, cells: number, setUp_s: number, solve_s: number): void {
    this.#setUp_s[kind] += NEWEST_WEIGHT * (setUp_s - this.#setUp_s[kind]);
    this.#visit_s[kind] += NEWEST_WEIGHT * (solve_s / Math.max(1, cells) - this.#visit_s[kind]);
  }

  rested(): void {
    this.#held = 1;
  }
}

interface WhatIfQuestion {
  readonly document: ScenarioDraft;
  readonly place: ScenarioOrigin;
  /** Whether to solve on the scenario's full grid, as by Run. */
  readonly full: boolean;
  /** Whether a dose is subtracted from the result, which requires equal cells. */
  readonly sameDose: boolean;
}

export interface PreparedWhatIf {
  readonly running: TransportWorkloadRun;
  /** Scenario as entered. */
  readonly reading: TransportReading;
  /** Scenario that is solved. */
  readonly solved: TransportReading;
  readonly way: WhatIfMethod;
  readonly resolved: TransportResolved;
  /** Number of cell visits and their device, to learn the rate; null for the moments method, which visits no cells. */
  readonly cells: number;
  readonly kind: Kind | null;
}

interface Parts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly memoryLimit_bytes: number;
}

/** Narrows a reading to transport. Throws BraggError with its issues if it cannot be solved. */
function requireSolvable(reading: ScenarioReading): TransportReading {
  if (reading.kind === 'transport' && reading.problem !== null) return reading;
  if (reading.kind === null || reading.kind === 'transport') throw refusalOf(reading.issues);
  throw refusalOf([
    {
      severity: 'error',
      file: null,
      path: 'kind',
      line: null,
      column: null,
      message: 'Live solves proton transport only',
      value: reading.kind,
      allowed: 'transport',
    },
  ]);
}

/**
 * Reads the scenario for a fast answer. Tries, in this order: moments on the scenario's grid if its matter is layered,
 * the coarser grid, and the scenario's grid. If none of these is valid, the scenario stays unchanged.
 */
async function readQuickly(
  { scenarios }: Parts,
  { document, place }: WhatIfQuestion,
  reading: TransportReading,
  factors: Factors,
): Promise<TransportReading> {
  if (reading.scenario === null) return reading;
  const layered = isLayered(problemOf(reading));
  const ways: readonly (readonly [Factors, 'auto' | 'moments'])[] = [
    ...(layered ? ([[unchangedFactors, 'moments']] as const) : []),
    [factors, 'auto'],
    [unchangedFactors, 'auto'],
  ];
  for (const [tried, variant] of ways) {
    const found = await scenarios.checkQuickly(coarsenGrid(document, reading.scenario, tried, variant), place);
    if (found.kind === 'transport' && found.problem !== null) return found;
  }
  return reading;
}

/** Cell sizes of one grid relative to another's. A grid with few cells is coarsened by less than requested. */
function cellsIn(grid: TransportScenario['grid'], of: TransportScenario['grid']): Factors {
  const ratio = (key: 'dx_mm' | 'dz_mm' | 'dtheta_mrad'): number => Number((grid[key] / of[key]).toPrecision(9));
  return { x: ratio('dx_mm'), z: ratio('dz_mm'), theta: ratio('dtheta_mrad') };
}

/** Kind of device that `auto` uses. */
function kindOf(addon: NativeAddon): Kind {
  const usable = addon
    .variants()
    .some(({ device, available, steppings }) => available && device !== 'cpu' && steppings.includes('depth'));
  return usable ? 'gpu' : 'cpu';
}

/** Prepares the run. Throws BraggError if the request cannot be solved. */
export async function prepareWhatIf(parts: Parts, question: WhatIfQuestion, pace: Pace): Promise<PreparedWhatIf> {
  const { addon, scenarios, memoryLimit_bytes } = parts;
  const { document, place, full, sameDose } = question;
  const reading = requireSolvable(await scenarios.checkQuickly(document, place));
  const kind = kindOf(addon);
  const wanted = full ? unchangedFactors : pace.factors(kind, reading.estimate?.cells ?? 0, sameDose);
  const solved = full ? reading : await readQuickly(parts, question, reading, wanted);
  const { scenario } = solved;
  const { range_mm, waterRange_mm, table, estimate } = reading;
  if (scenario === null || reading.scenario === null || range_mm === null || waterRange_mm === null || table === null) {
    throw refusalOf(reading.issues);
  }
  const problem = problemOf(solved);
  const { native } = await prepareRun(addon, problem, rangesOf(reading));
  const { plan } = native;
  const running = new TransportWorkloadRun(addon, native, { problem, table, trace: false, unwatched: true });
  const cells = plan.ne * plan.ntheta * plan.nz * plan.nx;
  return {
    running,
    reading,
    solved,
    kind: plan.variant === 'moments' ? null : running.device === 'cpu' ? 'cpu' : 'gpu',
    cells,
    way: {
      variant: plan.variant,
      device: running.device,
      stepping: problem.solver.stepping,
      coarser: { ...cellsIn(scenario.grid, reading.scenario.grid) },
      dx_mm: problem.grid.dx_mm,
      dz_mm: problem.grid.dz_mm,
      dtheta_mrad: problem.grid.dtheta_rad * 1000,
    },
    resolved: {
      kind: 'transport',
      scenario: { ...reading.scenario },
      variant: plan.variant,
      variants: variantsFor(addon, reading.scenario.solver, document),
      estimate: { total_bytes: plan.estimate_bytes, limit_bytes: memoryLimit_bytes },
      grid: { ne: plan.ne, ntheta: plan.ntheta, nz: plan.nz, nx: plan.nx },
      cells,
      state_bytes: estimate?.state_bytes ?? plan.estimate_bytes,
      steps_max: plan.steps_max,
      range_mm,
      waterRange_mm,
      table,
    },
  };
}
