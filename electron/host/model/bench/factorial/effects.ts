/**
 * Effects of optimisations (factors) alone and in combination. For a single factor the effect is its gain in time. For
 * a combination it is the gain divided by the effects of all its parts; on the logarithm of the time these are
 * subtracted. R. A. Fisher, The Design of Experiments, 1935, chapter VI. The designs are in `assets/factorials.json`.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { isUnproven, type Ratio } from '../../../../contract/bench/bench-session.ts';
import { type Factorial, factorSchema, type InteractionVerdict } from '../../../../contract/bench/factorial.ts';
import {
  isIncorrect,
  type MeasuredSessionEntry,
  type Session,
  type SessionReport,
} from '../../../../contract/bench/session.ts';
import { workloadSchema } from '../../../../contract/workload.ts';
import { defaultMargin, judgeRatio, missProbability } from '../../verdicts/judge.ts';
import { type LogInterval, pairedContrast, type WeightedSeries } from '../../verdicts/levels.ts';
import { recordedInstances } from '../claim-results.ts';
import { contrastInterval, median } from '../statistics.ts';

/** A combination of factors and the variant that has it. `precision` selects one of the variant's precisions. */
const cellSchema = z.strictObject({ with: z.array(z.string()), variant: z.string(), precision: z.string().optional() });

const designSchema = z.strictObject({
  id: z.string(),
  workload: workloadSchema,
  /** Name of the benchmark; empty for a workload with a single one. */
  bench: z.string(),
  title: z.string(),
  factors: z.array(factorSchema).min(2).max(4),
  cells: z.array(cellSchema).min(3),
  /**
   * Reasons why some combinations have no variant. A reason applies to combinations with all factors in `with` and none
   * in `without`.
   */
  absent: z
    .array(z.strictObject({ with: z.array(z.string()), without: z.array(z.string()).default([]), reason: z.string() }))
    .default([]),
});
export type FactorialDesign = Readonly<z.infer<typeof designSchema>>;

const fileSchema = z.strictObject({ version: z.literal(1), designs: z.array(designSchema) });

export async function readDesigns(assetsFolder: string): Promise<readonly FactorialDesign[]> {
  return fileSchema.parse(JSON.parse(await readFile(path.join(assetsFolder, 'factorials.json'), 'utf8'))).designs;
}

interface BenchmarkName {
  readonly workload: string;
  /** Name of the benchmark; empty for a workload with a single one. */
  readonly bench: string;
}

/** Selects the designs of a benchmark. */
function designsFor(
  designs: readonly FactorialDesign[],
  { workload, bench }: BenchmarkName,
): readonly FactorialDesign[] {
  return designs.filter((design) => design.workload === workload && design.bench === bench);
}

/** All subsets of the factors, smaller ones first, in the order of the factors. */
export function combinations(factors: readonly { readonly id: string }[]): readonly (readonly string[])[] {
  const all: (readonly string[])[] = [[]];
  for (const { id } of factors) all.push(...all.map((set) => [...set, id]));
  return all.sort((a, b) => a.length - b.length);
}

export const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one));

/** Reason from the design why a combination has no variant; null if it states none. */
export function absenceReason({ absent }: FactorialDesign, set: readonly string[]): string | null {
  const found = absent.find(
    (one) => one.with.every((id) => set.includes(id)) && !one.without.some((id) => set.includes(id)),
  );
  return found?.reason ?? null;
}

const cellLabel = ({ variant, precision }: FactorialDesign['cells'][number]): string =>
  precision === undefined ? variant : `${variant}@${precision}`;

/** A design with at least one effect that this machine can measure. */
interface RunnableDesign {
  readonly id: string;
  readonly title: string;
  readonly device: 'cpu' | 'cuda';
  /** Labels of its variants for a session, such as `gather@fp64` if the design states a precision. */
  readonly labels: readonly string[];
}

interface KnownVariant extends BenchmarkName {
  readonly id: string;
  readonly available: boolean;
  readonly device: 'cpu' | 'cuda';
}

/** Designs of a benchmark with at least two runnable variants that differ in a single factor. */
export async function runnableDesigns(
  assetsFolder: string,
  place: BenchmarkName,
  variants: readonly KnownVariant[],
): Promise<{ readonly known: readonly FactorialDesign[]; readonly able: readonly RunnableDesign[] }> {
  const known = await readDesigns(assetsFolder);
  const runs = new Map(
    variants
      .filter((one) => one.workload === place.workload && one.bench === place.bench && one.available)
      .map(({ id, device }) => [id, device]),
  );
  const able = designsFor(known, place).flatMap(({ id, title, cells }): RunnableDesign[] => {
    const own = cells.filter(({ variant }) => runs.has(variant));
    const differ = own.some((a) =>
      own.some((b) => b.with.length === a.with.length + 1 && a.with.every((one) => b.with.includes(one))),
    );
    const device = runs.get(own[0]?.variant ?? '') ?? 'cpu';
    return differ ? [{ id, title, device, labels: own.map(cellLabel) }] : [];
  });
  return { known, able };
}

type MeasuredReport = Pick<SessionReport, 'entries' | 'noise' | 'judged' | 'seed'>;

interface FactorialCell {
  readonly with: readonly string[];
  readonly entry: MeasuredSessionEntry;
}

/** A combination without a measured variant, and the reason. */
interface AbsentCombination {
  readonly with: readonly string[];
  readonly reason: string;
}

function findCell(
  design: FactorialDesign,
  set: readonly string[],
  { entries }: MeasuredReport,
): FactorialCell | AbsentCombination {
  const wanted = design.cells.find((cell) => isSameSet(cell.with, set));
  if (wanted === undefined) {
    return { with: set, reason: absenceReason(design, set) ?? 'no variant has exactly these optimisations' };
  }
  const { variant, precision } = wanted;
  const found = entries.find((one) => one.variant === variant && (precision ?? one.precision) === one.precision);
  const name = precision === undefined ? variant : `${variant}@${precision}`;
  if (found === undefined) return { with: set, reason: `${name} is not in this session` };
  if (found.status === 'refused') return { with: set, reason: `${name}: ${found.reason}` };
  return found.samples.length === 0
    ? { with: set, reason: `${name} has no complete round` }
    : { with: set, entry: found };
}

/**
 * Weighted sum of the logarithms of times. Its interval comes from the variation between instances, or from a bootstrap
 * of the rounds if a session has no instances.
 */
function weightedContrast(
  cells: readonly { readonly entry: MeasuredSessionEntry; readonly weight: number }[],
  seed: number,
) {
  const all: readonly WeightedSeries[] = cells.map(({ entry, weight }) => ({
    times: recordedInstances(entry.samples, ({ time_s }) => time_s),
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
    /**
     * Whether all cells have several instances. Otherwise the interval is from a bootstrap, and not symmetric about the
     * median.
     */
    apart,
  };
}

/**
 * Terms of the effect that the factors `of` have together, if the factors `given` are present as well. It is the gain
 * of the combination divided by the effects of all its parts. Null if a cell was not measured.
 */
function effectTerms(
  cells: readonly FactorialCell[],
  of: readonly string[],
  given: readonly string[],
): readonly (FactorialCell & { readonly weight: number })[] | null {
  const terms = combinations(of.map((id) => ({ id }))).map((part) => {
    const cell = cells.find((one) => isSameSet(one.with, [...given, ...part]));
    // A shorter time is a gain, so the signs are opposite to those for times.
    return cell && { ...cell, weight: (of.length - part.length) % 2 === 0 ? -1 : 1 };
  });
  return terms.every((one) => one !== undefined) ? terms : null;
}

const interactionVerdicts = { faster: 'more', slower: 'less', same: 'none', undecided: 'undecided' } as const;

/** Computes the effects of a design. Null unless at least two measured combinations differ in a single factor. */
export function computeFactorialEffects(design: FactorialDesign, report: MeasuredReport): Factorial | null {
  const sets = combinations(design.factors);
  const all = sets.map((set) => findCell(design, set, report));
  const cells = all.filter((one): one is FactorialCell => 'entry' in one);
  const absent = all.filter((one): one is AbsentCombination => 'reason' in one);
  const requested = sets
    .filter((of) => of.length > 0)
    .flatMap((of) =>
      sets
        .filter((given) => !given.some((id) => of.includes(id)))
        .flatMap((given) => {
          const terms = effectTerms(cells, of, given);
          return terms === null ? [] : [{ of, given, terms }];
        }),
    );
  const [first] = cells;
  if (first === undefined || requested.length === 0) return null;
  const outside = missProbability({ candidates: requested.length });
  const margin = report.judged?.margin ?? defaultMargin;
  const floor = report.noise.floor === null ? null : Math.log1p(report.noise.floor);
  /**
   * Gain of an effect, and its verdict. The noise of a sum of several cells is that of two cells, times the square root
   * of half their number.
   */
  const stated = (terms: readonly { readonly entry: MeasuredSessionEntry; readonly weight: number }[]) => {
    const { log, value, apart } = weightedContrast(terms, report.seed);
    const found = log(outside);
    const gain: Ratio = {
      value: apart && found !== null ? Math.exp(found.middle) : value,
      interval: found && { low: Math.exp(found.middle - found.half), high: Math.exp(found.middle + found.half) },
    };
    const strays = floor === null ? null : floor * Math.sqrt(terms.length / 2);
    // For `judge` a smaller value is faster, but a larger gain is faster, so the sign is reversed.
    const times = found && { middle: -found.middle, half: found.half };
    const instances = Math.min(...terms.map(({ entry }) => new Set(entry.samples.map((one) => one.instance)).size));
    const right = terms.every(({ entry }) => !isUnproven(entry.verdict));
    const verdict = right ? judgeRatio(times, strays, { margin }, instances).standing : ('undecided' as const);
    return { gain, verdict };
  };
  const against = (entry: MeasuredSessionEntry): Ratio =>
    entry === first.entry
      ? { value: 1, interval: null }
      : stated([
          { entry: first.entry, weight: 1 },
          { entry, weight: -1 },
        ]).gain;
  const statements = requested.map(({ of, given, terms }) => ({ of, given, ...stated(terms) }));
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
        const interactionVerdict: InteractionVerdict = interactionVerdicts[verdict];
        return { of: [...of], given: [...given], times: gain, verdict: interactionVerdict };
      }),
  };
}

/** Adds the results of all designs of the session's benchmark to its reports, replacing earlier ones. */
export function addFactorialEffects<S extends Pick<Session, 'workload' | 'reports'>>(
  session: S,
  designs: readonly FactorialDesign[],
): S {
  const reports = session.reports.map((report) => {
    const about = designsFor(designs, { workload: session.workload, bench: report.bench });
    return { ...report, factorials: about.flatMap((design) => computeFactorialEffects(design, report) ?? []) };
  });
  return { ...session, reports };
}
