/** Containers of plots, accessible to pointer and keys: for a chart, and for a plot that Plotly lays out by itself. */
import { type ReactElement, type RefObject, useEffect, useRef, useState } from 'react';
import type { Chart } from '../../drawing/charts/chart.ts';
import { ChartView } from '../../drawing/charts/chart-view.ts';
import type { FrameScheduler } from '../../drawing/scheduler.ts';
import { EmptyState } from '../words/empty-state.tsx';
import './plots.css';
import { type PlotlyMaker, PlotlyView } from '../../drawing/charts/plotly.ts';
import { Button } from '../controls/button.tsx';

/** Message shown if Plotly could not be loaded. */
export function ChartFailure({ reason }: { readonly reason: string | null }): ReactElement | null {
  if (reason === null) return null;
  return (
    <div className="plot-panel__cover">
      <EmptyState
        icon="error"
        tone="error"
        title="The curves could not be loaded"
        action={
          // Reload, because the chart library is a separate file of the page. Edits are saved, and offered after the
          // reload.
          <Button icon="reset" onPress={() => location.reload()}>
            Reload the page
          </Button>
        }
      >
        {reason}
      </EmptyState>
    </div>
  );
}

interface ChartPlotProps {
  readonly host: RefObject<HTMLDivElement | null>;
  /** Description for screen readers. */
  readonly label: string;
  readonly testId?: string;
  /** True to use the preferred height of the chart instead of that of the container. */
  readonly tall?: boolean;
}

/** Container that a `ChartView` draws into. */
export function ChartPlot({ host, label, testId, tall = false }: ChartPlotProps): ReactElement {
  const name = tall ? 'chart-plot--tall' : 'overlay';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the cursor, + and − zoom, a wide chart scrolls
    <div ref={host} className={name} role="img" aria-label={label} tabIndex={0} data-testid={testId} />
  );
}

interface ShownChartProps {
  readonly chart: Chart;
  readonly scheduler: FrameScheduler;
  /** Description for screen readers; if missing, the title. */
  readonly label?: string;
  /** True to fill the container's height; if missing, the chart's preferred height is used. */
  readonly fill?: boolean;
  /** Called when a point with an id is clicked. */
  readonly onPoint?: (id: number) => void;
  /** View that draws the chart, for export. */
  readonly drawnBy?: RefObject<ChartView | null>;
}

/** A chart without external control; it handles hovering, zooming and scrolling itself. */
export function ShownChart(props: ShownChartProps): ReactElement {
  const { chart, scheduler, label = chart.title, fill = false, drawnBy } = props;
  const pickPoint = useRef(props.onPoint);
  pickPoint.current = props.onPoint;
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<ChartView | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    const made = new ChartView(
      host.current,
      scheduler,
      { failed: setFailure, pickPoint: (id) => pickPoint.current?.(id) },
      { tall: !fill },
    );
    setView(made);
    if (drawnBy !== undefined) drawnBy.current = made;
    return () => {
      if (drawnBy?.current === made) drawnBy.current = null;
      made.dispose();
    };
  }, [scheduler, fill, drawnBy]);
  useEffect(() => view?.show(chart), [view, chart]);
  return (
    <>
      <ChartPlot host={host} label={label} tall={!fill} />
      <ChartFailure reason={failure} />
    </>
  );
}

interface PlotlyPlotProps {
  /** Description for screen readers. */
  readonly label: string;
  readonly scheduler: FrameScheduler;
  readonly make: PlotlyMaker;
}

export function PlotlyPlot({ label, scheduler, make }: PlotlyPlotProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<PlotlyView | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    const made = new PlotlyView(host.current, scheduler, setFailure);
    setView(made);
    return () => made.dispose();
  }, [scheduler]);
  useEffect(() => view?.show(make), [view, make]);
  return (
    <>
      <div ref={host} className="overlay" role="img" aria-label={label} />
      <ChartFailure reason={failure} />
    </>
  );
}
