/**
 * Curves, points and bars over axes, as data. The page has Plotly draw them; files that are made where Plotly
 * cannot run are written by `chartFigure`. Both place them by `layOut`.
 */
import { axisArray, curveArray, type FigureArray, identifier } from '../export/figure.ts';
import type { FigureAxis } from '../figures/axes.ts';
import type { Ink } from '../figures/figure.ts';

/** A row's name, and below it in grey what else it says. */
interface ChartRow {
  readonly name: string;
  readonly under?: string;
}

export interface ChartAxis extends FigureAxis {
  /** Names instead of ticks, of rows at 0, 1, … from the top. */
  readonly rows?: readonly ChartRow[];
  /** Not zoomed. */
  readonly fixed?: boolean;
}

export interface Ends {
  readonly low: number;
  readonly high: number;
}

interface SeriesBase {
  /** In the legend, and for the numbers of an exported figure. */
  readonly name: string;
  readonly ink: Ink;
  readonly x: ArrayLike<number>;
  /** As many as x. What cannot be drawn (NaN, zero on a logarithmic axis) is a gap. */
  readonly y: ArrayLike<number>;
  /** Hover texts, one per point. */
  readonly tips?: readonly string[];
  /** Identifier of each point's item, passed to the chart's owner on click. */
  readonly ids?: ArrayLike<number>;
  /** Not named in the legend. */
  readonly silent?: boolean;
  /** Text after its name in the legend. */
  readonly says?: string;
}

type Dots = 'round' | 'square' | 'ring';

export interface LineSeries extends SeriesBase {
  readonly kind: 'line';
  /** As for `setLineDash`; empty: a full line. */
  readonly dash: readonly number[];
  /** Pixels. */
  readonly width?: number;
  /** Area fill: down to zero, or a band to the previous line. */
  readonly fill?: 'to zero' | 'to the line before';
  /** Legend name that toggles it, if different from its own. */
  readonly group?: string;
  /** An edge of a band: of points in one column of pixels that end of theirs is drawn. */
  readonly edge?: 'low' | 'high';
}

export interface DotSeries extends SeriesBase {
  readonly kind: 'dots';
  readonly form: Dots;
  /** Radius in label heights. */
  readonly radius: number;
  readonly opacity?: number;
  /** Intervals along an axis, one per point; null where there is none. */
  readonly intervals?: { readonly along: 'x' | 'y'; readonly ends: readonly (Ends | null)[] };
}

/** Horizontal bars at rows y, from `from` to x. */
export interface BarSeries extends SeriesBase {
  readonly kind: 'bars';
  readonly from: readonly number[];
  /** Share of a row. */
  readonly thick: number;
}

/** Horizontal bars at rows y: the first up to its x, each further one from the x before it to its own. */
export interface WaterfallSeries extends SeriesBase {
  readonly kind: 'waterfall';
  readonly thick: number;
}

export type Series = LineSeries | DotSeries | BarSeries | WaterfallSeries;

export type ChartMark =
  | Readonly<{
      kind: 'line';
      /** Position on that axis. */
      axis: 'x' | 'y';
      at: number;
      ink: Ink;
      width?: number;
      dash?: readonly number[];
      /** At the plot's upper edge, on a side of the line, in a line of words of its own. */
      label?: { readonly text: readonly string[]; readonly side: 'left' | 'right'; readonly row?: number };
    }>
  | Readonly<{
      kind: 'band';
      axis: 'x' | 'y';
      from: number;
      to: number;
      ink: Ink;
      opacity: number;
      /** Above the plot for a band of x, in it for one of y. */
      label?: string;
    }>
  | Readonly<{
      kind: 'text';
      at: readonly [x: number, y: number];
      text: string;
      ink: Ink;
      anchor: 'start' | 'end';
      /** Label heights to the right, and down. */
      shift?: readonly [right: number, down: number];
    }>;

/** Words at the right of the plot, at a row or led to from a point. */
export interface Aside {
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
  readonly asides?: readonly Aside[];
  /** Height of the plot in label heights; where the height is given, its share of it. */
  readonly tall: number;
}

/** More points than are drawn one by one. */
export const MANY_POINTS = 2000;

export interface Chart {
  /** Title for headings, file names and screen readers. */
  readonly title: string;
  readonly panes: readonly Pane[];
  /** Panes are placed side by side from this width on, in label heights; if missing, they are stacked. */
  readonly besideFrom?: number;
  /** Panes over one horizontal axis: they are zoomed and pointed at together. */
  readonly linked?: boolean;
  /** Position of the legend; default above. `inside` is the upper left of the first pane. */
  readonly legend?: 'above' | 'inside' | 'none';
  /** Margins left and right of the plots in label heights, to align them with another plot. */
  readonly room?: { readonly left: number; readonly right: number };
  /**
   * Hover text of a point: its tip, or the values of all curves at that position. If missing, the panel shows the
   * values.
   */
  readonly hover?: 'point' | 'values';
  /** Plotted data. */
  readonly arrays: readonly FigureArray[];
  /** Names of rows and the like, which arrays of numbers do not hold. */
  readonly notes: Readonly<Record<string, string>>;
}

/** Above this count all dots are stamped into an image, whatever their series. Long lines are thinned instead. */
export const hasManyDots = ({ panes }: Pick<Chart, 'panes'>): boolean =>
  panes.flatMap(({ series }) => series).reduce((sum, { kind, x }) => sum + (kind === 'dots' ? x.length : 0), 0) >
  MANY_POINTS;

/** Colours of a waterfall's steps: a time that is taken away is good. */
export const STEP_INKS = { down: 'good', up: 'warning' } as const satisfies Record<string, Ink>;

/** Rows as an axis, the first at the top. */
export function rowsAxis(rows: readonly ChartRow[]): ChartAxis {
  return { title: '', unit: '', kind: 'linear', from: rows.length - 0.5, to: -0.5, rows, fixed: true };
}

/** Series of curves as arrays with names and units; those that share their positions share one array of them. */
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
