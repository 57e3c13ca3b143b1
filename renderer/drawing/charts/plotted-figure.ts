/** A chart for export, drawn by Plotly as on the page, with title, legend and the page's background. */
import type { Figure } from '../export/figure.ts';
import { inkOf } from '../figures/exported.ts';
import { type FigureAbout, MIN_FIGURE } from '../map-view.ts';
import { readDrawingTheme } from '../theme.ts';
import type { Chart } from './chart.ts';
import { chartPlot } from './chart-plot.ts';
import { dotImages } from './dots-layer.ts';
import { loadPlotly } from './plotly.ts';

interface PlottedSize {
  readonly width: number;
  /** Null if the chart determines its own height. */
  readonly height: number | null;
}

const MARGIN = 10;
/** Height of the title in label heights. */
const TITLE = 2;
const LINE = 1.4;

/** `caption` is printed below the chart, such as the machine that it was measured on. */
export function plottedFigure(
  chart: Chart,
  about: FigureAbout,
  size: PlottedSize,
  caption: readonly string[] = [],
): Figure {
  const theme = readDrawingTheme();
  const width = Math.max(size.width, MIN_FIGURE.width);
  const given = size.height === null ? null : Math.max(size.height, MIN_FIGURE.height);
  const named: Chart = { ...chart, legend: chart.legend === 'inside' ? 'inside' : 'above' };
  const brush = () => ({ theme, color: inkOf() });
  const plot = () => chartPlot(named, { width, label: theme.labelSize }, given, brush());
  const top = MARGIN + TITLE * theme.labelSize;
  const bottom = MARGIN + caption.length * LINE * theme.labelSize;
  const sheet = { width: width + 2 * MARGIN, height: Math.ceil(plot().height + top + bottom) };
  return {
    ...about,
    ...sheet,
    notes: { ...chart.notes, ...about.notes, ...(caption.length > 0 && { caption: caption.join(' ') }) },
    arrays: chart.arrays,
    svg: async () => {
      const { data, layout, height, dots } = plot();
      const words = { showarrow: false, xref: 'paper', yref: 'paper', xanchor: 'left', align: 'left' } as const;
      const font = { size: theme.labelSize, family: theme.family };
      const lines =
        caption.length === 0
          ? []
          : [{ ...words, x: 0, y: 0, yanchor: 'top', text: caption.join('<br>'), font } as const];
      const title = {
        ...words,
        x: 0,
        y: 1,
        yanchor: 'bottom',
        text: about.title,
        font: { ...font, color: theme.text, weight: 600 },
      } as const;
      const sheeted = {
        ...layout,
        ...sheet,
        margin: { l: MARGIN, r: MARGIN, t: top, b: bottom, pad: 0 },
        paper_bgcolor: theme.paper,
        annotations: [...(layout.annotations ?? []), title, ...lines],
        // Thousands of dots are embedded as images, because files with an element per dot are too large to open.
        images: dotImages(dots, { width, height }, brush()),
      };
      const url = await (await loadPlotly()).toImage({ data, layout: sheeted }, { format: 'svg', ...sheet });
      return decodeURIComponent(url.slice(url.indexOf(',') + 1));
    },
  };
}
