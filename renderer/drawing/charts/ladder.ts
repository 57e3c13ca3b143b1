/**
 * Ladder of variants: each variant's base and the gain of each step. Gains chart: speed-up of each optimisation alone
 * (over its base) and cumulative (over the lowest rung), with intervals. Waterfall chart: time saved by each step from
 * the lowest rung to the fastest variant.
 */
import { isUnproven, type Ratio } from '../../../electron/contract/bench/bench-session.ts';
import type { MeasuredSessionEntry, SessionReport } from '../../../electron/contract/bench/session.ts';
import { factorText, formatTickTime, measuredTime, speedupOf } from '../../../electron/domain/measured.ts';
import { curveArray } from '../export/figure.ts';
import { limitWithMargin, logLimits } from '../figures/axes.ts';
import { ratioArrays, rowAxis } from '../figures/figure.ts';
import { shortNumber } from '../scale.ts';
import { type Chart, rowsAxis, type Series } from './chart.ts';

export function measuredEntries({ entries }: SessionReport): readonly MeasuredSessionEntry[] {
  return entries.filter((entry) => entry.status === 'measured');
}

/** Entries except those that are wrong or not checked, because their speed is no gain. */
function correctEntries(report: SessionReport): readonly MeasuredSessionEntry[] {
  return measuredEntries(report).filter(({ verdict }) => !isUnproven(verdict));
}

/** Measured bases of the entry, lowest first, and the entry itself last. */
export function chainOf(
  entry: MeasuredSessionEntry,
  entries: readonly MeasuredSessionEntry[],
): readonly MeasuredSessionEntry[] {
  const chain = [entry];
  for (;;) {
    const base = entries.find(({ label }) => label === chain[0]?.builds_on);
    if (base === undefined || chain.includes(base)) return chain;
    chain.unshift(base);
  }
}

/** Chain from the lowest rung to the fastest correct variant with a base; empty if no variant has one. */
export function fastestChain(report: SessionReport): readonly MeasuredSessionEntry[] {
  const right = correctEntries(report);
  const fastest = [...right].sort((a, b) => a.time_s - b.time_s);
  for (const entry of fastest) {
    const chain = chainOf(entry, right);
    if (chain.length > 1) return chain;
  }
  return fastest.slice(0, 1);
}

interface Gain {
  readonly label: string;
  /** Variant that this variant builds on. */
  readonly base: string;
  /** Speed-up over the base. */
  readonly alone: Ratio;
  /** Speed-up over the lowest rung of its chain. */
  readonly together: Ratio;
  readonly root: string;
}

const invertRatio = ({ value, interval }: Ratio): Ratio => ({
  value: 1 / value,
  interval: interval && { low: 1 / interval.high, high: 1 / interval.low },
});

/** Gains of all variants with a measured base, slowest first. */
export function gainsOf(report: SessionReport): readonly Gain[] {
  const right = correctEntries(report);
  return right
    .flatMap((entry): Gain[] => {
      const chain = chainOf(entry, right);
      const [root, base] = [chain[0], chain.at(-2)];
      if (base === undefined || root === undefined || entry.rung === null) return [];
      const together = entry.cumulative ?? entry.rung;
      return [
        {
          label: entry.label,
          base: base.label,
          alone: invertRatio(entry.rung),
          together: invertRatio(together),
          root: root.label,
        },
      ];
    })
    .sort((a, b) => a.together.value - b.together.value);
}

/** Height of a row, in label heights. */
const GAINS_ROW = 3;
/** `shift`: vertical offset as a share of a row. */
const kinds = [
  { key: 'alone', name: 'alone: compared with the rung below', ink: 'series-1', form: 'round', shift: -0.13 },
  { key: 'together', name: 'together: compared with the lowest rung', ink: 'series-2', form: 'square', shift: 0.13 },
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
          const gainText = (gain: Gain): string =>
            `${gain.label}: ${factorText(gain[key])} compared with ${key === 'alone' ? gain.base : gain.root}`;
          return {
            ...{ kind: 'dots', name, ink, form, radius: 0.36, tips: gains.map(gainText) },
            ...{ x: gains.map((gain) => gain[key].value), y: gains.map((_, row) => row + shift) },
            intervals: { along: 'x', ends: gains.map((gain) => gain[key].interval) },
          };
        }),
        marks: [{ kind: 'line', axis: 'x', at: 1, ink: 'text', width: 1.25 }],
        tall: gains.length * GAINS_ROW,
      },
    ],
    hover: 'point',
    arrays: [
      rowAxis(gains.length),
      ...ratioArrays(
        'alone',
        'times faster than the rung below',
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

/** Height of a row in label heights, and bar height as a share of the row. */
const [ROW, BAR] = [2.5, 0.56];
/** Room for the time label after the longest bar: usual plot width and label width, in label heights. */
const [DEFAULT_WIDTH, TIME_WIDTH] = [50, 5.5];

/** `chain`: result of `fastestChain`. */
export function waterfallChart(chain: readonly MeasuredSessionEntry[]): Chart {
  const times = chain.map(({ time_s }) => time_s);
  const gains = chain.map(({ rung }, i) => (i === 0 || rung === null ? null : speedupOf(rung)));
  const [low, high] = logLimits(times);
  const to = limitWithMargin(low, high, DEFAULT_WIDTH, TIME_WIDTH);
  // Leave equal room to the left of the shortest time, because its label ends at the bar.
  const from = 1 / limitWithMargin(1 / to, 1 / low, DEFAULT_WIDTH, TIME_WIDTH);
  return {
    title: 'From the lowest rung to the fastest variant',
    panes: [
      {
        x: { title: 'Time, logarithmic', unit: '', kind: 'log', from, to, format: formatTickTime },
        y: rowsAxis(chain.map(({ label }) => ({ name: label }))),
        series: [
          {
            ...{ kind: 'waterfall', name: 'Time', silent: true, ink: 'series-8', thick: BAR },
            ...{ x: times, y: chain.map((_, row) => row) },
            tips: chain.map(({ label, time_s }, i) => {
              const gain = gains[i] ?? null;
              const gainText = gain === null ? '' : `, ${factorText(gain)} compared with ${chain[i - 1]?.label}`;
              return `${label}: ${measuredTime(time_s)}${gainText}`;
            }),
          },
        ],
        // The label is outside the bar: at its left end if the step saved time, else at its right end.
        marks: times.map((time_s, row) => {
          const gained = time_s < (times[row - 1] ?? 0);
          return {
            ...({ kind: 'text', ink: 'text-muted', anchor: gained ? 'end' : 'start' } as const),
            ...{ shift: [gained ? -0.5 : 0.5, 0] as const, at: [time_s, row] as const, text: measuredTime(time_s) },
          };
        }),
        asides: gains.flatMap((gain, row) =>
          gain === null ? [] : [{ at: [null, row] as const, text: factorText(gain), ink: 'text' as const, bold: true }],
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
