/** How one contestant's times stand against the others': the part of a report that every workload shares. */
import type { Mode, Ratio } from '../../contract/bench-session.ts';
import { type Verdict, verdictOf } from '../../contract/speed-verdict.ts';
import { type Clocked, flagOf } from './flags.ts';
import { median, ratioInterval, relativeSpread } from './statistics.ts';

/** What a sample of any workload has. */
export interface Marked {
  readonly clocks: Clocked;
}

/** One series of samples: a contestant in one mode. */
export interface Series<S> {
  readonly mode: Mode;
  readonly samples: S[];
  /** Why this mode cannot be measured; null when it can. */
  readonly reason: string | null;
}

export interface Ranked<S> {
  readonly label: string;
  /** The label that it builds on. */
  readonly buildsOn: string | null;
  /** From before the rounds: all there is of a session that was cancelled before the first was whole. */
  readonly first: S;
  readonly warm: Series<S>;
  readonly others: readonly Series<S>[];
}

export interface Basis<S> {
  /** What the others are compared with. */
  readonly reference: Ranked<S> | undefined;
  readonly all: readonly Ranked<S>[];
  readonly seed: number;
  readonly floor: number | null;
  /** The seconds that a sample counts with. */
  readonly timeOf: (sample: S) => number;
}

export interface ComparedMode<S> {
  readonly mode: Mode;
  readonly reason: string | null;
  readonly time_s: number | null;
  readonly spread: number | null;
  /** Over the same contestant's warm time. */
  readonly ratio: Ratio | null;
  readonly samples: readonly Flagged<S>[];
}

export interface Flagged<S> {
  readonly raw: S;
  readonly flag: string | null;
}

export interface Comparison<S> {
  /** Warm ones, or the first alone. */
  readonly raw: readonly S[];
  readonly time_s: number;
  readonly spread: number;
  readonly ratio: Ratio;
  readonly ratio_unflagged: Ratio | null;
  readonly flagged: number;
  /** Of speed alone. */
  readonly verdict: Verdict | 'reference';
  readonly rung: Ratio | null;
  readonly cumulative: Ratio | null;
  readonly modes: readonly ComparedMode<S>[];
  readonly samples: readonly Flagged<S>[];
}

export function ratioOf(times: readonly number[], references: readonly number[], seed: number): Ratio {
  return { value: median(times) / median(references), interval: ratioInterval(times, references, seed) };
}

function highestClock<S extends Marked>(all: readonly Ranked<S>[]): number | null {
  const clocks = all.flatMap(({ warm, others }) =>
    [warm, ...others].flatMap(({ samples }) => samples.flatMap(({ clocks }) => clocks.after?.sm_MHz ?? [])),
  );
  return clocks.length === 0 ? null : Math.max(...clocks);
}

/** The chain of contestants that this one stands on, itself first. */
function chain<S>(own: Ranked<S>, all: readonly Ranked<S>[]): readonly Ranked<S>[] {
  const links = [own];
  for (;;) {
    const top = links.at(-1);
    const base = all.find(({ label }) => label === top?.buildsOn);
    if (base === undefined || links.includes(base)) return links;
    links.push(base);
  }
}

export function compareTimes<S extends Marked>(own: Ranked<S>, basis: Basis<S>): Comparison<S> {
  const { reference, all, seed, floor, timeOf } = basis;
  const highest = highestClock(all);
  const flagged = (samples: readonly S[]): readonly Flagged<S>[] =>
    samples.map((raw) => ({ raw, flag: flagOf(raw.clocks, highest) }));
  const whole = own.warm.samples.length > 0;
  const raw = whole ? own.warm.samples : [own.first];
  const times = raw.map(timeOf);
  const againstRaw = whole ? (reference?.warm.samples ?? []) : reference ? [reference.first] : [];
  const ratio = ratioOf(times, againstRaw.map(timeOf), seed);
  const [samples, against] = [flagged(own.warm.samples), flagged(reference?.warm.samples ?? [])];
  const links = chain(own, all);
  const [base, root] = [links[1], links.at(-1)];
  const over = (other: Ranked<S> | undefined): Ratio | null =>
    other === undefined || other === own || !whole ? null : ratioOf(times, other.warm.samples.map(timeOf), seed);

  const unflagged = (): Ratio | null => {
    const clean = samples.map(({ flag }, i) => flag === null && against[i]?.flag === null);
    if (clean.every(Boolean) || !clean.some(Boolean)) return null;
    const keep = (each: readonly Flagged<S>[]): readonly number[] =>
      each.filter((_, i) => clean[i]).map((one) => timeOf(one.raw));
    return ratioOf(keep(samples), keep(against), seed);
  };

  const mode = (series: Series<S>): ComparedMode<S> => {
    const own_s = series.samples.map(timeOf);
    const common = { mode: series.mode, samples: flagged(series.samples) };
    if (own_s.length === 0) {
      const reason = series.reason ?? 'the session ended before a round was whole';
      return { ...common, reason, time_s: null, spread: null, ratio: null };
    }
    return {
      ...common,
      reason: null,
      time_s: median(own_s),
      spread: relativeSpread(own_s),
      ratio: ratioOf(own_s, times, seed),
    };
  };

  return {
    raw,
    time_s: median(times),
    spread: relativeSpread(times),
    ratio,
    ratio_unflagged: unflagged(),
    flagged: samples.filter(({ flag }) => flag !== null).length,
    verdict: own.label === reference?.label ? 'reference' : verdictOf(ratio.interval, floor),
    rung: over(base),
    cumulative: over(root),
    modes: own.others.map(mode),
    samples,
  };
}
