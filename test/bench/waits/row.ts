/** Rows of the table of what a user waits for. */
import { availableParallelism } from 'node:os';

export interface Row {
  readonly what: string;
  readonly wanted: string;
  /** Null if it could not be measured here. */
  readonly measured: string | null;
  readonly met: boolean | null;
  /** Lower bound (upper for rates), measured in the same call; null if there is none. */
  readonly bound: string | null;
  /** Measured over the bound, or the other way round for rates: never below one, but for noise. */
  readonly ratio: string | null;
  /** The hardware or program needed to measure it, if it cannot be measured here. */
  readonly needs?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export const milliseconds = (seconds: number): string => `${(seconds * 1e3).toPrecision(3)} ms`;
export const seconds = (value: number): string => `${value.toPrecision(3)} s`;
export const megabytes = (value: number): string => `${value.toFixed(0)} MB`;

/** Processor time per answer: five answers a second on two cores, or thirty next to a GPU, s. */
export const coresFor = (gpu: boolean): number => (gpu ? availableParallelism() / 30 : 2 / 5);

const ratioText = (ratio: number): string => `${ratio.toPrecision(3)}×`;

export interface Limit {
  readonly what: string;
  readonly limit: number;
  readonly text: (value: number) => string;
}

/** Smaller is better: times and memory. */
export function atMost({ what, limit, text }: Limit, value: number | null, bound: number | null = null): Row {
  return {
    ...{ what, wanted: `≤ ${text(limit)}`, measured: value === null ? null : text(value) },
    met: value === null ? null : value <= limit,
    bound: bound === null ? null : text(bound),
    ratio: value === null || bound === null ? null : ratioText(value / bound),
  };
}

/** Larger is better: rates. */
export function atLeast({ what, limit, text }: Limit, value: number | null, bound: number | null = null): Row {
  return {
    ...{ what, wanted: `≥ ${text(limit)}`, measured: value === null ? null : text(value) },
    met: value === null ? null : value >= limit,
    bound: bound === null ? null : text(bound),
    ratio: value === null || bound === null ? null : ratioText(bound / value),
  };
}
