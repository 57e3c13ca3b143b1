/** The depth dose as a Plotly figure: curve, R80, the table's range, the distal falloff. */
import type { Data, Layout, Shape } from 'plotly.js/lib/core';
import type { Curve, Interval } from '../../../electron/contract/fields.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { TransportResolved } from '../../../electron/contract/scenarios.ts';
import { fixed } from '../../base/numbers.ts';
import type { ShownDepthDose } from '../../data/run-data.ts';
import { ROOM } from '../../drawing/plot-frame.ts';
import type { DrawingTheme } from '../../drawing/theme.ts';

/** A curve to lay over the run's. */
export interface OverlaidCurve {
  readonly name: string;
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
  readonly unit: string | null;
  /** By mass, of a run. */
  readonly perMass?: Float64Array | null;
  readonly color: string;
}

/** What the dose is shown in. */
export type DoseUnit = 'absolute' | 'mass' | 'percent';

/** The curve of a run in a unit; one without densities is shown as energy by depth. */
export function curveIn({ curve, perMass }: ShownDepthDose, unit: DoseUnit): Curve {
  return unit === 'mass' ? (perMass ?? curve) : curve;
}

/** An overlaid curve in a unit: a run's by mass where it is asked for, a file's as it is. */
export function overlayIn<T extends Pick<OverlaidCurve, 'dose' | 'unit' | 'perMass'>>(overlay: T, unit: DoseUnit): T {
  const { perMass } = overlay;
  return unit !== 'mass' || perMass == null ? overlay : { ...overlay, dose: perMass, unit: PER_MASS };
}

const PER_MASS = 'nGy mm²';

type Dash = 'dash' | 'dot' | 'dashdot' | 'longdash' | 'longdashdot';

/** How overlaid curves are told apart, in their order: by colour and by dash. */
export const overlayLooks: readonly {
  readonly color: `--${string}`;
  readonly plotly: Dash;
  readonly dash: string;
}[] = [
  { color: '--series-2', plotly: 'dash', dash: '6 3' },
  { color: '--series-3', plotly: 'dot', dash: '2 2' },
  { color: '--series-4', plotly: 'dashdot', dash: '6 3 2 3' },
  { color: '--series-5', plotly: 'longdash', dash: '9 3' },
  { color: '--series-6', plotly: 'longdashdot', dash: '9 3 2 3' },
  { color: '--series-7', plotly: 'dash', dash: '6 3' },
  { color: '--series-8', plotly: 'dot', dash: '2 2' },
];

/** What an overlaid dose is multiplied with: in per cent its own peak is 100, and without a known unit it is as high as the run's. */
export function overlayFactor(
  { dose, unit }: Pick<OverlaidCurve, 'dose' | 'unit'>,
  shown: DoseUnit,
  peak: number,
): number {
  const own = dose.reduce((a, b) => Math.max(a, b), 0);
  if (!(own > 0)) return 1;
  if (shown === 'percent') return 100 / own;
  return unit === (shown === 'mass' ? PER_MASS : 'MeV/mm') || !(peak > 0) ? 1 : peak / own;
}

export interface FigureInput {
  readonly shown: ShownDepthDose | null;
  readonly resolved: TransportResolved | null;
  readonly unit: DoseUnit;
  readonly overlays?: readonly OverlaidCurve[];
  /** Shown part of the axis; null: all of it. */
  readonly window: Interval | null;
  /** Width of the whole figure. */
  readonly width_px: number;
  readonly theme: DrawingTheme;
  readonly colors: { readonly curve: string; readonly fill: string; readonly r80: string; readonly reference: string };
}

export interface Figure {
  readonly data: Data[];
  readonly layout: Partial<Layout>;
}

/** Room above the curve for the labels of the lines. */
const HEADROOM = 1.14;
/** Width of a label's letters, in parts of its size. */
const GLYPH = 0.58;
const ROW = 1.3;

function verticalLine(at: number, color: string, dash: 'solid' | 'dash'): Partial<Shape> {
  return { type: 'line', x0: at, x1: at, xref: 'x', yref: 'paper', y0: 0, y1: 1, line: { color, width: 1.25, dash } };
}

/** The extent of the axis when nothing is zoomed: that of the curve, else of the geometry. */
export function wholeDepth(shown: ShownDepthDose | null, resolved: TransportResolved | null): Interval {
  const positions = shown?.curve.positions;
  const last = positions?.[positions.length - 1];
  if (positions !== undefined && last !== undefined && last > 0) {
    // Points lie in the middle of their cells; the axis ends at the cells' edges, as the map's does.
    const half = positions.length > 1 ? (last - (positions[0] ?? 0)) / (positions.length - 1) / 2 : 0;
    return [Math.min(0, (positions[0] ?? 0) - half), last + half];
  }
  const depth = valueAt(resolved?.scenario, ['geometry', 'depth_mm']);
  return [0, typeof depth === 'number' ? depth : 100];
}

export function depthDoseFigure(input: FigureInput): Figure {
  const { shown, resolved, unit, window, width_px, theme, colors } = input;
  const overlays = (input.overlays ?? []).map((overlay) => overlayIn(overlay, unit));
  const curve = shown === null ? undefined : curveIn(shown, unit);
  const peak = curve === undefined ? 0 : curve.values.reduce((a, b) => Math.max(a, b), 0);
  const factor = unit === 'percent' && peak > 0 ? 100 / peak : 1;
  const { r80_mm = null, r20_mm = null } = shown?.final?.metrics ?? {};
  const shapes: Partial<Shape>[] = [];
  const annotations: Layout['annotations'] = [];
  const [from, to] = window ?? wholeDepth(shown, resolved);
  const plot_px = width_px - (ROOM.left + ROOM.right) * theme.labelSize;
  const label = (at: number, text: string, color: string, side: 'left' | 'right', row = 0): void => {
    annotations.push({
      x: at,
      y: 1,
      xref: 'x',
      yref: 'paper',
      text,
      showarrow: false,
      align: 'left',
      xanchor: side === 'left' ? 'right' : 'left',
      yanchor: 'top',
      xshift: side === 'left' ? -4 : 4,
      yshift: -row * ROW * theme.labelSize,
      font: { color, size: theme.labelSize, family: theme.family },
    });
  };
  if (resolved !== null) {
    shapes.push(verticalLine(resolved.range_mm, colors.reference, 'dash'));
    const regions = valueAt(resolved.scenario, ['geometry', 'regions']);
    // Beside the axis lies other matter, with another range.
    const axis = Array.isArray(regions) && regions.length > 0 ? ' on<br>the axis' : '';
    const text = `Range${axis} ${fixed(resolved.range_mm, 2)} mm`;
    const longest = Math.max(...text.split('<br>').map((line) => line.length));
    const room_px = ((to - resolved.range_mm) / (to - from)) * plot_px;
    // Where the axis ends too soon it stands on the other side, below R80's.
    if (room_px > longest * GLYPH * theme.labelSize) label(resolved.range_mm, text, colors.reference, 'right');
    else label(resolved.range_mm, text, colors.reference, 'left', 1);
  }
  if (r80_mm !== null) {
    shapes.push(verticalLine(r80_mm, colors.r80, 'solid'));
    label(r80_mm, `R80 ${fixed(r80_mm, 2)} mm`, colors.r80, 'left');
  }
  if (r80_mm !== null && r20_mm !== null) {
    shapes.push({
      type: 'rect',
      x0: r80_mm,
      x1: r20_mm,
      xref: 'x',
      yref: 'paper',
      y0: 0,
      y1: 1,
      line: { width: 0 },
      fillcolor: colors.fill,
      layer: 'below',
    });
  }
  const laid = overlays.map(
    (overlay, i): Data => ({
      type: 'scatter',
      mode: 'lines',
      name: overlay.name,
      x: overlay.depth_mm,
      y: overlay.dose.map((value) => value * overlayFactor(overlay, unit, peak)),
      line: { color: overlay.color, width: 1.5, dash: overlayLooks[i]?.plotly ?? 'dash' },
      hoverinfo: 'none',
    }),
  );
  const highest = Math.max(
    peak * factor,
    ...overlays.map((overlay) => overlay.dose.reduce((a, b) => Math.max(a, b), 0) * overlayFactor(overlay, unit, peak)),
  );
  const axis = {
    color: theme.textMuted,
    linecolor: theme.axis,
    tickcolor: theme.axis,
    gridcolor: theme.grid,
    zeroline: false,
    showline: true,
    mirror: true,
    ticks: 'outside',
    ticklen: 4,
    tickfont: { color: theme.textMuted, size: theme.labelSize },
  } as const;
  return {
    data: [
      {
        type: 'scatter',
        mode: 'lines',
        x: curve?.positions ?? [],
        y: curve === undefined ? [] : factor === 1 ? curve.values : curve.values.map((value) => value * factor),
        line: { color: colors.curve, width: 1.75 },
        fill: 'tozeroy',
        fillcolor: colors.fill,
        hoverinfo: 'none',
        name: 'This run',
      },
      ...laid,
    ],
    layout: {
      autosize: true,
      margin: {
        l: Math.round(ROOM.left * theme.labelSize),
        r: Math.round(ROOM.right * theme.labelSize),
        t: Math.round(ROOM.top * theme.labelSize),
        b: Math.round(ROOM.bottom * theme.labelSize),
        pad: 0,
      },
      paper_bgcolor: 'rgba(0,0,0,0)',
      plot_bgcolor: theme.surface,
      font: { family: theme.family, size: theme.labelSize, color: theme.textMuted },
      showlegend: overlays.length > 0,
      legend: {
        x: 0.01,
        y: 0.98,
        xanchor: 'left',
        yanchor: 'top',
        bgcolor: 'rgba(0,0,0,0)',
        font: { color: theme.text, size: theme.labelSize, family: theme.family },
      },
      hovermode: false,
      dragmode: 'zoom',
      shapes,
      annotations,
      xaxis: {
        ...axis,
        range: [from, to],
        title: {
          text: 'Depth along the beam axis (mm)',
          standoff: 4,
          font: { color: theme.text, size: theme.labelSize },
        },
      },
      yaxis: {
        ...axis,
        fixedrange: true,
        showticklabels: highest > 0,
        range: [0, (highest > 0 ? highest : 1) * HEADROOM],
        tickformat: '~g',
        title: {
          text: unit === 'percent' ? 'Dose (% of peak)' : `Dose (${curve?.unit ?? 'MeV/mm'})`,
          standoff: 2,
          font: { color: theme.text, size: theme.labelSize },
        },
      },
    },
  };
}
