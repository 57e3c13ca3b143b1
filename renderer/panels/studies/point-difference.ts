/** What two points of a study differ by: settings, what was kept of them, curves. */
import type { KeptCurve, PointResult } from '../../../electron/contract/study/index.ts';
import { NO_VALUE, significant } from '../../base/numbers.ts';
import { type Chart, paneArrays, type Series } from '../../drawing/charts/chart.ts';
import { seriesInk } from '../../drawing/figures/figure.ts';

export interface Point {
  readonly id: string;
  readonly settings: string;
  readonly result: PointResult;
}

interface DifferenceRow {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly string[];
  /** Second less first, and second over first; dashes where there is none. */
  readonly less: string;
  readonly over: string;
}

type Value = number | string | null | undefined;

const text = (value: Value): string => (typeof value === 'number' ? significant(value, 6) : (value ?? NO_VALUE));

function rowOf(name: string, unit: string, [a, b]: readonly [Value, Value]): DifferenceRow {
  const numbers = typeof a === 'number' && typeof b === 'number';
  return {
    ...{ name, unit, values: [text(a), text(b)] },
    less: numbers ? significant(b - a, 4) : NO_VALUE,
    over: numbers && a !== 0 ? significant(b / a, 4) : NO_VALUE,
  };
}

/** What either has; what both have alike is left out unless `all`. */
export function differenceRows(a: Point, b: Point, all = false): readonly DifferenceRow[] {
  const key = ({ group, name }: PointResult['measures'][number]): string => `${group} ${name}`;
  const measures = [...new Map([...a.result.measures, ...b.result.measures].map((one) => [key(one), one])).values()];
  const valueIn = (point: Point, wanted: string): Value =>
    point.result.measures.find((one) => key(one) === wanted)?.value;
  const solved = (['variant', 'precision', 'threads'] as const).map((name) =>
    rowOf(name, '', [a.result[name], b.result[name]]),
  );
  const machine = rowOf('machine', '', [
    a.result.where.gpu ?? a.result.where.cpu,
    b.result.where.gpu ?? b.result.where.cpu,
  ]);
  const rows = measures.map((one) => rowOf(one.name, one.unit, [valueIn(a, key(one)), valueIn(b, key(one))]));
  return [...solved, machine, ...rows].filter(({ values: [one, other] }) => all || one !== other);
}

const finite = (values: KeptCurve['values']): Float64Array => Float64Array.from(values, (value) => value ?? Number.NaN);

/** Curves that both have, over each other; null: there is none. */
export function differenceChart(a: Point, b: Point): Chart | null {
  const names = a.result.curves
    .map(({ name }) => name)
    .filter((name) => b.result.curves.some((one) => one.name === name));
  if (names.length === 0) return null;
  const panes = names.flatMap((name) => {
    const curves = [a, b].map(({ result }) => result.curves.find((one) => one.name === name));
    const [first] = curves;
    if (first === undefined) return [];
    const series = curves.map((curve, i): Series => {
      const label = [a, b][i]?.id.slice(0, 8) ?? '';
      const [x, y] = [finite(curve?.positions ?? []), finite(curve?.values ?? [])];
      return { kind: 'line', name: label, ink: seriesInk(i), dash: i === 0 ? [] : [5, 3], x, y };
    });
    const numbers = (of: 'x' | 'y'): number[] => series.flatMap((one) => Array.from(one[of]).filter(Number.isFinite));
    const [low, high] = [Math.min(...numbers('y'), 0), Math.max(...numbers('y'))];
    return [
      {
        x: {
          title: first.axis,
          unit: first.axis_unit,
          kind: 'linear',
          from: Math.min(...numbers('x')),
          to: Math.max(...numbers('x')),
        },
        y: { title: name, unit: first.unit, kind: 'linear', from: low, to: high + 0.05 * (high - low || 1) },
        series,
        tall: 14,
      } as const,
    ];
  });
  return {
    title: `${names.join(', ')} of two points`,
    panes,
    hover: 'values',
    arrays: panes.flatMap((pane, i) => paneArrays(pane, i === 0 ? '' : `pane_${i + 1}_`)),
    notes: {},
  };
}
