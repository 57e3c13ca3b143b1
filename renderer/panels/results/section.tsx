/** Parts of the results: a heading, what it means, and on what it was measured. */
import type { ReactElement, ReactNode } from 'react';
import type { TaskReport } from '../../../electron/contract/task-bench.ts';
import { exported } from '../../drawing/figures/exported.ts';
import { type Figure, type FigureSize, withCaption } from '../../drawing/figures/figure.ts';
import { ExportMenu } from '../../widgets/export-menu.tsx';
import { FigureView } from '../../widgets/figure-view.tsx';
import { useWorkbench } from '../../workbench/context.ts';

/** Of exported figures: a page's width. */
const EXPORT_SIZE = { width: 860, label: 11 } as const;

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly provenance: string;
  readonly children: ReactNode;
  readonly menu?: ReactNode;
}

export function Section({ id, title, text, provenance, children, menu = null }: SectionProps): ReactElement {
  return (
    <section className="results__section" aria-label={title} data-testid={`results-${id}`}>
      <div className="results__head">
        <h2>{title}</h2>
        {menu}
      </div>
      <p className="results__text">{text}</p>
      {children}
      <p className="results__provenance">{provenance}</p>
    </section>
  );
}

export function Scroll({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <section className="results__scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

interface FigureSectionProps extends Omit<SectionProps, 'children' | 'menu'> {
  readonly report: TaskReport;
  readonly make: (size: FigureSize) => Figure;
}

export function FigureSection({ report, make, ...section }: FigureSectionProps): ReactElement {
  const { figures } = useWorkbench();
  const save = (format: Parameters<typeof figures.save>[1]): void => {
    const figure = withCaption(make(EXPORT_SIZE), section.provenance, EXPORT_SIZE.label);
    const title = `${report.scenario}: ${section.title}`;
    void figures.save(exported(figure, `${report.scenario} ${section.title}`, title), format);
  };
  return (
    <Section {...section} menu={<ExportMenu what={section.title} onChoose={save} />}>
      <FigureView make={make} />
    </Section>
  );
}
