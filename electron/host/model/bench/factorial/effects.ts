/**
 * Effects of optimisations alone and combined. On the logarithm of the time, the effect of a combination of factors is
 * the remainder after subtracting the effects of all its parts. For a single factor it is the gain.
 * R. A. Fisher, The Design of Experiments, 1935, chapter VI.
 */
import { isUnproven, type Ratio } from '../../../../contract/bench/bench-session.ts';
import type { Factorial, InteractionVerdict } from '../../../../contract/bench/factorial.ts';
import {
  isIncorrect,
  type MeasuredSessionEntry,
  type Session,
  type SessionReport,
} from '../../../../contract/bench/session.ts';
import { judge, outsideOf, usualMargin } from '../../verdicts/judge.ts';
import { type LogInterval, pairedContrast, type Weighed } from '../../verdicts/levels.ts';
import { keptInstances } from '../claim-results.ts';
import { contrastInterval, median } from '../statistics.ts';
import { absenceOf, combinations, designsOf, type FactorialDesign, sameSet } from './designs.ts';

type Measured = Pick<SessionReport, 'entries' | 'noise' | 'judged' | 'seed'>;

interface Cell {
  readonly with: readonly string[];
  readonly entry: MeasuredSessionEntry;
}

/** One that has no variant, or none that was measured. */
interface Absent {
  readonly with: readonly string[];
  readonly reason: string;
}

function cellOf(design: FactorialDesign, set: readonly string[], { entries }: Measured): Cell | Absent {
  const wanted = design.cells.find((cell) => sameSet(cell.with, set));
  if (wanted === undefined) {
    return { with: set, reason: absenceOf(design, set) ?? 'no variant has just these' };
  }
  const { variant, precision } = wanted;
  const found = entries.find((one) => one.variant === variant && (precision ?? one.precision) === one.precision);
  const name = precision === undefined ? variant : `${variant}@${precision}`;
  if (found === undefined) return { with: set, reason: `${name} is not in this session` };
  if (found.status === 'refused') return { with: set, reason: `${name}: ${found.reason}` };
  return found.samples.length === 0 ? { with: set, reason: `${name} has no whole round` } : { with: set, entry: found };
}

/** Sums of weighed logarithms by what varies between instances, or by the bootstrap of rounds where there are none. */
function contrastOf(cells: readonly { readonly entry: MeasuredSessionEntry; readonly weight: number }[], seed: number) {
  const all: readonly Weighed[] = cells.map(({ entry, weight }) => ({
    times: keptInstances(entry.samples, ({ time_s }) => time_s),
    weight,
  }));
  const value = Math.exp(all.reduce((sum, { times, weight }) => sum + weight * Math.log(median(times.flat())), 0));
  const apart = all.every(({ times }) => times.length > 1);
  const flat = all.map(({ times, weight }) => ({ times: times.flat(), weight }));
  return {
    log: (outside: number): LogInterval | null => {
      if (apart) return pairedContrast(all, outside);
      const found = contrastInterval(flat, seed);
      if (found === null) return null;
      const [low, high] = [Math.log(found.low), Math.log(found.high)];
      return { middle: (low + high) / 2, half: (high - low) / 2 };
    },
    value,
    /** A bootstrap interval is not symmetric about its median. */
    apart,
  };
}

/**
 * Terms of the interaction of the factors `of` in the presence of `given`: gain of the combination over the product of
 * the effects of its parts. Null if a cell was not measured.
 */
function termsOf(
  cells: readonly Cell[],
  of: readonly string[],
  given: readonly string[],
): readonly (Cell & { readonly weight: number })[] | null {
  const terms = combinations(of.map((id) => ({ id }))).map((part) => {
    const cell = cells.find((one) => sameSet(one.with, [...given, ...part]));
    // A shorter time is a gain, so that signs are turned.
    return cell && { ...cell, weight: (of.length - part.length) % 2 === 0 ? -1 : 1 };
  });
  return terms.every((one) => one !== undefined) ? terms : null;
}

const interactionVerdicts = { faster: 'more', slower: 'less', same: 'none', undecided: 'undecided' } as const;

/** Null if fewer than two combinations were measured that differ in one factor. */
export function factorialOf(design: FactorialDesign, report: Measured): Factorial | null {
  const sets = combinations(design.factors);
  const all = sets.map((set) => cellOf(design, set, report));
  const cells = all.filter((one): one is Cell => 'entry' in one);
  const absent = all.filter((one): one is Absent => 'reason' in one);
  const asked = sets
    .filter((of) => of.length > 0)
    .flatMap((of) =>
      sets
        .filter((given) => !given.some((id) => of.includes(id)))
        .flatMap((given) => {
          const terms = termsOf(cells, of, given);
          return terms === null ? [] : [{ of, given, terms }];
        }),
    );
  const [first] = cells;
  if (first === undefined || asked.length === 0) return null;
  const outside = outsideOf({ contestants: asked.length });
  const margin = report.judged?.margin ?? usualMargin;
  const floor = report.noise.floor === null ? null : Math.log1p(report.noise.floor);
  /** Gain and its verdict. The noise of more than two cells exceeds that of two, by the root of their number. */
  const stated = (terms: readonly { readonly entry: MeasuredSessionEntry; readonly weight: number }[]) => {
    const { log, value, apart } = contrastOf(terms, report.seed);
    const found = log(outside);
    const gain: Ratio = {
      value: apart && found !== null ? Math.exp(found.middle) : value,
      interval: found && { low: Math.exp(found.middle - found.half), high: Math.exp(found.middle + found.half) },
    };
    const strays = floor === null ? null : floor * Math.sqrt(terms.length / 2);
    // `judge` takes the smaller value as the faster, so the sign is reversed.
    const times = found && { middle: -found.middle, half: found.half };
    const instances = Math.min(...terms.map(({ entry }) => new Set(entry.samples.map((one) => one.instance)).size));
    const right = terms.every(({ entry }) => !isUnproven(entry.verdict));
    const verdict = right ? judge(times, strays, { margin }, instances).standing : ('undecided' as const);
    return { gain, verdict };
  };
  const against = (entry: MeasuredSessionEntry): Ratio =>
    entry === first.entry
      ? { value: 1, interval: null }
      : stated([
          { entry: first.entry, weight: 1 },
          { entry, weight: -1 },
        ]).gain;
  const statements = asked.map(({ of, given, terms }) => ({ of, given, ...stated(terms) }));
  return {
    id: design.id,
    title: design.title,
    factors: [...design.factors],
    cells: cells.map(({ with: set, entry }) => ({
      with: [...set],
      label: entry.label,
      time_s: entry.time_s,
      wrong: isIncorrect(entry.verdict),
      gain: against(entry),
    })),
    absent: absent.map((one) => ({ with: [...one.with], reason: one.reason })),
    effects: statements
      .filter(({ of }) => of.length === 1)
      .map(({ of: [of = ''], given, gain, verdict }) => ({ of, given: [...given], gain, verdict })),
    interactions: statements
      .filter(({ of }) => of.length > 1)
      .map(({ of, given, gain, verdict }) => {
        const told: InteractionVerdict = interactionVerdicts[verdict];
        return { of: [...of], given: [...given], times: gain, verdict: told };
      }),
  };
}

/** With what its samples say of the designs that are about it, whatever it said of them. */
export function factorialsIn<S extends Pick<Session, 'workload' | 'reports'>>(
  session: S,
  designs: readonly FactorialDesign[],
): S {
  const reports = session.reports.map((report) => {
    const about = designsOf(designs, { workload: session.workload, bench: report.bench });
    return { ...report, factorials: about.flatMap((design) => factorialOf(design, report) ?? []) };
  });
  return { ...session, reports };
}
