/**
 * Solves many beams on one grid, each separately. The beams are the spots of a scenario, or one beam at every value of
 * a sweep. Tables and grid are built once, for the fastest beam, and a GPU solves as many beams at a time as fit. Range
 * and falloff equal those on separate grids to 0.01 mm.
 */
import path from 'node:path';
import type { CudaDevice } from '../../../contract/capabilities.ts';
import { BraggError } from '../../../contract/errors.ts';
import { type Spot, type TransportScenario, valueAt } from '../../../contract/scenario/index.ts';
import { maxSpots } from '../../../contract/scenario/transport/beam.ts';
import { formatBytes } from '../../../domain/values/units.ts';
import {
  type BeamResult,
  type BeamTable,
  errorFromNative,
  type TransportBeams,
  type TransportProblem,
} from '../../io/addon/addon.ts';
import {
  BEAM_PARAMETERS,
  type ReadoutColumn,
  readBeamBlock,
  readoutColumns,
  writeBeamParameters,
} from '../../io/addon/beam-block.ts';
import { parseGpuList } from '../../io/addon/gpu.ts';
import { peakMemory_bytes } from '../../io/peak-memory.ts';
import { throwIfSumTooLong } from '../benchable.ts';
import { type Override, problemOf, type Scenarios, type TransportReading } from '../scenarios/scenarios.ts';
import { type BatchOptions, minSecondsOf, requireBeam, solvedBeamOf } from './batch.ts';
import { type Ranges, rangesOf } from './bench/expected-time.ts';
import { type LateralWidths, lateralWidths } from './metrics/across-y.ts';
import { profileBlur_mm2, spreadLength_mm } from './metrics/depth-readouts.ts';
import {
  type Axes,
  axesOf,
  measuredRunOf,
  type RunData,
  type RunOutcome,
  runData,
  stepAlongAxis,
  type TransportContext,
} from './run-data.ts';
import { readingForReadouts } from './variants.ts';

interface Options
  extends Pick<BatchOptions, 'addon' | 'memoryLimit_bytes' | 'signal' | 'program' | 'machine' | 'gpu' | 'onEnded'> {
  /** GPUs that share the beams: `all`, or several indices or UUIDs separated by commas. One by default. */
  readonly gpus?: string;
}

interface RunsOptions extends Omit<Options, 'onEnded'> {
  readonly onEnded: (index: number, run: RunData | BraggError) => void;
}

/** Data common to all beams of a scenario. */
interface SharedInputs {
  readonly scenario: TransportScenario;
  readonly problem: TransportProblem;
  readonly axes: Axes;
  /** Width along y of all spots together, as in a run of the field. */
  readonly across: LateralWidths;
  readonly context: Omit<TransportContext, 'completeScenario' | 'finished' | 'wall_s'>;
  readonly begun_ms: number;
  readonly peak_bytes: () => number;
}

/**
 * Interval in ms at which the peak memory of the process is read. Reading needs a tenth of the time of a beam by
 * moments.
 */
const PEAK_EVERY_MS = 50;

function createPeakMemoryReader(): () => number {
  let [read_ms, peak_bytes] = [Number.NEGATIVE_INFINITY, 0];
  return () => {
    const now_ms = performance.now();
    if (now_ms - read_ms > PEAK_EVERY_MS) [read_ms, peak_bytes] = [now_ms, peakMemory_bytes()];
    return peak_bytes;
  };
}

/** Returns the scenario with one of its spots as the only beam. */
function withSingleSpot(scenario: TransportScenario, spot: Spot): TransportContext['completeScenario'] {
  const { spots: _, spots_file: __, ...beam } = scenario.beam;
  return { ...scenario, beam: { ...beam, ...spot, weight: beam.weight * spot.weight } };
}

function solvedRunOf(common: SharedInputs, index: number, result: RunOutcome) {
  const { scenario, problem, axes, across, context, begun_ms, peak_bytes } = common;
  const beam = problem.spots?.[index];
  const spot = scenario.beam.spots?.[index];
  if (beam === undefined || spot === undefined) throw new Error(`there is no beam ${index}`);
  const wholeContext = {
    ...context,
    completeScenario: withSingleSpot(scenario, spot),
    finished: new Date().toISOString(),
    wall_s: (performance.now() - begun_ms) / 1000,
  };
  return runData(wholeContext, { ...problem, beam }, axes, result, [], across, peak_bytes());
}

/** Exponent of the Bragg–Kleeman rule. It scales the range of the fastest beam to that of a slower one. */
const RANGE_POWER = 1.77;

async function prepareBeams(
  { spots = [], ...problem }: TransportProblem,
  ranges: Ranges,
  sharing: readonly CudaDevice[],
  { addon, memoryLimit_bytes }: Omit<Options, 'onEnded'>,
): Promise<TransportBeams> {
  const native = await addon.layBeams(
    { ...problem, spots },
    sharing.map(({ uuid }) => uuid),
  );
  const { estimate_bytes, device, lanes } = native.plan;
  if (device === 'cpu' && lanes * estimate_bytes > memoryLimit_bytes) {
    throw new BraggError(
      'memory',
      `${lanes} beams at the same time need ${formatBytes(lanes * estimate_bytes)}; allowed: ${formatBytes(memoryLimit_bytes)}. Use fewer threads (solver.threads).`,
    );
  }
  if (device === 'cpu' && sharing.length > 0) {
    throw new BraggError(
      'invalid',
      `GPUs were named, but ${native.plan.variant} solves on the CPU; allowed: a CUDA variant`,
    );
  }
  const sideBySide = device === 'cpu' ? lanes : Math.max(1, sharing.length);
  const least_s = async (beam: TransportProblem['beam']): Promise<number> => {
    const range_mm = ranges.range_mm * (beam.energy_MeV / problem.beam.energy_MeV) ** RANGE_POWER;
    return minSecondsOf(addon, { ...problem, beam }, { ...native.plan, threads: 1 }, { ...ranges, range_mm });
  };
  await throwIfSumTooLong('the batch', spots, least_s, { sideBySide });
  return native;
}

/** Names of the GPUs as stored in results. */
function deviceNames(sharing: readonly CudaDevice[], { gpu }: Pick<Options, 'gpu'>): string | null {
  if (sharing.length === 0) return gpu();
  const names = [...new Set(sharing.map(({ name }) => name))];
  return names.map((name) => `${sharing.filter((one) => one.name === name).length} × ${name}`).join(', ');
}

/**
 * Solves every spot of `reading`. If one beam fails, the others continue. Aborting the signal stops within one step.
 */
export function solveOnOneGrid(name: string, reading: TransportReading, options: Options): Promise<void> {
  return runOnOneGrid(name, reading, options, (native, common) => {
    const { angle_rad } = common.problem.beam;
    const { dz_mm } = common.problem.grid;
    const reach_mm = spreadLength_mm({ dz_mm, angle_rad, step_mm: stepAlongAxis(common.problem) });
    return native.startInBlocks((answer) => {
      const { beam } = answer;
      if (!('block' in answer)) return options.onEnded(beam, errorOf(answer.result));
      const { result, profile } = readBeamBlock(answer.block, native);
      const run = solvedRunOf(common, beam, result);
      const from = measuredRunOf(run);
      options.onEnded(beam, solvedBeamOf(run, from, { ...profile, blur_mm2: profileBlur_mm2(from.geometry) }));
    }, reach_mm);
  });
}

/** Like `solveOnOneGrid`, but reports the complete run data of each beam, without keyframes. */
export function runsOnOneGrid(name: string, reading: TransportReading, options: RunsOptions): Promise<void> {
  return runOnOneGrid(name, reading, options, (native, common) =>
    native.start(({ beam, result }) => {
      options.onEnded(beam, result.error === null ? solvedRunOf(common, beam, result) : errorOf(result));
    }),
  );
}

/** Readouts of many beams per entering proton, as columns. */
export interface BeamReadouts extends Pick<BeamTable, 'solve_s' | 'march_s' | 'readouts_s' | 'setup_parts'> {
  readonly count: number;
  readonly variant: string;
  readonly precision: TransportProblem['solver']['precision'];
  readonly device: string | null;
  readonly column: (name: ReadoutColumn) => Float64Array;
  /**
   * Depth doses in MeV/mm at index depth · beams + beam, and the depths from the entrance. Null if they were not
   * requested.
   */
  readonly curves: { readonly depth_mm: Float64Array; readonly values: Float32Array } | null;
}

/**
 * Beams on the grid of a reading, with five values each as in `writeBeamParameters`. The reading may contain fewer
 * spots.
 */
export interface BeamList {
  readonly reading: TransportReading;
  readonly list: Float64Array;
}

/** Computes readouts of all listed beams by moments, without maps. Rejects if a beam cannot be solved. */
export async function readoutsOnOneGrid(
  name: string,
  { reading, list }: BeamList,
  options: Omit<Options, 'onEnded'> & { readonly curves: boolean },
): Promise<BeamReadouts> {
  if (options.gpus !== undefined) {
    throw new BraggError(
      'unsupported',
      'Without dose curves, readouts are computed on one GPU; allowed: --gpu, which selects it.',
    );
  }
  return runOnOneGrid(name, reading, options, async (native, { problem, context }) => {
    const { columns, curves, rows, ...times } = await native.readouts(list, options.curves);
    const count = list.length / BEAM_PARAMETERS;
    const { nz, dz_mm } = problem.grid;
    const first_mm = (nz - rows) * dz_mm - problem.beam.z_mm;
    const depth_mm = Float64Array.from({ length: rows }, (_, i) => first_mm + (i + 0.5) * dz_mm);
    return {
      ...times,
      count,
      variant: native.plan.variant,
      precision: native.plan.precision,
      device: context.machine.device,
      column: (of) => {
        const i = readoutColumns.indexOf(of);
        return columns.subarray(i * count, (i + 1) * count);
      },
      curves: curves === null ? null : { depth_mm, values: curves },
    };
  });
}

const errorOf = ({ error }: BeamResult): BraggError =>
  error === null ? new BraggError('internal', 'a beam was reported without its remainder') : errorFromNative(error);

async function runOnOneGrid<R>(
  name: string,
  requested: TransportReading,
  options: Omit<Options, 'onEnded'>,
  start: (native: TransportBeams, common: SharedInputs) => Promise<R>,
): Promise<R> {
  const begun_ms = performance.now();
  const reading = options.gpus === undefined ? await readingForReadouts(options.addon, requested) : requested;
  const problem = { ...problemOf(reading), keyframes: 0 };
  const { scenario } = reading;
  if (scenario?.beam.spots === undefined) {
    throw new BraggError('invalid', `${name} has no beam.spots; allowed: a list of the beams that share its grid.`);
  }
  try {
    const { addon, gpus } = options;
    const sharing = gpus === undefined ? [] : parseGpuList({ cuda: addon.driverDevices() }, gpus);
    const native = await prepareBeams(problem, rangesOf(reading), sharing, options);
    const cancel = (): void => native.cancel();
    options.signal.addEventListener('abort', cancel);
    if (options.signal.aborted) cancel();
    const common: SharedInputs = {
      scenario,
      problem,
      axes: axesOf(problem, native.plan),
      across: lateralWidths(problem),
      begun_ms,
      peak_bytes: createPeakMemoryReader(),
      context: {
        program: options.program,
        machine: { ...options.machine, device: native.plan.device === 'cuda' ? deviceNames(sharing, options) : null },
        name,
        created: new Date().toISOString(),
        scenario: { ...reading.document },
        table: reading.table ?? '',
      },
    };
    try {
      return await start(native, common);
    } finally {
      options.signal.removeEventListener('abort', cancel);
    }
  } catch (error) {
    throw errorFromNative(error);
  }
}

/** Beam parameters that may differ between beams on one grid. */
const SPOT_PARAMETERS = [
  'energy_MeV',
  'range_mm',
  'energy_sigma_MeV',
  'x_mm',
  'x_sigma_mm',
  'angle_sigma_mrad',
] as const;
/** Beam parameters that determine the energy. A spot has one of them. */
const ENERGIES = ['energy_MeV', 'range_mm'] as const;

type Beam = Readonly<Record<string, unknown>>;

function spotKeyOf({ path }: Override): string {
  const [beam, key, ...rest] = path;
  if (beam === 'beam' && rest.length === 0 && SPOT_PARAMETERS.some((name) => name === key)) return String(key);
  throw new BraggError(
    'invalid',
    `${path.join('.')} needs a separate grid for each value; beams on one grid may differ in ${SPOT_PARAMETERS.map((name) => `beam.${name}`).join(', ')}.`,
  );
}

function withoutKeys(beam: Beam, keys: readonly string[]): Beam {
  return Object.fromEntries(Object.entries(beam).filter(([key]) => !keys.includes(key)));
}

function beamWithSpots(beam: Beam, sweep: readonly (readonly Override[])[]): Beam {
  if (beam['spots'] !== undefined) {
    throw new BraggError('invalid', 'beam.spots are the beams of this scenario; a sweep cannot be combined with them.');
  }
  if (sweep.length > maxSpots) {
    throw new BraggError('invalid', `${sweep.length} beams on one grid; allowed: at most ${maxSpots}.`);
  }
  const energy = Object.fromEntries(ENERGIES.flatMap((key) => (beam[key] === undefined ? [] : [[key, beam[key]]])));
  const spots = sweep.map((values) => {
    const swept = Object.fromEntries(values.map((override) => [spotKeyOf(override), override.value]));
    return ENERGIES.some((key) => key in swept) ? swept : { ...energy, ...swept };
  });
  return { ...withoutKeys(beam, ENERGIES), spots };
}

const beamOfDocument = (document: unknown): Beam | null => {
  const beam = valueAt(document, ['beam']);
  return typeof beam === 'object' && beam !== null ? { ...beam } : null;
};

/** Key of the settings that beams on one grid have in common. Null if this beam cannot share a grid. */
export function familyOf(document: unknown): string | null {
  const beam = beamOfDocument(document);
  if (beam === null || beam['spots'] !== undefined || beam['spots_file'] !== undefined) return null;
  const own = SPOT_PARAMETERS.filter((key) => beam[key] !== undefined);
  return JSON.stringify([own, { ...Object(document), beam: withoutKeys(beam, own) }]);
}

/**
 * Builds one document with all beams of a family as spots, in the same order. `threads`: number of threads that solve
 * them.
 */
export function documentOfFamily(documents: readonly unknown[], threads: number): unknown {
  const [first] = documents;
  const spots = documents.map((document) => {
    const beam = beamOfDocument(document) ?? {};
    return Object.fromEntries(SPOT_PARAMETERS.flatMap((key) => (beam[key] === undefined ? [] : [[key, beam[key]]])));
  });
  const solver = { ...Object(valueAt(first, ['solver'])), threads };
  return { ...Object(first), beam: { ...withoutKeys(beamOfDocument(first) ?? {}, SPOT_PARAMETERS), spots }, solver };
}

/** Reads a scenario. `sweep`: overrides at each value, or null if the scenario has spots. Throws a BraggError. */
export async function readOneGrid(
  scenarios: Scenarios,
  file: string,
  overrides: readonly Override[],
  sweep: readonly (readonly Override[])[] | null,
): Promise<TransportReading> {
  const reading = requireBeam(file, await scenarios.read(file, { overrides }));
  if (sweep === null || reading.document === null) return reading;
  const document = { ...reading.document, beam: beamWithSpots({ ...reading.document.beam }, sweep) };
  return requireBeam(file, await scenarios.check(document, { name: file, folder: path.dirname(file) }));
}

/**
 * Beam parameters that a sweep may list without creating a spot for each value. `at`: index in the list; `factor`:
 * conversion to the problem's unit.
 */
const LISTABLE_PARAMETERS = {
  energy_MeV: { at: 0, factor: 1 },
  energy_sigma_MeV: { at: 1, factor: 1 },
  angle_sigma_mrad: { at: 2, factor: 1e-3 },
  x_sigma_mm: { at: 3, factor: 1 },
} as const;
type ListableKey = keyof typeof LISTABLE_PARAMETERS;
const isListed = (key: string): key is ListableKey => key in LISTABLE_PARAMETERS;

/** Lists the beams between the first and the last one. Null if these two differ in more than the swept parameters. */
function beamsBetween(
  [first, last]: readonly TransportProblem['beam'][],
  keys: readonly ListableKey[],
  values: readonly number[],
  ends: readonly [number, number],
): Float64Array | null {
  if (first === undefined || last === undefined) return null;
  const two = new Float64Array(2 * BEAM_PARAMETERS);
  writeBeamParameters(two, 0, first);
  writeBeamParameters(two, 1, last);
  for (let k = 0; k < BEAM_PARAMETERS; k += 1) {
    const swept = keys.map((key) => LISTABLE_PARAMETERS[key]).find(({ at }) => at === k);
    for (const beam of [0, 1] as const) {
      const wanted = swept === undefined ? two[k] : ends[beam] * swept.factor;
      if (Math.abs((two[beam * BEAM_PARAMETERS + k] ?? 0) - (wanted ?? 0)) > 1e-12 * Math.abs(wanted ?? 0)) return null;
    }
  }
  const list = new Float64Array(values.length * BEAM_PARAMETERS);
  for (const [i, value] of values.entries()) {
    for (let k = 0; k < BEAM_PARAMETERS; k += 1) list[i * BEAM_PARAMETERS + k] = two[k] ?? 0;
    for (const key of keys)
      list[i * BEAM_PARAMETERS + LISTABLE_PARAMETERS[key].at] = value * LISTABLE_PARAMETERS[key].factor;
  }
  return list;
}

/**
 * Like `readOneGrid`, but for readouts alone. Checks only the smallest and largest value of a sweep, because checking a
 * hundred thousand spots takes seconds.
 */
export async function readBeamList(
  scenarios: Scenarios,
  file: string,
  overrides: readonly Override[],
  sweep: readonly (readonly Override[])[] | null,
): Promise<BeamList> {
  const keys = sweep?.[0]?.map(spotKeyOf) ?? [];
  if (sweep !== null && keys.length > 0 && keys.every(isListed)) {
    const values = sweep.map(([one]) => Number(one?.value));
    const ends = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] as const;
    const reading = await readOneGrid(scenarios, file, overrides, [
      sweep[values.indexOf(ends[0])] ?? [],
      sweep[values.indexOf(ends[1])] ?? [],
    ]);
    const list = beamsBetween(problemOf(reading).spots ?? [], keys, values, ends);
    if (list !== null) return { reading, list };
  }
  const reading = await readOneGrid(scenarios, file, overrides, sweep);
  const spots = problemOf(reading).spots ?? [];
  const list = new Float64Array(spots.length * BEAM_PARAMETERS);
  for (const [i, spot] of spots.entries()) writeBeamParameters(list, i, spot);
  return { reading, list };
}
