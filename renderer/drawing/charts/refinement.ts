/** RMS residual of an image in counts, by iteration. */
import { axisArray, curveArray } from '../export/figure.ts';
import { logLimits } from '../figures/axes.ts';
import type { Chart, Series } from './chart.ts';

interface RefinementStep {
  readonly iteration: number;
  /** Root mean square of the residuals, in counts. */
  readonly rms: number;
  readonly taken: boolean;
}

const CHART_HEIGHT = 14;

/** Label whole iterations only. */
const iterationLabel = (value: number): string => (Number.isInteger(value) ? String(value) : '');

export function refinementChart(steps: readonly RefinementStep[]): Chart {
  const taken = steps.filter((step) => step.taken);
  const missed = steps.filter((step) => !step.taken);
  const above = steps.map(({ rms }) => rms).filter((rms) => rms > 0);
  const [from, to] = logLimits(above.length > 0 ? above : [1], 1.5);
  const dots = (of: readonly RefinementStep[], form: 'round' | 'ring', name: string): Series => ({
    ...{ kind: 'dots', name, ink: form === 'round' ? 'series-1' : 'text-muted', form, radius: 0.32 },
    ...{ x: of.map(({ iteration }) => iteration), y: of.map(({ rms }) => rms) },
  });
  const index = axisArray(
    'iteration',
    '',
    'iteration',
    steps.map(({ iteration }) => iteration),
  );
  return {
    title: 'Residual by iteration',
    panes: [
      {
        x: {
          title: 'Iteration',
          unit: '',
          kind: 'linear',
          from: 0.5,
          to: Math.max(4, steps.length) + 0.5,
          format: iterationLabel,
        },
        y: { title: 'Residual', unit: 'counts', kind: 'log', from, to },
        series: [
          {
            ...{ kind: 'line', name: 'best', silent: true, ink: 'series-1', width: 1.5, dash: [] },
            ...{ x: taken.map(({ iteration }) => iteration), y: taken.map(({ rms }) => rms) },
          },
          dots(taken, 'round', 'taken'),
          ...(missed.length === 0 ? [] : [dots(missed, 'ring', 'worse: the next step is shorter')]),
        ],
        tall: CHART_HEIGHT,
      },
    ],
    hover: 'values',
    legend: missed.length === 0 ? 'none' : 'above',
    arrays: [
      index,
      curveArray(
        'residual',
        'counts',
        'root mean square residual',
        index.name,
        steps.map(({ rms }) => rms),
      ),
    ],
    notes: {},
  };
}
