/** Which variant to use, from a comparison: what a user waits for is the whole run, and not its steps. */
import type { Whole } from '../../electron/contract/bench/bench-session.ts';
import { gainOf, measuredTime, timesText } from './measured.ts';
import { percent } from './numbers.ts';

/** What is known of a variant; seconds. */
export interface Advised {
  readonly name: string;
  /** From the problem to its answer in memory. */
  readonly wall_s: number;
  readonly setup_s: number;
  /** Time of the steps alone. */
  readonly time_s: number;
  readonly right: boolean;
  /** How right it is, in words; empty where nothing was compared. */
  readonly error: string;
  readonly isReference: boolean;
  /** Beside the reference's whole run. */
  readonly whole: Whole | null;
}

/** Runs that share one set-up, from which on `other` takes less than `best` in all; null where it never does. */
export function paysFrom(best: Advised, other: Advised): number | null {
  const saved = best.time_s - other.time_s;
  if (!(saved > 0)) return null;
  return Math.max(2, Math.ceil((other.setup_s - best.setup_s) / saved));
}

function againstReference({ whole, isReference }: Advised, reference: string | null): string {
  if (isReference || whole === null || reference === null) return '';
  const { ratio, verdict } = whole;
  if (verdict === 'undecided') return `; beside ${reference} the whole run is undecided`;
  if (verdict === 'same') return `; its whole run takes as long as that of ${reference}`;
  return `; ${timesText(gainOf(ratio))} as fast as ${reference} in the whole run`;
}

/** Below this the steps of one take so little less that no number of runs is worth a sentence. */
const worthSaying = 0.95;

/** One sentence, or two; null where no right variant has a whole run. `where`: on which machine, for which problem. */
export function advice(all: readonly Advised[], where = 'here'): string | null {
  const right = all.filter((one) => one.right);
  const [first, ...rest] = right;
  if (first === undefined || all.length < 2) return null;
  const best = rest.reduce((least, one) => (one.wall_s < least.wall_s ? one : least), first);
  const reference = all.find(({ isReference }) => isReference)?.name ?? null;
  const error = best.error === '' ? '' : `, ${best.error}`;
  const steps = `steps are ${percent(best.time_s / best.wall_s)} of it`;
  const use = `Use ${best.name} ${where}: a whole run takes ${measuredTime(best.wall_s)} (${steps})${error}${againstReference(best, reference)}.`;
  const quicker = right
    .filter((one) => one !== best && one.time_s < worthSaying * best.time_s)
    .sort((a, b) => a.time_s - b.time_s)[0];
  const from = quicker === undefined ? null : paysFrom(best, quicker);
  return from === null ? use : `${use} ${quicker?.name} takes less from ${from} runs of one set-up on.`;
}
