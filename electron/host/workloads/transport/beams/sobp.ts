/**
 * Builds spread-out Bragg peaks. The weights of layers with different energies are fitted by non-negative least
 * squares, so that their sum is flat. Depth doses are computed in water. The spacing of layers is a multiple of their
 * range straggling.
 */

import { type Sobp, type SobpRequest, sobpRequestSchema } from '../../../../contract/beams/sobp.ts';
import { BraggError } from '../../../../contract/errors.ts';
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import { jetteChenWeights } from '../../../model/beams/jette-chen.ts';
import { cellCurve, falloffPosition, peakOf } from '../metrics/depth-readouts.ts';
import { rangeStraggling_mm } from '../scenario/context.ts';
import {
  type DepthDoses,
  depthDose,
  depthDoses,
  energiesBetween,
  type WaterPhysics,
  waterProblem,
} from './depth-doses.ts';
import { fitLayers, plateauOf } from './sobp-fit.ts';

/**
 * Spacing of layers in standard deviations of their range. A smaller spacing is no flatter, and a larger one causes
 * ripples.
 */
const LAYER_SIGMAS = 1.5;
const MAX_LAYERS = 100;
/** Minimum range of a layer, and minimum depth at which the plateau begins. */
const MIN_RANGE_MM = 5;
/** Minimum spacing of layers, as a share of the spacing at the deepest layer. The latter determines the grid. */
const MIN_LAYER = 0.4;
/** Maximum spacing of spots in standard deviations of their width. The dose between them is then flat to 0.03 %. */
const WIDEST_SPACING = 1.5;
/**
 * Maximum deviation from the requested range if energies are listed: MAX_DEVIATION times the range, plus FARTHEST_MM.
 */
const MAX_DEVIATION = 0.05;
const FARTHEST_MM = 1;
/** Tolerance in mm to which the range of the sum of all layers is adjusted. */
const CLOSE_MM = 0.02;

const throwInvalid = (message: string): never => {
  throw new BraggError('invalid', message);
};

/**
 * Approximate derivative of the range in water with respect to the energy, in mm per MeV. The range is nearly a power
 * of the energy.
 */
const rangePerEnergy = (range_mm: number): number => (1.77 * range_mm) / (10 * (range_mm / 1.23) ** 0.565);

type SigmaAt = (range_mm: number) => number;

/** Minimum range that a layer may have, in mm. */
function lowestRange({ range_mm, modulation_mm }: SobpRequest, sigmaAt: SigmaAt): number {
  return Math.max(MIN_RANGE_MM, range_mm - modulation_mm - 2 * sigmaAt(range_mm));
}

/** Ranges (R90, mm) of the layers, deepest first. */
function spacedRanges(request: SobpRequest, sigmaAt: SigmaAt): readonly number[] {
  const { range_mm, modulation_mm, layer_spacing_mm } = request;
  const ranges = [range_mm];
  const lowest = lowestRange(request, sigmaAt);
  for (let range = range_mm; ; ) {
    range -= layer_spacing_mm ?? LAYER_SIGMAS * Math.max(sigmaAt(range), MIN_LAYER * sigmaAt(range_mm));
    if (range < lowest) return ranges;
    ranges.push(range);
    if (ranges.length > MAX_LAYERS) {
      throwInvalid(
        `modulation_mm: ${modulation_mm} mm needs more than ${MAX_LAYERS} layers; allowed: less, a wider energy_sigma_MeV, or a larger layer_spacing_mm`,
      );
    }
  }
}

/** Estimate of the range in mm, accurate to a few percent. `rangeErrorBound` is an upper limit for its error. */
const estimatedRange = (energy_MeV: number): number => 1.23 * (energy_MeV / 10) ** 1.77;
const rangeErrorBound = (range_mm: number): number => 0.05 * range_mm + 3;

/**
 * Selects the listed energies that can be layers, highest first: those with a suitable range, and one more on each
 * side.
 */
function layerEnergies(energies_MeV: readonly number[], lowest_mm: number, range_mm: number): readonly number[] {
  const sorted = [...new Set(energies_MeV)].sort((a, b) => b - a);
  const above = sorted.findLastIndex((energy) => estimatedRange(energy) > range_mm + rangeErrorBound(range_mm));
  const below = sorted.findIndex((energy) => estimatedRange(energy) < lowest_mm - rangeErrorBound(lowest_mm));
  const from = Math.max(0, above);
  const inside = sorted.slice(from, below < 0 ? undefined : below);
  // Include the next lower energy only if there are too few others, because it needs a finer grid.
  const found = inside.length > 1 ? inside : sorted.slice(from, below < 0 ? undefined : below + 1);
  if (found.length <= MAX_LAYERS) return found;
  return throwInvalid(
    `energies_MeV: ${found.length} energies from ${found.at(-1)} to ${found[0]} MeV could be layers; allowed: at most ${MAX_LAYERS}`,
  );
}

/** Layers with their solved depth doses, deepest first. */
interface Layers {
  readonly doses: DepthDoses;
  /** Ranges of the layers (R90) in mm. */
  readonly ranges: readonly number[];
  /**
   * Returns the energies after all ranges are shifted by a distance in mm. Null if the energies are listed and thus
   * fixed.
   */
  readonly energiesShiftedBy: ((moved_mm: number) => readonly number[]) | null;
}

interface LayerInputs {
  readonly tools: WaterPhysics;
  readonly request: SobpRequest;
  readonly sigmaAt: SigmaAt;
  readonly energy_sigma_MeV: number;
  /** Returns the depth of water in mm that is needed for a range. */
  readonly depthOf: (range_mm: number) => number;
  readonly run: { readonly signal: AbortSignal; readonly done: (share: number) => void };
}

async function spacedLayers({ tools, request, sigmaAt, energy_sigma_MeV, depthOf, run }: LayerInputs): Promise<Layers> {
  const ranges = spacedRanges(request, sigmaAt);
  const least = 0.97 * (ranges.at(-1) ?? request.range_mm);
  const energyAt = await energiesBetween(tools, [least, request.range_mm], energy_sigma_MeV);
  const energiesShiftedBy = (moved_mm: number): readonly number[] => ranges.map((range) => energyAt(range + moved_mm));
  const spots = energiesShiftedBy(0).map((energy_MeV) => ({ energy_MeV, energy_sigma_MeV }));
  const doses = await depthDoses(tools, spots, { depth_mm: depthOf(request.range_mm), ...run });
  return { doses, ranges, energiesShiftedBy };
}

/**
 * Depth in mm beyond the peak at which the dose of a single layer has fallen to 90 %. 0 if there is no peak in the
 * water.
 */
function r90Of(values: Float64Array, step_mm: number): number {
  const curve = cellCurve(0, step_mm, values);
  const peak = peakOf(curve);
  return (peak === null ? null : falloffPosition(curve, peak, 0.9 * peak.height)) ?? 0;
}

/**
 * Selects layers from a list of energies. The deepest layer is the one with the range nearest to the requested range.
 */
async function listedLayers(building: LayerInputs, listed: readonly number[]): Promise<Layers> {
  const { tools, request, sigmaAt, energy_sigma_MeV, depthOf, run } = building;
  const { range_mm, modulation_mm } = request;
  const energies = layerEnergies(listed, lowestRange(request, sigmaAt), range_mm);
  const spots = energies.map((energy_MeV) => ({ energy_MeV, energy_sigma_MeV }));
  const longest = 1.05 * estimatedRange(energies[0] ?? 0);
  const { curves, step_mm, ...solved } = await depthDoses(tools, spots, { depth_mm: depthOf(longest), ...run });
  const ranges = curves.map((curve) => r90Of(curve, step_mm));
  const off = ranges.map((range) => Math.abs(range - range_mm));
  const first = off.indexOf(Math.min(...off));
  const nearest = ranges[first] ?? 0;
  if (Math.abs(nearest - range_mm) > FARTHEST_MM + MAX_DEVIATION * range_mm) {
    throwInvalid(
      `range_mm: the available energy nearest to ${range_mm} mm, ${energies[first]} MeV, reaches ${nearest.toFixed(1)} mm; allowed: at most ${100 * MAX_DEVIATION} % and ${FARTHEST_MM} mm away`,
    );
  }
  const lowest = lowestRange({ range_mm: nearest, modulation_mm }, sigmaAt);
  const end = ranges.findIndex((range) => range < lowest);
  const layers = <T>(all: readonly T[]): readonly T[] => all.slice(first, end < 0 ? undefined : end);
  return {
    doses: { spots: layers(solved.spots), curves: layers(curves), step_mm },
    ranges: layers(ranges),
    energiesShiftedBy: null,
  };
}

function spotPositions({ width_mm = 0, spacing_mm }: SobpRequest, x_mm: number, sigma_mm: number): readonly number[] {
  if (width_mm === 0) return [x_mm];
  if (!(sigma_mm > 0)) {
    throwInvalid('width_mm: a field of several spots needs the width of a spot; allowed: beam.x_sigma_mm above 0');
  }
  const spacing = spacing_mm ?? sigma_mm;
  if (spacing > WIDEST_SPACING * sigma_mm) {
    const most = Number((WIDEST_SPACING * sigma_mm).toPrecision(3));
    throwInvalid(`spacing_mm: ${spacing} mm leaves gaps between spots of ${sigma_mm} mm; allowed: at most ${most} mm`);
  }
  const count = Math.max(1, Math.round(width_mm / spacing));
  // The spacing is the width divided by the number of spots. The dose is then 50 % at the ends of the width.
  return Array.from({ length: count }, (_, i) => x_mm + ((i + 0.5) / count - 0.5) * width_mm);
}

function peakDepth_mm({ curves, step_mm }: DepthDoses): number {
  const curve = curves[0];
  const peak = curve === undefined ? null : peakOf(cellCurve(0, step_mm, curve));
  return (
    peak?.position ?? throwInvalid('range_mm: the deepest layer has no peak in the water; allowed: a smaller range')
  );
}

/**
 * Builds a spread-out Bragg peak. `signal` cancels between and during runs. `done` receives the completed share of the
 * work.
 */
export async function buildSobp(
  tools: WaterPhysics,
  { beam }: Pick<TransportScenario, 'beam'>,
  wanted: SobpRequest,
  { signal, done }: { readonly signal: AbortSignal; readonly done?: (share: number) => void },
): Promise<Sobp> {
  const began = performance.now();
  const request = sobpRequestSchema.parse(wanted);
  const { range_mm, modulation_mm } = request;
  const most_mm = Number((range_mm - 2 * MIN_RANGE_MM).toPrecision(4));
  if (modulation_mm > most_mm) {
    throwInvalid(
      `modulation_mm: ${modulation_mm} mm reaches the surface; allowed: at most ${most_mm} mm for this range`,
    );
  }
  if (request.energies_MeV !== undefined && request.layer_spacing_mm !== undefined) {
    throwInvalid(
      'layer_spacing_mm cannot be combined with energies_MeV, which determines the layers; allowed: one of them',
    );
  }
  const places_mm = spotPositions(request, beam.x_mm, beam.x_sigma_mm);
  const sigmaAt: SigmaAt = (range) =>
    Math.hypot(rangeStraggling_mm(range), beam.energy_sigma_MeV * rangePerEnergy(range));
  const building: LayerInputs = {
    tools,
    request,
    sigmaAt,
    energy_sigma_MeV: beam.energy_sigma_MeV,
    depthOf: (range) => Math.ceil(range + 10 * sigmaAt(range) + 5),
    run: { signal, done: (share) => done?.(0.9 * share) },
  };
  const { energies_MeV } = request;
  const layers = await (energies_MeV === undefined ? spacedLayers(building) : listedLayers(building, energies_MeV));
  const { doses, ranges, energiesShiftedBy } = layers;
  const first = jetteChenWeights(doses.spots[0]?.energy_MeV ?? 0, ranges);
  const { curves, step_mm } = doses;
  const to_mm = peakDepth_mm(doses);
  const fit = await fitLayers({
    doses: { curves, step_mm, ranges },
    modulation_mm,
    to_mm,
    first,
    kind: request.weights,
  });
  signal.throwIfAborted();

  // The falloff of the sum differs slightly from that of the deepest layer, so shift all ranges by the difference. The
  // plateau is then measured in one run with all layers, like the delivered field.
  let moved_mm = energiesShiftedBy === null ? 0 : range_mm - fit.plateau.r90_mm;
  for (let round = 0; ; round += 1) {
    const energies = energiesShiftedBy?.(moved_mm) ?? doses.spots.map(({ energy_MeV }) => energy_MeV);
    const weighted = energies.map((energy_MeV, k) => ({
      energy_MeV,
      energy_sigma_MeV: beam.energy_sigma_MeV,
      weight: fit.weights[k] ?? 0,
    }));
    const { problem } = await waterProblem(tools, weighted, building.depthOf(ranges[0] ?? range_mm));
    const curve = await depthDose(tools, problem, signal);
    const at_mm = problem.grid.dz_mm;
    const plateau = plateauOf(curve, at_mm, fit.from_mm + moved_mm, to_mm + moved_mm);
    if (plateau === null)
      return throwInvalid('range_mm: the field has no plateau in the water; allowed: a smaller range');
    const off = range_mm - plateau.r90_mm;
    if (energiesShiftedBy === null || Math.abs(off) < CLOSE_MM || round === 2) {
      done?.(1);
      const total = fit.weights.reduce((sum, weight) => sum + weight, 0);
      const { mean, ...readouts } = plateau;
      return {
        layers: weighted
          .map(({ energy_MeV, weight }) => ({ energy_MeV, weight: weight / total }))
          .filter(({ weight }) => weight > 0),
        places_mm: [...places_mm],
        plateau: readouts,
        firstFlatness: fit.firstFlatness,
        curve: { step_mm: at_mm, values: [...curve.map((value) => value / mean)] },
        seconds: (performance.now() - began) / 1000,
      };
    }
    moved_mm += off;
  }
}
