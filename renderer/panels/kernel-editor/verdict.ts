/** Verdict of a session on one of its variants, from its checks. No React. */

import type { MeasuredSessionEntry, Session } from '../../../electron/contract/bench/session.ts';
import { type UserKernelVerdict, userKernelVerdict } from '../../../electron/contract/user-kernels/verdict.ts';
import { duration } from '../../base/time.ts';

export type Outcome =
  | { readonly kind: 'checked'; readonly verdict: UserKernelVerdict; readonly speed: string }
  | { readonly kind: 'refused'; readonly reason: string };

export function outcomeOf(session: Session, id: string): Outcome {
  const [report] = session.reports;
  const entry = report?.entries.find(({ variant }) => variant === id);
  if (report === undefined || entry === undefined)
    return { kind: 'refused', reason: 'It was stopped before it had run.' };
  if (entry.status === 'refused') return { kind: 'refused', reason: entry.reason };
  const { accuracy, determinism } = entry;
  return {
    kind: 'checked',
    verdict: userKernelVerdict(accuracy, determinism ?? { runs: 1, bitwise: true, spread: null }),
    speed: speedOf(entry, report.reference ?? ''),
  };
}

/** A kernel that came from nothing has none to be faster than. */
function speedOf({ label, verdict, ratio, time_s }: MeasuredSessionEntry, against: string): string {
  if (label === against) return `${duration(time_s)} a run`;
  const noise = verdict === 'undecided' ? ', within the noise' : '';
  return `${(1 / ratio.value).toPrecision(3)}× the speed of ${against}${noise}`;
}
