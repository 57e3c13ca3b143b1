/** Which variant to use, from a comparison: what a user waits for is the whole run, and not its steps. */
import type { Whole } from '../../electron/contract/bench/bench-session.ts';
import type { Accuracy } from '../../electron/contract/bench/session.ts';
import { gainOf, measuredTime, timesText } from './measured.ts';
import { errorSize, percent, significant } from './numbers.ts';

/** What is known of a variant; seconds. */
export interface Advised {
  readonly name: string;
  /** What it runs on: a machine with a GPU has a processor too. */
  readonly device: string;
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

type Costs = Pick<Advised, 'wall_s' | 'setup_s' | 'time_s'>;

/** What each of several runs of one set-up takes: its steps, and to read its answer back. */
const eachRun = ({ wall_s, setup_s, time_s }: Costs): number => Math.max(time_s, wall_s - setup_s);

/** Runs that share one set-up, from which on `other` takes less than `best` in all; null where it never does. */
export function paysFrom(best: Costs, other: Costs): number | null {
  const saved = eachRun(best) - eachRun(other);
  if (!(saved > 0)) return null;
  return Math.max(2, Math.ceil((other.setup_s - best.setup_s) / saved));
}

/** The right one whose whole run takes least; null where none is right. */
export function leastWhole<A extends Pick<Advised, 'wall_s' | 'right'>>(all: readonly A[]): A | null {
  const right = all.filter((one) => one.right);
  return right.reduce<A | null>((least, one) => (least === null || one.wall_s < least.wall_s ? one : least), null);
}

/** How it stands in the whole run beside the reference. */
function standing(best: Advised, reference: Advised | undefined): string {
  if (best.isReference) return 'none of the others takes less in the whole run';
  if (reference === undefined) return 'none of the others takes less in the whole run';
  const { whole } = best;
  if (whole === null) {
    return `${significant(reference.wall_s / best.wall_s, 3)}× as fast as ${reference.name} in the whole run, by medians alone`;
  }
  if (whole.verdict === 'undecided') return `it takes least, but beside ${reference.name} the whole run is undecided`;
  if (whole.verdict === 'same') return `its whole run takes as long as that of ${reference.name}`;
  return `${timesText(gainOf(whole.ratio))} as fast as ${reference.name} in the whole run`;
}

/** Above this a run of one takes so little less that no number of runs is worth a sentence. */
const worthSaying = 0.95;

/** One sentence; null where no right variant has a whole run. */
export function advice(all: readonly Advised[], scenario: string): string | null {
  const best = leastWhole(all);
  if (best === null || all.length < 2) return null;
  const reference = all.find(({ isReference }) => isReference);
  const error = best.error === '' ? '' : `, ${best.error}`;
  const time = `${measuredTime(best.wall_s)}, of which steps are ${percent(best.time_s / best.wall_s)}`;
  const where = `on ${best.device} for ${scenario}`;
  const lead = best.whole?.verdict === 'undecided' ? `Perhaps ${best.name} ${where}` : `Use ${best.name} ${where}`;
  const use = `${lead}: ${standing(best, reference)} (${time})${error}`;
  const quicker = all
    .filter((one) => one.right && one !== best && eachRun(one) < worthSaying * eachRun(best))
    .sort((a, b) => eachRun(a) - eachRun(b))[0];
  const from = quicker === undefined ? null : paysFrom(best, quicker);
  return from === null ? `${use}.` : `${use}; ${quicker?.name} is faster from ${from} runs of one set-up on.`;
}

/** How right an answer is, in the sentence: its first measure, and whether the ledger closes. */
export function rightnessText(accuracy: readonly Accuracy[]): string {
  const [measure] = accuracy.filter(({ id, value }) => id !== 'ledger' && value !== null);
  const closed = accuracy.some(({ id, holds }) => id === 'ledger' && holds);
  const parts = measure === undefined ? [] : [`${measure.title} ${errorSize(measure.value ?? 0)}${measure.unit}`];
  return [...parts, ...(closed ? ['ledger closed'] : [])].join(', ');
}
