/** A variant as pages know it: what a workload knows of its own beyond that stays in the host. */
import type { Variant } from '../../contract/capabilities.ts';

export function asVariant(
  variant: Omit<Variant, 'precisions' | 'bench'> & { readonly bench?: string },
  precisions: readonly string[],
): Variant {
  const { id, workload, bench = '', title, changes, buildsOn, device, source } = variant;
  const known = { id, workload, bench, title, changes, buildsOn, device, source, precisions: [...precisions] };
  return {
    ...known,
    // The addon asks the device for these when they are read.
    get available() {
      return variant.available;
    },
    get reason() {
      return variant.reason;
    },
  };
}
