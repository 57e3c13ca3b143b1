/**
 * Many beams, each solved by itself: on the CPU a thread a beam, on a GPU several at once, so that one is set up while
 * another takes its steps. The answers are those of single runs on one thread, bit for bit.
 */
import { BraggError } from '../../../contract/errors.ts';
import type { Curve } from '../../../contract/fields.ts';
import type { RunSummary } from '../../../contract/run.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import { fromNative, type NativeAddon, type TransportProblem, type TransportRun } from '../../io/addon/addon.ts';
import { usedGpu } from '../../io/addon/gpu.ts';
import { Budget } from '../../io/flow/budget.ts';
import { once } from '../../io/flow/once.ts';
import { refuseLongSum } from '../least-minutes.ts';
import type { RunContext } from '../run-context.ts';
import { type AnyReading, problemOf, refusalOf, type TransportReading } from '../scenarios/index.ts';
import { rangesOf } from './bench/expected-time.ts';
import type { AxisProfile } from './metrics/axis-profile.ts';
import { depthProfile, profileCurve } from './metrics/run-metrics.ts';
import { summaryOf } from './readouts.ts';
import { axesOf, measured, type RunData, runData } from './run-data.ts';
import { laid, leastOf } from './work.ts';

/** Beams on a GPU at the same time: one takes its steps, others are set up and read back. */
const ON_A_GPU = 4;
/** The rest of a GPU's memory is for its driver, tables, and data retained between beams. */
const SHARE_OF_A_GPU = 0.5;

export interface BatchBeam {
  readonly name: string;
  /** Called when it is the beam's turn, so that a thousand need no memory together. */
  readonly read: () => Promise<AnyReading>;
}

export interface SolvedBeam {
  readonly summary: RunSummary;
  /** Dose integrated across the beam axis. */
  readonly depthDose: Curve;
}

export interface BatchOptions {
  readonly addon: NativeAddon;
  /** Memory that states may take together. */
  readonly memoryLimit_bytes: number;
  readonly signal: AbortSignal;
  readonly program: RunContext['program'];
  readonly machine: Omit<RunContext['machine'], 'device'>;
  readonly gpu: () => string | null;
  /** Called as each beam ends, in no particular order. */
  readonly ended: (index: number, outcome: SolvedBeam | BraggError) => void;
}

/** Beams on one thread share a process; a beam on more threads has its own, as does a user kernel. */
export function beamsTogether(document: unknown): 'beams' | 'runs' {
  const variant = valueAt(document, ['solver', 'variant']);
  const threads = valueAt(document, ['solver', 'threads']);
  if (typeof variant === 'string' && isUserKernelId(variant)) return 'runs';
  return typeof threads === 'number' && threads > 1 ? 'runs' : 'beams';
}

const asProblem = (problem: TransportProblem): TransportProblem => ({
  ...problem,
  keyframes: 0,
  solver: { ...problem.solver, threads: 1 },
});

/** Throws what is wrong with it, or that it is of another kind. */
export function asBeam(name: string, reading: AnyReading): TransportReading {
  if (reading.kind === 'transport') return reading;
  if (reading.kind === null) throw refusalOf(reading.issues);
  throw new BraggError('unsupported', `${name} is a scenario of ${reading.kind}: a batch is of beams.`);
}

/** Readouts and curve of a run of one beam, whose profile may be known. */
export function answerOf(run: RunData, known: AxisProfile | null = null): SolvedBeam {
  const from = measured(run);
  const profile = known ?? depthProfile(from);
  return { summary: summaryOf(run, from, profile), depthDose: profileCurve(profile) };
}

/** Solves one beam after the other or several together, within the memory of the machine and of the GPU. */
export class BeamSolver {
  readonly #options: Omit<BatchOptions, 'ended'>;
  readonly #memory: Budget;
  readonly #lanes: Budget;
  readonly #gpu = new Budget(ON_A_GPU);
  /** The device is queried when the first beam runs on it. */
  readonly #gpuMemory = once(() => {
    const memory_bytes = usedGpu({ cuda: this.#options.addon.driverDevices() })?.memory_bytes ?? 0;
    return new Budget(SHARE_OF_A_GPU * memory_bytes);
  });
  readonly #active = new Set<TransportRun>();

  /** `lanes`: beams that are solved on the CPU at the same time; further ones are read and laid out meanwhile. */
  constructor(options: Omit<BatchOptions, 'ended'>, lanes = Number.POSITIVE_INFINITY) {
    this.#options = options;
    this.#lanes = new Budget(lanes);
    this.#memory = new Budget(options.memoryLimit_bytes);
    options.signal.addEventListener('abort', () => {
      for (const run of this.#active) run.cancel();
    });
  }

  async #turnOnGpu(bytes: number): Promise<() => void> {
    const turn = await this.#gpu.take(1);
    const memory = await this.#gpuMemory().take(bytes);
    return () => {
      memory();
      turn();
    };
  }

  async #turnOnCpu(bytes: number): Promise<() => void> {
    const lane = await this.#lanes.take(1);
    const memory = await this.#memory.take(bytes);
    return () => {
      memory();
      lane();
    };
  }

  /** The run without keyframes; its time is without the wait for its turn. Throws what the engine throws. */
  async solve({ name, read }: BatchBeam): Promise<RunData> {
    const { addon, program, machine, gpu } = this.#options;
    const created = new Date().toISOString();
    const begun_ms = performance.now();
    const reading = asBeam(name, await read());
    const problem = asProblem(problemOf(reading));
    const { native } = await laid(addon, problem, rangesOf(reading));
    const { plan } = native;
    const onGpu = addon.variants().find(({ id }) => id === plan.variant)?.device === 'cuda';
    const read_ms = performance.now() - begun_ms;
    const bytes = plan.estimate_bytes;
    const release = onGpu ? await this.#turnOnGpu(bytes) : await this.#turnOnCpu(bytes);
    const solving_ms = performance.now();
    this.#active.add(native);
    if (this.#options.signal.aborted) native.cancel();
    try {
      const result = await native.start(() => undefined, { unwatched: true });
      const context = {
        program,
        machine: { ...machine, device: onGpu ? gpu() : null },
        name,
        created,
        finished: new Date().toISOString(),
        scenario: { ...reading.document },
        completeScenario: { ...reading.scenario },
        wall_s: (read_ms + performance.now() - solving_ms) / 1000,
        table: reading.table ?? '',
      };
      return runData(context, problem, axesOf(problem, plan), result, []);
    } finally {
      this.#active.delete(native);
      release();
    }
  }
}

/** Lower bound on the seconds of a beam; 0 if it cannot be solved, which is reported later. */
async function least_s({ name, read }: BatchBeam, addon: NativeAddon): Promise<number> {
  try {
    const reading = asBeam(name, await read());
    const problem = asProblem(problemOf(reading));
    const { plan } = await addon.layTransport(problem);
    return leastOf(addon, problem, plan, rangesOf(reading));
  } catch {
    return 0;
  }
}

/**
 * Solves all beams, `lanes` at a time. A beam that fails does so alone. An aborted signal ends it within one step. Throws BraggError `invalid`
 * before anything runs where all together would take longer than is allowed.
 */
export async function solveBatch(beams: readonly BatchBeam[], lanes: number, options: BatchOptions): Promise<void> {
  const solver = new BeamSolver(options);
  const sideBySide = Math.max(1, Math.min(lanes, beams.length));
  await refuseLongSum('the batch', beams, (beam) => least_s(beam, options.addon), { sideBySide });
  let next = 0;
  const work = async (): Promise<void> => {
    while (!options.signal.aborted) {
      const index = next;
      const beam = beams[index];
      if (beam === undefined) return;
      next += 1;
      let outcome: SolvedBeam | BraggError;
      try {
        outcome = answerOf(await solver.solve(beam));
      } catch (error) {
        outcome = fromNative(error);
      }
      options.ended(index, outcome);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
}
