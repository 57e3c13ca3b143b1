/** From the lowest rung to the fastest variant: how much of the time each step took away. */
import type { MeasuredSessionEntry } from '../../../electron/contract/bench/session.ts';
import { gainOf, measuredTime, tickTime, timesText } from '../../base/measured.ts';
import { curveArray } from '../export/figure.ts';
import { logLimits, roomBehind } from '../figures/axes.ts';
import { ratioArrays, rowAxis } from '../figures/figure.ts';
import { type Chart, rowsAxis } from './chart.ts';

/** Height of a row in labels, and the share of it that its bar takes. */
const [ROW, BAR] = [2.5, 0.56];
/** The longest bar's time takes room behind it: its width, of that of a usual plot, in label heights. */
const [USUAL_WIDTH, TIME_WIDTH] = [50, 5.5];

/** `chain` as `fastestChain` gives it. */
export function waterfallChart(chain: readonly MeasuredSessionEntry[]): Chart {
  const times = chain.map(({ time_s }) => time_s);
  const gains = chain.map(({ rung }, i) => (i === 0 || rung === null ? null : gainOf(rung)));
  const [from, high] = logLimits(times);
  const to = roomBehind(from, high, USUAL_WIDTH, TIME_WIDTH);
  return {
    title: 'From the lowest rung to the fastest variant',
    panes: [
      {
        x: { title: 'Time, logarithmic', unit: '', kind: 'log', from, to, format: tickTime },
        y: rowsAxis(chain.map(({ label }) => ({ name: label }))),
        series: [
          {
            ...{ kind: 'waterfall', name: 'Time', silent: true, ink: 'series-8', thick: BAR },
            ...{ x: times, y: chain.map((_, row) => row) },
            tips: chain.map(({ label, time_s }, i) => {
              const gain = gains[i] ?? null;
              const told = gain === null ? '' : `, ${timesText(gain)} over ${chain[i - 1]?.label}`;
              return `${label}: ${measuredTime(time_s)}${told}`;
            }),
          },
        ],
        marks: times.map((time_s, row) => ({
          ...({ kind: 'text', ink: 'text-muted', anchor: 'start', shift: [0.5, 0] } as const),
          ...{ at: [Math.max(time_s, times[row - 1] ?? 0), row] as const, text: measuredTime(time_s) },
        })),
        asides: gains.flatMap((gain, row) =>
          gain === null ? [] : [{ at: [null, row] as const, text: timesText(gain), ink: 'text' as const, bold: true }],
        ),
        tall: chain.length * ROW,
      },
    ],
    hover: 'point',
    arrays: [
      rowAxis(chain.length),
      curveArray('time_s', 's', 'median time', 'row', times),
      ...ratioArrays(
        'gain',
        'times faster than the row above',
        'row',
        gains.map((gain) => gain ?? { value: Number.NaN, interval: null }),
      ),
    ],
    notes: { rows: chain.map(({ label }) => label).join(', ') },
  };
}
