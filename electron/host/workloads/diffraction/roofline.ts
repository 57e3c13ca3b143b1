/** How near an image's rendering comes to what the GPU does at best, from what its variant declares. */

import type { ImageRoofline } from '../../../contract/bench/image-bench.ts';
import type { Ceilings } from '../../../contract/devices.ts';
import type { DiffractionPlan, DiffractionVariant } from '../../io/addon/diffraction.ts';

type Declared = Pick<
  DiffractionVariant,
  'precision' | 'flopsPerTerm' | 'fp64FlopsPerTerm' | 'flopsPerBeam' | 'fp64FlopsPerBeam' | 'bytesPerTerm'
>;

export function imageRoofline(
  declared: Declared,
  plan: Pick<DiffractionPlan, 'width' | 'height' | 'orientations' | 'terms'>,
  time_s: number,
  ceilings: Ceilings | null,
): ImageRoofline {
  const { flopsPerTerm, fp64FlopsPerTerm, flopsPerBeam, fp64FlopsPerBeam, bytesPerTerm, precision } = declared;
  const { terms } = plan;
  const beams = terms / plan.orientations;
  const fp64 = fp64FlopsPerTerm * terms + fp64FlopsPerBeam * beams;
  const fp32 = flopsPerTerm * terms + flopsPerBeam * beams - fp64;
  const bytes = bytesPerTerm * terms + plan.width * plan.height * (precision === 'fp64' ? 8 : 4);
  const rates = { fp32_per_s: fp32 / time_s, fp64_per_s: fp64 / time_s, bytes_per_s: bytes / time_s };
  if (ceilings === null) return { ...rates, bound: null, share: null };
  const shares = [
    { bound: 'fp32', share: rates.fp32_per_s / ceilings.fp32_flops_per_s },
    { bound: 'fp64', share: rates.fp64_per_s / ceilings.fp64_flops_per_s },
    { bound: 'memory', share: rates.bytes_per_s / ceilings.copy_bytes_per_s },
  ] as const;
  const highest = shares.reduce((a, b) => (b.share > a.share ? b : a));
  return { ...rates, ...highest };
}
