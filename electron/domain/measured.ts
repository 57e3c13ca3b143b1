/**
 * Texts for measured times and their ratios, shared by the page and the command line. Also texts about why a benchmark
 * ended, and about a variant's history.
 */
import {
  type Criteria,
  type endReasonSchema,
  isClampedNoiseFloor,
  isTooNoisy,
  type NoiseEstimate,
  type Ratio,
} from '../contract/bench/bench-session.ts';
import { type HistoryPoint, type HistorySeries, MIN_EARLIER_SESSIONS, type Trend } from '../contract/bench/history.ts';
import { aboveCeilingMark } from '../contract/bench/session.ts';
import { compactCount, NO_VALUE, percent, significant } from './numbers.ts';
import { readableUnit } from './values/units.ts';

/** Formats a time with the unit in which its number is between 1 and 1000. */
export function measuredTime(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NO_VALUE;
  if (seconds === 0) return '0 s';
  if (seconds < 0) return `−${measuredTime(-seconds)}`;
  const { unit, factor } = readableUnit('s', [seconds]);
  if (seconds < 120) return `${significant(factor * seconds, 3)} ${unit}`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

/**
 * Formats a spread, which is the median absolute deviation of `samples` times relative to their median. A dash for one
 * sample.
 */
export function spreadText(spread: number | null, samples: number): string {
  return samples < 2 ? NO_VALUE : percent(spread);
}

/** Formats a time with its spread: `3.42 ms ± 0.14 %`. One sample has no spread. */
export function timeAndSpread(seconds: number, spread: number, samples: number): string {
  const time = measuredTime(seconds);
  return samples < 2 ? `${time}, once` : `${time} ± ${spreadText(spread, samples)}`;
}

/** Formats a time without trailing zeros, for axis ticks: `5 ms`. */
export function formatTickTime(seconds: number): string {
  return measuredTime(seconds)
    .replace(/(\.\d*?)0+(?= )/, '$1')
    .replace(/\.(?= )/, '');
}

/** Converts a ratio of times to a speedup, its reciprocal. */
export function speedupOf({ value, interval }: Ratio): Ratio {
  return { value: 1 / value, interval: interval && { low: 1 / interval.high, high: 1 / interval.low } };
}

/** Formats a factor. Small ones have leading zeros, because `10⁻³×` would look like two factors. */
function formatFactor(value: number): string {
  return value >= 1e-6 && value < 1e-3 ? value.toPrecision(3) : significant(value, 3);
}

/** States which method gave the intervals of a session. Older sessions have no instances. */
export function intervalsText(judged: Criteria | undefined): string {
  if (judged === undefined) return '95 % bootstrap intervals over the rounds';
  const { instances, margin } = judged;
  return `95 % intervals from the variation between ${instances} separately prepared instances, simultaneous for all rows; "same" means within ${percent(margin)}`;
}

/** Formats a ratio with its interval: `3.42× (3.38–3.47)`. */
export function factorText({ value, interval }: Ratio): string {
  const times = `${formatFactor(value)}×`;
  return interval === null ? times : `${times} (${formatFactor(interval.low)}–${formatFactor(interval.high)})`;
}

/** States the noise of a session: ratio of the reference to its second copy, and noise floor. */
export function noiseText(noise: NoiseEstimate): string {
  const { ratio, floor } = noise;
  const below = floor === null ? null : `differences below ${percent(floor)} count as noise`;
  if (ratio === null) return below ?? 'unknown: too few rounds';
  const measured = `A/A ${factorText(ratio)}`;
  if (below === null) return `${measured}: too few rounds for verdicts`;
  if (!isTooNoisy(noise)) return `${measured}; ${below}`;
  return `${measured}: too noisy for small differences; ${below}${isClampedNoiseFloor(floor) ? ', the maximum noise floor' : ''}`;
}

/** Short form of `noiseText`, for charts. */
export const noiseLabel = ({ ratio, floor }: NoiseEstimate): string =>
  ratio === null ? `noise floor ±${percent(floor)}` : `A/A ${factorText(ratio)}`;

/** Warning before the advice if a session is too noisy; empty for other sessions. */
export function noiseWarning(noise: NoiseEstimate, isRecorded = false): string {
  if (!isTooNoisy(noise)) return '';
  const measured = noise.ratio === null ? '' : `: the reference against itself (A/A) gave ${factorText(noise.ratio)}`;
  if (isRecorded) return `The machine of this recording was noisy${measured}. `;
  return `This machine was noisy${measured}, so repeat the measurement on an idle one. `;
}

/**
 * Formats a rate with its ratio to the measured ceiling: `3.02 TB/s (71.4 %)`. Values above 100 % are marked with
 * possible causes.
 */
export function rateText(
  value: number | null | undefined,
  share: number | null | undefined,
  of: 'copy' | 'flops',
): string {
  if (value === null || value === undefined) return NO_VALUE;
  const unit = of === 'copy' ? 'B/s' : 'FLOP/s';
  return `${compactCount(value)}${unit}${share == null ? '' : ` (${percent(share)}${aboveCeilingMark(share, of)})`}`;
}

export const seriesTitle = ({ label, scenario, at, machine }: HistorySeries): string =>
  [label, scenario, ...(at === null ? [] : [at]), machine].join(' · ');

export function trendText(trend: Trend | null, sessions: number): string {
  if (trend === null)
    return `${sessions} sessions: at least ${MIN_EARLIER_SESSIONS + 1} are needed to judge how much sessions vary.`;
  const { spread, ratio, expected, verdict } = trend;
  const [low, high] = [expected.low, expected.high].map((value) => significant(value, 4));
  return `The last session takes ${significant(ratio, 4)}× the time of the earlier sessions: ${verdict}. The earlier sessions vary by ${percent(spread)} (standard deviation); 95 % of further sessions would take ${low} to ${high}×.`;
}

export function pointTexts({ created, commit, time_s, interval, right, flagged }: HistoryPoint, first_s: number) {
  const doubts = [...(right ? [] : ['wrong']), ...(flagged === null || flagged === 0 ? [] : [`${flagged} flagged`])];
  return {
    day: created.slice(0, 16).replace('T', ' '),
    commit: commit?.slice(0, 9) ?? NO_VALUE,
    time: measuredTime(time_s),
    interval: interval === null ? NO_VALUE : `${measuredTime(interval.low)}–${measuredTime(interval.high)}`,
    ratio: `${significant(time_s / first_s, 4)}×`,
    doubts: doubts.join(', '),
  };
}

const endReasonTexts: Readonly<Record<(typeof endReasonSchema.options)[number], string>> = {
  decided: 'every verdict is decided',
  precise: 'every ratio has the requested precision; for ratios far from 1, a tenth of their logarithm suffices',
  narrow: 'every ratio is known to 1 %',
  settled: 'the noise is known precisely enough',
  time: 'the time limit was reached',
  rounds: 'the maximum number of rounds was reached',
  instances: 'the number of instances was reached',
  cancelled: 'interrupted',
  refused: 'no variant could run',
};

interface EndedMeasurement {
  readonly rounds: number;
  readonly elapsed_s: number;
  readonly stopped: keyof typeof endReasonTexts;
  readonly noise: NoiseEstimate;
}

export function endedText({ rounds, elapsed_s, stopped, noise }: EndedMeasurement): string {
  const count = rounds === 1 ? '1 round' : `${rounds} interleaved rounds`;
  return `${count}, ${measuredTime(elapsed_s)} in total, ${stopped === 'cancelled' ? '' : 'ended because '}${endReasonTexts[stopped]}. Noise, the first variant compared with itself: ${noiseText(noise)}.`;
}
