/** The checks of the variant that was run, in green or red. */
import type { ReactElement } from 'react';
import { checkText } from '../../../electron/contract/user-kernels/verdict.ts';
import { Icon } from '../../widgets/words/icon.tsx';
import type { Outcome } from './verdict.ts';

export function VerdictView({ id, outcome }: { readonly id: string; readonly outcome: Outcome }): ReactElement {
  if (outcome.kind === 'refused') {
    return (
      <div className="user-kernel-verdict" data-right="false" role="status" data-testid="user-kernel-verdict">
        <h2>{id} did not get through</h2>
        <p>{outcome.reason}</p>
      </div>
    );
  }
  const { verdict, speed } = outcome;
  const { checks, right } = verdict;
  return (
    <div className="user-kernel-verdict" data-right={right} role="status" data-testid="user-kernel-verdict">
      <h2>{right ? `${id} is correct on this scenario: ${speed}` : `${id} is wrong on this scenario`}</h2>
      <ul>
        {checks.map((check) => (
          <li key={check.id} className="user-kernel-check" data-ok={check.holds}>
            <Icon name={check.holds ? 'done' : 'error'} size={14} />
            <span className="own-check__name">{check.title}</span>
            <span>{check.holds ? '' : 'wrong: '}</span>
            <span>{checkText(check)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
