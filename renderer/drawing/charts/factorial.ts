/** Speed-up of each optimisation alone and combined, and the deviation of combinations from the product. */
import type { Factorial } from '../../../electron/contract/bench/factorial.ts';
import { factorialRows } from '../../base/factorial.ts';
import { timesText } from '../../base/measured.ts';
import { logLimits } from '../figures/axes.ts';
import { ratioArrays, rowAxis } from '../figures/figure.ts';
import { shortNumber } from '../ticks.ts';
import { type Chart, rowsAxis, type Series } from './chart.ts';

/** Height of a row in labels. */
const ROW = 3;
const kinds = [
  { isInteraction: false, name: 'times faster', ink: 'series-1', form: 'round' },
  { isInteraction: true, name: 'times the product of each', ink: 'series-2', form: 'square' },
] as const;

export function factorialChart(factorial: Factorial): Chart {
  const rows = factorialRows(factorial);
  const ends = rows.flatMap(({ ratio: { value, interval } }) => [
    value,
    interval?.low ?? value,
    interval?.high ?? value,
  ]);
  const [from, to] = logLimits([...ends, 1], 1.15);
  return {
    title: factorial.title,
    panes: [
      {
        x: { title: 'Times', unit: '', kind: 'log', from, to, format: (value) => `${shortNumber(value)}×` },
        y: rowsAxis(rows.map(({ name, verdict }) => ({ name, under: verdict }))),
        series: kinds.map(({ isInteraction, name, ink, form }): Series => {
          const own = rows.flatMap((row, at) => (row.isInteraction === isInteraction ? [{ ...row, at }] : []));
          return {
            ...{ kind: 'dots', name, ink, form, radius: 0.36 },
            tips: own.map((row) => `${row.name}: ${timesText(row.ratio)}, ${row.verdict}`),
            ...{ x: own.map(({ ratio }) => ratio.value), y: own.map(({ at }) => at) },
            intervals: { along: 'x', ends: own.map(({ ratio }) => ratio.interval) },
          };
        }),
        marks: [{ kind: 'line', axis: 'x', at: 1, ink: 'text', width: 1.25 }],
        tall: rows.length * ROW,
      },
    ],
    hover: 'point',
    arrays: [
      rowAxis(rows.length),
      ...ratioArrays(
        'times',
        'times faster, or times the product of each',
        'row',
        rows.map(({ ratio }) => ratio),
      ),
    ],
    notes: { rows: rows.map(({ name, verdict }) => `${name}: ${verdict}`).join('; ') },
  };
}
