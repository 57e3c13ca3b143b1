/** Services of the host that studies use. */
import type { Capabilities } from '../../../contract/capabilities.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { Scenarios } from '../../workloads/scenarios/index.ts';
import type { Batches } from '../batches/batches.ts';
import type { Runs } from '../runs/runs.ts';
import type { UserKernels } from '../user-kernels/user-kernels.ts';

export interface SolvingHost {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly userKernels: UserKernels;
  readonly runs: Runs;
  readonly batches: Batches;
  readonly commit: string | null;
  readonly capabilities: () => Capabilities;
}
