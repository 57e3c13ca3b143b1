/** What the list of claims says and shows of each. No React. */
import type { ClaimTableRow, TableClaim } from '../../../electron/contract/bench/claim-table.ts';
import { cardsText } from '../../base/claim-cards.ts';
import { claimedText } from '../../base/claims.ts';
import { NO_VALUE, significant } from '../../base/numbers.ts';

/** The range of what was measured, in the unit of the first. */
export function rangeText({ findings }: Pick<TableClaim, 'findings'>): string {
  const found = findings.flatMap(({ value, unit }) => (value === null ? [] : [{ value, unit }]));
  const [first] = found;
  if (first === undefined) return NO_VALUE;
  const values = found.filter(({ unit }) => unit === first.unit).map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => significant(value, 3));
  const unit = first.unit === '×' ? '×' : ` ${first.unit}`;
  return low === high ? `${low}${unit}` : `${low}–${high}${unit}`;
}

/** What is claimed; without a measurement nobody knows its unit, and the claim's own words have it. */
export function toldClaim(claim: TableClaim): string {
  const measured = claim.findings.some(({ value }) => value !== null);
  return claim.unit === '' && !measured ? NO_VALUE : claimedText(claim, claim.unit);
}

/** By what is said first and alone: mixed verdicts have no colour. */
export function toneOf(verdict: string): 'good' | 'less' | 'none' {
  const says = ['as claimed', 'less', 'more'].filter((word) => new RegExp(`\\b${word}\\b`).test(verdict));
  if (says.length !== 1 || verdict.startsWith('not judged')) return 'none';
  return says[0] === 'as claimed' ? 'good' : 'less';
}

/** Every word that is sought stands in the claim, its row or its verdict. */
export function matches(row: Pick<ClaimTableRow, 'title' | 'source'>, claim: TableClaim, sought: string): boolean {
  const text = [row.title, row.source, claim.claim, claim.verdict, claim.about?.what ?? '', claim.remark ?? '']
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
