/** Complete data of an ended transport run, as stored in its run file. All readouts are computed from them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Precision } from '../../../contract/run.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import { energyColumns, ledgerValue, numberColumns } from '../../../contract/scenario/transport/ledger-columns.ts';
import { type RunScalars, scalarsFromEngine } from '../../../contract/scenario/transport/run-scalars.ts';
import {
  errorFromNative,
  type Marginals,
  type TransportProblem,
  type TransportResult,
  type TransportRun,
} from '../../io/addon/addon.ts';
import { peakMemory_bytes } from '../../io/peak-memory.ts';
import { withSharedArrays } from '../../io/threads/shared.ts';
import { NO_SPANS, type Recording } from '../../model/recording/recording.ts';
import type { RunContext, RunFailure } from '../run-context.ts';
import { type LateralWidths, lateralWidths } from './metrics/across-y.ts';
import { dosePerMass } from './metrics/dose-per-mass.ts';
import type { MeasuredRun } from './metrics/run-metrics.ts';

/** Axes of the phase space, given by the centres of cells. */
export interface Axes {
  readonly nz: number;
  readonly nx: number;
  readonly ntheta: number;
  readonly dz_mm: number;
  /** Size of a cell in x. The axis is centred on 0. */
  readonly dx_mm: number;
  readonly dtheta_rad: number;
  readonly theta_centre_rad: number;
  /** Energies in ascending order. They are not equally spaced on a range grid. */
  readonly energies_MeV: Float64Array;
  /** Density of each cell, in rows of z. Null in files that did not record it. */
  readonly density_g_cm3: Float64Array | null;
}

export interface RunData extends RunContext, Recording, RunScalars {
  readonly workload: 'transport';
  /** Title of the stopping-power table. */
  readonly table: string;
  readonly axes: Axes;
  readonly beam: {
    readonly angle_rad: number;
    readonly x_mm: number;
    readonly z_mm: number;
    readonly weight: number;
    /** False if the phase space was filled with synthetic numbers. */
    readonly present: boolean;
  };
  readonly status: 'done' | 'cancelled' | 'failed';
  /** Reason of a failure. Null unless the run failed. */
  readonly error: RunFailure | null;
  readonly variant: string;
  readonly precision: Precision;
  readonly isa: string;
  /** Times of the parts of `setup_s`. */
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  /** Dose in MeV per cell, in rows of z. */
  readonly dose: Float64Array;
  /** Computes one row of `dose`. Present if `dose` itself is computed only on first access. */
  readonly doseRow?: (z: number) => Float64Array;
  /** Six sums for each plane of z, in mm and rad: N, Σx, Σx², Σθ, Σθ², Σxθ. */
  readonly crossing: Float64Array;
  /** Proton numbers in rows of steps. The contract defines the columns. */
  readonly ledgerNumber: Float64Array;
  readonly ledgerEnergy: Float64Array;
  /** Escaped protons in rows of steps, one column per face. Empty in files that do not distinguish faces. */
  readonly facesNumber: Float64Array;
  readonly facesEnergy: Float64Array;
  /** Destinations of the energy that reactions removed. Null if reactions were not followed. */
  readonly secondaries: NonNullable<TransportResult['secondaries']> | null;
  /** Width of the beam along y, or the reason why there is none. Null in files that did not record it. */
  readonly acrossY: LateralWidths | null;
  /** Moments and spectra of tracks for LET. Null if LET was not scored. */
  readonly tracks: NonNullable<TransportResult['tracks']> | null;
  readonly keyframes: readonly Marginals[];
}

/** Metadata of a transport run, which are known before its result. */
export type TransportContext = RunContext & Pick<RunData, 'table'>;

export function axesOf(problem: TransportProblem, plan: Pick<TransportRun['plan'], 'energies_MeV'>): Axes {
  const { nz, nx, ntheta, dz_mm, dx_mm, dtheta_rad, theta_centre_rad } = problem.grid;
  const { energies_MeV } = plan;
  const { materials, map } = problem;
  let known: Float64Array | null = null;
  return {
    ...{ nz, nx, ntheta, dz_mm, dx_mm, dtheta_rad, theta_centre_rad, energies_MeV },
    // Computed on request, because it needs a large array and most readouts of a beam do not use it.
    get density_g_cm3() {
      known ??= densitiesOf(materials, map);
      return known;
    },
  };
}

function densitiesOf(materials: TransportProblem['materials'], map: Uint8Array): Float64Array {
  const densities = Float64Array.from(materials, ({ density_g_cm3 }) => density_g_cm3);
  // A loop is some ten times as fast as Float64Array.from with a function, and every page waits for it.
  const cells = new Float64Array(map.length);
  for (let i = 0; i < cells.length; i += 1) cells[i] = densities[map[i] ?? -1] ?? Number.NaN;
  return cells;
}

export function beamOf(problem: TransportProblem): RunData['beam'] {
  const { angle_rad, x_mm, z_mm, weight } = problem.beam;
  return { angle_rad, x_mm, z_mm, weight, present: problem.initial.kind === 'beam' };
}

/** Size of all keyframes in bytes. Each contains sums for the six pairs of axes. */
export function keyframesBytes(
  { keyframes }: Pick<TransportProblem, 'keyframes'>,
  { ne, ntheta, nz, nx }: Pick<TransportRun['plan'], 'ne' | 'ntheta' | 'nz' | 'nx'>,
): number {
  const cells = nz * nx + ntheta * (nx + ne + nz) + ne * (nz + nx);
  return keyframes * cells * Float32Array.BYTES_PER_ELEMENT;
}

/**
 * Copies all keyframes of an ended run. Copying one needs up to a millisecond, so the function yields to the event loop
 * after each. Large ones are copied to shared memory for the thread that saves them, because they may be most of the
 * process's memory.
 */
export async function keyframesOf(native: TransportRun, result: TransportResult): Promise<readonly Marginals[]> {
  const frames: Marginals[] = [];
  for (const index of result.keyframes.keys()) {
    const handed = native.keyframe(index);
    const kept = await withSharedArrays(handed);
    freeOriginals(handed, kept);
    frames.push(kept);
    await nextTurn();
  }
  return frames;
}

/**
 * Frees the originals at once. On a busy machine the garbage collector may run too late, so that they would use memory
 * in addition to their copies.
 */
function freeOriginals(handed: Marginals, kept: Marginals): void {
  const stay = new Set<unknown>(Object.values(kept));
  for (const each of Object.values<unknown>({ ...handed })) {
    if (!ArrayBuffer.isView(each) || !(each.buffer instanceof ArrayBuffer) || stay.has(each)) continue;
    // Transfer only complete buffers, because arrays from one message may share a buffer.
    if (each.byteLength === each.buffer.byteLength) each.buffer.transfer(0);
  }
}

/** Length of a step along the axis. Depth stepping moves from plane to plane, whatever the angle. */
export function stepAlongAxis({ solver, grid, beam }: TransportProblem): number {
  return solver.stepping === 'depth' ? grid.dz_mm / Math.cos(beam.angle_rad) : solver.step_mm;
}

/** Result of a run without its keyframes. An intermediate state has neither spans nor trace. */
export type RunOutcome = Omit<TransportResult, 'keyframes' | 'clocks' | 'trace' | 'traceReason' | 'spans'> &
  Partial<Pick<TransportResult, 'spans' | 'trace'>> &
  Pick<RunData, 'doseRow'>;

function failureOf(error: TransportResult['error']): RunFailure | null {
  if (error === null) return null;
  const { code, message } = errorFromNative(error);
  return { code, message };
}

export function runData(
  context: TransportContext,
  problem: TransportProblem,
  axes: Axes,
  result: RunOutcome,
  keyframes: readonly Marginals[],
  across: LateralWidths = lateralWidths(problem),
  peak_rss_bytes = peakMemory_bytes(),
): RunData {
  return {
    workload: 'transport',
    ...context,
    axes,
    beam: beamOf(problem),
    status: result.status,
    error: failureOf(result.error),
    variant: result.variant,
    precision: result.precision,
    isa: result.isa,
    ...scalarsFromEngine(result),
    setup_parts: result.setup_parts,
    peak_rss_bytes,
    step_mm: stepAlongAxis(problem),
    get dose() {
      return result.dose;
    },
    ...(result.doseRow === undefined ? {} : { doseRow: result.doseRow }),
    crossing: result.crossing,
    ledgerNumber: result.ledger_number,
    ledgerEnergy: result.ledger_energy,
    facesNumber: result.faces_number,
    facesEnergy: result.faces_energy,
    secondaries: result.secondaries ?? null,
    acrossY: across,
    tracks: result.tracks ?? null,
    keyframes,
    spans: result.spans ?? NO_SPANS,
    trace: result.trace ?? null,
  };
}

/** Time of the steps by the clock of the GPU if they ran on one, otherwise by that of the host. */
export function stepsTime_s({ device_s, solve_s }: Pick<RunData, 'device_s' | 'solve_s'>): number {
  return device_s > 0 ? device_s : solve_s;
}

const stepsByPath = ({ completeScenario }: RunData): boolean =>
  valueAt(completeScenario, ['solver', 'stepping']) === 'path';

/** The parts of a run that its readouts need. */
type ReadoutInputs = Pick<
  RunData,
  | 'axes'
  | 'beam'
  | 'dose'
  | 'doseRow'
  | 'crossing'
  | 'ledgerNumber'
  | 'ledgerEnergy'
  | 'step_mm'
  | 'x_variance_of_representation_mm2'
  | 'end_excess_mm'
>;

const LOSSES = (['escaped_x', 'escaped_z', 'escaped_theta', 'nuclear', 'skipped'] as const).map((column) =>
  numberColumns.indexOf(column),
);

/**
 * Returns the number of protons lost beyond a depth according to the ledger, in the step that begins there and in later
 * ones. A step counts its crossings of planes before its losses.
 */
function protonsLostBeyond({ ledgerNumber, beam, step_mm }: ReadoutInputs): (depth_mm: number) => number {
  const steps = ledgerNumber.length / numberColumns.length;
  const lost = (row: number): number =>
    LOSSES.reduce((sum, column) => sum + (ledgerNumber[row * numberColumns.length + column] ?? 0), 0);
  const all = lost(steps - 1);
  const deeper_mm = step_mm * Math.cos(beam.angle_rad);
  return (depth_mm) => {
    // Planes are at the beginnings of steps, apart from rounding errors.
    const step = Math.floor((depth_mm - beam.z_mm) / deeper_mm - 0.5 + 1e-6);
    return all - lost(Math.min(Math.max(step - 1, 0), Math.max(steps - 1, 0)));
  };
}

export const measuredRunOf = (run: RunData): MeasuredRun => measuredFrom(run, stepsByPath(run));

/** Converts a result of the engine, which is not stored as a run, to the input of readouts. */
export function measuredRunOfResult(
  problem: TransportProblem,
  plan: Pick<TransportRun['plan'], 'energies_MeV'>,
  result: TransportResult,
): MeasuredRun {
  const read = {
    ...scalarsFromEngine(result),
    ...{ axes: axesOf(problem, plan), beam: beamOf(problem), dose: result.dose, crossing: result.crossing },
    ...{ ledgerNumber: result.ledger_number, ledgerEnergy: result.ledger_energy },
    step_mm: stepAlongAxis(problem),
  };
  return measuredFrom(read, problem.solver.stepping === 'path');
}

/** Converts a run to the input of readouts. `spread`: as in AxisGeometry. */
function measuredFrom(run: ReadoutInputs, spread: boolean): MeasuredRun {
  const { axes, beam } = run;
  const protons = (column: (typeof numberColumns)[number]) => ledgerValue(run.ledgerNumber, numberColumns, column);
  const incoming = protons('in');
  return {
    geometry: {
      nz: axes.nz,
      nx: axes.nx,
      dz_mm: axes.dz_mm,
      dx_mm: axes.dx_mm,
      x_mm: beam.x_mm,
      z_mm: beam.z_mm,
      angle_rad: beam.angle_rad,
      step_mm: run.step_mm,
      spread,
    },
    get dose() {
      return run.dose;
    },
    doseRow: run.doseRow ?? ((z) => run.dose.subarray(z * axes.nx, (z + 1) * axes.nx)),
    dosePerMass: () => dosePerMass(run.dose, axes.density_g_cm3),
    crossing: run.crossing,
    x_variance_of_representation_mm2: run.x_variance_of_representation_mm2,
    energyDeposited_MeV: ledgerValue(run.ledgerEnergy, energyColumns, 'deposited'),
    trackEnd: {
      stopped: protons('stopped'),
      excess_mm: run.end_excess_mm,
      lostBehind: protonsLostBeyond(run),
      escapedSideways: protons('escaped_x'),
    },
    weightLeft: incoming > 0 ? protons('in_flight') / incoming : 1,
    hasBeam: beam.present,
  };
}
