/**
 * How many range bins a solver step takes. Slowing down by a whole number of bins adds no spread; by a fraction f of
 * one it takes a variance of f (1 - f) bins², which the straggling of a step has to hold. What it does not hold widens
 * the falloff.
 */
import type { MaterialName, TransportWithConstants } from '../../../../contract/scenario/index.ts';
import { lowestEnergy } from '../../../model/scenarios/stopping-table.ts';
import { type TransportContext, tableOf } from './context.ts';
import { rangeStraggling_mm } from './straggling.ts';

/** Most wanted first: three hold every tissue and metal at its own density; more take as much more time. */
const CANDIDATES = [3, 2, 4, 5, 6] as const;
/** Added variance, as a share of the straggling's, for which no more bins are taken: a falloff 3 % wider. */
const BEARABLE = 0.06;
/** Energies between the lowest and the beam's at which the steps are looked at. */
const ENERGIES = 200;

interface Medium {
  readonly material: MaterialName;
  readonly density_scale: number;
  /** Along z, mm. */
  readonly thickness_mm: number;
}

/** Energies and what is needed of water at them, ascending. */
interface Slowing {
  readonly energies_MeV: Float64Array;
  readonly range_mm: Float64Array;
  readonly stopping: Float64Array;
}

function slowing(energy_MeV: number, context: TransportContext): Slowing {
  const lowest = Math.min(lowestEnergy(context.water), energy_MeV / 2);
  const energies = Float64Array.from({ length: ENERGIES }, (_, i) => lowest * (energy_MeV / lowest) ** (i / ENERGIES));
  const { energies_MeV, stopping_MeV_cm2_g } = context.water;
  const found = context.rangeTable(energies_MeV, stopping_MeV_cm2_g, energies);
  const range_mm = found.range_g_cm2.map((range) => range * 10);
  return { energies_MeV: energies, range_mm, stopping: found.stopping_MeV_cm2_g };
}

/** Variance of the residual range, mm² of water, that a beam gets from bins of `bin_mm` on its way through `medium`. */
function added_mm2(medium: Medium, water: Slowing, bin_mm: number, step_mm: number, context: TransportContext): number {
  const table = tableOf(context, medium.material);
  const found = context.rangeTable(table.energies_MeV, table.stopping_MeV_cm2_g, water.energies_MeV);
  const density = context.materials[medium.material].density_g_cm3 * medium.density_scale;
  let added = 0;
  let own_mm = 0;
  let [before, straggled] = [0, 0];
  water.range_mm.forEach((range, i) => {
    const shift_mm = ((found.stopping_MeV_cm2_g[i] ?? 0) / (water.stopping[i] ?? 1)) * density * step_mm;
    const fraction = Math.abs(shift_mm / bin_mm - Math.round(shift_mm / bin_mm));
    const steps = (range - before) / shift_mm;
    // Straggling between two residual ranges is the difference of what is left of it at them.
    const variance = rangeStraggling_mm(range) ** 2;
    const held = (variance - straggled) / steps / bin_mm ** 2;
    added += steps * Math.max(0, fraction * (1 - fraction) - held) * bin_mm ** 2;
    own_mm += steps * step_mm;
    [before, straggled] = [range, variance];
  });
  // Wherever on the way the medium lies, it adds in the mean what is its share of the way.
  return added * Math.min(1, medium.thickness_mm / own_mm);
}

/** The background, which goes on for ever, and each matter of the regions once, as thick as they are together. */
function mediaOf({ background, regions }: TransportWithConstants['geometry']): readonly Medium[] {
  const found = new Map<string, Medium>();
  for (const { material, density_scale, z_mm } of regions) {
    const key = `${material} ${density_scale}`;
    const thickness_mm = (found.get(key)?.thickness_mm ?? 0) + z_mm[1] - z_mm[0];
    found.set(key, { material, density_scale, thickness_mm });
  }
  return [{ material: background, density_scale: 1, thickness_mm: Number.POSITIVE_INFINITY }, ...found.values()];
}

/** @param stepInWater_mm what a step takes of the residual range in the background, mm of water */
export function binsPerStep(
  { beam, geometry, physics }: TransportWithConstants,
  context: TransportContext,
  step_mm: number,
  stepInWater_mm: number,
): number {
  const media = mediaOf(geometry);
  const water = slowing(beam.energy_MeV, context);
  const allowed = physics.straggling === 'off' ? 0 : BEARABLE * rangeStraggling_mm(water.range_mm.at(-1) ?? 0) ** 2;
  let [best, least] = [CANDIDATES[0] as number, Number.POSITIVE_INFINITY];
  for (const bins of CANDIDATES) {
    const worst = Math.max(...media.map((medium) => added_mm2(medium, water, stepInWater_mm / bins, step_mm, context)));
    if (worst <= allowed) return bins;
    if (worst < least) [best, least] = [bins, worst];
  }
  return best;
}
