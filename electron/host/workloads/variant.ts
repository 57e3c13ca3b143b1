/** Converts variants to the form that pages receive, without fields that only the host needs. */
import type { Variant } from '../../contract/capabilities.ts';

export function toPageVariant(
  variant: Omit<Variant, 'precisions' | 'bench'> & { readonly bench?: string },
  precisions: readonly string[],
): Variant {
  const { id, workload, bench = '', title, changes, buildsOn, device, source } = variant;
  const known = { id, workload, bench, title, changes, buildsOn, device, source, precisions: [...precisions] };
  return {
    ...known,
    // Use getters, because the addon queries the device on each access.
    get available() {
      return variant.available;
    },
    get reason() {
      return variant.reason;
    },
  };
}
