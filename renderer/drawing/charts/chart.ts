/**
 * Charts of curves, points and bars as data. The page draws them with Plotly; `chartFigure` writes them to files where
 * Plotly cannot run. Both use `layOut` for positions.
 */
import { axisArray, curveArray, type FigureArray, identifier } from '../export/figure.ts';
import type { FigureAxis } from '../figures/axes.ts';
import type { Ink } from '../figures/figure.ts';

/** A row's name, and its detail in grey below. */
interface ChartRow {
  readonly name: string;
  readonly under?: string;
}

export interface ChartAxis extends FigureAxis {
  /** Names of rows at 0, 1, … from the top. They replace the tick labels. */
  readonly rows?: readonly ChartRow[];
  /** True to disable zooming. */
  readonly fixed?: boolean;
}

export interface Ends {
  readonly low: number;
  readonly high: number;
}

interface SeriesBase {
  /** Name in the legend and in the arrays of an exported figure. */
  readonly name: string;
  readonly ink: Ink;
  readonly x: ArrayLike<number>;
  /** One value per x. Values that cannot be drawn (NaN, zero on a logarithmic axis) are gaps. */
  readonly y: ArrayLike<number>;
  /** Hover texts, one per point. */
  readonly tips?: readonly string[];
  /** Identifier of the item behind each point, passed to the chart's owner on click. */
  readonly ids?: ArrayLike<number>;
  /** True to omit the series from the legend. */
  readonly silent?: boolean;
  /** Text after the name in the legend. */
  readonly legendNote?: string;
}

type DotShape = 'round' | 'square' | 'ring';

export interface LineSeries extends SeriesBase {
  readonly kind: 'line';
  /** Dash pattern as for `setLineDash`; empty for a solid line. */
  readonly dash: readonly number[];
  /** Line width in pixels. */
  readonly width?: number;
  /** Area fill: down to zero, or to the previous line. */
  readonly fill?: 'to zero' | 'to the line before';
  /** Legend name that toggles this series, if different from its name. */
  readonly group?: string;
  /** Marks an edge of a band: only the low or high extreme of each pixel column is drawn. */
  readonly edge?: 'low' | 'high';
}

export interface DotSeries extends SeriesBase {
  readonly kind: 'dots';
  readonly form: DotShape;
  /** Radius in label heights. */
  readonly radius: number;
  readonly opacity?: number;
  /** Error bars along an axis, one per point; null if a point has none. */
  readonly intervals?: { readonly along: 'x' | 'y'; readonly ends: readonly (Ends | null)[] };
}

/** Horizontal bars at rows y, from `from` to x. */
export interface BarSeries extends SeriesBase {
  readonly kind: 'bars';
  readonly from: readonly number[];
  /** Height of the bar as a share of the row. */
  readonly thick: number;
}

/** Horizontal bars at rows y: the first ends at its x, and each later bar spans from the previous x to its own. */
export interface WaterfallSeries extends SeriesBase {
  readonly kind: 'waterfall';
  readonly thick: number;
}

export type Series = LineSeries | DotSeries | BarSeries | WaterfallSeries;

export type ChartMark =
  | Readonly<{
      kind: 'line';
      /** Axis that the position refers to. */
      axis: 'x' | 'y';
      at: number;
      ink: Ink;
      width?: number;
      dash?: readonly number[];
      /** Label at the plot's upper edge: the side of the line that it is on, and the text line in which it starts. */
      label?: { readonly text: readonly string[]; readonly side: 'left' | 'right'; readonly row?: number };
    }>
  | Readonly<{
      kind: 'band';
      axis: 'x' | 'y';
      from: number;
      to: number;
      ink: Ink;
      opacity: number;
      /** Text above the plot for a band of x, inside the plot for a band of y. */
      label?: string;
    }>
  | Readonly<{
      kind: 'text';
      at: readonly [x: number, y: number];
      text: string;
      ink: Ink;
      anchor: 'start' | 'end';
      /** Offset to the right and down, in label heights. */
      shift?: readonly [right: number, down: number];
    }>;

/** Text to the right of the plot, next to a row or connected to a point. */
export interface MarginNote {
  readonly at: readonly [x: number | null, y: number];
  readonly text: string;
  readonly ink: Ink;
  readonly bold?: boolean;
}

export interface Pane {
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  readonly series: readonly Series[];
  readonly marks?: readonly ChartMark[];
  readonly asides?: readonly MarginNote[];
  /** Height of the plot in label heights. If the total height is given, it is this plot's relative share. */
  readonly tall: number;
}

/** Maximum number of points that are drawn as individual elements. */
export const MANY_POINTS = 2000;

export interface Chart {
  /** Title for headings, file names and screen readers. */
  readonly title: string;
  readonly panes: readonly Pane[];
  /** Minimum width for panes side by side, in label heights; if missing, the panes are stacked. */
  readonly sideBySideFrom?: number;
  /** True if panes share the horizontal axis for zooming and the cursor. */
  readonly linked?: boolean;
  /** Position of the legend; by default above the panes. `inside` is the upper left of the first pane. */
  readonly legend?: 'above' | 'inside' | 'none';
  /** Margins left and right of the plots in label heights, to align them with another plot. */
  readonly room?: { readonly left: number; readonly right: number };
  /**
   * Hover text of a point: its tip, or the values of all curves at that position. If missing, the panel shows the
   * values itself.
   */
  readonly hover?: 'point' | 'values';
  /** Plotted data. */
  readonly arrays: readonly FigureArray[];
  /** Text that numeric arrays cannot hold, such as the names of rows. */
  readonly notes: Readonly<Record<string, string>>;
}

/** Whether the chart has so many dots that all of them are drawn into one image. Long lines are thinned instead. */
export const hasManyDots = ({ panes }: Pick<Chart, 'panes'>): boolean =>
  panes.flatMap(({ series }) => series).reduce((sum, { kind, x }) => sum + (kind === 'dots' ? x.length : 0), 0) >
  MANY_POINTS;

/** Colours of a waterfall's steps: a shorter time is an improvement. */
export const STEP_INKS = { down: 'good', up: 'warning' } as const satisfies Record<string, Ink>;

/** Rows as an axis, the first at the top. */
export function rowsAxis(rows: readonly ChartRow[]): ChartAxis {
  return { title: '', unit: '', kind: 'linear', from: rows.length - 0.5, to: -0.5, rows, fixed: true };
}

/** Converts curves to arrays with names and units. Series with equal positions share one array of positions. */
export function paneArrays({ x, y, series }: Pick<Pane, 'x' | 'y' | 'series'>, prefix = ''): readonly FigureArray[] {
  const out: FigureArray[] = [];
  const axes = new Map<ArrayLike<number>, string>();
  for (const [i, curve] of series.entries()) {
    let axis = axes.get(curve.x);
    if (axis === undefined) {
      axis = `${prefix}${identifier(x.title)}${axes.size === 0 ? '' : `_${axes.size + 1}`}`;
      axes.set(curve.x, axis);
      out.push(axisArray(axis, x.unit, x.title, curve.x));
    }
    const name = `${prefix}${identifier(curve.name)}`;
    const unique = out.some((array) => array.name === name) ? `${name}_${i + 1}` : name;
    out.push(curveArray(unique, y.unit, curve.name, axis, curve.y));
  }
  return out;
}

/** Series named in the legend, each name once. */
export function legendOf({ panes, legend }: Chart): readonly Series[] {
  if (legend === 'none') return [];
  const named = new Map<string, Series>();
  for (const { series } of panes) {
    for (const one of series) if (one.silent !== true && !named.has(one.name)) named.set(one.name, one);
  }
  return [...named.values()];
}
