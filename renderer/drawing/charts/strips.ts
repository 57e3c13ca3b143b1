/** Every sample of every row over the reference's median, with the band that the reference itself strays over. */
import { measuredTime } from '../../base/measured.ts';
import { significant } from '../../base/numbers.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import { logLimits } from '../figures/axes.ts';
import type { Ink } from '../figures/figure.ts';
import { shortNumber } from '../ticks.ts';
import { type Chart, type ChartMark, type LineSeries, rowsAxis, type Series } from './chart.ts';

interface Strip {
  readonly name: string;
  readonly ink: Ink;
  /** Median of its samples over the reference's median. */
  readonly ratio: { readonly value: number; readonly interval: { readonly low: number; readonly high: number } | null };
  readonly samples: readonly { readonly round: number; readonly time_s: number; readonly flag: string | null }[];
}

/** Height of a row in labels. */
const ROW = 2.7;
/** Rounds are laid out down the strip, so that a drift is seen. Shares of a row. */
const SPREAD = 0.63;
const MEDIAN = 0.26;

export interface Strips {
  readonly strips: readonly Strip[];
  /** Median of the reference. */
  readonly reference_s: number;
  /** How far the reference strays from itself; null where that is not known. */
  readonly noise_floor: number | null;
  /** Each row over its own median: how it strays, with the floor beside it. */
  readonly own: boolean;
}

const one = { value: 1, interval: null } as const;

export function stripsChart({ own, noise_floor, ...given }: Strips): Chart {
  const strips = given.strips.map((strip) => {
    const over = own ? given.reference_s * strip.ratio.value : given.reference_s;
    return { ...strip, over, ratio: own ? one : strip.ratio };
  });
  const ratios = strips.flatMap(({ samples, over }) => samples.map(({ time_s }) => time_s / over));
  const reach = Math.max(2 * (noise_floor ?? 0.01), ...ratios.map((ratio) => Math.abs(ratio - 1))) * 1.1;
  const [low, high] = own ? [1 - reach, 1 + reach] : logLimits([...ratios, 1], 1.08);
  const dots = strips.flatMap(({ name, ink, samples, over }, row): readonly Series[] => {
    const last = Math.max(1, ...samples.map(({ round }) => round));
    return [false, true].flatMap((flagged): readonly Series[] => {
      const these = samples.filter(({ flag }) => (flag !== null) === flagged);
      if (these.length === 0) return [];
      return [
        {
          ...{ kind: 'dots', name, silent: true, radius: 0.24, opacity: 0.65 },
          ink: flagged ? 'warning' : ink,
          form: flagged ? 'ring' : 'round',
          x: these.map(({ time_s }) => time_s / over),
          y: these.map(({ round }) => row + (round / last - 0.5) * SPREAD),
          tips: these.map(
            ({ round, time_s, flag }) =>
              `${name}, round ${round + 1}: ${measuredTime(time_s)}${flag === null ? '' : `, flagged: ${flag}`}`,
          ),
        },
      ];
    });
  });
  const bar = (
    name: string,
    width: number,
    ends: (value: Strip['ratio'], row: number) => LineSeries['x'][],
  ): Series => {
    const both = strips.map(({ ratio }, row) => ends(ratio, row));
    const joined = (i: number): readonly number[] => both.flatMap((pair) => [...Array.from(pair[i] ?? []), Number.NaN]);
    return { kind: 'line', name, silent: true, ink: 'text', dash: [], width, x: joined(0), y: joined(1) };
  };
  const noise = `noise floor ±${significant(100 * (noise_floor ?? 0), 2)} %`;
  const marks: readonly ChartMark[] = [
    ...(noise_floor === null
      ? []
      : [
          {
            ...({ kind: 'band', axis: 'x', from: 1 - noise_floor, to: 1 + noise_floor } as const),
            ...({ ink: 'accent', opacity: 0.18, label: noise } as const),
          },
        ]),
    { kind: 'line', axis: 'x', at: 1, ink: 'text-muted' },
  ];
  return {
    title: own ? 'Samples over each row’s own median' : 'Samples over the median of the reference',
    panes: [
      {
        x: {
          title: own ? 'Time over the row’s own median' : 'Time over the median of the reference',
          unit: '',
          kind: own ? 'linear' : 'log',
          from: low,
          to: high,
          ...(own ? {} : { format: (value: number) => `${shortNumber(value)}×` }),
        },
        y: rowsAxis(strips.map(({ name }) => ({ name }))),
        series: [
          ...dots,
          bar('95 % interval', 2.5, ({ value, interval }, row) => [
            [interval?.low ?? value, interval?.high ?? value],
            [row, row],
          ]),
          bar('median', 1.5, ({ value }, row) => [
            [value, value],
            [row - MEDIAN, row + MEDIAN],
          ]),
        ],
        marks,
        tall: strips.length * ROW,
      },
    ],
    hover: 'point',
    arrays: strips.flatMap(({ name, samples }, row) => {
      const prefix = `${identifier(name)}_${row + 1}`;
      const rounds = samples.map(({ round }) => round + 1);
      const times = samples.map(({ time_s }) => time_s);
      return [
        axisArray(`${prefix}_round`, '', `round, ${name}`, rounds),
        curveArray(`${prefix}_time_s`, 's', `time, ${name}`, `${prefix}_round`, times),
      ];
    }),
    notes: { noise_floor: noise_floor === null ? 'not known' : String(noise_floor) },
  };
}
