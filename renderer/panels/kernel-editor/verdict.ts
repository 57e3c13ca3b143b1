/** What a session says of one of its variants, as the three checks. No React. */
import type { BenchSession } from '../../../electron/contract/bench.ts';
import { holds, ledgerLimit, type OwnVerdict } from '../../../electron/contract/own.ts';

export type Outcome =
  | { readonly kind: 'checked'; readonly verdict: OwnVerdict; readonly speed: string }
  | { readonly kind: 'refused'; readonly reason: string };

export function outcomeOf(session: BenchSession, id: string): Outcome {
  const [report] = session.reports;
  const entry = report?.entries.find(({ variant }) => variant === id);
  if (report === undefined || entry === undefined)
    return { kind: 'refused', reason: 'It was stopped before it had run.' };
  if (entry.status === 'refused') return { kind: 'refused', reason: entry.reason };
  const { rel_l2, rel_l2_limit, ledger_error, determinism, precision, ratio } = entry;
  const checks = {
    rel_l2,
    rel_l2_limit,
    ledger_error,
    ledger_limit: ledgerLimit[precision],
    bitwise: determinism.bitwise,
    spread: determinism.spread,
    repeats: determinism.runs,
  };
  const times = 1 / ratio.value;
  const against = report.reference ?? '';
  const speed = `${times.toPrecision(3)}× the speed of ${against}${entry.verdict === 'undecided' ? ', within the noise' : ''}`;
  return { kind: 'checked', verdict: { ...checks, right: holds(checks) }, speed };
}
