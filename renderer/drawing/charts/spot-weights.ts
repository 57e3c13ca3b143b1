/** Weights of a beam's spots as lines from zero, over energy, or over position if all spots have one energy. */
import type { Spot } from '../../../electron/contract/scenario/index.ts';
import { axisArray, curveArray } from '../export/figure.ts';
import type { Chart } from './chart.ts';

/** Height of the plot, in label heights. */
const CHART_HEIGHT = 8;
/** Margin on either side of the outermost spots, as a share of their range. */
const ROOM = 0.06;

const words = {
  energy_MeV: { title: 'Energy', unit: 'MeV' },
  x_mm: { title: 'Position across', unit: 'mm' },
} as const;

const countDistinct = (values: readonly number[]): number => new Set(values).size;

export function spotWeightsChart(spots: readonly Spot[]): Chart {
  const over = countDistinct(spots.map(({ energy_MeV }) => energy_MeV)) > 1 ? 'energy_MeV' : 'x_mm';
  const at = spots.map((spot) => spot[over]);
  const weights = spots.map(({ weight }) => weight);
  const [low, high] = [at.reduce((a, b) => Math.min(a, b)), at.reduce((a, b) => Math.max(a, b))];
  const margin = Math.max(ROOM * (high - low), 0.5);
  const { title, unit } = words[over];
  const tips = spots.map(
    ({ energy_MeV, x_mm, weight }) =>
      `${Number(energy_MeV.toPrecision(5))} MeV, x ${Number(x_mm.toPrecision(4))} mm: ${Number(weight.toPrecision(4))}`,
  );
  const index = axisArray(
    'spot',
    '',
    'number in the list',
    spots.map((_, i) => i + 1),
  );
  return {
    title: 'Weights of the spots',
    panes: [
      {
        x: { title, unit, kind: 'linear', from: low - margin, to: high + margin },
        y: { title: 'Weight', unit: '', kind: 'linear', from: 0, to: 1.08 * weights.reduce((a, b) => Math.max(a, b)) },
        series: [
          {
            ...{ kind: 'line', name: 'weights', silent: true, ink: 'accent', width: 2, dash: [] },
            x: at.flatMap((one) => [one, one, one]),
            y: weights.flatMap((weight) => [0, weight, Number.NaN]),
          },
          {
            kind: 'dots',
            name: 'weight',
            silent: true,
            ink: 'accent',
            form: 'round',
            radius: 0.25,
            x: at,
            y: weights,
            tips,
          },
        ],
        tall: CHART_HEIGHT,
      },
    ],
    legend: 'none',
    hover: 'point',
    arrays: [
      index,
      ...(['energy_MeV', 'x_mm', 'weight'] as const).map((key) =>
        curveArray(
          key,
          key === 'weight' ? '' : words[key].unit,
          key,
          index.name,
          spots.map((spot) => spot[key]),
        ),
      ),
    ],
    notes: {},
  };
}
