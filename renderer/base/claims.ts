/** Texts about claims, shared by all tables of claims. */
import type { ClaimAnswer, TableClaim } from '../../electron/contract/bench/claim-table.ts';
import { type ClaimResult, claimedBand } from '../../electron/contract/bench/claims.ts';
import { NO_VALUE } from './numbers.ts';

/** As claimed; a dash where nothing measurable was said. */
export function claimedText(said: Pick<ClaimResult, 'from' | 'to' | 'tolerance' | 'reason'>, unit = '×'): string {
  return said.to === null && unit === '×' && said.reason !== null ? NO_VALUE : claimedBand(said, unit);
}

/** The claim, after its place among the note's priorities where it has one. */
export const claimTitle = ({ claim, priority }: Pick<ClaimResult, 'claim' | 'priority'>): string =>
  priority === undefined ? claim : `Priority ${priority}: ${claim}`;

/** The note's priorities first, in their order; the others as they were. */
export function byPriority<C extends Pick<ClaimResult, 'priority'>>(claims: readonly C[]): readonly C[] {
  const last = Number.POSITIVE_INFINITY;
  return claims.toSorted((a, b) => {
    const [one, other] = [a.priority ?? last, b.priority ?? last];
    return one === other ? 0 : one - other;
  });
}

type Pair = ClaimResult['pairs'][number];

/** With the reason where an answer is wrong or was not checked, or where the claim needs another program or GPU. */
export function claimVerdictText(
  { verdict, wrong = [], unchecked = [] }: Pick<Pair, 'verdict' | 'wrong' | 'unchecked'>,
  { needs }: Pick<ClaimResult, 'needs'> = {},
): string {
  if (wrong.length > 0) return `${verdict}, by a wrong answer`;
  if (unchecked.length > 0) return `${verdict}, by an answer that was not checked`;
  return verdict === 'not judged' && needs !== undefined ? `not judged here: needs ${needs}` : verdict;
}

/** `cuda-gather → cuda-fused`; a side whose answer is wrong says so. */
export function pairText({ slower, faster, wrong = [] }: Pick<Pair, 'slower' | 'faster' | 'wrong'>): string {
  // A side may name its mode and its clock behind the variant.
  const isWrong = (side: string): boolean => wrong.some((one) => side === one || side.startsWith(`${one}, `));
  return [slower, faster].map((side) => (isWrong(side) ? `${side} (wrong)` : side)).join(' → ');
}

/** `launch/launch-cost`: the benchmark or workload, and the claim. */
export const claimId = ({ workload, bench, id }: Pick<TableClaim, 'workload' | 'bench' | 'id'>): string =>
  `${bench === '' ? workload : bench}/${id}`;

export const ANSWER_WORDS: Readonly<Record<ClaimAnswer['word'], string>> = {
  true: 'true',
  'true-when': 'true when',
  'not-true': 'not true',
  'cannot-judge': 'cannot be judged here',
  'not-measured': 'not measured yet',
};

const isOpen = ({ answer }: Pick<TableClaim, 'answer'>): boolean =>
  answer.word === 'cannot-judge' || answer.word === 'not-measured';

/** `9 true, 31 true when, 30 not true, 38 open of 108 claims`. */
export function answerCounts(claims: readonly Pick<TableClaim, 'answer'>[]): string {
  const of = (word: ClaimAnswer['word']): number => claims.filter(({ answer }) => answer.word === word).length;
  const open = claims.filter(isOpen).length;
  return `${of('true')} true, ${of('true-when')} true when, ${of('not-true')} not true, ${open} open of ${claims.length} claims`;
}
