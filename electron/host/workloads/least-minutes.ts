/** A run that nobody would wait for is refused before anything of it is built. */
import { BraggError } from '../../contract/errors.ts';

/** A day. What takes longer is a slip in a scenario more often than a wish. */
const USUAL_MINUTES = 24 * 60;
const VARIABLE = 'BRAGGBENCH_MOST_MINUTES';

/** What no machine of today exceeds in a second: a prediction by it is the least that a run can take. */
export const fastest = {
  /** A thread with 512-bit vectors; a GPU. */
  cellSteps: { thread: 5e9, device: 2e12 },
  latticeTerms: { thread: 2e9, device: 2e13 },
  flops: { thread: 4e11, device: 2e15 },
} as const;

export interface Work {
  readonly variant: string;
  /** How much there is to do, in the unit of the rate. */
  readonly amount: number;
  /** What it is: `steps of a cell`. */
  readonly of: string;
  readonly rate: { readonly thread: number; readonly device: number };
  /** Null on a GPU. */
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

/** Throws BraggError `invalid` in the engine's form, with the least time, what is allowed, and how more is. */
export function refuseTooLong(work: Work, environment: NodeJS.ProcessEnv = process.env): void {
  const { variant, amount, of, threads } = work;
  const minutes = leastSeconds(work) / 60;
  const most = mostMinutes(environment);
  if (minutes <= most) return;
  const where = threads === null ? 'on the fastest GPU' : `on ${threads} threads at their best`;
  throw new BraggError(
    'invalid',
    `solver.variant = ${variant}: takes at least ${Number(minutes.toPrecision(2))} minutes ` +
      `(${amount.toExponential(1)} ${of} ${where}); allowed: ${most}, or as many as ${VARIABLE} says`,
  );
}
