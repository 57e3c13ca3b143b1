/** Every sample of every row over the reference's median, with the band that the reference itself strays over. */

import { measuredTime } from '../../base/measured.ts';
import { significant } from '../../base/numbers.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import { shortNumber } from '../ticks.ts';
import { horizontalAxis, horizontalRoom, logLimits } from './axes.ts';
import { type Figure, type FigureSize, fitted, type Ink, type Shape, textWidth } from './figure.ts';

export interface Strip {
  readonly name: string;
  readonly ink: Ink;
  /** Median of its samples over the reference's median. */
  readonly ratio: { readonly value: number; readonly interval: { readonly low: number; readonly high: number } | null };
  readonly samples: readonly { readonly round: number; readonly time_s: number; readonly flag: string | null }[];
}

const ROW = 2.7;
/** Rounds are laid out down the strip, so that a drift is seen. */
const SPREAD = 1.7;

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

export function stripsFigure({ own, noise_floor, ...given }: Strips, { width, label }: FigureSize): Figure {
  const strips = given.strips.map((strip) => {
    const over = own ? given.reference_s * strip.ratio.value : given.reference_s;
    return { ...strip, over, ratio: own ? one : strip.ratio };
  });
  const left = Math.min(width * 0.38, Math.max(0, ...strips.map(({ name }) => textWidth(name, label))) + 2 * label);
  const box = { left, top: label * 1.9, width: width - left - 1.5 * label, height: strips.length * ROW * label };
  const height = Math.round(box.top + box.height + horizontalRoom(label) + label / 2);
  const ratios = strips.flatMap(({ samples, over }) => samples.map(({ time_s }) => time_s / over));
  const band = noise_floor ?? 0.01;
  const reach = Math.max(2 * band, ...ratios.map((ratio) => Math.abs(ratio - 1))) * 1.1;
  const [low, high] = own ? [1 - reach, 1 + reach] : logLimits([...ratios, 1], 1.08);
  const axis = {
    title: own ? 'Time over the row’s own median' : 'Time over the median of the reference',
    unit: '',
    kind: own ? 'linear' : 'log',
    from: low,
    to: high,
    ...(own ? {} : { format: (value: number) => `${shortNumber(value)}×` }),
  } as const;
  const { x, shapes: axes } = horizontalAxis(axis, box, label);
  const shapes: Shape[] = [...axes];
  if (noise_floor !== null) {
    const [from, to] = [x.toPixel(1 - noise_floor), x.toPixel(1 + noise_floor)];
    const tip = `Noise floor ±${significant(100 * noise_floor, 2)} %: the reference against itself`;
    const strip = { x: from, y: box.top, width: Math.max(1, to - from), height: box.height };
    shapes.push({ kind: 'rect', ...strip, ink: 'accent', opacity: 0.18, tip });
    const text = `noise floor ±${significant(100 * noise_floor, 2)} %`;
    const middle = Math.min(
      Math.max((from + to) / 2, left + textWidth(text, label) / 2),
      width - textWidth(text, label) / 2,
    );
    shapes.push({ kind: 'text', at: [middle, label * 1.2], text, ink: 'accent', size: label, anchor: 'middle' });
  }
  const unity = x.toPixel(1);
  shapes.push({ kind: 'line', from: [unity, box.top], to: [unity, box.top + box.height], ink: 'text-muted' });
  strips.forEach(({ name, ink, ratio, samples, over }, row) => {
    const middle = box.top + (row + 0.5) * ROW * label;
    shapes.push({
      kind: 'text',
      at: [left - label * 0.7, middle + label * 0.35],
      text: fitted(name, left - label, label),
      ink: 'text',
      size: label,
      anchor: 'end',
    });
    const last = Math.max(1, ...samples.map(({ round }) => round));
    for (const { round, time_s, flag } of samples) {
      const at = [x.toPixel(time_s / over), middle + (round / last - 0.5) * SPREAD * label] as const;
      const tip = `${name}, round ${round + 1}: ${measuredTime(time_s)}${flag === null ? '' : `, flagged: ${flag}`}`;
      const form = flag === null ? 'round' : 'ring';
      shapes.push({
        kind: 'dot',
        at,
        radius: label * 0.24,
        ink: flag === null ? ink : 'warning',
        form,
        opacity: 0.65,
        tip,
      });
    }
    const [from, to] = [ratio.interval?.low ?? ratio.value, ratio.interval?.high ?? ratio.value];
    shapes.push({
      kind: 'line',
      from: [x.toPixel(from), middle],
      to: [x.toPixel(to), middle],
      ink: 'text',
      width: 2.5,
    });
    const middlePixel = x.toPixel(ratio.value);
    const tall = label * 0.7;
    shapes.push({
      kind: 'line',
      from: [middlePixel, middle - tall],
      to: [middlePixel, middle + tall],
      ink: 'text',
      width: 1.5,
    });
  });
  return {
    width,
    height,
    title: own ? 'Samples over each row’s own median' : 'Samples over the median of the reference',
    shapes,
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
