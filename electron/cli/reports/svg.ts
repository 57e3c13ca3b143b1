/** Figures of sessions and fits as SVG files. Equal input gives equal bytes. */

import { chartFigure } from '../../../renderer/drawing/charts/chart-figure.ts';
import { type FittedPoint, fitResidualsChart } from '../../../renderer/drawing/charts/curves.ts';
import { sessionCharts } from '../../../renderer/drawing/charts/session-charts.ts';
import { figureSvg, withCaption } from '../../../renderer/drawing/figures/figure.ts';
import type { Session } from '../../contract/bench/session.ts';
import { provenanceText, reportProvenance } from '../../domain/provenance.ts';

const size = { width: 860, label: 11 } as const;

interface SvgFile {
  readonly name: string;
  readonly svg: string;
}

/** Draws the charts of a session. Charts of the complete sweep are drawn only once, with its last value. */
export function sessionSvgFiles(session: Session): readonly SvgFile[] {
  const many = session.reports.length > 1;
  return session.reports.flatMap((report, i) => {
    const last = i === session.reports.length - 1;
    const caption = `${report.scenario} · ${provenanceText(reportProvenance(report, session.created))}`;
    return sessionCharts(session, report)
      .charts.filter(({ ofSweep }) => !ofSweep || last)
      .map(({ id, ofSweep, chart }) => {
        const prefix = many && !ofSweep ? `${session.sweep?.values[i] ?? i + 1}-` : '';
        const svg = figureSvg(withCaption(chartFigure(chart, size), caption, size.label), { background: true });
        return { name: `${prefix}${id}.svg`, svg };
      });
  });
}

/** Fitted depth dose with its residuals, as SVG. */
export const residualSvg = (points: readonly FittedPoint[]): string =>
  figureSvg(chartFigure(fitResidualsChart(points), size), { background: true });
