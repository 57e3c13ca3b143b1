/** Variants of proton transport for the page, and which of them can run a scenario. */
import type { Variant } from '../../../contract/capabilities.ts';
import type { TransportScenario } from '../../../contract/scenario/index.ts';
import type { Resolved } from '../../../contract/scenarios.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { asVariant } from '../variant.ts';
import { isSet } from './scenario/index.ts';

export function transportVariants(addon: NativeAddon): readonly Variant[] {
  return addon.variants().map((variant) => asVariant(variant, variant.precisions));
}

/** Reasons why variants cannot run a scenario, as far as the document determines them; the engine checks memory. */
export function variantsFor(
  addon: NativeAddon,
  solver: TransportScenario['solver'],
  document: unknown,
): Resolved['variants'] {
  const { stepping, precision } = solver;
  return addon.variants().map(({ id, steppings, precisions, reason }) => {
    const refusal =
      reason !== null
        ? reason
        : isSet(document, 'stepping') && !steppings.includes(stepping)
          ? `It does not offer ${stepping} stepping.`
          : isSet(document, 'precision') && !precisions.includes(precision)
            ? `It does not offer ${precision}.`
            : null;
    return { id, refusal };
  });
}
