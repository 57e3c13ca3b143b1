/** What a kernel's occupancy is shown as, for a number of threads that the reader chooses. No React. */
import type { LaunchLimits } from '../../../electron/contract/launch/limits.ts';
import { occupancyOf } from '../../../electron/contract/launch/occupancy.ts';
import type { KernelResource } from '../../../electron/contract/resources.ts';
import { NO_VALUE, percent } from '../../base/numbers.ts';

/** `limits`: null where those of the architecture are not known. */
export function occupancyText(
  kernel: KernelResource,
  limits: LaunchLimits | null,
  threads: number,
): { readonly share: string; readonly limitedBy: string } {
  const { max_threads } = kernel;
  if (max_threads != null && threads > max_threads) {
    return { share: NO_VALUE, limitedBy: `launched with ${max_threads} threads at most` };
  }
  if (limits === null) return { share: NO_VALUE, limitedBy: NO_VALUE };
  const { share, limitedBy } = occupancyOf(kernel, limits, threads);
  return { share: percent(share), limitedBy: limitedBy.join(', ') };
}
