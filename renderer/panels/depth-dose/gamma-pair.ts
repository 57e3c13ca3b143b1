/** A run's depth dose and an overlaid one, as a gamma index takes them. No React. */
import { allowedDepthUnits, depthDoseUnit } from '../../../electron/contract/dose/units.ts';
import type { GammaCurve } from '../../../electron/contract/gamma-curve.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { TransportResolved } from '../../../electron/contract/scenario/transport/workload.ts';
import type { OverlayCurve } from '../../data/overlays.ts';
import type { ShownDepthDose } from '../../data/run-data.ts';
import { curveIn, type DoseUnit, overlayFactor, overlayIn } from './figure.ts';

/** As both are drawn, both over their own peaks, or neither scaled. */
export type GammaScale = 'drawn' | 'peak' | 'absolute';

const scaled = (positions: GammaCurve['positions'], values: Float64Array, factor: number): GammaCurve => ({
  positions,
  values: values.map((value) => value * factor),
});

const peakOf = (values: Float64Array): number => values.reduce((a, b) => Math.max(a, b), 0);

/** As many as the dose of a run is of. */
export function protonsOf(resolved: TransportResolved | null): number {
  const weight = valueAt(resolved?.scenario, ['beam', 'weight']);
  return typeof weight === 'number' ? weight : 1;
}

interface How {
  readonly unit: DoseUnit;
  readonly scale: GammaScale;
  /** Those of the shown run. */
  readonly protons: number;
}

function absolute(shown: ShownDepthDose, overlay: OverlayCurve, protons: number) {
  const unit = depthDoseUnit(overlay.unit);
  if (unit === null) {
    const has = overlay.unit === null ? 'the file names no unit' : `${overlay.unit} is no absolute unit`;
    return `${has}; allowed in its header: ${allowedDepthUnits}`;
  }
  const own = unit.by === 'mass' ? shown.perMass : shown.curve;
  if (own === null || own === undefined) return 'this run was stored without densities, and the file is a dose by mass';
  const factor = unit.factor * (unit.perProton ? protons : 1);
  return [scaled(overlay.depth_mm, overlay.dose, factor), own] as const;
}

/** The reference, then what is evaluated; a sentence where there is no such comparison. */
export function pairOf(
  shown: ShownDepthDose,
  overlay: OverlayCurve,
  { unit, scale, protons }: How,
): readonly [GammaCurve, GammaCurve] | string {
  if (scale === 'absolute') return absolute(shown, overlay, protons);
  const own = curveIn(shown, unit);
  const laid = overlayIn(overlay, unit);
  const [peak, other] = [peakOf(own.values), peakOf(laid.dose)];
  if (scale === 'peak' && peak > 0 && other > 0) {
    return [scaled(laid.depth_mm, laid.dose, 1 / other), scaled(own.positions, own.values, 1 / peak)];
  }
  const factor = unit === 'percent' && peak > 0 ? 100 / peak : 1;
  return [scaled(laid.depth_mm, laid.dose, overlayFactor(laid, unit, peak)), scaled(own.positions, own.values, factor)];
}
