/** The figures of a session as SVG files, the same bytes every time. */
import { provenanceText, reportProvenance } from '../../renderer/base/provenance.ts';
import { withCaption } from '../../renderer/drawing/figures/figure.ts';
import { sessionFigures } from '../../renderer/drawing/figures/session-figures.ts';
import { figureSvg } from '../../renderer/drawing/figures/svg.ts';
import type { BenchSession } from '../contract/bench.ts';

const size = { width: 860, label: 11 } as const;

interface Replayed {
  readonly name: string;
  readonly svg: string;
}

/** The sweep's figure is of all values and stands once. */
export function replayed(session: BenchSession): readonly Replayed[] {
  const many = session.reports.length > 1;
  return session.reports.flatMap((report, i) => {
    const last = i === session.reports.length - 1;
    const caption = `${report.scenario} · ${provenanceText(reportProvenance(report, session.created))}`;
    return sessionFigures(session, report)
      .filter(({ id }) => id !== 'sweep' || last)
      .map(({ id, make }) => {
        const prefix = many && id !== 'sweep' ? `${session.sweep?.values[i] ?? i + 1}-` : '';
        const svg = figureSvg(withCaption(make(size), caption, size.label), { background: true });
        return { name: `${prefix}${id}.svg`, svg };
      });
  });
}
