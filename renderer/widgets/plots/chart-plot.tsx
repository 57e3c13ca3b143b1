/** The place of a chart, which pointer and keys reach. */
import { type ReactElement, type RefObject, useEffect, useRef, useState } from 'react';
import type { Chart } from '../../drawing/charts/chart.ts';
import { ChartView } from '../../drawing/charts/chart-view.ts';
import type { FrameScheduler } from '../../drawing/scheduler.ts';
import { EmptyState } from '../words/empty-state.tsx';
import './chart-plot.css';
import { Button } from '../controls/button.tsx';

/** Said where Plotly did not come. */
export function ChartFailure({ reason }: { readonly reason: string | null }): ReactElement | null {
  if (reason === null) return null;
  return (
    <div className="plot-panel__cover">
      <EmptyState
        icon="error"
        tone="error"
        title="The curves could not be loaded"
        action={
          // The chart library is a separate file of the page; edits are saved, and offered after the reload.
          <Button icon="reset" onPress={() => location.reload()}>
            Load the page again
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
  /** For screen readers: what is drawn. */
  readonly label: string;
  readonly testId?: string;
  /** As tall as the chart, instead of as its place. */
  readonly tall?: boolean;
}

/** A `ChartView` draws into it. */
export function ChartPlot({ host, label, testId, tall = false }: ChartPlotProps): ReactElement {
  const name = tall ? 'chart-plot chart-plot--tall' : 'chart-plot';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the cursor, + and − zoom, a wide chart scrolls
    <div ref={host} className={name} role="img" aria-label={label} tabIndex={0} data-testid={testId} />
  );
}

interface ShownChartProps {
  readonly chart: Chart;
  readonly scheduler: FrameScheduler;
  /** For screen readers; missing: its title. */
  readonly label?: string;
  /** As tall as its place; missing: as the chart wants to be, among other things. */
  readonly fill?: boolean;
  /** A point with an id was clicked. */
  readonly onPoint?: (id: number) => void;
  /** View that draws the chart, for export. */
  readonly drawnBy?: RefObject<ChartView | null>;
}

/** A chart that only has to be shown: hovering, zooming and scrolling are its own. */
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
