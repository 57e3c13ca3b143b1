/** Every point as a line across one axis a column, some of them logarithmic. */
import { powerOfTen } from '../../base/numbers.ts';
import type { PlotlyMaker } from '../../drawing/charts/plotly-view.ts';
import type { HeatSide } from './heat-map.ts';
import { columnTitle } from './words.ts';

/** Around the axes. */
export const PARALLEL_MARGIN = { l: 70, r: 70, t: 48, b: 24, pad: 0 } as const;

export interface ParallelAxis {
  readonly label: string;
  readonly values: readonly number[];
  readonly range: readonly [number, number];
  /** Missing: numbers as they are. */
  readonly ticks?: { readonly at: readonly number[]; readonly text: readonly string[] };
}

export interface Parallel {
  readonly axes: readonly ParallelAxis[];
  /** Points without a number on some axis have no line. */
  readonly left: number;
  /** What colours the points that have a line. */
  readonly colours: readonly number[];
}

function ends(values: readonly number[]): readonly [number, number] {
  const [low, high] = [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  if (!(low <= high)) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

function axisOf(side: HeatSide, log: boolean, rows: readonly number[]): ParallelAxis {
  const label = columnTitle(side.info);
  if (side.numbers === undefined) {
    const names = [...new Set(rows.map((i) => side.texts[i] ?? ''))].toSorted((a, b) =>
      a.localeCompare(b, 'en', { numeric: true }),
    );
    const places = new Map(names.map((name, k) => [name, k]));
    const values = rows.map((i) => places.get(side.texts[i] ?? '') ?? 0);
    return { label, values, range: ends(values), ticks: { at: names.map((_, k) => k), text: names } };
  }
  const { numbers } = side;
  const values = rows.map((i) => (log ? Math.log10(numbers[i] ?? Number.NaN) : (numbers[i] ?? Number.NaN)));
  const range = ends(values);
  if (!log) return { label, values, range };
  const decades = Array.from(
    { length: Math.floor(range[1]) - Math.ceil(range[0]) + 1 },
    (_, k) => Math.ceil(range[0]) + k,
  );
  // Within a decade its ends say more than no tick at all.
  const at = decades.length > 1 ? decades : range;
  const text = at.map((power) =>
    Number.isInteger(power) ? powerOfTen(power) : String(Number((10 ** power).toPrecision(3))),
  );
  return { label, values, range, ticks: { at, text } };
}

/** `by`: whose values colour the lines, the last of the axes where missing. */
export function parallelOf(sides: readonly HeatSide[], logs: ReadonlySet<string>): Parallel {
  const isLog = ({ info, numbers }: HeatSide): boolean => numbers !== undefined && logs.has(info.key);
  const length = sides[0]?.numbers?.length ?? sides[0]?.texts?.length ?? 0;
  const rows = Array.from({ length }, (_, i) => i).filter((i) =>
    sides.every((side) => {
      if (side.numbers === undefined) return true;
      const value = side.numbers[i] ?? Number.NaN;
      return Number.isFinite(value) && (!isLog(side) || value > 0);
    }),
  );
  const axes = sides.map((side) => axisOf(side, isLog(side), rows));
  return { axes, left: length - rows.length, colours: axes.at(-1)?.values ?? [] };
}

/** With `lines: false` the axes alone: two points mark their ends. */
export function parallelPlot({ axes, colours }: Parallel, { lines }: { readonly lines: boolean }): PlotlyMaker {
  return (theme) => {
    // Seen on either paper from end to end.
    const colorscale = [
      [0, theme.accent],
      [0.5, theme.textMuted],
      [1, theme.reference],
    ];
    const trace = {
      type: 'parcoords',
      line: { color: lines ? colours : [0, 1], colorscale, showscale: false },
      labelfont: { color: theme.text, size: theme.labelSize, family: theme.family },
      tickfont: { color: theme.textMuted, size: theme.labelSize, family: theme.family },
      rangefont: { color: 'rgba(0,0,0,0)', size: 1 },
      dimensions: axes.map(({ label, values, range, ticks }, i) => ({
        ...{ name: String(i), label, values: lines ? values : range, range },
        ...(ticks === undefined ? {} : { tickvals: ticks.at, ticktext: ticks.text }),
      })),
    };
    const layout = { margin: PARALLEL_MARGIN };
    return { data: [trace], layout } as unknown as ReturnType<PlotlyMaker>;
  };
}
