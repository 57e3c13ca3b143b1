/** Regions of a study's space in which something holds: a small decision tree, described in words. */
import type { At } from './contests.ts';

interface Labelled {
  readonly at: At;
  readonly label: string;
}

interface Region {
  /** `beam.energy_MeV up to 110`; empty: everywhere. */
  readonly where: string;
  /** Most frequent label in the region. */
  readonly label: string;
  readonly of: number;
  readonly places: number;
}

/** Deeper trees tell noise. */
const DEEPEST = 3;

type Bounds = Readonly<Record<string, Bound>>;
type Bound =
  | { readonly kind: 'numbers'; readonly from: number | null; readonly to: number | null }
  | { readonly kind: 'is' | 'is not'; readonly values: readonly string[] };

interface Split {
  readonly name: string;
  readonly isLeft: (place: Labelled) => boolean;
  readonly bounds: readonly [Bound, Bound];
  readonly impurity: number;
}

type Counts = ReadonlyMap<string, number>;

/** More different words tell names apart, not regions. */
const MOST_WORDS = 50;

function countsOf(places: readonly Labelled[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { label } of places) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

/** Chance that two places drawn at random have different labels, times the places. */
function impurityOf(counts: Counts): number {
  let [all, squares] = [0, 0];
  for (const count of counts.values()) {
    all += count;
    squares += count ** 2;
  }
  return all === 0 ? 0 : all - squares / all;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The best cut of a number: one walk along it, with what lies on both sides. */
function cutOf(places: readonly Labelled[], name: string): Split | null {
  const sorted = places.toSorted((a, b) => Number(a.at[name]) - Number(b.at[name]));
  const [left, right] = [new Map<string, number>(), countsOf(places)];
  let best: Split | null = null;
  for (const [i, { at, label }] of sorted.entries()) {
    left.set(label, (left.get(label) ?? 0) + 1);
    right.set(label, (right.get(label) ?? 0) - 1);
    const [to, from] = [Number(at[name]), Number(sorted[i + 1]?.at[name] ?? at[name])];
    if (from === to) continue;
    const impurity = impurityOf(left) + impurityOf(right);
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

function splitsOf(places: readonly Labelled[], name: string): readonly Split[] {
  const values = [...new Set(places.map(({ at }) => at[name]))];
  if (values.every((value) => typeof value === 'number')) {
    const cut = cutOf(places, name);
    return cut === null ? [] : [cut];
  }
  if (values.length < 2 || values.length > MOST_WORDS) return [];
  return values.map((value): Split => {
    const isLeft = ({ at }: Labelled): boolean => at[name] === value;
    const sides = [places.filter(isLeft), places.filter((place) => !isLeft(place))];
    return {
      ...{ name, isLeft, impurity: sides.reduce((sum, side) => sum + impurityOf(countsOf(side)), 0) },
      bounds: [
        { kind: 'is', values: [textOf(value)] },
        { kind: 'is not', values: [textOf(value)] },
      ],
    };
  });
}

function narrowed(before: Bound | undefined, now: Bound): Bound {
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

/** As few regions as tell the labels, in the order of their conditions. */
export function regionsOf(places: readonly Labelled[], bounds: Bounds = {}, depth = 0): readonly Region[] {
  const impurity = impurityOf(countsOf(places));
  const names = [...new Set(places.flatMap(({ at }) => Object.keys(at)))];
  const best =
    impurity === 0 || depth >= DEEPEST
      ? null
      : names
          .flatMap((name) => splitsOf(places, name))
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
  const within = (bound: Bound): Bounds => ({ ...bounds, [best.name]: narrowed(bounds[best.name], bound) });
  const [left, right] = best.bounds;
  return [
    ...regionsOf(places.filter(best.isLeft), within(left), depth + 1),
    ...regionsOf(
      places.filter((place) => !best.isLeft(place)),
      within(right),
      depth + 1,
    ),
  ];
}

/** `window with n up to 64; depth with n from 128 (3 of 4 points)`. */
export function regionsText(regions: readonly Region[], words: (label: string) => string = (label) => label): string {
  return regions
    .map(({ where, label, of, places }) => {
      const some = of === places ? '' : ` (${of} of ${places} points)`;
      return `${words(label)}${where === '' ? '' : ` with ${where}`}${some}`;
    })
    .join('; ');
}
