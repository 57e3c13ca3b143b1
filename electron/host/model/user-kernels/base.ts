/** The shipped variants that user kernels are made from, and which of their files may be replaced. */
import type { Variant } from '../../../contract/capabilities.ts';

/** A shipped variant that user kernels are made from. */
export type UserKernelBase = Omit<Variant, 'precisions'>;

/** Which files of a variant a user may replace; each workload has its own. */
export interface ReplaceRules {
  /** Names of the variant's files that a copy may replace. */
  readonly replaceable: (name: string, device: Variant['device']) => boolean;
  /** Why none of a variant's files can be replaced, one sentence; null where one can. */
  readonly fixed: (base: UserKernelBase) => string | null;
}
