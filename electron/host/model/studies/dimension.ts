/** Successive settings of a study's axis, or of several axes that vary together. */
import { type Fault, fault, type Path, parsePath } from '../../../contract/scenario/index.ts';
import type { SampledAxis, StudyAxis, StudyDimension } from '../../../contract/study/index.ts';
import { type Random, seededRandom, shuffled } from '../bench/random.ts';

export interface Setting {
  readonly path: Path;
  readonly value: unknown;
}

/** Each entry is one way to set what the dimension sets. */
interface Laid {
  readonly ways: readonly (readonly Setting[])[];
  readonly faults: readonly Fault[];
}

/** Most digits that survive the way into a file and back as a person would write them. */
const DIGITS = 15;
const round = (value: number): number => Number(value.toPrecision(DIGITS));

/** Paths in `a+b`; an error if one is not a path. */
function pathsOf(text: string, at: Path): readonly Path[] | Fault {
  const paths = text.split('+').map((one) => parsePath(one.trim()));
  const whole = paths.flatMap((one) => (one === null ? [] : [one]));
  if (whole.length === paths.length) return whole;
  return fault([...at, 'path'], text, 'is not a path', 'names with dots, such as geometry.regions[0].material');
}

const isFault = (given: readonly unknown[] | Fault): given is Fault => 'severity' in given;

/** A number between the ends, `share` in [0, 1] of the way. The ends are met exactly. */
function between(from: number, to: number, share: number, scale: 'linear' | 'log'): number {
  if (share === 0) return from;
  if (share === 1) return to;
  return round(scale === 'linear' ? from + (to - from) * share : from * (to / from) ** share);
}

function scaleFault({ from, to }: { readonly from: number; readonly to: number }, at: Path): Fault | null {
  if (from > 0 && to > 0) return null;
  const key = from > 0 ? 'to' : 'from';
  return fault([...at, key], key === 'to' ? to : from, 'has no logarithm', 'a number above 0');
}

function valuesOf(axis: StudyAxis, at: Path): readonly unknown[] | Fault {
  if (axis.kind === 'list') return axis.values;
  const { from, to, count } = axis;
  const scale = axis.kind === 'log' ? 'log' : 'linear';
  const wrong = scale === 'log' ? scaleFault(axis, at) : null;
  if (wrong !== null) return wrong;
  if (count === 1 && from !== to)
    return fault([...at, 'count'], count, 'cannot hold both ends', 'a whole number of 2 or more');
  return Array.from({ length: count }, (_, i) => between(from, to, count === 1 ? 0 : i / (count - 1), scale));
}

function layAxis(axis: StudyAxis, at: Path): Laid {
  const [paths, values] = [pathsOf(axis.path, at), valuesOf(axis, at)];
  const faults = [paths, values].filter(isFault);
  if (isFault(paths) || isFault(values)) return { ways: [], faults };
  return { ways: values.map((value) => paths.map((path) => ({ path, value }))), faults: [] };
}

function together(columns: readonly Laid[], length: number): Laid {
  const faults = columns.flatMap((column) => column.faults);
  if (faults.length > 0) return { ways: [], faults };
  const ways = Array.from({ length }, (_, i) => columns.flatMap((column) => column.ways[i] ?? []));
  return { ways, faults: [] };
}

function layZip(axes: readonly StudyAxis[], at: Path): Laid {
  const columns = axes.map((axis, i) => layAxis(axis, [...at, 'axes', i]));
  const length = columns[0]?.ways.length ?? 0;
  const odd = columns.findIndex(({ ways, faults }) => faults.length === 0 && ways.length !== length);
  if (odd < 0 || columns.some(({ faults }) => faults.length > 0)) return together(columns, length);
  const says = `has ${columns[odd]?.ways.length} values, and the first axis of the zip has ${length}`;
  return { ways: [], faults: [fault([...at, 'axes', odd], axes[odd]?.path, says, 'axes of one length')] };
}

/** `shares` in [0, 1): where in its extent each sample lies. */
function laySampled(axis: SampledAxis, shares: readonly number[], at: Path): Laid {
  const paths = pathsOf(axis.path, at);
  if (isFault(paths)) return { ways: [], faults: [paths] };
  const wrong = axis.kind === 'between' && axis.scale === 'log' ? scaleFault(axis, at) : null;
  if (wrong !== null) return { ways: [], faults: [wrong] };
  const drawn = (share: number): unknown => {
    if (axis.kind === 'among') return axis.values[Math.floor(share * axis.values.length)];
    const value = between(axis.from, axis.to, share, axis.scale);
    return axis.whole ? Math.round(value) : value;
  };
  return { ways: shares.map((share) => paths.map((path) => ({ path, value: drawn(share) }))), faults: [] };
}

function sharesOf(kind: 'random' | 'latin', count: number, random: Random): readonly number[] {
  if (kind === 'random') return Array.from({ length: count }, () => random.next());
  const strata = Array.from({ length: count }, (_, i) => i);
  return shuffled(strata, random).map((stratum) => (stratum + random.next()) / count);
}

/** `at` is the dimension's place in the study. The same seed and place give the same values anywhere. */
export function layDimension(dimension: StudyDimension, seed: number, at: readonly ['axes', number]): Laid {
  switch (dimension.kind) {
    case 'list':
    case 'range':
    case 'log':
      return layAxis(dimension, at);
    case 'zip':
      return layZip(dimension.axes, at);
    case 'tunables':
      // Its configurations are known where the sources are; the plan has set them in its place.
      return { ways: [], faults: [fault(at, 'tunables', 'were not looked up', 'a variant with tunables')] };
    case 'random':
    case 'latin': {
      // A stream of its own for each place, so that an axis added after it changes nothing.
      const random = seededRandom(seed + at[1] * 0x1_0000_0000);
      const { kind, count, axes } = dimension;
      return together(
        axes.map((axis, i) => laySampled(axis, sharesOf(kind, count, random), [...at, 'axes', i])),
        count,
      );
    }
  }
}
