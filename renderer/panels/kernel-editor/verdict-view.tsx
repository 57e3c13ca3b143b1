/** Parity, conservation and determinism of the variant that was run, in green or red. */
import type { ReactElement } from 'react';
import { Icon } from '../../widgets/icon.tsx';
import type { Outcome } from './verdict.ts';

function Check({
  name,
  ok,
  text,
}: {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}): ReactElement {
  return (
    <li className="own-check" data-ok={ok}>
      <Icon name={ok ? 'done' : 'error'} size={14} />
      <span className="own-check__name">{name}</span>
      <span>{ok ? '' : 'wrong: '}</span>
      <span>{text}</span>
    </li>
  );
}

const e = (value: number): string => value.toExponential(1);

export function VerdictView({ id, outcome }: { readonly id: string; readonly outcome: Outcome }): ReactElement {
  if (outcome.kind === 'refused') {
    return (
      <div className="own-verdict" data-right="false" role="status" data-testid="own-verdict">
        <h2>{id} did not get through</h2>
        <p>{outcome.reason}</p>
      </div>
    );
  }
  const { verdict, speed } = outcome;
  const { rel_l2, rel_l2_limit, ledger_error, ledger_limit, spread, bitwise, repeats, right } = verdict;
  return (
    <div className="own-verdict" data-right={right} role="status" data-testid="own-verdict">
      <h2>{right ? `${id} is right on this scenario: ${speed}` : `${id} is wrong on this scenario`}</h2>
      <ul>
        <Check
          name="Parity"
          ok={rel_l2 !== null && rel_l2 <= rel_l2_limit}
          text={
            rel_l2 === null
              ? 'no FP64 reference fits'
              : `relative L2 ${e(rel_l2)} against FP64, ${e(rel_l2_limit)} allowed`
          }
        />
        <Check
          name="Conservation"
          ok={ledger_error <= ledger_limit}
          text={`ledger ${e(ledger_error)}, ${e(ledger_limit)} allowed`}
        />
        <Check
          name="Determinism"
          ok={spread <= rel_l2_limit}
          text={`${repeats} runs ${bitwise ? 'gave the same bits' : `differ by ${e(spread)} of the largest dose`}`}
        />
      </ul>
    </div>
  );
}
