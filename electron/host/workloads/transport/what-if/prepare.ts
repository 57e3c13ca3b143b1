/**
 * Prepares a run for a Live request, either on the scenario's grid or on one that gives a fast answer. The fast grid
 * uses depth stepping, cells that are larger by whole factors, and few keyframes. Its energy grid is that of the
 * scenario, because this determines range and falloff. Factors are selected by the times of earlier answers.
 */
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import type { WhatIfMethod } from '../../../../contract/scenario/transport/what-if.ts';
import type { ResolvedTransport } from '../../../../contract/scenario/transport/workload.ts';
import type { ScenarioDraft } from '../../../../contract/scenario/workload.ts';
import type { NativeAddon, TransportProblem } from '../../../io/addon/addon.ts';
import {
  invalidScenarioError,
  problemOf,
  type ScenarioOrigin,
  type ScenarioReading,
  type Scenarios,
  type TransportReading,
} from '../../scenarios/scenarios.ts';
import { prepareRun } from '../batch.ts';
import { rangesOf } from '../bench/expected-time.ts';
import { TransportWorkloadRun } from '../running.ts';
import { variantsFor } from '../variants.ts';

/** Cell sizes of the coarser grid divided by those of the scenario. */
interface Factors {
  readonly x: number;
  readonly z: number;
  readonly theta: number;
}

const unchangedFactors: Factors = { x: 1, z: 1, theta: 1 };

/** Maximum angle from the axis for depth stepping: 60°. */
const LIMIT_MRAD = (Math.PI / 3) * 1000;
/** Minimum number of cells across the box, and of angle bins on each side of the beam, for a usable display. */
const MIN_CELLS = 16;
const MIN_BINS = 8;
/**
 * Maximum number of keyframes while a control is dragged. Saving each needs longer than the steps between two of them.
 */
const MAX_KEYFRAMES = 9;

/** Cell size that fills the box with a whole number of cells, after this number was reduced. */
function coarseCellSize(box_mm: number, cell_mm: number, factor: number): number {
  const cells = Math.round(box_mm / cell_mm);
  return box_mm / Math.max(Math.min(cells, MIN_CELLS), Math.ceil(cells / factor));
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Returns `document` with the values of its completed form `complete`, on a grid that is coarser by `factors`. */
export function coarsenGrid(
  document: ScenarioDraft,
  complete: TransportScenario,
  factors: Factors,
  variant: 'auto' | 'moments' = 'auto',
): ScenarioDraft {
  const { geometry, grid, beam, output } = complete;
  const { step_mm: _, ...solver } = asRecord(document['solver']);
  const bins = Math.round(grid.theta_max_mrad / grid.dtheta_mrad);
  const room_mrad = LIMIT_MRAD - (Math.abs(beam.angle_deg) * 1000 * Math.PI) / 180;
  const left = Math.max(Math.min(bins, MIN_BINS), Math.ceil(bins / factors.theta));
  const dtheta_mrad = left === bins ? grid.dtheta_mrad : grid.theta_max_mrad / left;
  const within = Math.min(left, Math.floor(room_mrad / dtheta_mrad));
  return {
    ...document,
    geometry: { ...asRecord(document['geometry']), width_mm: geometry.width_mm, depth_mm: geometry.depth_mm },
    grid: {
      ...asRecord(document['grid']),
      dx_mm: coarseCellSize(geometry.width_mm, grid.dx_mm, factors.x),
      dz_mm: coarseCellSize(geometry.depth_mm, grid.dz_mm, factors.z),
      dtheta_mrad,
      theta_max_mrad: within * dtheta_mrad,
      energy: grid.energy,
      cutoff_MeV: grid.cutoff_MeV,
    },
    solver: { ...solver, stepping: 'depth', variant, precision: 'fp32' },
    output: { ...asRecord(document['output']), keyframes: Math.min(output.keyframes, MAX_KEYFRAMES) },
  };
}

/** Whether the moments method can solve the problem: matter in layers across the full width, and beams along z. */
export function isLayered({ map, grid, beam, spots, initial }: TransportProblem): boolean {
  if (initial.kind !== 'beam' || (spots ?? [beam]).some(({ angle_rad }) => angle_rad !== 0)) return false;
  for (let cell = 0; cell < map.length; cell += 1) {
    if (map[cell] !== map[cell - (cell % grid.nx)]) return false;
  }
  return true;
}

/** Target time for solving one request: a tenth of a second on the CPU, and two display frames on a GPU. */
const BUDGET_S = { cpu: 0.1, gpu: 0.03 } as const;
/** Seconds per cell visit before the first measurement, for two cores and for a GPU. */
const FIRST_GUESS_S = { cpu: 2.5e-10, gpu: 2e-12 } as const;
/** Factor by which an answer may exceed its target time before the grid becomes coarser again. */
const TOLERATED_OVERRUN = 1.5;
const MAX_FACTOR = 4;
/**
 * Maximum factor in z, along which range and falloff are determined. Doubled cells change R80 by hundredths of a
 * millimetre.
 */
const MAX_FACTOR_IN_Z = 2;
/** Weight of the newest measurement in the moving average. */
const NEWEST_WEIGHT = 0.5;

type DeviceKind = 'cpu' | 'gpu';

/** `sameDose`: whether the cells of the dose must not change, because another dose is subtracted from it. */
function factorsOf(factor: number, sameDose: boolean): Factors {
  return sameDose
    ? { ...unchangedFactors, theta: factor }
    : { x: factor, z: Math.min(factor, MAX_FACTOR_IN_Z), theta: factor };
}

const reduction = ({ x, z, theta }: Factors): number => x * z * theta;

export class FactorSelector {
  readonly #visit_s: Record<DeviceKind, number> = { ...FIRST_GUESS_S };
  readonly #setUp_s: Record<DeviceKind, number> = { cpu: 0, gpu: 0 };
  #held = 1;

  /**
   * Returns factors for a scenario with this many cells. The grid becomes finer again only after editing has paused.
   */
  factors(kind: DeviceKind, cells: number, sameDose: boolean): Factors {
    const expected_s = (factor: number): number =>
      this.#setUp_s[kind] + (this.#visit_s[kind] * cells) / reduction(factorsOf(factor, sameDose));
    // The set-up time does not depend on the number of cells, so it is allowed in addition.
    const allowed_s = Math.max(BUDGET_S[kind], this.#setUp_s[kind] + BUDGET_S[kind] / 2);
    const most_s = this.#held > 1 ? allowed_s * TOLERATED_OVERRUN : allowed_s;
    while (this.#held < MAX_FACTOR && expected_s(this.#held) > most_s) this.#held += 1;
    return factorsOf(this.#held, sameDose);
  }

  recordTimes(kind: DeviceKind, cells: number, setUp_s: number, solve_s: number): void {
    this.#setUp_s[kind] += NEWEST_WEIGHT * (setUp_s - this.#setUp_s[kind]);
    this.#visit_s[kind] += NEWEST_WEIGHT * (solve_s / Math.max(1, cells) - this.#visit_s[kind]);
  }

  reset(): void {
    this.#held = 1;
  }
}

interface WhatIfQuestion {
  readonly document: ScenarioDraft;
  readonly place: ScenarioOrigin;
  /** Whether to solve on the full grid of the scenario, as for a normal run. */
  readonly full: boolean;
  /** Whether another dose is subtracted from the result, which requires equal cells. */
  readonly sameDose: boolean;
}

export interface PreparedWhatIf {
  readonly running: TransportWorkloadRun;
  /** The scenario as the user entered it. */
  readonly reading: TransportReading;
  /** The scenario that is solved. */
  readonly solved: TransportReading;
  readonly way: WhatIfMethod;
  readonly resolved: ResolvedTransport;
  /**
   * Number of cell visits, from which the rate of the device is learned. The moments method visits no cells, so `kind`
   * is then null.
   */
  readonly cells: number;
  readonly kind: DeviceKind | null;
}

interface Parts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly memoryLimit_bytes: number;
}

/**
 * Returns the reading if it is a transport scenario that can be solved. Throws BraggError with its issues otherwise.
 */
function requireSolvable(reading: ScenarioReading): TransportReading {
  if (reading.kind === 'transport' && reading.problem !== null) return reading;
  if (reading.kind === null || reading.kind === 'transport') throw invalidScenarioError(reading.issues);
  throw invalidScenarioError([
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
 * the coarser grid, and the scenario's grid. If none is valid, returns the unchanged scenario.
 */
async function readForFastAnswer(
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

/** Cell sizes of a grid divided by those of another one. A grid with few cells is coarsened by less than requested. */
function cellRatios(grid: TransportScenario['grid'], of: TransportScenario['grid']): Factors {
  const ratio = (key: 'dx_mm' | 'dz_mm' | 'dtheta_mrad'): number => Number((grid[key] / of[key]).toPrecision(9));
  return { x: ratio('dx_mm'), z: ratio('dz_mm'), theta: ratio('dtheta_mrad') };
}

/** Kind of device that `auto` selects. */
function deviceKindOf(addon: NativeAddon): DeviceKind {
  const usable = addon
    .variants()
    .some(({ device, available, steppings }) => available && device !== 'cpu' && steppings.includes('depth'));
  return usable ? 'gpu' : 'cpu';
}

/** Prepares a run. Throws BraggError if the request cannot be solved. */
export async function prepareWhatIf(
  parts: Parts,
  question: WhatIfQuestion,
  pace: FactorSelector,
): Promise<PreparedWhatIf> {
  const { addon, scenarios, memoryLimit_bytes } = parts;
  const { document, place, full, sameDose } = question;
  const reading = requireSolvable(await scenarios.checkQuickly(document, place));
  const kind = deviceKindOf(addon);
  const wanted = full ? unchangedFactors : pace.factors(kind, reading.estimate?.cells ?? 0, sameDose);
  const solved = full ? reading : await readForFastAnswer(parts, question, reading, wanted);
  const { scenario } = solved;
  const { range_mm, waterRange_mm, table, estimate } = reading;
  if (scenario === null || reading.scenario === null || range_mm === null || waterRange_mm === null || table === null) {
    throw invalidScenarioError(reading.issues);
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
      coarser: { ...cellRatios(scenario.grid, reading.scenario.grid) },
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
