/** The place of a plot that Plotly lays out by itself. */
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { type PlotlyMaker, PlotlyView } from '../../drawing/charts/plotly-view.ts';
import type { FrameScheduler } from '../../drawing/scheduler.ts';
import { ChartFailure } from './chart-plot.tsx';

interface PlotlyPlotProps {
  /** For screen readers: what is drawn. */
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
      <div ref={host} className="chart-plot" role="img" aria-label={label} />
      <ChartFailure reason={failure} />
    </>
  );
}
