/**
 * Measures end-to-end runs of each candidate in separate processes, in rounds of shuffled order after the warm rounds.
 * The reference is started a second time in each round, as its control.
 */
import type { MeasuredSessionEntry, Timed } from '../../../../contract/bench/session.ts';
import type { BraggError } from '../../../../contract/errors.ts';
import type { StartChild } from '../../../io/processes/link.ts';
import { judge, noiseFloorOf, outsideOf } from '../../verdicts/judge.ts';
import { fewestRounds, type Instances, pairedLogRatio } from '../../verdicts/levels.ts';
import { asRatio } from '../comparison.ts';
import { type Turn, takeRounds, type Where } from '../rounds.ts';
import { median } from '../statistics.ts';
import { type BenchLimits, limitsOf } from '../stopping.ts';
import type { ColdStart, ColdTaken } from './process.ts';

/** As few as say anything: each is an instance of its own. */
export const usualProcesses = fewestRounds;

interface ColdRival {
  readonly label: string;
  /** Null if it is not run in separate processes. */
  readonly run: ColdStart | null;
}

type ColdSample = Where & ColdTaken;

interface Series extends ColdRival {
  readonly samples: ColdSample[];
  reason: string | null;
}

interface ColdOptions {
  /** Processes of each. */
  readonly count: number;
  readonly startChild: StartChild;
  readonly seed: number;
  readonly limits: Pick<BenchLimits, 'mostSeconds' | 'precision' | 'margin'>;
  readonly signal?: AbortSignal | undefined;
  readonly tell: (what: string) => void;
}

const timesOf = (samples: readonly ColdSample[]): Instances => samples.map(({ time_s }) => [time_s]);

const kept = (samples: readonly ColdSample[]): Timed[] =>
  samples.map((sample) => ({ ...sample, sm_MHz: null, flag: null }));

export class ColdProcesses {
  readonly #options: ColdOptions;
  readonly #all: readonly Series[];
  readonly #control: ColdSample[] = [];

  /** The first is what the others are compared with. */
  constructor(rivals: readonly ColdRival[], options: ColdOptions) {
    this.#options = options;
    this.#all = rivals.map(({ label, run }) => ({
      ...{ label, run, samples: [] },
      reason: run === null ? 'a user kernel is compiled and loaded by the process that measures it' : null,
    }));
  }

  /** Takes at least one round. */
  async take(): Promise<void> {
    const { count, seed, limits, signal, tell } = this.#options;
    const able = this.#all.filter(({ reason }) => reason === null);
    const reference = able[0] === this.#all[0] ? able[0] : undefined;
    const turns = able.map((series) => this.#turn(series, series.samples));
    if (reference !== undefined) turns.push(this.#turn(reference, this.#control));
    if (turns.length === 0) return;
    const began = performance.now();
    const { precision, margin } = limits;
    await takeRounds(turns, {
      seed,
      limits: limitsOf(count, limits.mostSeconds, { precision, margin }),
      roundsPerInstance: 1,
      cancelled: () => signal?.aborted === true,
      elapsed_s: () => (performance.now() - began) / 1000,
      tell: (what) => tell(what),
    });
  }

  #turn(series: Series, samples: ColdSample[]): Turn {
    const { label, run } = series;
    const { startChild, signal } = this.#options;
    return {
      owner: series,
      what: label,
      judged: true,
      times: () => timesOf(samples),
      take: async (where) => {
        const taken = run === null ? null : await run(label, startChild, signal);
        return taken === null ? null : () => samples.push({ ...where, ...taken });
      },
      lost: (error: BraggError) => {
        series.reason = error.message.replace(`${label}: `, '');
      },
    };
  }

  /** On the natural logarithm; null for too few. */
  get floor(): number | null {
    const [reference] = this.#all;
    return reference === undefined ? null : noiseFloorOf(timesOf(this.#control), timesOf(reference.samples));
  }

  get control(): Timed[] {
    return kept(this.#control);
  }

  of(label: string): NonNullable<MeasuredSessionEntry['process']> | undefined {
    const own = this.#all.find((one) => one.label === label);
    const [reference] = this.#all;
    if (own === undefined || reference === undefined) return undefined;
    const samples = own.reason === null ? own.samples : [];
    const none = { time_s: null, ratio: null, samples: [] };
    if (samples.length === 0) {
      const reason = own.reason ?? 'the time limit left no room for a process of each';
      return { reason, ...none, verdict: own === reference ? 'reference' : 'undecided' };
    }
    const time_s = median(samples.map((sample) => sample.time_s));
    const common = { reason: null, time_s, samples: kept(samples) };
    if (own === reference) return { ...common, ratio: { value: 1, interval: null }, verdict: 'reference' };
    if (reference.samples.length === 0) return { ...common, ratio: null, verdict: 'undecided' };
    const outside = outsideOf({ contestants: Math.max(1, this.#all.length - 1) });
    const log = pairedLogRatio(timesOf(samples), timesOf(reference.samples), outside);
    const { margin } = this.#options.limits;
    return {
      ...common,
      ratio: asRatio(log, time_s / median(reference.samples.map((sample) => sample.time_s))),
      verdict: judge(log, this.floor, { margin }, samples.length).standing,
    };
  }
}
