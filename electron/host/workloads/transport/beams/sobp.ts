/**
 * Spread-out Bragg peaks: layers of energies whose weights make the dose flat, by non-negative least squares on the
 * program's own depth doses in water. Ranges of layers are a share of their spread apart.
 */

import { type Sobp, type SobpRequest, sobpRequestSchema } from '../../../../contract/beams/sobp.ts';
import { BraggError } from '../../../../contract/errors.ts';
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import { jetteChenWeights } from '../../../model/beams/jette-chen.ts';
import { cellCurve, peakOf } from '../metrics/cell-curve.ts';
import { rangeStraggling_mm } from '../scenario/straggling.ts';
import { type DepthDoses, depthDose, depthDoses, type WaterPhysics, waterProblem } from './depth-doses.ts';
import { plateauOf } from './plateau.ts';
import { fitLayers } from './sobp-fit.ts';

/** Layers are this many standard deviations of their range apart: closer ones are no flatter, wider ones ripple. */
const LAYER_SIGMAS = 1.5;
const MOST_LAYERS = 100;
/** No layer ends nearer to the surface, and no plateau begins nearer. */
const LEAST_RANGE_MM = 5;
/** Layers are not closer than this share of the deepest one's distance: the grid is made for that. */
const LEAST_LAYER = 0.4;
/** Widest that spots may be apart, in standard deviations of their width: the dose between them is flat to 0.03 %. */
const WIDEST_SPACING = 1.5;
/** The range is met so closely. */
const CLOSE_MM = 0.02;

const refuse = (message: string): never => {
  throw new BraggError('invalid', message);
};

/** Change of the range in water with the energy, mm per MeV, nearly: the range is a power of the energy. */
const rangePerEnergy = (range_mm: number): number => (1.77 * range_mm) / (10 * (range_mm / 1.23) ** 0.565);

/** Ranges (R90, mm) of the layers, the deepest first. */
function layersOf(
  { range_mm, modulation_mm, layer_spacing_mm }: SobpRequest,
  sigmaAt: (range_mm: number) => number,
): readonly number[] {
  const ranges = [range_mm];
  const lowest = Math.max(LEAST_RANGE_MM, range_mm - modulation_mm - 2 * sigmaAt(range_mm));
  for (let range = range_mm; ; ) {
    range -= layer_spacing_mm ?? LAYER_SIGMAS * Math.max(sigmaAt(range), LEAST_LAYER * sigmaAt(range_mm));
    if (range < lowest) return ranges;
    ranges.push(range);
    if (ranges.length > MOST_LAYERS) {
      refuse(
        `modulation_mm: ${modulation_mm} mm takes more than ${MOST_LAYERS} layers; allowed: less, a wider energy_sigma_MeV, or a larger layer_spacing_mm`,
      );
    }
  }
}

function placesOf({ width_mm = 0, spacing_mm }: SobpRequest, x_mm: number, sigma_mm: number): readonly number[] {
  if (width_mm === 0) return [x_mm];
  if (!(sigma_mm > 0)) {
    refuse('width_mm: a field of several spots needs their width; allowed: beam.x_sigma_mm above 0');
  }
  const spacing = spacing_mm ?? sigma_mm;
  if (spacing > WIDEST_SPACING * sigma_mm) {
    const most = Number((WIDEST_SPACING * sigma_mm).toPrecision(3));
    refuse(`spacing_mm: ${spacing} mm leaves gaps between spots of ${sigma_mm} mm; allowed: at most ${most} mm`);
  }
  const count = Math.max(1, Math.round(width_mm / spacing));
  // Spots that are as far apart as the width divided by their number fall to 50 % at its ends.
  return Array.from({ length: count }, (_, i) => x_mm + ((i + 0.5) / count - 0.5) * width_mm);
}

function peak_mm({ curves, step_mm }: DepthDoses): number {
  const curve = curves[0];
  const peak = curve === undefined ? null : peakOf(cellCurve(0, step_mm, curve));
  return peak?.position ?? refuse('range_mm: the deepest layer has no peak in the water; allowed: a smaller range');
}

/** `signal` cancels between and inside runs; `done` receives the share of the work. */
export async function buildSobp(
  tools: WaterPhysics,
  { beam }: Pick<TransportScenario, 'beam'>,
  wanted: SobpRequest,
  { signal, done }: { readonly signal: AbortSignal; readonly done?: (share: number) => void },
): Promise<Sobp> {
  const began = performance.now();
  const request = sobpRequestSchema.parse(wanted);
  const { range_mm, modulation_mm } = request;
  const most_mm = Number((range_mm - 2 * LEAST_RANGE_MM).toPrecision(4));
  if (modulation_mm > most_mm) {
    refuse(`modulation_mm: ${modulation_mm} mm reaches the surface; allowed: at most ${most_mm} mm of this range`);
  }
  const places_mm = placesOf(request, beam.x_mm, beam.x_sigma_mm);
  const sigmaAt = (range: number): number =>
    Math.hypot(rangeStraggling_mm(range), beam.energy_sigma_MeV * rangePerEnergy(range));
  const ranges = layersOf(request, sigmaAt);
  const spotsAt = (moved_mm: number) =>
    ranges.map((range) => ({
      range_mm: range + moved_mm,
      energy_sigma_MeV: beam.energy_sigma_MeV,
    }));
  const depth_mm = Math.ceil(range_mm + 10 * sigmaAt(range_mm) + 5);
  const doses = await depthDoses(tools, spotsAt(0), {
    depth_mm,
    signal,
    done: (share) => done?.(0.9 * share),
  });
  const first = jetteChenWeights(doses.spots[0]?.energy_MeV ?? 0, ranges);
  const { curves, step_mm } = doses;
  const fit = await fitLayers({ doses: { curves, step_mm, ranges }, modulation_mm, to_mm: peak_mm(doses), first });
  signal.throwIfAborted();

  // The sum's falloff is not quite that of its deepest layer: all ranges move by the difference. One run of all layers
  // together, which is what the field will be, says what came of it.
  let moved_mm = 0;
  for (let round = 0; ; round += 1) {
    const layers = spotsAt(moved_mm).map((spot, k) => ({ ...spot, weight: fit.weights[k] ?? 0 }));
    const { problem, spots } = await waterProblem(tools, layers, depth_mm);
    const curve = await depthDose(tools, problem, signal);
    const at = { step_mm: problem.grid.dz_mm, to_mm: peak_mm(doses) + moved_mm };
    const plateau = plateauOf(curve, at.step_mm, fit.from_mm + moved_mm, at.to_mm);
    if (plateau === null) return refuse('range_mm: the field has no plateau in the water; allowed: a smaller range');
    const off = range_mm - plateau.r90_mm;
    if (Math.abs(off) < CLOSE_MM || round === 2) {
      done?.(1);
      const total = fit.weights.reduce((sum, weight) => sum + weight, 0);
      const { mean, ...told } = plateau;
      return {
        layers: spots
          .map(({ energy_MeV, weight }) => ({ energy_MeV, weight: weight / total }))
          .filter(({ weight }) => weight > 0),
        places_mm: [...places_mm],
        plateau: told,
        firstFlatness: fit.firstFlatness,
        curve: { step_mm: at.step_mm, values: [...curve.map((value) => value / mean)] },
        seconds: (performance.now() - began) / 1000,
      };
    }
    moved_mm += off;
  }
}
