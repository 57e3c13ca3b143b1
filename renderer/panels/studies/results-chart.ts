/** Two columns of a study over each other, points of one kind in one colour; and which of them nothing beats. */
import type { StudyColumnInfo } from '../../../electron/contract/study/calls.ts';
import type { StudyLook } from '../../../electron/contract/study/views.ts';
import { significant } from '../../base/numbers.ts';
import type { Chart, Series } from '../../drawing/charts/chart.ts';
import { type Ends, MANY_POINTS, paneArrays } from '../../drawing/charts/chart.ts';
import { logLimits } from '../../drawing/figures/axes.ts';
import { seriesInk } from '../../drawing/figures/figure.ts';
import { columnTitle } from './words.ts';

export interface PlottedColumn {
  readonly info: StudyColumnInfo;
  readonly numbers: Float64Array;
}

export interface Plotted {
  /** One for each point. */
  readonly ids: readonly string[];
  readonly x: PlottedColumn;
  readonly y: PlottedColumn;
  /** Ends of the intervals of y; null: there are none. */
  readonly ends: { readonly low: Float64Array; readonly high: Float64Array } | null;
  /** What points are told apart by, one text each; null: nothing. */
  readonly groups: { readonly title: string; readonly of: readonly string[] } | null;
  readonly logX: boolean;
  readonly logY: boolean;
  readonly look: Exclude<StudyLook['plot']['look'], 'heat' | 'parallel'>;
}

/** More are no longer told apart by colours. */
const MOST_GROUPS = 12;
const OTHERS = 'others';
const ROOM = 0.05;

function limits(values: readonly number[], log: boolean): readonly [number, number] {
  if (log) return logLimits(values.filter((value) => value > 0));
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return [0, 1];
  // A hundred thousand points are too many to be arguments.
  const low = finite.reduce((least, value) => Math.min(least, value));
  const high = finite.reduce((most, value) => Math.max(most, value));
  const room = (high - low) * ROOM || Math.abs(high) * ROOM || 1;
  return [low - room, high + room];
}

const drawable = (value: number, log: boolean): boolean => Number.isFinite(value) && (!log || value > 0);

/** Points that no other is below in both, from left to right. */
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

export function resultsChart({ ids, x, y, ends, groups, logX, logY, look }: Plotted): Chart {
  const rows = Array.from(x.numbers, (_, i) => i).filter(
    (i) => drawable(x.numbers[i] ?? Number.NaN, logX) && drawable(y.numbers[i] ?? Number.NaN, logY),
  );
  const xOf = (i: number): number => x.numbers[i] ?? Number.NaN;
  const yOf = (i: number): number => y.numbers[i] ?? Number.NaN;
  const names = groups === null ? [''] : [...new Set(groups.of)];
  const shown = names.slice(0, MOST_GROUPS);
  const nameOf = (i: number): string => {
    const name = groups?.of[i] ?? '';
    return shown.includes(name) ? name : OTHERS;
  };
  const endsOf = (i: number): Ends | null => {
    const [low, high] = [ends?.low[i] ?? Number.NaN, ends?.high[i] ?? Number.NaN];
    return drawable(low, logY) && drawable(high, logY) ? { low, high } : null;
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
  // A sentence for each of very many points takes longer than drawing them.
  const many = rows.length > MANY_POINTS;
  const series = [...shown, ...(names.length > shown.length ? [OTHERS] : [])].flatMap((name, g): readonly Series[] => {
    const mine = rows.filter((i) => (groups === null ? true : nameOf(i) === name)).toSorted((a, b) => xOf(a) - xOf(b));
    if (mine.length === 0) return [];
    const base = {
      name: name === '' ? y.info.name : name,
      ink: seriesInk(g),
      x: mine.map(xOf),
      y: mine.map(yOf),
      ids: mine.map((i) => ids[i] ?? ''),
      ...(many ? {} : { tips: mine.map(tip) }),
    };
    const intervals = ends === null || many ? {} : { intervals: { along: 'y', ends: mine.map(endsOf) } as const };
    const size = many ? { radius: 0.15, opacity: 0.5 } : { radius: 0.3, opacity: 0.9 };
    const dots = { ...base, ...intervals, ...size, kind: 'dots', form: 'round' } as const;
    if (look !== 'lines') return [dots];
    return [
      { ...base, kind: 'line', dash: [] },
      { ...dots, silent: true },
    ];
  });
  const front = look === 'pareto' ? paretoOf(rows.map((i) => [xOf(i), yOf(i)] as const)).map((k) => rows[k] ?? 0) : [];
  const beaten: readonly Series[] =
    front.length === 0
      ? []
      : [
          {
            ...{ kind: 'line', name: 'nothing is below in both', ink: 'text-muted', dash: [4, 3] },
            x: front.map(xOf),
            y: front.map(yOf),
          },
        ];
  const [xFrom, xTo] = limits(rows.map(xOf), logX);
  const reached = many ? [] : rows.map(endsOf).filter((one) => one !== null);
  const [yFrom, yTo] = limits([...rows.map(yOf), ...reached.flatMap(({ low, high }) => [low, high])], logY);
  const pane = {
    x: { title: x.info.name, unit: x.info.unit, kind: logX ? 'log' : 'linear', from: xFrom, to: xTo },
    y: { title: y.info.name, unit: y.info.unit, kind: logY ? 'log' : 'linear', from: yFrom, to: yTo },
    series: [...series, ...beaten],
    tall: 24,
  } as const;
  return {
    title: `${y.info.name} over ${x.info.name}`,
    panes: [pane],
    legend: groups === null && look !== 'pareto' ? 'none' : 'above',
    hover: 'point',
    arrays: paneArrays(pane),
    notes: groups === null ? {} : { colours: groups.title },
  };
}
