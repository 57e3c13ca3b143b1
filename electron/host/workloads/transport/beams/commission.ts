/** Energy and spread of a beam from its measured depth dose: a few depth doses of one energy each are solved in water. */
import type { Commissioned } from '../../../../contract/beams/commission.ts';
import { firstGuess, fitBeam } from './commission-fit.ts';
import { depthDoses, type WaterPhysics } from './depth-doses.ts';
import type { MeasuredCurve } from './measured-curve.ts';

export async function commission(
  tools: WaterPhysics,
  curve: MeasuredCurve,
  signal: AbortSignal,
): Promise<Commissioned> {
  const { ranges_mm, depth_mm } = firstGuess(curve);
  const wanted = ranges_mm.map((range_mm) => ({ range_mm }));
  const doses = await depthDoses(tools, wanted, { depth_mm, signal });
  signal.throwIfAborted();
  return fitBeam({ curve, doses });
}
