/** Every point as a line across one axis a column, some of them logarithmic. */
import { significant } from '../../base/numbers.ts';
import { axisTitle } from '../../drawing/axes.ts';
import { type FigureAxis, scaleOf, ticksDown } from '../../drawing/figures/axes.ts';
import type { HeatSide } from './heat-map.ts';
import type { Crossings } from './line-density.ts';
import { columnTitle } from './words.ts';

export interface ParallelAxis {
  readonly key: string;
  /** With its unit. */
  readonly title: string;
  /** Position at which each line crosses the axis, from 0 (bottom) to 1. */
  readonly at: Crossings;
  /** Scale of the axis: numbers, or names from the bottom. */
  readonly along: FigureAxis | readonly string[];
}

export interface Parallel {
  readonly axes: readonly ParallelAxis[];
  /** Number of the point of each line. */
  readonly rows: Uint32Array;
  /** Points without a number on some axis have no line. */
  readonly left: number;
}

interface AxisTick {
  /** From 0 to 1. */
  readonly at: number;
  readonly text: string;
}

const isNamed = (along: ParallelAxis['along']): along is readonly string[] => Array.isArray(along);
/** With fewer an axis cannot be read. */
const FEWEST_LABELS = 3;
/** Lines of words on an axis, in label heights. */
const NAME_LINE = 1.3;
const byNumber = new Intl.Collator('en', { numeric: true });

/** By index: `from` with a function goes by an iterator, and ten times as long. */
function placesOf(rows: Uint32Array, place: (i: number) => number): Float32Array {
  const out = new Float32Array(rows.length);
  for (let k = 0; k < rows.length; k += 1) out[k] = place(rows[k] ?? 0);
  return out;
}

function namedAxis(texts: readonly string[], rows: Uint32Array): Pick<ParallelAxis, 'at' | 'along'> {
  const names = [...new Set(Array.from(rows, (i) => texts[i] ?? ''))].toSorted(byNumber.compare);
  const places = new Map(names.map((name, k) => [name, names.length === 1 ? 0.5 : k / (names.length - 1)]));
  return { at: placesOf(rows, (i) => places.get(texts[i] ?? '') ?? 0), along: names };
}

function numberedAxis(
  { info, numbers }: Extract<HeatSide, { readonly numbers: Float64Array }>,
  log: boolean,
  rows: Uint32Array,
): Pick<ParallelAxis, 'at' | 'along'> {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const i of rows) {
    const value = numbers[i] ?? 0;
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  if (!(from <= to)) [from, to] = log ? [1, 10] : [0, 1];
  // A single value is centred.
  else if (from === to) [from, to] = log ? [from / 2, from * 2] : [from - 0.5, from + 0.5];
  const along = { title: info.name, unit: info.unit, kind: log ? 'log' : 'linear', from, to } as const;
  const { toPixel } = scaleOf(along, 0, 1);
  return { at: placesOf(rows, (i) => toPixel(numbers[i] ?? 0)), along };
}

/** `logs`: keys of the columns that are logarithmic. */
export function parallelOf(sides: readonly HeatSide[], logs: ReadonlySet<string>): Parallel {
  const isLog = ({ info, numbers }: HeatSide): boolean => numbers !== undefined && logs.has(info.key);
  const length = sides[0]?.numbers?.length ?? sides[0]?.texts?.length ?? 0;
  const has = new Uint8Array(length).fill(1);
  for (const side of sides) {
    if (side.numbers === undefined) continue;
    const log = isLog(side);
    for (const [i, value] of side.numbers.entries()) if (!Number.isFinite(value) || (log && value <= 0)) has[i] = 0;
  }
  const rows = Uint32Array.from({ length: has.reduce((sum, one) => sum + one, 0) });
  let line = 0;
  for (const [i, one] of has.entries()) if (one === 1) rows[line++] = i;
  const axes = sides.map((side): ParallelAxis => {
    const found = side.numbers === undefined ? namedAxis(side.texts, rows) : numberedAxis(side, isLog(side), rows);
    return { key: side.info.key, title: columnTitle(side.info), ...found };
  });
  return { axes, rows, left: length - rows.length };
}

/** Ticks of an axis of this height, and its title with the power of ten omitted from the ticks. */
export function ticksOf(
  { along, title }: ParallelAxis,
  height: number,
  label: number,
): { readonly ticks: readonly AxisTick[]; readonly title: string } {
  if (isNamed(along)) {
    const every = Math.max(1, Math.ceil((along.length * NAME_LINE * label) / Math.max(1, height)));
    const last = Math.max(1, along.length - 1);
    const ticks = along.map((text, k) => ({ text, at: along.length === 1 ? 0.5 : k / last }));
    return { ticks: ticks.filter((_, k) => k % every === 0), title };
  }
  const { toPixel } = scaleOf(along, 0, 1);
  const own = ticksDown(along, { height }, label);
  // Digits of a decade are too few for a short span: plain steps, as they lie on its scale.
  const isBare = own.ticks.filter((tick) => tick.label !== '').length < FEWEST_LABELS;
  const { ticks, exponent } = isBare ? ticksDown({ ...along, kind: 'linear' }, { height }, label) : own;
  const within = ticks.map(({ value, label: text }) => ({ at: toPixel(value), text }));
  return {
    ticks: within.filter(({ at }) => at >= -1e-6 && at <= 1 + 1e-6),
    title: exponent === 0 ? title : axisTitle(along.title, along.unit, exponent),
  };
}

/** Text of the axis value at a position. */
export function wordsAt({ along }: ParallelAxis, at: number): string {
  if (isNamed(along)) return along[Math.round(at * (along.length - 1))] ?? '';
  return `${significant(scaleOf(along, 0, 1).toValue(at), 4)} ${along.unit}`.trimEnd();
}
