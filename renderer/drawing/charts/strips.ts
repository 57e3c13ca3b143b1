/**
 * Chart of all samples of each row relative to the reference's median, with the interval measured between repetitions
 * of the reference.
 */
import type { NoiseEstimate } from '../../../electron/contract/bench/bench-session.ts';
import { measuredTime, noiseLabel, noiseText } from '../../../electron/domain/measured.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import { logLimits } from '../figures/axes.ts';
import type { Ink } from '../figures/figure.ts';
import { shortNumber } from '../scale.ts';
import { type Chart, type ChartMark, type LineSeries, rowsAxis, type Series } from './chart.ts';

interface Strip {
  readonly name: string;
  readonly ink: Ink;
  /** Median of the samples over the reference's median. */
  readonly ratio: { readonly value: number; readonly interval: { readonly low: number; readonly high: number } | null };
  /** Median that the samples are compared with, in seconds. */
  readonly reference_s: number;
  readonly samples: readonly { readonly round: number; readonly time_s: number; readonly flag: string | null }[];
}

/** Height of a row, in label heights. */
const ROW = 2.7;
/** Height of a row's samples as a share of the row. Rounds run downwards, so that a drift is visible. */
const SPREAD = 0.63;
const MEDIAN = 0.26;

export interface Strips {
  readonly strips: readonly Strip[];
  readonly noise: NoiseEstimate;
  /** True to divide each row by its own median instead of its reference's. */
  readonly own: boolean;
}

const unitRatio = { value: 1, interval: null } as const;

/** Noise band of equally fast candidates: the measured interval, or the noise floor if nothing was measured. */
function noiseBandOf({ ratio, floor }: NoiseEstimate): { readonly from: number; readonly to: number } | null {
  if (ratio?.interval != null) return { from: ratio.interval.low, to: ratio.interval.high };
  return floor === null ? null : { from: 1 - floor, to: 1 + floor };
}

export function stripsChart({ own, noise, ...given }: Strips): Chart {
  const band = noiseBandOf(noise);
  const strips = given.strips.map((strip) => {
    const over = own ? strip.reference_s * strip.ratio.value : strip.reference_s;
    return { ...strip, over, ratio: own ? unitRatio : strip.ratio };
  });
  const ratios = strips.flatMap(({ samples, over }) => samples.map(({ time_s }) => time_s / over));
  const reach = Math.max(2 * (noise.floor ?? 0.01), ...ratios.map((ratio) => Math.abs(ratio - 1))) * 1.1;
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
  const marks: readonly ChartMark[] = [
    ...(band === null
      ? []
      : [
          {
            ...({ kind: 'band', axis: 'x', ...band } as const),
            ...({ ink: 'accent', opacity: 0.18, label: noiseLabel(noise) } as const),
          },
        ]),
    { kind: 'line', axis: 'x', at: 1, ink: 'text-muted' },
  ];
  return {
    title: own ? 'Samples relative to each row’s own median' : 'Samples relative to the median of the reference',
    panes: [
      {
        x: {
          title: own ? 'Time relative to the row’s own median' : 'Time relative to the median of the reference',
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
    notes: { noise: noiseText(noise) },
  };
}
