/** Speed-up of each optimisation alone (over its base) and cumulative (over the lowest rung), with intervals. */
import { timesText } from '../../base/measured.ts';
import { logLimits } from '../figures/axes.ts';
import { ratioArrays, rowAxis } from '../figures/figure.ts';
import { shortNumber } from '../ticks.ts';
import { type Chart, rowsAxis, type Series } from './chart.ts';
import type { Gain } from './ladder.ts';

/** Height of a row in labels. */
const ROW = 3;
/** `shift`: share of a row. */
const kinds = [
  { key: 'alone', name: 'alone: over what it stands on', ink: 'series-1', form: 'round', shift: -0.13 },
  { key: 'together', name: 'together: over the lowest rung', ink: 'series-2', form: 'square', shift: 0.13 },
] as const;

export function gainsChart(gains: readonly Gain[]): Chart {
  const values = gains.flatMap(({ alone, together }) =>
    [alone, together].flatMap(({ value, interval }) => [value, interval?.low ?? value, interval?.high ?? value]),
  );
  const [from, to] = logLimits([...values, 1], 1.15);
  return {
    title: 'Each rung of the ladder',
    panes: [
      {
        x: { title: 'Times faster', unit: '', kind: 'log', from, to, format: (value) => `${shortNumber(value)}×` },
        y: rowsAxis(gains.map(({ label, base }) => ({ name: label, under: `over ${base}` }))),
        series: kinds.map(({ key, name, ink, form, shift }): Series => {
          const told = (gain: Gain): string =>
            `${gain.label}: ${timesText(gain[key])} over ${key === 'alone' ? gain.base : gain.root}`;
          return {
            ...{ kind: 'dots', name, ink, form, radius: 0.36, tips: gains.map(told) },
            ...{ x: gains.map((gain) => gain[key].value), y: gains.map((_, row) => row + shift) },
            intervals: { along: 'x', ends: gains.map((gain) => gain[key].interval) },
          };
        }),
        marks: [{ kind: 'line', axis: 'x', at: 1, ink: 'text', width: 1.25 }],
        tall: gains.length * ROW,
      },
    ],
    hover: 'point',
    arrays: [
      rowAxis(gains.length),
      ...ratioArrays(
        'alone',
        'times faster than what it stands on',
        'row',
        gains.map(({ alone }) => alone),
      ),
      ...ratioArrays(
        'together',
        'times faster than the lowest rung',
        'row',
        gains.map(({ together }) => together),
      ),
    ],
    notes: { rows: gains.map(({ label, base }) => `${label} over ${base}`).join(', ') },
  };
}
