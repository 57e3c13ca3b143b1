/**
 * Texts about claims, shared by all tables of claims. Also compares verdicts between GPUs, for statements about one
 * problem that were measured on several machines.
 */
import type { ClaimAnswer, ClaimFinding, ClaimTableRow, TableClaim } from '../contract/bench/claim-table.ts';
import { type ClaimResult, claimedRangeText } from '../contract/bench/claims.ts';
import { NO_VALUE } from './numbers.ts';

/** Claimed range as text; a dash for a claim that no pair of variants isolates. */
export function claimedText(said: Pick<ClaimResult, 'from' | 'to' | 'tolerance' | 'reason'>, unit = '×'): string {
  return said.to === null && unit === '×' && said.reason !== null ? NO_VALUE : claimedRangeText(said, unit);
}

/** Text of the claim, followed by its priority if the source gives one. */
export const claimTitle = ({ claim, priority }: Pick<ClaimResult, 'claim' | 'priority'>): string =>
  priority === undefined ? claim : `Priority ${priority}: ${claim}`;

/** Moves claims that have a priority to the front, ordered by it; other claims stay in order. */
export function sortByPriority<C extends Pick<ClaimResult, 'priority'>>(claims: readonly C[]): readonly C[] {
  const last = Number.POSITIVE_INFINITY;
  return claims.toSorted((a, b) => {
    const [one, other] = [a.priority ?? last, b.priority ?? last];
    return one === other ? 0 : one - other;
  });
}

type Pair = ClaimResult['pairs'][number];

/**
 * Verdict as text. Adds the reason if an answer is wrong or unchecked, or if the claim requires another program or GPU.
 */
export function claimVerdictText(
  { verdict, wrong = [], unchecked = [] }: Pick<Pair, 'verdict' | 'wrong' | 'unchecked'>,
  { needs }: Pick<ClaimResult, 'needs'> = {},
): string {
  if (wrong.length > 0) return `${verdict}, with a wrong result`;
  if (unchecked.length > 0) return `${verdict}, result not checked`;
  return verdict === 'not judged' && needs !== undefined ? `not judged here: needs ${needs}` : verdict;
}

/** Pair of variants as `cuda-gather → cuda-fused`. Variants with a wrong answer are marked. */
export function pairText({ slower, faster, wrong = [] }: Pick<Pair, 'slower' | 'faster' | 'wrong'>): string {
  // A side is the variant, optionally followed by its mode and clock.
  const isWrong = (side: string): boolean => wrong.some((one) => side === one || side.startsWith(`${one}, `));
  return [slower, faster].map((side) => (isWrong(side) ? `${side} (wrong)` : side)).join(' → ');
}

/** Id of a claim for display: benchmark (or workload) and the claim's own id, such as `launch/launch-cost`. */
export const claimId = ({ workload, bench, id }: Pick<TableClaim, 'workload' | 'bench' | 'id'>): string =>
  `${bench === '' ? workload : bench}/${id}`;

export const ANSWER_TEXTS: Readonly<Record<ClaimAnswer['word'], string>> = {
  true: 'true',
  'true-when': 'true when',
  'not-true': 'not true',
  'cannot-judge': 'cannot be judged here',
  'not-measured': 'not measured yet',
};

/**
 * Short answer such as `not true: 2.9×, not 3–12×`. It omits conditions and tolerances, which the full sentence
 * contains.
 */
export function briefAnswer({
  answer: { word, number, sentence },
  ...claim
}: Pick<TableClaim, 'answer' | 'from' | 'to' | 'tolerance' | 'reason' | 'unit'>): string {
  if (word === 'not-true') {
    const claimed = claimedText(claim, claim.unit).replace(/ ± .*$/, '');
    const unit = / \S+$/.exec(claimed)?.[0] ?? '';
    return `not true: ${unit !== '' && number.endsWith(unit) ? number.slice(0, -unit.length) : number}, not ${claimed}`;
  }
  if (word === 'true-when') return sentence.replace(/; [^;]* overall$/, '');
  return word === 'cannot-judge' ? ANSWER_TEXTS[word] : sentence;
}

const isUndecidedClaim = ({ answer }: Pick<TableClaim, 'answer'>): boolean =>
  answer.word === 'cannot-judge' || answer.word === 'not-measured';

/** Counts answers by kind: `24 true, 32 true when, 76 not true, 12 open of 144 claims`. */
export function answerCounts(claims: readonly Pick<TableClaim, 'answer'>[]): string {
  const of = (word: ClaimAnswer['word']): number => claims.filter(({ answer }) => answer.word === word).length;
  const open = claims.filter(isUndecidedClaim).length;
  return `${of('true')} true, ${of('true-when')} true when, ${of('not-true')} not true, ${open} open of ${claims.length} claims`;
}

/** Findings of several machines about the same statement of a claim, for the same problem. */
interface FindingsByMachine {
  readonly claim: string;
  readonly by: string;
  readonly scenario: string;
  /** Finding of the last session of each machine, sorted by machine name. */
  readonly found: readonly ClaimFinding[];
  readonly holds: string;
}

const decidedVerdicts = new Set(['as claimed', 'less', 'more']);

function agreementText(found: readonly ClaimFinding[]): string {
  if (found.every(({ verdict }) => verdict === 'not judged')) return 'not judged';
  if (!found.every(({ verdict }) => decidedVerdicts.has(verdict))) return 'not decided on every machine';
  return new Set(found.map(({ verdict }) => verdict)).size === 1 ? 'same verdict' : 'different verdicts';
}

const compareByMachine = (a: ClaimFinding, b: ClaimFinding): number => (a.machine < b.machine ? -1 : 1);

function findingsByMachine({ claim, findings }: TableClaim): readonly FindingsByMachine[] {
  const measured = findings.filter(({ value, counted }) => value !== null && counted === undefined);
  const statements = Map.groupBy(measured, ({ by, scenario, at }) => JSON.stringify([by, scenario, at]));
  return [...statements.values()].flatMap((all) => {
    const last = new Map(all.map((one) => [one.machine, one]));
    const found = [...last.values()].sort(compareByMachine);
    const [first] = found;
    if (first === undefined || found.length < 2) return [];
    return [{ claim, by: first.by, scenario: first.scenario, found, holds: agreementText(found) }];
  });
}

/** Findings for statements that at least two machines measured. */
export const findingsOnSeveralMachines = (rows: readonly ClaimTableRow[]): readonly FindingsByMachine[] =>
  rows.flatMap(({ claims }) => claims.flatMap(findingsByMachine));

/**
 * Names of the machines that measured a claim, used as a filter: `NVIDIA H100, NVIDIA H200`. Empty if there are none.
 */
export const gpusText = ({ cards }: Pick<TableClaim, 'cards'>): string =>
  cards.map(({ machine }) => machine).join(', ');

/** Number of claims for each set of machines that measured them. Keys are texts of `gpusText`. */
export function gpuAnswerCounts(rows: readonly ClaimTableRow[]): ReadonlyMap<string, number> {
  const texts = rows.flatMap(({ claims }) => claims.map(gpusText)).filter((text) => text !== '');
  return new Map([...Map.groupBy(texts, (text) => text)].map(([text, all]) => [text, all.length]));
}

/** Answer for each machine, or a note that only one machine was measured; null without sessions. */
export function answersByGpuText({ cards }: Pick<TableClaim, 'cards'>): string | null {
  const [first, ...others] = cards;
  if (first === undefined) return null;
  if (others.length === 0) return `Recorded on ${first.machine} only.`;
  return cards.map(({ machine, answer }) => `On ${machine}: ${answer.sentence}.`).join(' ');
}
