/** A fitted depth dose and its residuals as an SVG file. */
import { chartFigure } from '../../../renderer/drawing/charts/chart-figure.ts';
import { type FittedPoint, fitResidualsChart } from '../../../renderer/drawing/charts/curves.ts';
import { figureSvg } from '../../../renderer/drawing/figures/figure.ts';

const size = { width: 860, label: 11 } as const;

export const residualSvg = (points: readonly FittedPoint[]): string =>
  figureSvg(chartFigure(fitResidualsChart(points), size), { background: true });
