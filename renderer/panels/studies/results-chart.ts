/**
 * Scatter chart of two columns of a study, coloured by group, with the Pareto front. Row numbers are sorted via typed
 * arrays, because a comparison function would be much slower.
 */
import type { StudyColumnInfo, StudyViewSettings } from '../../../electron/contract/study/calls.ts';
import { selectRows, significant } from '../../../electron/domain/numbers.ts';
import { type Chart, type Ends, MANY_POINTS, paneArrays, type Series } from '../../drawing/charts/chart.ts';
import { logLimits } from '../../drawing/figures/axes.ts';
import { seriesInk } from '../../drawing/figures/figure.ts';
import { columnTitle } from './words.ts';

/** Fewer rows are sorted with a comparison function. */
const FEW_POINTS = 1000;

/** Index of the first number that is not below `value`. */
function firstNotBelow(ordered: Float64Array, value: number): number {
  let [from, to] = [0, ordered.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ordered[middle] ?? 0) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Rows in ascending order of their numbers, which must be finite. Equal numbers keep their order. */
export function sortedBy(rows: Uint32Array, numbers: Float64Array): Uint32Array {
  const across = (i: number): number => numbers[i] ?? 0;
  if (rows.length < FEW_POINTS) return rows.toSorted((a, b) => across(a) - across(b));
  // Adding 0 turns −0 into 0.
  const ordered = Float64Array.from(rows, (i) => across(i) + 0).sort();
  const taken = new Uint32Array(rows.length);
  const out = new Uint32Array(rows.length);
  for (const row of rows) {
    const first = firstNotBelow(ordered, across(row));
    const before = taken[first] ?? 0;
    out[first + before] = row;
    taken[first] = before + 1;
  }
  return out;
}

export interface PlottedColumn {
  readonly info: StudyColumnInfo;
  readonly numbers: Float64Array;
}

export interface PlottedResults {
  readonly x: PlottedColumn;
  readonly y: PlottedColumn;
  /** Ends of the intervals of y; null if there are none. */
  readonly ends: { readonly low: Float64Array; readonly high: Float64Array } | null;
  /** Group of each point; null if not grouped. */
  readonly groups: { readonly title: string; readonly of: readonly string[] } | null;
  readonly logX: boolean;
  readonly logY: boolean;
  readonly look: Exclude<StudyViewSettings['plot']['look'], 'heat' | 'parallel'>;
}

/** Maximum number of groups that colours can distinguish. */
const MAX_GROUPS = 12;
const OTHERS = 'others';
const ROOM = 0.05;

/**
 * Axis limits with a margin. Uses loops, because 100,000 points are too many for function arguments or another copy.
 */
function limits(
  numbers: readonly Float64Array[],
  rows: readonly Uint32Array[],
  log: boolean,
): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const column of numbers) {
    for (const some of rows) {
      for (const i of some) {
        const value = column[i] ?? Number.NaN;
        if (!isDrawable(value, log)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
  }
  if (log) return logLimits([low, high]);
  if (low > high) return [0, 1];
  const room = (high - low) * ROOM || Math.abs(high) * ROOM || 1;
  return [low - room, high + room];
}

const isDrawable = (value: number, log: boolean): boolean => Number.isFinite(value) && (!log || value > 0);

/** Pareto front from left to right: points that no other point beats in both coordinates. */
export function paretoOf(points: readonly (readonly [x: number, y: number])[]): readonly number[] {
  const order = points
    .map((_, i) => i)
    .toSorted((a, b) => {
      const [one, other] = [points[a] ?? [0, 0], points[b] ?? [0, 0]];
      return one[0] - other[0] || one[1] - other[1];
    });
  let least = Number.POSITIVE_INFINITY;
  return order.filter((i) => {
    const y = points[i]?.[1] ?? Number.POSITIVE_INFINITY;
    if (!(y < least)) return false;
    least = y;
    return true;
  });
}

/**
 * Rows from left to right whose y is below that of all previous rows. Only these can be on the front, so few rows
 * remain to sort.
 */
function rowsBelowPrevious(rows: Uint32Array, y: Float64Array): readonly number[] {
  let least = Number.POSITIVE_INFINITY;
  const found: number[] = [];
  for (const i of rows) {
    const value = y[i] ?? Number.NaN;
    if (!(value < least)) continue;
    least = value;
    found.push(i);
  }
  return found;
}

/** Drawable rows by group, each from left to right. */
function groupedRows({ x, y, groups, logX, logY }: PlottedResults): ReadonlyMap<string, Uint32Array> {
  const names = groups === null ? [''] : [...new Set(groups.of)];
  const shown = new Set(names.slice(0, MAX_GROUPS));
  const found = new Map<string, number[]>(
    [...shown, ...(names.length > shown.size ? [OTHERS] : [])].map((name) => [name, []]),
  );
  for (let i = 0; i < x.numbers.length; i += 1) {
    if (!isDrawable(x.numbers[i] ?? Number.NaN, logX) || !isDrawable(y.numbers[i] ?? Number.NaN, logY)) continue;
    const name = groups?.of[i] ?? '';
    found.get(shown.has(name) ? name : OTHERS)?.push(i);
  }
  const across = (i: number): number => x.numbers[i] ?? 0;
  // Rows are usually already sorted, because a plan is in the order of its first axis.
  const inOrder = (rows: readonly number[]): boolean =>
    rows.every((i, k) => k === 0 || across(rows[k - 1] ?? i) <= across(i));
  return new Map(
    [...found]
      .filter(([, rows]) => rows.length > 0)
      .map(([name, rows]) => {
        const own = Uint32Array.from(rows);
        return [name, inOrder(rows) ? own : sortedBy(own, x.numbers)];
      }),
  );
}

/** Intervals of very many points as a band, if both ends can be drawn. */
function intervalBandOf(
  { x, ends, logY }: PlottedResults,
  rows: Uint32Array,
  { name, ink }: Pick<Series, 'name' | 'ink'>,
): readonly Series[] {
  if (ends === null) return [];
  const held = rows.filter(
    (i) => isDrawable(ends.low[i] ?? Number.NaN, logY) && isDrawable(ends.high[i] ?? Number.NaN, logY),
  );
  if (held.length === 0) return [];
  const edge = { ink, kind: 'line', x: selectRows(x.numbers, held), dash: [], width: 0.5, silent: true } as const;
  const line = { ...edge, group: name };
  return [
    { ...line, name: `${name}, low`, y: selectRows(ends.low, held), edge: 'low' },
    { ...line, name: `${name}, high`, y: selectRows(ends.high, held), edge: 'high', fill: 'to the line before' },
  ];
}

export function resultsChart(plotted: PlottedResults): Chart {
  const { x, y, ends, groups, logX, logY, look } = plotted;
  const byGroup = groupedRows(plotted);
  const all = [...byGroup.values()];
  const count = all.reduce((sum, rows) => sum + rows.length, 0);
  const xOf = (i: number): number => x.numbers[i] ?? Number.NaN;
  const yOf = (i: number): number => y.numbers[i] ?? Number.NaN;
  const endsOf = (i: number): Ends | null => {
    const [low, high] = [ends?.low[i] ?? Number.NaN, ends?.high[i] ?? Number.NaN];
    return isDrawable(low, logY) && isDrawable(high, logY) ? { low, high } : null;
  };
  const tip = (i: number): string =>
    [
      ...(groups === null ? [] : [`${groups.title}: ${groups.of[i] ?? ''}`]),
      `${columnTitle(x.info)}: ${significant(xOf(i), 5)}`,
      `${columnTitle(y.info)}: ${significant(yOf(i), 5)}`,
      ...[endsOf(i)].flatMap((found) =>
        found === null ? [] : [`95 % interval: ${significant(found.low, 5)} to ${significant(found.high, 5)}`],
      ),
    ].join('<br>');
  // Adding a hover text and an error bar to each of very many points would take longer than drawing the points.
  const many = count > MANY_POINTS;
  const series = [...byGroup].flatMap(([name, rows], g): readonly Series[] => {
    const base = {
      name: name === '' ? y.info.name : name,
      ink: seriesInk(g),
      x: selectRows(x.numbers, rows),
      y: selectRows(y.numbers, rows),
      ...(many ? {} : { tips: Array.from(rows, tip) }),
    };
    const intervals =
      ends === null || many ? {} : { intervals: { along: 'y', ends: Array.from(rows, endsOf) } as const };
    const size = many ? { radius: 0.15, opacity: 0.5 } : { radius: 0.3, opacity: 0.9 };
    const pointIds = { ids: rows };
    const dots = { ...base, ...pointIds, ...intervals, ...size, kind: 'dots', form: 'round' } as const;
    if (look !== 'lines') return [dots];
    const band = many ? intervalBandOf(plotted, rows, base) : [];
    const line = { ...base, ...(many ? {} : pointIds), kind: 'line', dash: [] } as const;
    // Long lines are thinned, so hovering uses the dots instead.
    return many ? [...band, { ...line, silent: true }, dots] : [line, { ...dots, silent: true }];
  });
  const rows =
    look === 'pareto' ? all.flatMap((some) => rowsBelowPrevious(some, y.numbers)).toSorted((a, b) => a - b) : [];
  const front = paretoOf(rows.map((i) => [xOf(i), yOf(i)] as const)).map((k) => rows[k] ?? 0);
  const beaten: readonly Series[] =
    front.length === 0
      ? []
      : [
          {
            ...{ kind: 'line', name: 'no point is better in both', ink: 'text-muted', dash: [4, 3] },
            x: front.map(xOf),
            y: front.map(yOf),
          },
        ];
  const reached = ends === null || (many && look !== 'lines') ? [] : [ends.low, ends.high];
  const [xFrom, xTo] = limits([x.numbers], all, logX);
  const [yFrom, yTo] = limits([y.numbers, ...reached], all, logY);
  const pane = {
    x: { title: x.info.name, unit: x.info.unit, kind: logX ? 'log' : 'linear', from: xFrom, to: xTo },
    y: { title: y.info.name, unit: y.info.unit, kind: logY ? 'log' : 'linear', from: yFrom, to: yTo },
    series: [...series, ...beaten],
    tall: 24,
  } as const;
  let arrays: Chart['arrays'] | null = null;
  return {
    title: `${y.info.name} over ${x.info.name}`,
    panes: [pane],
    legend: groups === null && look !== 'pareto' ? 'none' : 'above',
    hover: 'point',
    // Created on export only, not with each drawing.
    get arrays() {
      arrays ??= paneArrays(pane);
      return arrays;
    },
    notes: groups === null ? {} : { colours: groups.title },
  };
}
