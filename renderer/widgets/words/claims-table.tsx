/**
 * Published claims compared with measurements: for the pairs of variants that isolate them, and for numbers that
 * variants report.
 */
import type { ReactElement } from 'react';
import type { ClaimResult, TaskClaimResult } from '../../../electron/contract/bench/claims.ts';
import {
  claimedText,
  claimTitle,
  claimVerdictText,
  pairText,
  sortByPriority,
} from '../../../electron/domain/claim-texts.ts';
import { factorText } from '../../../electron/domain/measured.ts';
import { NO_VALUE, significant } from '../../../electron/domain/numbers.ts';
import './words.css';

const claimTones = {
  'as claimed': 'good',
  less: 'less',
  more: 'good',
  undecided: 'none',
  'not judged': 'none',
  'not measured': 'none',
} as const;

const columns: ReactElement = (
  <thead>
    <tr>
      <th scope="col">Claim</th>
      <th scope="col">Claimed</th>
      <th scope="col">Measured</th>
      <th scope="col">Verdict</th>
      <th scope="col">By</th>
      <th scope="col">Source</th>
    </tr>
  </thead>
);

/** Rows of a claim: claim and source once, next to all pairs that isolate it. */
function PairRows({ claim }: { readonly claim: ClaimResult }): ReactElement {
  const { id, reason, source, pairs } = claim;
  const range = claimedText(claim);
  if (reason !== null || pairs.length === 0) {
    return (
      <tr>
        <th scope="row">{claimTitle(claim)}</th>
        <td className="nowrap">{range}</td>
        <td>{NO_VALUE}</td>
        <td data-tone="none">not isolated</td>
        <td>{reason}</td>
        <td>{source}</td>
      </tr>
    );
  }
  return (
    <>
      {pairs.map((pair, i) => (
        <tr key={`${id} ${pair.slower} ${pair.faster}`}>
          {i > 0 ? null : (
            <>
              <th scope="rowgroup" rowSpan={pairs.length}>
                {claimTitle(claim)}
              </th>
              <td className="nowrap" rowSpan={pairs.length}>
                {range}
              </td>
            </>
          )}
          <td className="nowrap">{pair.gain === null ? NO_VALUE : factorText(pair.gain)}</td>
          <td data-tone={pair.wrong === undefined ? claimTones[pair.verdict] : 'wrong'}>
            {claimVerdictText(pair, claim)}
          </td>
          <td>
            {pairText(pair)}: {pair.what}
          </td>
          {i > 0 ? null : <td rowSpan={pairs.length}>{source}</td>}
        </tr>
      ))}
    </>
  );
}

function PairsTable({ claims }: { readonly claims: readonly ClaimResult[] }): ReactElement {
  return (
    <table className="table claims">
      {columns}
      {claims.map((claim) => (
        <tbody key={claim.id}>
          <PairRows claim={claim} />
        </tbody>
      ))}
    </table>
  );
}

function NumbersTable({ claims }: { readonly claims: readonly TaskClaimResult[] }): ReactElement {
  return (
    <table className="table claims">
      <caption className="visually-hidden">Claims about numbers</caption>
      {columns}
      <tbody>
        {claims.flatMap((claim) =>
          claim.values.map(({ variant, what, value, unit, verdict }) => (
            <tr key={`${claim.id} ${variant} ${what}`}>
              <th scope="row">{claimTitle(claim)}</th>
              <td className="nowrap">{claimedText(claim, unit)}</td>
              <td className="nowrap">{value === null ? NO_VALUE : `${significant(value, 3)} ${unit}`}</td>
              <td data-tone={claimTones[verdict]}>{claimVerdictText({ verdict }, claim)}</td>
              <td>
                {variant}: {what}
              </td>
              <td>{claim.source}</td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}

export function ClaimsTable({ claims }: { readonly claims: readonly TaskClaimResult[] }): ReactElement {
  const paired = sortByPriority(claims).filter(({ pairs, values }) => pairs.length > 0 || values.length === 0);
  const valued = claims.filter(({ values }) => values.length > 0);
  return (
    <>
      {paired.length === 0 ? null : <PairsTable claims={paired} />}
      {valued.length === 0 ? null : <NumbersTable claims={valued} />}
    </>
  );
}
