/** Times and ratios of times as the page writes them. */
import {
  isHighestFloor,
  type Judged,
  type Noise,
  type Ratio,
  straysFromItself,
} from '../../electron/contract/bench/bench-session.ts';
import { aboveCeilingMark } from '../../electron/contract/bench/session.ts';
import { readableUnit } from '../../electron/contract/units.ts';
import { compact, NO_VALUE, percent, significant } from './numbers.ts';

/** Seconds in the unit that keeps them between 1 and 1000. */
export function measuredTime(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NO_VALUE;
  if (seconds === 0) return '0 s';
  if (seconds < 0) return `−${measuredTime(-seconds)}`;
  const { unit, factor } = readableUnit('s', [seconds]);
  if (seconds < 120) return `${significant(factor * seconds, 3)} ${unit}`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

/** Median absolute deviation over the median of `samples` times; one sample has none. */
export function spreadText(spread: number | null, samples: number): string {
  return samples < 2 ? NO_VALUE : percent(spread);
}

/** `3.42 ms ± 0.14 %`; one sample says nothing of its spread. */
export function timeAndSpread(seconds: number, spread: number, samples: number): string {
  const time = measuredTime(seconds);
  return samples < 2 ? `${time}, once` : `${time} ± ${spreadText(spread, samples)}`;
}

/** As measuredTime, without zeros that only fill up: `5 ms`, for ticks. */
export function tickTime(seconds: number): string {
  return measuredTime(seconds)
    .replace(/(\.\d*?)0+(?= )/, '$1')
    .replace(/\.(?= )/, '');
}

/** Speed-up from a ratio of times. */
export function gainOf({ value, interval }: Ratio): Ratio {
  return { value: 1 / value, interval: interval && { low: 1 / interval.high, high: 1 / interval.low } };
}

/** Small ratios are printed with their zeros: a power of ten next to the times sign reads as two factors. */
function factor(value: number): string {
  return value >= 1e-6 && value < 1e-3 ? value.toPrecision(3) : significant(value, 3);
}

/** Source of a session's intervals; older sessions do not record instances. */
export function intervalsText(judged: Judged | undefined): string {
  if (judged === undefined) return '95 % bootstrap intervals over the rounds';
  const { instances, margin } = judged;
  return `95 % intervals from what varies between ${instances} separately prepared instances, all rows at once; the same means within ${percent(margin)}`;
}

/** `3.42× (3.38–3.47)`. */
export function timesText({ value, interval }: Ratio): string {
  const times = `${factor(value)}×`;
  return interval === null ? times : `${times} (${factor(interval.low)}–${factor(interval.high)})`;
}

/** The measured noise of a session: the reference against itself, and the floor of its verdicts. */
export function noiseText(noise: Noise): string {
  const { ratio, floor } = noise;
  const below = floor === null ? null : `differences below ${percent(floor)} count as noise`;
  if (ratio === null) return below ?? 'unknown: too few rounds';
  const measured = `A/A ${timesText(ratio)}`;
  if (below === null) return `${measured}: too few rounds for verdicts`;
  if (!straysFromItself(noise)) return `${measured}; ${below}`;
  return `${measured}: too noisy for small differences; ${below}${isHighestFloor(floor) ? ', which is the highest floor' : ''}`;
}

/** The same in a chart. */
export const noiseLabel = ({ ratio, floor }: Noise): string =>
  ratio === null ? `noise floor ±${percent(floor)}` : `A/A ${timesText(ratio)}`;

/** The start of the first sentence of a session whose reference differs from itself; empty for the others. */
export function noisyText(noise: Noise): string {
  if (!straysFromItself(noise)) return '';
  const measured = noise.ratio === null ? '' : `: the reference against itself (A/A) gave ${timesText(noise.ratio)}`;
  return `This machine was noisy${measured}, so repeat this on an idle one. `;
}

/** `3.02 TB/s (71.4 %)`: a rate and its share of the measured ceiling. More than 100 % comes with its possible causes. */
export function rateText(
  value: number | null | undefined,
  share: number | null | undefined,
  of: 'copy' | 'flops',
): string {
  if (value === null || value === undefined) return NO_VALUE;
  const unit = of === 'copy' ? 'B/s' : 'FLOP/s';
  return `${compact(value)}${unit}${share == null ? '' : ` (${percent(share)}${aboveCeilingMark(share, of)})`}`;
}
