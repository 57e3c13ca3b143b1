/**
 * Many beams on one grid: the spots of a scenario, each solved by itself. Tables and grid are laid once, for the fastest,
 * and a GPU takes as many at a time as it holds. Range and falloff are those on grids of their own to 0.01 mm.
 */
import type { CudaDevice } from '../../../contract/devices.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { Spot, TransportScenario } from '../../../contract/scenario/index.ts';
import { type BeamResult, fromNative, type TransportBeams, type TransportProblem } from '../../io/addon/addon.ts';
import { readBlock } from '../../io/addon/beam-block.ts';
import { sharingGpus } from '../../io/addon/gpu.ts';
import { refuseLongSum } from '../least-minutes.ts';
import { problemOf, type TransportReading } from '../scenarios/index.ts';
import { answerOf, type BatchOptions } from './batch.ts';
import { type Ranges, rangesOf } from './bench/expected-time.ts';
import { type AcrossY, acrossY } from './metrics/across-y.ts';
import { blurOf, reachOf } from './metrics/axis-profile.ts';
import {
  type Axes,
  axesOf,
  measured,
  type RunData,
  runData,
  stepAlongAxis,
  type TransportContext,
} from './run-data.ts';
import { leastOf } from './work.ts';

interface Options
  extends Pick<BatchOptions, 'addon' | 'memoryLimit_bytes' | 'signal' | 'program' | 'machine' | 'gpu' | 'ended'> {
  /** GPUs that share the beams: `all`, or several by index or UUID with commas; one where it is not given. */
  readonly gpus?: string;
}

interface RunsOptions extends Omit<Options, 'ended'> {
  readonly ended: (index: number, run: RunData | BraggError) => void;
}

/** Data common to all beams of a scenario. */
interface Common {
  readonly scenario: TransportScenario;
  readonly problem: TransportProblem;
  readonly axes: Axes;
  /** The width of all spots together, as a run of the field has it. */
  readonly across: AcrossY;
  readonly context: Omit<TransportContext, 'completeScenario' | 'finished' | 'wall_s'>;
  readonly begun_ms: number;
}

/** The one beam that a spot is, as the scenario of a run. */
function aloneIn(scenario: TransportScenario, spot: Spot): TransportContext['completeScenario'] {
  const { spots: _, spots_file: __, ...beam } = scenario.beam;
  return { ...scenario, beam: { ...beam, ...spot, weight: beam.weight * spot.weight } };
}

function solved(common: Common, index: number, result: BeamResult) {
  const { scenario, problem, axes, across, context, begun_ms } = common;
  const beam = problem.spots?.[index];
  const spot = scenario.beam.spots?.[index];
  if (beam === undefined || spot === undefined) throw new Error(`there is no beam ${index}`);
  const wholeContext = {
    ...context,
    completeScenario: aloneIn(scenario, spot),
    finished: new Date().toISOString(),
    wall_s: (performance.now() - begun_ms) / 1000,
  };
  return runData(wholeContext, { ...problem, beam }, axes, result, [], across);
}

/** Exponent of Bragg and Kleeman: the range of a slower beam from that of the fastest. */
const RANGE_POWER = 1.77;

async function layBeams(
  { spots = [], ...problem }: TransportProblem,
  ranges: Ranges,
  sharing: readonly CudaDevice[],
  { addon, memoryLimit_bytes }: Omit<Options, 'ended'>,
): Promise<TransportBeams> {
  const native = await addon.layBeams(
    { ...problem, spots },
    sharing.map(({ uuid }) => uuid),
  );
  const { estimate_bytes, device, lanes } = native.plan;
  if (device === 'cpu' && lanes * estimate_bytes > memoryLimit_bytes) {
    throw new BraggError(
      'memory',
      `${lanes} beams at the same time need ${Math.round((lanes * estimate_bytes) / 1e6)} MB; ${Math.round(memoryLimit_bytes / 1e6)} MB are allowed. Use fewer threads (solver.threads).`,
    );
  }
  if (device === 'cpu' && sharing.length > 0) {
    throw new BraggError(
      'invalid',
      `GPUs were named, and ${native.plan.variant} solves on the CPU; allowed: a CUDA variant`,
    );
  }
  const sideBySide = device === 'cpu' ? lanes : Math.max(1, sharing.length);
  const least_s = async (beam: TransportProblem['beam']): Promise<number> => {
    const range_mm = ranges.range_mm * (beam.energy_MeV / problem.beam.energy_MeV) ** RANGE_POWER;
    return leastOf(addon, { ...problem, beam }, { ...native.plan, threads: 1 }, { ...ranges, range_mm });
  };
  await refuseLongSum('the batch', spots, least_s, { sideBySide });
  return native;
}

/** As the machine of the answers names them. */
function deviceNames(sharing: readonly CudaDevice[], { gpu }: Pick<Options, 'gpu'>): string | null {
  if (sharing.length === 0) return gpu();
  const names = [...new Set(sharing.map(({ name }) => name))];
  return names.map((name) => `${sharing.filter((one) => one.name === name).length} × ${name}`).join(', ');
}

/** Solves every spot of `reading`. A beam that fails does so alone; an aborted signal ends it within one step. */
export function solveOnOneGrid(name: string, reading: TransportReading, options: Options): Promise<void> {
  return onOneGrid(name, reading, options, (native, common) => {
    const { angle_rad } = common.problem.beam;
    const { dz_mm } = common.problem.grid;
    const reach_mm = reachOf({ dz_mm, angle_rad, step_mm: stepAlongAxis(common.problem) });
    return native.startInBlocks((answer) => {
      const { beam } = answer;
      if (!('block' in answer)) return options.ended(beam, failureOf(answer.result));
      const { result, profile } = readBlock(answer.block, native.plan);
      const run = solved(common, beam, result);
      const blur_mm2 = blurOf(measured(run).geometry);
      options.ended(beam, answerOf(run, { ...profile, blur_mm2 }));
    }, reach_mm);
  });
}

/** As `solveOnOneGrid`, with the complete run data of each beam, without keyframes. */
export function runsOnOneGrid(name: string, reading: TransportReading, options: RunsOptions): Promise<void> {
  return onOneGrid(name, reading, options, (native, common) =>
    native.start(({ beam, result }) => {
      options.ended(beam, result.error === null ? solved(common, beam, result) : failureOf(result));
    }),
  );
}

const failureOf = ({ error }: BeamResult): BraggError =>
  error === null ? new BraggError('internal', 'a beam was told without what it left') : fromNative(error);

async function onOneGrid(
  name: string,
  reading: TransportReading,
  options: Omit<Options, 'ended'>,
  start: (native: TransportBeams, common: Common) => Promise<void>,
): Promise<void> {
  const begun_ms = performance.now();
  const problem = { ...problemOf(reading), keyframes: 0 };
  const { scenario } = reading;
  if (scenario?.beam.spots === undefined) {
    throw new BraggError('invalid', `${name} has no beam.spots; allowed: a list of the beams that share its grid.`);
  }
  try {
    const { addon, gpus } = options;
    const sharing = gpus === undefined ? [] : sharingGpus({ cuda: addon.driverDevices() }, gpus);
    const native = await layBeams(problem, rangesOf(reading), sharing, options);
    const cancel = (): void => native.cancel();
    options.signal.addEventListener('abort', cancel);
    if (options.signal.aborted) cancel();
    const common: Common = {
      scenario,
      problem,
      axes: axesOf(problem, native.plan),
      across: acrossY(problem),
      begun_ms,
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
      await start(native, common);
    } finally {
      options.signal.removeEventListener('abort', cancel);
    }
  } catch (error) {
    throw fromNative(error);
  }
}
