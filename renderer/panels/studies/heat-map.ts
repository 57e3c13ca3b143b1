/** Heat map of two columns, coloured by a third column: each cell shows the median of its points. */
import { significant } from '../../../electron/domain/numbers.ts';
import type { PlotlyMaker } from '../../drawing/charts/plotly.ts';
import type { PlottedColumn } from './results-chart.ts';
import { columnTitle } from './words.ts';

/** An axis of a heat map: numbers or categories. */
export type HeatSide =
  | (PlottedColumn & { readonly texts?: never })
  | { readonly info: PlottedColumn['info']; readonly texts: readonly string[]; readonly numbers?: never };

interface HeatCells {
  readonly across: readonly string[];
  readonly up: readonly string[];
  /** Rows from the bottom; null for a cell without points. */
  readonly values: readonly (readonly (number | null)[])[];
  readonly counts: readonly (readonly number[])[];
  /** Axes whose values were binned because they have too many. */
  readonly binned: readonly string[];
}

/** Columns with more distinct numbers than this are binned. */
const MAX_VALUES = 300;
const BINS = 60;

interface Side {
  readonly names: readonly string[];
  readonly binned: boolean;
  readonly placeOf: (i: number) => number;
}

function sideOf(side: HeatSide): Side {
  if (side.numbers === undefined) {
    const names = [...new Set(side.texts)].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    const places = new Map(names.map((name, k) => [name, k]));
    return { names, binned: false, placeOf: (i) => places.get(side.texts[i] ?? '') ?? -1 };
  }
  const { numbers } = side;
  const different = new Set<number>();
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < numbers.length; i += 1) {
    const value = numbers[i] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
    // Stop collecting when there are too many values to show one by one.
    if (different.size <= MAX_VALUES) different.add(value);
  }
  if (different.size <= MAX_VALUES) {
    const values = [...different].toSorted((a, b) => a - b);
    const places = new Map(values.map((value, k) => [value, k]));
    const names = values.map((value) => String(Number(value.toPrecision(6))));
    // If two values have equal text they would share a position, so use exact numbers as text.
    const exact = new Set(names).size < names.length ? values.map(String) : names;
    return { names: exact, binned: false, placeOf: (i) => places.get(numbers[i] ?? Number.NaN) ?? -1 };
  }
  const width = (high - low) / BINS;
  const names = Array.from({ length: BINS }, (_, k) => significant(low + (k + 0.5) * width, 4));
  const placeOf = (i: number): number => {
    const value = numbers[i] ?? Number.NaN;
    return Number.isFinite(value) ? Math.min(BINS - 1, Math.floor((value - low) / width)) : -1;
  };
  return { names, binned: true, placeOf };
}

/** Median; requires sorted numbers. */
function medianOf(sorted: Float64Array): number | null {
  if (sorted.length === 0) return null;
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}

export function heatCells(x: HeatSide, y: HeatSide, value: PlottedColumn): HeatCells {
  const [across, up] = [sideOf(x), sideOf(y)];
  const { numbers } = value;
  const wide = across.names.length;
  // Sort values by cell into one array.
  const cellOf = new Int32Array(numbers.length).fill(-1);
  const ends = new Uint32Array(wide * up.names.length + 1);
  for (let i = 0; i < numbers.length; i += 1) {
    const [column, row] = [across.placeOf(i), up.placeOf(i)];
    if (column < 0 || row < 0 || !Number.isFinite(numbers[i])) continue;
    const cell = row * wide + column;
    cellOf[i] = cell;
    ends[cell + 1] = (ends[cell + 1] ?? 0) + 1;
  }
  for (let cell = 1; cell < ends.length; cell += 1) ends[cell] = (ends[cell] ?? 0) + (ends[cell - 1] ?? 0);
  const held = new Float64Array(ends.at(-1) ?? 0);
  const next = ends.slice();
  for (let i = 0; i < numbers.length; i += 1) {
    const cell = cellOf[i] ?? -1;
    if (cell < 0) continue;
    const place = next[cell] ?? 0;
    held[place] = numbers[i] ?? 0;
    next[cell] = place + 1;
  }
  const cells = up.names.map((_, row) =>
    across.names.map((_, column) => {
      const cell = row * wide + column;
      return held.subarray(ends[cell] ?? 0, ends[cell + 1] ?? 0).sort();
    }),
  );
  return {
    across: across.names,
    up: up.names,
    values: cells.map((row) => row.map(medianOf)),
    counts: cells.map((row) => row.map(({ length }) => length)),
    binned: [...(across.binned ? [x.info.name] : []), ...(up.binned ? [y.info.name] : [])],
  };
}

/** Uses category axes, so that all cells have equal size regardless of the spacing of values. */
export function heatPlot(x: HeatSide, y: HeatSide, value: PlottedColumn, cells: HeatCells): PlotlyMaker {
  return (theme) => {
    const axis = (side: HeatSide, names: readonly string[]) => ({
      type: 'category',
      categoryorder: 'array',
      categoryarray: names,
      title: { text: columnTitle(side.info), font: { color: theme.text, size: theme.labelSize } },
      tickfont: { color: theme.textMuted, size: theme.labelSize },
      automargin: true,
      showgrid: false,
      zeroline: false,
    });
    const trace = {
      type: 'heatmap',
      x: cells.across,
      y: cells.up,
      z: cells.values,
      customdata: cells.counts,
      colorscale: 'Viridis',
      hoverongaps: false,
      hovertemplate: `${x.info.name} %{x}<br>${y.info.name} %{y}<br>${value.info.name} %{z:.5~g} ${value.info.unit}<br>points: %{customdata}<extra></extra>`,
      colorbar: {
        title: { text: columnTitle(value.info), side: 'right', font: { color: theme.text, size: theme.labelSize } },
        tickfont: { color: theme.textMuted, size: theme.labelSize },
        outlinewidth: 0,
        thickness: 14,
      },
    };
    const layout = {
      margin: { l: 20, r: 10, t: 12, b: 20, pad: 0 },
      xaxis: axis(x, cells.across),
      yaxis: axis(y, cells.up),
    };
    return { data: [trace], layout } as unknown as ReturnType<PlotlyMaker>;
  };
}
