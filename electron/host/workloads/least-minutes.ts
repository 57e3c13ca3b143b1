/** A run that nobody would wait for is refused before anything of it is built. */
import { BraggError } from '../../contract/errors.ts';

/** A day. What takes longer is a slip in a scenario more often than a wish. */
const USUAL_MINUTES = 24 * 60;
const VARIABLE = 'BRAGGBENCH_MOST_MINUTES';

/** Rates per second that no current machine exceeds: they give a lower bound on the time of a run. */
export const fastest = {
  /** A thread with 512-bit vectors; a GPU. */
  cellSteps: { thread: 5e9, device: 2e12 },
  latticeTerms: { thread: 2e9, device: 2e13 },
  flops: { thread: 4e11, device: 2e15 },
} as const;

export interface Work {
  readonly variant: string;
  /** Amount of work, in the unit of the rate. */
  readonly amount: number;
  /** Unit of `amount`: `steps of a cell`. */
  readonly of: string;
  readonly rate: { readonly thread: number; readonly device: number };
  /** Null if it runs on a GPU. */
  readonly threads: number | null;
}

function mostMinutes(environment: NodeJS.ProcessEnv): number {
  const told = Number(environment[VARIABLE]);
  return told > 0 ? told : USUAL_MINUTES;
}

/** Seconds that no machine of today stays below. */
export function leastSeconds({ amount, rate, threads }: Pick<Work, 'amount' | 'rate' | 'threads'>): number {
  return amount / (threads === null ? rate.device : rate.thread * threads);
}

function refusal(what: string, seconds: number, why: string, environment: NodeJS.ProcessEnv): BraggError | null {
  const minutes = seconds / 60;
  const most = mostMinutes(environment);
  if (minutes <= most) return null;
  return new BraggError(
    'invalid',
    `${what} at least ${Number(minutes.toPrecision(2))} minutes (${why}); allowed: ${most}, or as many as ${VARIABLE} says`,
  );
}

/** Throws BraggError `invalid` in the engine's form, with the least time, what is allowed, and how more is. */
export function refuseTooLong(work: Work, environment: NodeJS.ProcessEnv = process.env): void {
  const { variant, amount, of, threads } = work;
  const where = threads === null ? 'on the fastest GPU' : `on ${threads} threads at their best`;
  const why = `${amount.toExponential(1)} ${of} ${where}`;
  const refused = refusal(`solver.variant = ${variant}: takes`, leastSeconds(work), why, environment);
  if (refused !== null) throw refused;
}

/** Parts of many that are looked at for their time: laying one out takes milliseconds. */
const MOST_LOOKED_AT = 16;

/** Evenly through all, the first and the last among them. */
function evenly<T>(all: readonly T[]): readonly T[] {
  if (all.length <= MOST_LOOKED_AT) return all;
  const step = (all.length - 1) / (MOST_LOOKED_AT - 1);
  return Array.from({ length: MOST_LOOKED_AT }, (_, i) => all[Math.round(i * step)] as T);
}

/**
 * Refuses many runs together before any of them begins. `least_s`: what one takes at least, 0 where that is not known;
 * of very many some are looked at, evenly. `sideBySide`: how many go on at the same time. Throws as `refuseTooLong`.
 */
export async function refuseLongSum<T>(
  what: string,
  parts: readonly T[],
  least_s: (part: T) => Promise<number>,
  { sideBySide = 1, environment = process.env }: { sideBySide?: number; environment?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const some = evenly(parts);
  let sum_s = 0;
  for (const part of some) sum_s += await least_s(part);
  const all_s = (sum_s * parts.length) / Math.max(1, some.length) / sideBySide;
  const refused = refusal(`${what} takes`, all_s, `${parts.length} together on the fastest machine`, environment);
  if (refused !== null) throw refused;
}
