/** Progress of a benchmark, reported in the same form for every workload. */
import type { Ratio } from '../../../contract/bench/bench-session.ts';
import type { Instances } from '../verdicts/levels.ts';
import { ratioOf } from './comparison.ts';
import { OtherLoad } from './environment.ts';
import { median } from './statistics.ts';
import type { BenchLimits } from './stopping.ts';

/** Medians over the whole rounds so far, and the time over the first variant's. */
interface Latest {
  readonly label: string;
  readonly time_s: number;
  readonly ratio: Ratio | null;
}

export interface BenchProgress {
  /** `first runs`, `fp64 reference`, `rounds`, `other programs`. */
  readonly phase: string;
  readonly variant: string;
  readonly round: number;
  readonly mostRounds: number;
  readonly elapsed_s: number;
  /** At most; null before the first round is whole. */
  readonly left_s: number | null;
  readonly latest: readonly Latest[];
}

/** Medians are read again after as many seconds. */
const LATEST_S = 0.2;

export class SessionClock {
  readonly #start = performance.now();
  readonly #others = new OtherLoad();
  readonly #limits: BenchLimits;
  #roundsBegan_s = 0;
  #rounds = 0;
  #latest: readonly Latest[] = [];
  #latestDue_s = 0;

  constructor(limits: BenchLimits) {
    this.#limits = limits;
  }

  get elapsed_s(): number {
    return (performance.now() - this.#start) / 1000;
  }

  /** Mean number of cores used by other programs; null if not yet known. */
  get otherLoad_cores(): number | null {
    return this.#others.cores();
  }

  get rounds(): number {
    return this.#rounds;
  }

  roundsBegin(): void {
    this.#roundsBegan_s = this.elapsed_s;
  }

  /** Before the rounds: the time of each first run. */
  afterFirst(firsts: readonly { readonly label: string; readonly time_s: number }[]): void {
    this.#latest = firsts.map(({ label, time_s }) => ({ label, time_s, ratio: null }));
  }

  /** `read` gives the seconds of each candidate's warm samples by instance, the reference first. */
  afterRound(rounds: number, read: () => readonly { readonly label: string; readonly times: Instances }[]): void {
    this.#rounds = rounds;
    const now_s = this.elapsed_s;
    if (now_s < this.#latestDue_s) return;
    const series = read();
    const against = series[0]?.times ?? [];
    this.#latest = series.map(({ label, times }, i) => ({
      label,
      time_s: median(times.flat()),
      ratio: i === 0 ? null : ratioOf(times, against, series.length - 1),
    }));
    // A reading of all samples so far costs more with each round: at most a twentieth of the time.
    const took_s = this.elapsed_s - now_s;
    this.#latestDue_s = this.elapsed_s + Math.max(LATEST_S, 20 * took_s);
  }

  progress(phase: string, variant: string): BenchProgress {
    return {
      phase,
      variant,
      round: this.#rounds,
      mostRounds: this.#limits.mostRounds,
      elapsed_s: this.elapsed_s,
      left_s: this.#left_s,
      latest: this.#latest,
    };
  }

  /** Rounds take alike; the limits end the session at the latest. */
  get #left_s(): number | null {
    if (this.#rounds === 0) return null;
    const { mostRounds, mostSeconds } = this.#limits;
    const elapsed = this.elapsed_s;
    const perRound = (elapsed - this.#roundsBegan_s) / this.#rounds;
    return Math.max(0, Math.min((mostRounds - this.#rounds) * perRound, mostSeconds - elapsed));
  }
}
