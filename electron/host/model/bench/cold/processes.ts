/**
 * Times end-to-end runs of each candidate in separate processes, in rounds of shuffled order, after the rounds in this
 * process. Each round starts the reference twice: the second run is its control. The time of a process includes
 * everything that a program needs until its first answer.
 */
import type { MeasuredSessionEntry, TimedSample } from '../../../../contract/bench/session.ts';
import { BraggError } from '../../../../contract/errors.ts';
import { errorFromNative } from '../../../io/addon/addon.ts';
import type { StartChild } from '../../../io/processes/link.ts';
import type { AddonFactory } from '../../user-kernels/process/relay.ts';
import { UserKernelProcess } from '../../user-kernels/process/user-kernel-process.ts';
import { judgeRatio, missProbability, noiseFloor } from '../../verdicts/judge.ts';
import { type Instances, minRounds, pairedLogRatio } from '../../verdicts/levels.ts';
import { toRatio } from '../comparison.ts';
import { measureRounds, type SamplePosition, type SampleSeries } from '../rounds.ts';
import { median } from '../statistics.ts';
import { type BenchLimits, createLimits } from '../stopping.ts';

/** Work for a child process: create one of the addon's objects, and call its methods in order. */
export interface ColdRunPlan {
  readonly factory: AddonFactory;
  readonly problem: unknown;
  readonly calls: readonly {
    readonly method: string;
    readonly args: readonly unknown[];
    /** True if the first argument of the method is a callback. A cold run ignores the values passed to it. */
    readonly reports: boolean;
  }[];
}

/** Longest wait in ms until a killed process has ended. */
const MAX_EXIT_WAIT_MS = 5_000;

/** Starts a child process. `ended` resolves when it has ended, so that the next process does not overlap with it. */
function startWatchedChild(startChild: StartChild) {
  const link = startChild('user-kernel-child');
  let gone: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const start: StartChild = () => ({
    send: (message) => link.send(message),
    onMessage: (listener) => link.onMessage(listener),
    onOutput: (listener) => link.onOutput(listener),
    kill: () => link.kill(),
    onEnded: (listener) =>
      link.onEnded((how) => {
        gone();
        listener(how);
      }),
  });
  return { start, ended };
}

function throwIfRunFailed(result: unknown): void {
  if (result === null) throw new BraggError('device', 'its process returned no result');
  if (typeof result === 'object' && 'error' in result && result.error !== null) throw errorFromNative(result.error);
}

/**
 * Runs a problem in a new process. Returns the seconds from starting the process to the answer in its memory, including
 * the start of Node.js and the loading of the addon. Null if `signal` was aborted. Throws a BraggError if the run
 * fails.
 */
export async function timeColdProcess_s(
  label: string,
  { factory, problem, calls }: ColdRunPlan,
  startChild: StartChild,
  signal?: AbortSignal,
): Promise<number | null> {
  const aborted = (): boolean => signal?.aborted === true;
  if (aborted()) return null;
  const began = performance.now();
  const { start, ended } = startWatchedChild(startChild);
  const child = await UserKernelProcess.start(label, start);
  const cancel = (): void => child.close();
  signal?.addEventListener('abort', cancel);
  try {
    await child.create(factory, problem);
    for (const { method, args, reports } of calls) {
      throwIfRunFailed(await child.call(method, args, reports ? () => undefined : undefined, true));
    }
    return (performance.now() - began) / 1000;
  } catch (error) {
    if (aborted()) return null;
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    child.close();
    let late: NodeJS.Timeout | undefined;
    await Promise.race([ended, new Promise((resolve) => (late = setTimeout(resolve, MAX_EXIT_WAIT_MS)))]);
    clearTimeout(late);
  }
}

interface ColdMeasurement {
  /** Time from the start of the process to its answer, s. */
  readonly time_s: number;
  /**
   * Set-up time and total time of the run, s, without the start of the process; absent if the run does not report them.
   */
  readonly setup_s?: number;
  readonly wall_s?: number;
}

/** Starts a process and times its first run; null if `signal` was aborted. */
export type ColdStart = (
  label: string,
  startChild: StartChild,
  signal?: AbortSignal,
) => Promise<ColdMeasurement | null>;

/** Makes a ColdStart that times `run` with `timeColdProcess_s`; null if there is no run. */
export const createColdStart = (run: ColdRunPlan | null): ColdStart | null =>
  run &&
  (async (label, startChild, signal) => {
    const time_s = await timeColdProcess_s(label, run, startChild, signal);
    return time_s === null ? null : { time_s };
  });

/** Default number of processes: the minimum for a verdict, because each process counts as one instance. */
export const DEFAULT_PROCESSES = minRounds;

/** Longest delay that setTimeout supports, about 24 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

interface ColdCandidate {
  readonly label: string;
  /** Starts the candidate in a separate process; null if it cannot be started in one. */
  readonly run: ColdStart | null;
}

type ColdSample = SamplePosition & ColdMeasurement;

interface ColdSeries extends ColdCandidate {
  readonly samples: ColdSample[];
  reason: string | null;
}

interface ColdOptions {
  /** Number of processes per candidate. */
  readonly count: number;
  readonly startChild: StartChild;
  readonly seed: number;
  readonly limits: Pick<BenchLimits, 'mostSeconds' | 'precision' | 'margin'>;
  readonly signal?: AbortSignal | undefined;
  readonly onStart: (what: string) => void;
}

const coldTimes = (samples: readonly ColdSample[]): Instances => samples.map(({ time_s }) => [time_s]);

const toStoredSamples = (samples: readonly ColdSample[]): TimedSample[] =>
  samples.map((sample) => ({ ...sample, sm_MHz: null, flag: null }));

export class ColdProcesses {
  readonly #options: ColdOptions;
  readonly #all: readonly ColdSeries[];
  readonly #control: ColdSample[] = [];

  /** `candidates`: the reference first. */
  constructor(candidates: readonly ColdCandidate[], options: ColdOptions) {
    this.#options = options;
    this.#all = candidates.map(({ label, run }) => ({
      ...{ label, run, samples: [] },
      reason: run === null ? 'a user kernel is compiled and loaded by the process that measures it' : null,
    }));
  }

  /** Runs the rounds, at least one. Processes that still run at the time limit are killed. */
  async run(): Promise<void> {
    const { count, seed, limits, signal, onStart } = this.#options;
    const able = this.#all.filter(({ reason }) => reason === null);
    const reference = able[0] === this.#all[0] ? able[0] : undefined;
    const limit = AbortSignal.timeout(Math.min(Math.max(0, Math.ceil(1000 * limits.mostSeconds)), MAX_TIMER_MS));
    const end = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    const allSeries = able.map((series) => this.#sampleSeries(series, series.samples, end));
    if (reference !== undefined) allSeries.push(this.#sampleSeries(reference, this.#control, end));
    if (allSeries.length === 0) return;
    const began = performance.now();
    const { precision, margin } = limits;
    await measureRounds(allSeries, {
      seed,
      limits: createLimits(count, limits.mostSeconds, { precision, margin }),
      roundsPerInstance: 1,
      cancelled: () => end.aborted,
      elapsed_s: () => (performance.now() - began) / 1000,
      onSample: (what) => onStart(what),
    });
  }

  #sampleSeries(series: ColdSeries, samples: ColdSample[], end: AbortSignal): SampleSeries {
    const { label, run } = series;
    const { startChild } = this.#options;
    return {
      owner: series,
      what: label,
      judged: true,
      times: () => coldTimes(samples),
      take: async (where) => {
        const taken = run === null ? null : await run(label, startChild, end);
        return taken === null ? null : () => samples.push({ ...where, ...taken });
      },
      onFailure: (error: BraggError) => {
        series.reason = error.message.replace(`${label}: `, '');
      },
    };
  }

  /** Noise floor, as the natural logarithm of a ratio; null for too few processes. */
  get floor(): number | null {
    const [reference] = this.#all;
    return reference === undefined ? null : noiseFloor(coldTimes(this.#control), coldTimes(reference.samples));
  }

  get control(): TimedSample[] {
    return toStoredSamples(this.#control);
  }

  timesOf(label: string): NonNullable<MeasuredSessionEntry['process']> | undefined {
    const own = this.#all.find((one) => one.label === label);
    const [reference] = this.#all;
    if (own === undefined || reference === undefined) return undefined;
    const samples = own.reason === null ? own.samples : [];
    const none = { time_s: null, ratio: null, samples: [] };
    if (samples.length === 0) {
      const reason = own.reason ?? 'the session time ended before each variant had run in a new process';
      return { reason, ...none, verdict: own === reference ? 'reference' : 'undecided' };
    }
    const time_s = median(samples.map((sample) => sample.time_s));
    const common = { reason: null, time_s, samples: toStoredSamples(samples) };
    if (own === reference) return { ...common, ratio: { value: 1, interval: null }, verdict: 'reference' };
    if (reference.samples.length === 0) return { ...common, ratio: null, verdict: 'undecided' };
    const outside = missProbability({ candidates: Math.max(1, this.#all.length - 1) });
    const log = pairedLogRatio(coldTimes(samples), coldTimes(reference.samples), outside);
    const { margin } = this.#options.limits;
    return {
      ...common,
      ratio: toRatio(log, time_s / median(reference.samples.map((sample) => sample.time_s))),
      verdict: judgeRatio(log, this.floor, { margin }, samples.length).standing,
    };
  }
}
