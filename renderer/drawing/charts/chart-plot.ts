/**
 * Converts a chart to Plotly's data and layout, in the page's fonts and colours, with pixel-exact positions of the
 * plots.
 */
import type { Data, Layout } from 'plotly.js/lib/core';
import { selectRows } from '../../../electron/domain/numbers.ts';
import { axisTitle, type Box } from '../axes.ts';
import { horizontalTicks, scaleOf, verticalTicks } from '../figures/axes.ts';
import { type FigureSize, shortenToFit } from '../figures/figure.ts';
import {
  type Chart,
  type ChartAxis,
  type ChartMark,
  hasManyDots,
  type LineSeries,
  MANY_POINTS,
  type MarginNote,
  type Pane,
  type Series,
} from './chart.ts';
import { type Brush, connectorLines, dashOf, escapeHtml, legendTrace, type Options, traceOf } from './chart-traces.ts';
import type { StampedDots } from './dots-layer.ts';
import { layOut, spreadLabels } from './layout.ts';

const isDrawable = (value: number, { kind }: ChartAxis): boolean =>
  Number.isFinite(value) && (kind !== 'log' || value > 0);

interface Axes {
  readonly x: ChartAxis;
  readonly y: ChartAxis;
}

/**
 * Indices of the points that draw the same line in a plot of that width, in order. Null if all points are needed
 * because x does not increase. Includes gaps, and points outside the plot that are connected to points inside. For an
 * `edge` of a band, each pixel column has only its lowest or its highest point.
 */
export function visibleIndices(
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  { x, y }: Axes,
  { width }: Pick<Box, 'width'>,
  edge?: LineSeries['edge'],
): Uint32Array | null {
  const columns = Math.max(1, Math.round(width));
  const { toPixel } = scaleOf(x, 0, columns);
  const selected = new Uint32Array(xs.length);
  let count = 0;
  let [before, column, gap] = [Number.NEGATIVE_INFINITY, Number.NaN, false];
  /** Point indices for the current column; -1 for none. */
  let [first, low, high, last] = [-1, -1, -1, -1];
  const flush = (): void => {
    if (first < 0) return;
    if (edge !== undefined && column >= 0 && column < columns) {
      selected[count++] = edge === 'low' ? low : high;
      first = -1;
      return;
    }
    const [early, late] = low < high ? [low, high] : [high, low];
    selected[count++] = first;
    if (early !== first && early !== last) selected[count++] = early;
    if (late !== early && late !== first && late !== last) selected[count++] = late;
    if (last !== first) selected[count++] = last;
    first = -1;
  };
  for (let i = 0; i < xs.length; i += 1) {
    const [across, up] = [xs[i] ?? Number.NaN, ys[i] ?? Number.NaN];
    if (!isDrawable(across, x) || !isDrawable(up, y)) {
      flush();
      if (!gap) selected[count++] = i;
      gap = true;
      continue;
    }
    if (across < before) return null;
    before = across;
    gap = false;
    // Everything left or right of the plot counts as one column.
    const at = Math.max(-1, Math.min(columns, Math.floor(toPixel(across))));
    if (at !== column) flush();
    column = at;
    if (first < 0) [first, low, high] = [i, i, i];
    if (up < (ys[low] ?? up)) low = i;
    if (up > (ys[high] ?? up)) high = i;
    last = i;
  }
  flush();
  return selected.slice(0, count);
}

interface ChartPlot {
  readonly data: Data[];
  readonly layout: Partial<Layout>;
  readonly height: number;
  readonly boxes: readonly Box[];
  /** Series with so many dots that they are drawn into an image, because Plotly would be too slow. */
  readonly dots: readonly StampedDots[];
}

/** Suffix of Plotly's axis names: empty for the first axis. */
export const axisSuffix = (i: number): string => (i === 0 ? '' : String(i + 1));
const TICK = 4;
/** Line height between a row's name and its detail, in label heights. */
const ROW_LINE = 1.2;

const axisCoordinate = ({ kind }: ChartAxis, value: number): number => (kind === 'log' ? Math.log10(value) : value);

function axisOf(axis: ChartAxis, box: Box, way: 'x' | 'y', { theme }: Brush): Options {
  const { labelSize } = theme;
  const common = {
    type: axis.kind,
    range: [axisCoordinate(axis, axis.from), axisCoordinate(axis, axis.to)],
    fixedrange: axis.fixed === true,
    zeroline: false,
    showline: axis.rows === undefined,
    mirror: true,
    linecolor: theme.axis,
    tickcolor: theme.axis,
    gridcolor: theme.grid,
    tickfont: { color: theme.textMuted, size: labelSize },
    tickmode: 'array',
    automargin: false,
  };
  if (axis.rows !== undefined) return { ...common, tickvals: [], showgrid: false };
  const { ticks, exponent } = way === 'x' ? horizontalTicks(axis, box, labelSize) : verticalTicks(axis, box, labelSize);
  const labelled = ticks.filter(({ label }) => label !== '');
  const minor = ticks.filter(({ label }) => label === '');
  return {
    ...common,
    tickvals: labelled.map(({ value }) => value),
    ticktext: labelled.map(({ label }) => label),
    ticks: 'outside',
    ticklen: TICK,
    showticklabels: true,
    // The ticks to label were chosen above. If Plotly hid all of them, it would place the title at infinity.
    ticklabeloverflow: 'allow',
    tickangle: 0,
    minor: {
      tickmode: 'array',
      tickvals: minor.map(({ value }) => value),
      ticks: 'outside',
      ticklen: TICK / 2,
      showgrid: false,
    },
    title: {
      text: escapeHtml(axisTitle(axis.title, axis.unit, exponent)),
      standoff: way === 'x' ? labelSize * 0.4 : labelSize * 0.2,
      font: { color: theme.text, size: labelSize },
    },
  };
}

/** Plotly creates an object per point, so omit points of long lines that share a pixel. */
function thinnedSeries(series: Series, pane: Pane, hover: Chart['hover'], box: Box): Series {
  if (series.kind !== 'line' || hover === 'values' || series.x.length <= MANY_POINTS) return series;
  const rows = visibleIndices(series.x, series.y, pane, box, series.edge);
  if (rows === null) return series;
  const { tips, ids } = series;
  return {
    ...series,
    x: selectRows(series.x, rows),
    y: selectRows(series.y, rows),
    ...(tips === undefined ? {} : { tips: Array.from(rows, (i) => tips[i] ?? '') }),
    ...(ids === undefined ? {} : { ids: selectRows(ids, rows) }),
  };
}

interface DrawnShapes {
  readonly shapes: readonly Options[];
  readonly annotations: readonly Options[];
}

function markShapes(mark: ChartMark, { x, y }: Pane, axes: Options, { theme, color }: Brush): DrawnShapes {
  const font = { size: theme.labelSize, family: theme.family };
  const words = { showarrow: false, ...axes };
  const placed = (at: number, axis: 'x' | 'y'): number => axisCoordinate(axis === 'x' ? x : y, at);
  switch (mark.kind) {
    case 'line': {
      const { axis, at, ink, width = 1, dash = [], label } = mark;
      const line = { color: color(ink), width, dash: dashOf(dash) };
      // Plotly positions lines and bands in axis units, but text on a logarithmic axis in decades.
      const shape =
        axis === 'x'
          ? { type: 'line', ...axes, x0: at, x1: at, yref: `${axes['yref']} domain`, y0: 0, y1: 1, line }
          : { type: 'line', ...axes, y0: at, y1: at, xref: `${axes['xref']} domain`, x0: 0, x1: 1, line };
      if (label === undefined) return { shapes: [shape], annotations: [] };
      const left = label.side === 'left';
      const annotation = {
        ...words,
        yref: `${axes['yref']} domain`,
        x: placed(at, 'x'),
        y: 1,
        text: label.text.map(escapeHtml).join('<br>'),
        align: 'left',
        xanchor: left ? 'right' : 'left',
        yanchor: 'top',
        xshift: left ? -4 : 4,
        yshift: -(label.row ?? 0) * 1.3 * theme.labelSize,
        font: { ...font, color: color(ink) },
      };
      return { shapes: [shape], annotations: [annotation] };
    }
    case 'band': {
      const { axis, from, to, ink, opacity, label } = mark;
      const fill = { type: 'rect', line: { width: 0 }, fillcolor: color(ink), opacity, layer: 'below' };
      const shape =
        axis === 'x'
          ? { ...fill, ...axes, x0: from, x1: to, yref: `${axes['yref']} domain`, y0: 0, y1: 1 }
          : { ...fill, ...axes, y0: from, y1: to, xref: `${axes['xref']} domain`, x0: 0, x1: 1 };
      if (label === undefined) return { shapes: [shape], annotations: [] };
      const place =
        axis === 'x'
          ? { x: placed((from + to) / 2, 'x'), y: 1, yref: `${axes['yref']} domain`, yanchor: 'bottom' }
          : {
              x: 1,
              xref: `${axes['xref']} domain`,
              xanchor: 'right',
              y: placed(Math.max(from, to), 'y'),
              yanchor: 'top',
            };
      return {
        shapes: [shape],
        annotations: [{ ...words, ...place, text: escapeHtml(label), font: { ...font, color: color(ink) } }],
      };
    }
    case 'text': {
      const [right, down] = mark.shift ?? [0, 0];
      const annotation = {
        ...words,
        x: placed(mark.at[0], 'x'),
        y: placed(mark.at[1], 'y'),
        text: escapeHtml(mark.text),
        xanchor: mark.anchor === 'start' ? 'left' : 'right',
        yanchor: 'middle',
        xshift: right * theme.labelSize,
        yshift: -down * theme.labelSize,
        font: { ...font, color: color(mark.ink) },
      };
      return { shapes: [], annotations: [annotation] };
    }
  }
}

function marginAnnotations(pane: Pane, box: Box, axes: Options, { theme, color }: Brush): readonly Options[] {
  const { asides = [] } = pane;
  const { labelSize } = theme;
  const [x, y] = [scaleOf(pane.x, box.left, box.left + box.width), scaleOf(pane.y, box.top + box.height, box.top)];
  const wanted = asides.map(({ at }) => y.toPixel(at[1]));
  const led = asides.some(({ at }) => at[0] !== null);
  const places = led ? spreadLabels(wanted, labelSize * 1.35, box.top + labelSize, box.top + box.height) : wanted;
  const side = box.left + box.width + labelSize * 0.8;
  return asides.map(({ at, text, ink, bold }: MarginNote, i) => {
    const words = {
      ...axes,
      text: escapeHtml(text),
      xanchor: 'left',
      yanchor: 'middle',
      font: { size: labelSize, family: theme.family, color: color(ink), weight: bold === true ? 600 : 400 },
    };
    if (at[0] === null) {
      const place = { x: 1, xref: `${axes['xref']} domain`, xshift: labelSize * 0.8, y: axisCoordinate(pane.y, at[1]) };
      return { ...words, ...place, showarrow: false };
    }
    return {
      ...words,
      ...{
        x: axisCoordinate(pane.x, at[0]),
        y: axisCoordinate(pane.y, at[1]),
        showarrow: true,
        arrowhead: 0,
        arrowwidth: 0.75,
      },
      ...{ arrowcolor: color(ink), standoff: 3, ax: side - x.toPixel(at[0]), ay: (places[i] ?? 0) - (wanted[i] ?? 0) },
    };
  });
}

/**
 * Draws row names as annotations. Tick labels have a single colour, and two-colour labels need inline styles, which the
 * page's content security policy forbids.
 */
function rowNameAnnotations({ y: { rows = [] } }: Pane, box: Box, axes: Options, { theme }: Brush): readonly Options[] {
  const { labelSize } = theme;
  const words = (text: string, row: number, down: number, color: string): Options => ({
    ...{ ...axes, x: 0, xref: `${axes['xref']} domain`, y: row, showarrow: false, xanchor: 'right', yanchor: 'middle' },
    ...{
      xshift: -0.7 * labelSize,
      yshift: -down * labelSize,
      text: escapeHtml(shortenToFit(text, box.left - labelSize, labelSize)),
    },
    font: { size: labelSize, family: theme.family, color },
  });
  return rows.flatMap(({ name, under = '' }, row) => {
    const apart = name !== '' && under !== '' ? ROW_LINE / 2 : 0;
    return [words(name, row, -apart, theme.text), words(under, row, apart, theme.textMuted)];
  });
}

/** `given_px`: height to fill in pixels; null to use the chart's preferred height. */
export function chartPlot(chart: Chart, size: FigureSize, given_px: number | null, brush: Brush): ChartPlot {
  const { theme } = brush;
  const { width, height, boxes, legend } = layOut(chart, size, given_px);
  const axes: Record<string, Options> = {};
  const [data, shapes, annotations]: [Options[], Options[], Options[]] = [[], [], []];
  const named = new Set<string>();
  const dots: StampedDots[] = [];
  const stamped = hasManyDots(chart);
  for (const [i, pane] of chart.panes.entries()) {
    const box = boxes[i];
    if (box === undefined) continue;
    const [xref, yref] = [`x${axisSuffix(i)}`, `y${axisSuffix(i)}`];
    const domain = {
      x: [box.left / width, (box.left + box.width) / width],
      y: [1 - (box.top + box.height) / height, 1 - box.top / height],
    };
    const together = chart.linked === true && i > 0 ? { matches: 'x' } : {};
    axes[`xaxis${axisSuffix(i)}`] = { ...axisOf(pane.x, box, 'x', brush), domain: domain.x, anchor: yref, ...together };
    axes[`yaxis${axisSuffix(i)}`] = { ...axisOf(pane.y, box, 'y', brush), domain: domain.y, anchor: xref };
    for (const series of pane.series) {
      const first = series.silent !== true && !named.has(series.name);
      if (first) named.add(series.name);
      const place = { xaxis: xref, yaxis: yref, showlegend: first };
      if (stamped && series.kind === 'dots' && series.intervals === undefined) {
        dots.push({ series, pane, box, at: i, trace: data.length });
        data.push({ ...legendTrace(series, pane, brush), ...place });
        continue;
      }
      if (series.kind === 'waterfall') shapes.push(...connectorLines(series, { xref, yref }, brush));
      const drawn = thinnedSeries(series, pane, chart.hover, box);
      data.push({ ...traceOf(drawn, pane, chart.hover, brush), ...place });
    }
    for (const mark of pane.marks ?? []) {
      const drawn = markShapes(mark, pane, { xref, yref }, brush);
      shapes.push(...drawn.shapes);
      annotations.push(...drawn.annotations);
    }
    annotations.push(...rowNameAnnotations(pane, box, { xref, yref }, brush));
    annotations.push(...marginAnnotations(pane, box, { xref, yref }, brush));
  }
  const inside = chart.legend === 'inside';
  const first = boxes[0] ?? { left: 0, top: 0, width, height };
  const layout = {
    ...axes,
    width,
    height,
    margin: { l: 0, r: 0, t: 0, b: 0, pad: 0 },
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: theme.surface,
    font: { family: theme.family, size: theme.labelSize, color: theme.textMuted },
    barmode: 'overlay',
    hovermode: chart.hover === undefined ? false : chart.hover === 'values' ? 'x' : 'closest',
    hoverlabel: { font: { family: theme.family, size: theme.labelSize } },
    dragmode: 'zoom',
    shapes,
    annotations,
    showlegend: inside ? named.size > 1 : legend.length > 1,
    legend: {
      ...(inside
        ? {
            x: (first.left + theme.labelSize) / width,
            y: 1 - (first.top + theme.labelSize / 2) / height,
            orientation: 'v',
          }
        : { x: 0, y: 1, orientation: legend.some(({ series }) => series.legendNote !== undefined) ? 'v' : 'h' }),
      ...{ xanchor: 'left', yanchor: 'top', bgcolor: 'rgba(0,0,0,0)', tracegroupgap: 0, itemsizing: 'constant' },
      font: { color: theme.text, size: theme.labelSize, family: theme.family },
    },
  };
  return { data: data as unknown as Data[], layout: layout as unknown as Partial<Layout>, height, boxes, dots };
}
