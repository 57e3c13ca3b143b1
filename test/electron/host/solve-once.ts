/** A problem solved over the addon, and where its depth dose has fallen. */
import type { NativeAddon, TransportProblem } from '../../../electron/host/io/addon/addon.ts';
import { cellCurve, fallsTo, peakOf } from '../../../electron/host/workloads/transport/metrics/cell-curve.ts';

export async function runOnce(addon: NativeAddon, problem: TransportProblem) {
  const { dose } = await addon.createTransport({ ...problem, keyframes: 0 }).start(() => undefined);
  const { nx, nz, dz_mm } = problem.grid;
  const values = Float64Array.from({ length: nz }, (_, z) =>
    dose.subarray(z * nx, (z + 1) * nx).reduce((a, b) => a + b),
  );
  const curve = cellCurve(0, dz_mm, values);
  const peak = peakOf(curve);
  if (peak === null) throw new Error('no peak');
  const at = (share: number): number => fallsTo(curve, peak, share * peak.height) ?? Number.NaN;
  return { values, r80_mm: at(0.8), r90_mm: at(0.9) };
}
