/** Published claims beside pairs of variants that isolate them, and beside numbers that variants state. */
import type { ReactElement } from 'react';
import type { TaskClaimResult } from '../../../electron/contract/claims.ts';
import { NO_VALUE, significant } from '../../base/numbers.ts';
import { ClaimsTable, claimTones } from '../../widgets/claims-table.tsx';

export function TaskClaims({ claims }: { readonly claims: readonly TaskClaimResult[] }): ReactElement {
  const paired = claims.filter(({ pairs, values }) => pairs.length > 0 || values.length === 0);
  const valued = claims.filter(({ values }) => values.length > 0);
  return (
    <>
      {paired.length === 0 ? null : <ClaimsTable claims={paired} />}
      {valued.length === 0 ? null : (
        <table className="claims">
          <caption className="visually-hidden">Claims about numbers</caption>
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
          <tbody>
            {valued.flatMap(({ id, claim, from, to, source, values }) =>
              values.map(({ variant, what, value, unit, verdict }) => (
                <tr key={`${id} ${variant} ${what}`}>
                  <th scope="row">{claim}</th>
                  <td>
                    {from === to ? from : `${from}–${to}`} {unit}
                  </td>
                  <td>{value === null ? NO_VALUE : `${significant(value, 3)} ${unit}`}</td>
                  <td data-tone={claimTones[verdict]}>{verdict}</td>
                  <td>
                    {variant}: {what}
                  </td>
                  <td>{source}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      )}
    </>
  );
}
