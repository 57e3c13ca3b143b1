/** What a session says of one of its variants, as the checks. No React. */

import type { Session } from '../../../electron/contract/bench/session.ts';
import { type UserKernelVerdict, userKernelVerdict } from '../../../electron/contract/user-kernel-verdict.ts';

export type Outcome =
  | { readonly kind: 'checked'; readonly verdict: UserKernelVerdict; readonly speed: string }
  | { readonly kind: 'refused'; readonly reason: string };

export function outcomeOf(session: Session, id: string): Outcome {
  const [report] = session.reports;
  const entry = report?.entries.find(({ variant }) => variant === id);
  if (report === undefined || entry === undefined)
    return { kind: 'refused', reason: 'It was stopped before it had run.' };
  if (entry.status === 'refused') return { kind: 'refused', reason: entry.reason };
  const { accuracy, determinism, ratio } = entry;
  const times = 1 / ratio.value;
  const against = report.reference ?? '';
  const speed = `${times.toPrecision(3)}× the speed of ${against}${entry.verdict === 'undecided' ? ', within the noise' : ''}`;
  return {
    kind: 'checked',
    verdict: userKernelVerdict(accuracy, determinism ?? { runs: 1, bitwise: true, spread: null }),
    speed,
  };
}
