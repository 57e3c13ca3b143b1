/** Thread utilisation of a process, in words. */
import type { ThreadUse } from '../../electron/contract/timeline.ts';
import { countText } from '../../electron/contract/units.ts';
import { percent } from './numbers.ts';

/** `Host: 2 threads, 93 % busy, the busiest 4 % above their mean`. */
export function threadUseText({ process, threadCount, busyShare, imbalance }: ThreadUse): string {
  const above = imbalance === null ? '' : `, the busiest ${percent(imbalance)} above their mean`;
  return `${process}: ${countText(threadCount, 'thread')}, ${percent(busyShare)} busy${above}`;
}
