/** A figure of the launch under its heading, with export. */
import type { ReactElement, ReactNode } from 'react';
import type { Chart } from '../../drawing/charts/chart.ts';
import { plottedFigure } from '../../drawing/charts/plotted-figure.ts';
import { exportFigure } from '../../drawing/figures/exported.ts';
import type { Figure, FigureSize } from '../../drawing/figures/figure.ts';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { FigureView } from '../../widgets/plots/figure-view.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import type { ExplainedLaunch } from './model.ts';

const EXPORT_SIZE = { width: 860, label: 11 } as const;

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly explained: ExplainedLaunch;
  /** A chart, or a function that draws a figure of a given size. */
  readonly drawn: Chart | ((size: FigureSize) => Figure);
  readonly children?: ReactNode;
}

export function Section({ id, title, explained, drawn, children }: SectionProps): ReactElement {
  const { figures, scheduler } = useWorkbench();
  const subject = explained.choice?.kernel.name ?? 'kernel';
  const about = { name: `${subject} ${title}`, title: `${subject}: ${title}`, notes: {} };
  const isChart = typeof drawn !== 'function';
  return (
    <section className="launch-section" aria-label={title} data-testid={`launch-${id}`}>
      <div className="launch-section__head flex center wrap">
        <h2>{title}</h2>
        {children}
        <ExportMenu
          what={title}
          onChoose={(format) => {
            const figure = isChart
              ? plottedFigure(drawn, about, { ...EXPORT_SIZE, height: null })
              : exportFigure(drawn(EXPORT_SIZE), about.name, about.title);
            void figures.save(figure, format);
          }}
        />
      </div>
      {isChart ? <ShownChart chart={drawn} scheduler={scheduler} /> : <FigureView make={drawn} />}
    </section>
  );
}
