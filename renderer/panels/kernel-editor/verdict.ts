/** What a session says of one of its variants, as the three checks. No React. */
import { holds, ledgerLimit, type OwnVerdict } from '../../../electron/contract/own.ts';
import type { Session } from '../../../electron/contract/session.ts';

export type Outcome =
  | { readonly kind: 'checked'; readonly verdict: OwnVerdict; readonly speed: string }
  | { readonly kind: 'refused'; readonly reason: string };

export function outcomeOf(session: Session, id: string): Outcome {
  const [report] = session.reports;
  const entry = report?.entries.find(({ variant }) => variant === id);
  if (report === undefined || entry === undefined)
    return { kind: 'refused', reason: 'It was stopped before it had run.' };
  if (entry.status === 'refused') return { kind: 'refused', reason: entry.reason };
  const { accuracy, determinism, precision, ratio } = entry;
  const measure = (id: string) => accuracy.find((one) => one.id === id);
  const checks = {
    rel_l2: measure('parity')?.value ?? null,
    rel_l2_limit: measure('parity')?.bound ?? 0,
    ledger_error: measure('ledger')?.value ?? 0,
    ledger_limit: precision === 'fp64' ? ledgerLimit.fp64 : ledgerLimit.fp32,
    bitwise: determinism?.bitwise ?? false,
    spread: determinism?.spread ?? 0,
    repeats: determinism?.runs ?? 0,
  };
  const times = 1 / ratio.value;
  const against = report.reference ?? '';
  const speed = `${times.toPrecision(3)}× the speed of ${against}${entry.verdict === 'undecided' ? ', within the noise' : ''}`;
  return { kind: 'checked', verdict: { ...checks, right: holds(checks) }, speed };
}
