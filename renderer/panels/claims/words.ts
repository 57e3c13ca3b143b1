/** What the list of claims says and shows of each. No React. */
import type { ClaimAnswer, ClaimTableRow, TableClaim } from '../../../electron/contract/bench/claim-table.ts';
import { cardsText } from '../../base/claim-cards.ts';
import { claimedText } from '../../base/claims.ts';
import { NO_VALUE } from '../../base/numbers.ts';

/** What is claimed; without a measurement nobody knows its unit, and the claim's own words have it. */
export function toldClaim(claim: TableClaim): string {
  const measured = claim.findings.some(({ value }) => value !== null);
  return claim.unit === '' && !measured ? NO_VALUE : claimedText(claim, claim.unit);
}

const TONES: Readonly<Record<ClaimAnswer['word'], 'good' | 'less' | 'none'>> = {
  true: 'good',
  'true-when': 'none',
  'not-true': 'less',
  'cannot-judge': 'none',
  'not-measured': 'none',
};

export const toneOf = ({ word }: Pick<ClaimAnswer, 'word'>): 'good' | 'less' | 'none' => TONES[word];

/** The colour of one measurement. */
export const findingTone = (verdict: string): 'good' | 'less' | 'none' =>
  verdict === 'as claimed' ? 'good' : verdict === 'less' || verdict === 'more' ? 'less' : 'none';

/** True if every searched word occurs in the claim, its row or its answer. */
export function matches(row: Pick<ClaimTableRow, 'title' | 'source'>, claim: TableClaim, sought: string): boolean {
  const text = [row.title, row.source, claim.claim, claim.answer.sentence, claim.about?.what ?? '', claim.remark ?? '']
    .join(' ')
    .toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Whether it is of the machines that were chosen, by `cardsText`; any without a choice. */
export const isOn = (claim: Pick<TableClaim, 'cards'>, chosen: string): boolean =>
  chosen === '' || cardsText(claim) === chosen;
