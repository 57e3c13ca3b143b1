/** Points as lines across several axes; where they are very many, as their density. */
import { type ReactElement, useMemo, useRef } from 'react';
import { count } from '../../base/numbers.ts';
import { hasWebGl } from '../../drawing/charts/plotly.ts';
import type { PlotlyHost, PlotlyMaker } from '../../drawing/charts/plotly-view.ts';
import type { DrawingTheme } from '../../drawing/theme.ts';
import { PlotlyPlot } from '../../widgets/plots/plotly-plot.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import type { HeatSide } from './heat-map.ts';
import { crossingsOf, densityOf, keptLines, MOST_LINES, paintDensity } from './line-density.ts';
import { PARALLEL_MARGIN, type Parallel, parallelOf, parallelPlot } from './parallel.ts';

interface Dimension {
  readonly name: string;
  readonly constraintrange?: readonly number[] | readonly (readonly number[])[];
}

/** What is kept of an axis, from 0 to 1: one range, or several. */
function keptOf({ constraintrange: kept }: Dimension, [low, high]: readonly [number, number]) {
  if (kept === undefined) return [];
  const ranges = (typeof kept[0] === 'number' ? [kept] : kept) as readonly (readonly number[])[];
  const place = (value = 0): number => (value - low) / (high - low);
  return ranges.map(([from, to]) => [place(from), place(to)] as const);
}

/** Axes stand where Plotly has them, in the user's order; what is kept of each is what the user has dragged. */
function densityDrawing({
  axes,
  colours,
}: Parallel): (plot: PlotlyHost, place: HTMLCanvasElement, theme: DrawingTheme) => void {
  const crossings = axes.map(({ values, range }) => crossingsOf(values, range));
  const last = axes.at(-1)?.range ?? [0, 1];
  const tints = crossingsOf(colours, last);
  return (plot, place, theme) => {
    const dimensions = (plot.data[0]?.['dimensions'] ?? []) as readonly Dimension[];
    const order = dimensions.map(({ name }) => Number(name)).filter((i) => axes[i] !== undefined);
    const inOrder = order.map((i) => crossings[i] ?? new Float32Array());
    const kept = order.map((i, k) => {
      const dimension = dimensions[k];
      return dimension === undefined ? [] : keptOf(dimension, axes[i]?.range ?? [0, 1]);
    });
    const { l, r, t, b } = PARALLEL_MARGIN;
    const size = { width: plot.clientWidth - l - r, height: plot.clientHeight - t - b };
    if (size.width <= 0 || size.height <= 0) return;
    const most = { most: size.width, height: Math.floor(size.height) };
    paintDensity(place, densityOf(inOrder, keptLines(inOrder, kept), tints, most), theme);
    const at = { left: `${l}px`, top: `${t}px`, width: `${size.width}px`, height: `${size.height}px` };
    Object.assign(place.style, at);
  };
}

export interface ParallelAxesProps {
  readonly sides: readonly HeatSide[];
  /** Keys of columns that are logarithmic. */
  readonly logs: readonly string[];
}

export function ParallelAxes({ sides, logs }: ParallelAxesProps): ReactElement | null {
  const { scheduler } = useWorkbench();
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useMemo(() => {
    if (sides.length < 2) return null;
    const parallel = parallelOf(sides, new Set(logs));
    const { left, colours } = parallel;
    const dense = colours.length > MOST_LINES;
    const axes = parallelPlot(parallel, { lines: !dense });
    const show = dense ? densityDrawing(parallel) : null;
    const make: PlotlyMaker = (theme) => ({
      ...axes(theme),
      ...(show === null ? {} : { drawn: (plot) => canvas.current && show(plot, canvas.current, theme) }),
    });
    return { left, dense, lines: colours.length, make, title: sides.map(({ info }) => info.name).join(', ') };
  }, [sides, logs]);
  if (drawn === null) return null;
  if (!hasWebGl())
    return <p className="studies__said">Parallel coordinates are drawn by WebGL, which this window does not have.</p>;
  const { left, dense, lines, make, title } = drawn;
  return (
    <>
      <p className="studies__said">
        Drag along an axis to keep a part of it, drag its name to move it. Colours go with the last axis.
        {left === 0 ? '' : ` ${count(left)} points lack a number on some axis, and have no line.`}
        {dense
          ? ` ${count(lines)} lines are drawn by density: stronger where more pass, by the logarithm, in the mean of their colours.`
          : ''}
      </p>
      <div className="plot-panel__body" data-dense={dense}>
        {dense ? <canvas ref={canvas} className="studies__density" /> : null}
        <PlotlyPlot
          gl
          label={`Parallel coordinates${dense ? ', by density' : ''}: ${title}`}
          scheduler={scheduler}
          make={make}
        />
      </div>
    </>
  );
}
