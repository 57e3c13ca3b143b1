/** A variant as pages know it: what a workload knows of its own beyond that stays in the host. */
import type { Variant } from '../../contract/capabilities.ts';

export function asVariant(
  variant: Omit<Variant, 'precisions' | 'bench'> & { readonly bench?: string },
  precisions: readonly string[],
): Variant {
  const { id, workload, bench = '', title, changes, buildsOn, device, available, reason, source } = variant;
  const known = { id, workload, bench, title, changes, buildsOn, device, available, reason, source };
  return { ...known, precisions: [...precisions] };
}
