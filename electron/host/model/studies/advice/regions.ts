/**
 * Divides the parameter space of a study into regions in which a conclusion holds, by a small decision tree, and
 * describes them in words. Points that differ only in their variant belong to the same location of the space.
 */
import { formatPath } from '../../../../contract/scenario/index.ts';
import type { Measure, PlanHead, PlanLine, PointResult } from '../../../../contract/study/index.ts';
import { median } from '../../bench/statistics.ts';
import { canonicalJson } from '../points.ts';

export interface SolvedPoint {
  readonly line: PlanLine;
  readonly result: PointResult;
}

type PointSettings = Readonly<Record<string, unknown>>;

export interface VariantTimes {
  readonly variant: string;
  readonly time_s: number;
  /** 95 % confidence interval of the median; null if there are too few repeats. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Reason why the variant's answer counts as wrong; null if nothing is known against it. */
  readonly wrong: string | null;
  readonly line: PlanLine;
}

export interface VariantComparison {
  readonly machine: string;
  readonly at: PointSettings;
  readonly candidates: readonly VariantTimes[];
  /**
   * Largest deviation of any readout from its median over the variants, as a ratio minus 1, and the readout's name.
   * Null for fewer than two variants.
   */
  readonly deviation: { readonly ratio: number; readonly readout: string } | null;
  /** Whether other points ran at the same time, so that the times are not reliable. */
  readonly shared: boolean;
}

/** Measures by which variants are compared; the first one that all points have is used. */
const TIMES = ['device_s', 'time_s', 'solve_s'] as const;
const VARIANT = 'solver.variant';
/**
 * Deviation of a readout, as a ratio minus 1, from which a variant's answer counts as different. Correct variants agree
 * much better, even on different grids.
 */
export const MAX_DEVIATION = 0.01;
/** Minimum number of answers for comparing with the median: if only two differ, it is unknown which one is wrong. */
const MIN_FOR_MEDIAN = 3;

const numberOf = (measures: readonly Measure[], name: string): Measure | null =>
  measures.find((one) => one.name === name && typeof one.value === 'number') ?? null;

function machineName({ where }: PointResult): string {
  return where.gpu === null ? `${where.machine}, ${where.cpu}` : `${where.machine}, ${where.gpu} ${where.gpu_uuid}`;
}

/** Readouts in mm. They are computed from the answer, unlike counts and notes. */
const readouts = ({ measures }: PointResult): readonly (readonly [string, number])[] =>
  measures.flatMap(({ group, name, unit, value }) =>
    group === 'readouts' && unit === 'mm' && typeof value === 'number' && value !== 0 ? [[name, value] as const] : [],
  );

function readoutDeviations(all: readonly SolvedPoint[]): {
  readonly of: readonly number[];
  readonly worst: VariantComparison['deviation'];
} {
  const tables = all.map(({ result }) => new Map(readouts(result)));
  const names = [...(tables[0]?.keys() ?? [])].filter((name) => tables.every((table) => table.has(name)));
  const of = tables.map(() => 0);
  let worst: VariantComparison['deviation'] = null;
  if (all.length < 2) return { of, worst };
  for (const name of names) {
    const values = tables.map((table) => table.get(name) ?? Number.NaN);
    const middle = median(values);
    for (const [i, value] of values.entries()) {
      const ratio = Math.abs(value / middle - 1);
      if (!Number.isFinite(ratio)) continue;
      of[i] = Math.max(of[i] ?? 0, ratio);
      if (worst === null || ratio > worst.ratio) worst = { ratio, readout: name };
    }
  }
  return { of, worst };
}

function exclusionReason({ result }: SolvedPoint, apart: number, of: number): string | null {
  const isWrong = ({ name, value }: Measure): boolean =>
    (name === 'right' && value === 'no') || (name === 'verdict' && value === 'wrong');
  if (result.measures.some(isWrong)) return 'its result is wrong';
  if (of < MIN_FOR_MEDIAN || apart <= MAX_DEVIATION) return null;
  return `its readouts differ by up to ${Number((100 * apart).toPrecision(2))} % from those of the others`;
}

/**
 * Groups points by machine and location in the parameter space. Null if the study compares fewer than two variants, or
 * if a time is missing.
 */
export function compareVariants(head: PlanHead, rows: readonly SolvedPoint[]): readonly VariantComparison[] | null {
  const done = rows.filter(({ result }) => result.status === 'done');
  const requested = ({ line, result }: SolvedPoint): string => {
    const set = line.settings.find(({ path }) => formatPath(path) === VARIANT)?.value;
    return typeof set === 'string' && set !== 'auto' ? set : result.variant;
  };
  if (new Set(done.map(requested)).size < 2) return null;
  const time = TIMES.find((name) => done.every(({ result }) => numberOf(result.measures, name) !== null));
  if (time === undefined) return null;
  const groups = Map.groupBy(done, ({ line, result }) =>
    canonicalJson([
      machineName(result),
      line.base,
      line.settings
        .filter(({ path }) => formatPath(path) !== VARIANT)
        .map(({ path, value }) => [formatPath(path), value]),
    ]),
  );
  return [...groups.values()].flatMap((mine): readonly VariantComparison[] => {
    const [first] = mine;
    if (first === undefined) return [];
    const { of, worst } = readoutDeviations(mine);
    const bases = head.bases.length > 1 ? { scenario: head.bases[first.line.base]?.name ?? '' } : {};
    const settings = first.line.settings.map(({ path, value }) => [formatPath(path), value] as const);
    return [
      {
        machine: machineName(first.result),
        at: { ...bases, ...Object.fromEntries(settings.filter(([name]) => name !== VARIANT)) },
        candidates: mine.map((one, i): VariantTimes => {
          const measure = numberOf(one.result.measures, time);
          const { low, high } = measure ?? {};
          return {
            variant: requested(one),
            time_s: Number(measure?.value),
            interval: low === undefined || high === undefined ? null : { low, high },
            wrong: exclusionReason(one, of[i] ?? 0, mine.length),
            line: one.line,
          };
        }),
        deviation: worst,
        shared: mine.some(({ result }) => result.where.at_once > 1),
      },
    ];
  });
}

interface LabelledPoint {
  readonly at: PointSettings;
  readonly label: string;
}

interface Region {
  /** Condition such as `beam.energy_MeV up to 110`; empty if the region is the whole space. */
  readonly where: string;
  /** Label of most points in the region. */
  readonly label: string;
  readonly of: number;
  readonly places: number;
}

/** Maximum depth of the decision tree. Deeper trees would describe noise. */
const MAX_SPLITS = 3;

type Bounds = Readonly<Record<string, Bound>>;
type Bound =
  | { readonly kind: 'numbers'; readonly from: number | null; readonly to: number | null }
  | { readonly kind: 'is' | 'is not'; readonly values: readonly string[] };

interface Split {
  readonly name: string;
  readonly isLeft: (place: LabelledPoint) => boolean;
  readonly bounds: readonly [Bound, Bound];
  readonly impurity: number;
}

type LabelCounts = ReadonlyMap<string, number>;

/** Maximum number of distinct words for a split; with more, a split would list single names instead of regions. */
const MAX_WORDS = 50;

function countLabels(places: readonly LabelledPoint[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { label } of places) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

/**
 * Gini impurity times the number of points: the probability that two randomly drawn points have different labels, times
 * their number.
 */
function giniImpurity(counts: LabelCounts): number {
  let [all, squares] = [0, 0];
  for (const count of counts.values()) {
    all += count;
    squares += count ** 2;
  }
  return all === 0 ? 0 : all - squares / all;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Split at the threshold of a numeric setting that gives the least impurity, found in one pass over the sorted points.
 */
function bestNumericSplit(places: readonly LabelledPoint[], name: string): Split | null {
  const sorted = places.toSorted((a, b) => Number(a.at[name]) - Number(b.at[name]));
  const [left, right] = [new Map<string, number>(), countLabels(places)];
  let best: Split | null = null;
  for (const [i, { at, label }] of sorted.entries()) {
    left.set(label, (left.get(label) ?? 0) + 1);
    right.set(label, (right.get(label) ?? 0) - 1);
    const [to, from] = [Number(at[name]), Number(sorted[i + 1]?.at[name] ?? at[name])];
    if (from === to) continue;
    const impurity = giniImpurity(left) + giniImpurity(right);
    if (impurity >= (best?.impurity ?? Number.POSITIVE_INFINITY)) continue;
    best = {
      ...{ name, impurity, isLeft: (place) => Number(place.at[name]) <= to },
      bounds: [
        { kind: 'numbers', from: null, to },
        { kind: 'numbers', from, to: null },
      ],
    };
  }
  return best;
}

function possibleSplits(places: readonly LabelledPoint[], name: string): readonly Split[] {
  const values = [...new Set(places.map(({ at }) => at[name]))];
  if (values.every((value) => typeof value === 'number')) {
    const cut = bestNumericSplit(places, name);
    return cut === null ? [] : [cut];
  }
  if (values.length < 2 || values.length > MAX_WORDS) return [];
  return values.map((value): Split => {
    const isLeft = ({ at }: LabelledPoint): boolean => at[name] === value;
    const sides = [places.filter(isLeft), places.filter((place) => !isLeft(place))];
    return {
      ...{ name, isLeft, impurity: sides.reduce((sum, side) => sum + giniImpurity(countLabels(side)), 0) },
      bounds: [
        { kind: 'is', values: [textOf(value)] },
        { kind: 'is not', values: [textOf(value)] },
      ],
    };
  });
}

function narrowBound(before: Bound | undefined, now: Bound): Bound {
  if (before === undefined) return now;
  if (before.kind === 'numbers' && now.kind === 'numbers')
    return { kind: 'numbers', from: now.from ?? before.from, to: now.to ?? before.to };
  if (before.kind === 'is not' && now.kind === 'is not')
    return { kind: 'is not', values: [...before.values, ...now.values] };
  return now;
}

function boundText(name: string, bound: Bound): string {
  if (bound.kind !== 'numbers') return `${name} ${bound.kind} ${bound.values.join(' or ')}`;
  const { from, to } = bound;
  if (from === null) return `${name} up to ${to}`;
  if (to === null) return `${name} from ${from}`;
  return from === to ? `${name} at ${from}` : `${name} from ${from} to ${to}`;
}

/** Builds the decision tree and returns its leaves: regions in which most points have the same label. */
export function findRegions(places: readonly LabelledPoint[], bounds: Bounds = {}, depth = 0): readonly Region[] {
  const impurity = giniImpurity(countLabels(places));
  const names = [...new Set(places.flatMap(({ at }) => Object.keys(at)))];
  const best =
    impurity === 0 || depth >= MAX_SPLITS
      ? null
      : names
          .flatMap((name) => possibleSplits(places, name))
          .reduce<Split | null>(
            (least, one) => (one.impurity < (least?.impurity ?? impurity * (1 - 1e-9)) ? one : least),
            null,
          );
  if (best === null) {
    const counts = [...Map.groupBy(places, ({ label }) => label)].toSorted(([, a], [, b]) => b.length - a.length);
    const [label = '', mine = []] = counts[0] ?? [];
    const where = Object.entries(bounds)
      .map(([name, bound]) => boundText(name, bound))
      .join(', ');
    return [{ where, label, of: mine.length, places: places.length }];
  }
  const within = (bound: Bound): Bounds => ({ ...bounds, [best.name]: narrowBound(bounds[best.name], bound) });
  const [left, right] = best.bounds;
  return [
    ...findRegions(places.filter(best.isLeft), within(left), depth + 1),
    ...findRegions(
      places.filter((place) => !best.isLeft(place)),
      within(right),
      depth + 1,
    ),
  ];
}

/** Describes regions, for example `window with n up to 64; depth with n from 128 (3 of 4 points)`. */
export function regionsText(regions: readonly Region[], words: (label: string) => string = (label) => label): string {
  return regions
    .map(({ where, label, of, places }) => {
      const some = of === places ? '' : ` (${of} of ${places} points)`;
      return `${words(label)}${where === '' ? '' : ` with ${where}`}${some}`;
    })
    .join('; ');
}
