/** Computes the range of a beam along its axis, through the regions on it. */
import type { TransportScenario, TransportWithBeam } from '../../../../contract/scenario/index.ts';
import { lowestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { type Medium, materialOf, rangeStraggling_mm, type TransportContext, tableOf } from './context.ts';
import { huAt, mediumOf, type PlacedCt } from './placed-ct.ts';

/**
 * Number of energies in a geometric series at which ranges are computed. Interpolation between them has an error of
 * 1e-5 of the range.
 */
const ENERGIES = 1000;
/**
 * Minimum ratio of the range in the background to that in a region for which the region counts as clearly denser. The
 * ratio of tissues in water is smaller; adapting cells to them would change their size less than rounding does.
 */
const CLEARLY_DENSER = 2;
/** Minimum thickness of a region that contains the falloff, in standard deviations of the range. */
const STRAGGLINGS = 3;

/** Energies of a beam while it slows down, with its range in each material in g/cm². */
class Ranges {
  private readonly energies_MeV: Float64Array;
  private readonly known = new Map<string, Float64Array>();
  private readonly context: TransportContext;

  constructor(context: TransportContext, energy_MeV: number) {
    this.context = context;
    const lowest = Math.min(lowestEnergy(context.water), energy_MeV / 2);
    this.energies_MeV = Float64Array.from(
      { length: ENERGIES },
      (_, i) => lowest * (energy_MeV / lowest) ** (i / (ENERGIES - 1)),
    );
  }

  private rangesIn(material: string): Float64Array {
    const table = tableOf(this.context, material);
    const ranges =
      this.known.get(material) ??
      this.context.rangeTable(table.energies_MeV, table.stopping_MeV_cm2_g, this.energies_MeV).range_g_cm2;
    this.known.set(material, ranges);
    return ranges;
  }

  private density({ material, density_scale }: Medium): number {
    return materialOf(this.context, material).density_g_cm3 * density_scale;
  }

  /** Residual path in mm at an energy. */
  residualPath_mm(medium: Medium, energy_MeV: number): number {
    return (interpolate(this.energies_MeV, this.rangesIn(medium.material), energy_MeV) * 10) / this.density(medium);
  }

  /** Energy after a path in mm, which must be shorter than the residual path. */
  energyAfter(medium: Medium, energy_MeV: number, path_mm: number): number {
    const range = ((this.residualPath_mm(medium, energy_MeV) - path_mm) * this.density(medium)) / 10;
    return interpolate(this.rangesIn(medium.material), this.energies_MeV, range);
  }
}

/** Linear interpolation between points with ascending `from`. Constant beyond both ends. */
function interpolate(from: Float64Array, to: Float64Array, value: number): number {
  // Use a binary search, because an axis through a fine CT needs some ten thousand look-ups.
  let [after, high] = [1, from.length - 1];
  while (after < high) {
    const middle = (after + high) >> 1;
    if ((from[middle] ?? 0) >= value) high = middle;
    else after = middle + 1;
  }
  const [a, b] = [from[after - 1] ?? 0, from[after] ?? 0];
  const share = Math.min(1, Math.max(0, (value - a) / (b - a)));
  return (to[after - 1] ?? 0) + share * ((to[after] ?? 0) - (to[after - 1] ?? 0));
}

type BeamGeometry = Pick<TransportScenario | TransportWithBeam, 'beam' | 'geometry'>;

/** Distances in mm from the entrance at which the axis may enter or leave a region, in ascending order. */
function regionBorders({ beam, geometry }: BeamGeometry, ct: PlacedCt | null): readonly number[] {
  const angle = (beam.angle_deg * Math.PI) / 180;
  const [uz, ux] = [Math.cos(angle), Math.sin(angle)];
  const at = geometry.regions.flatMap(({ x_mm, z_mm }) => [
    ...z_mm.map((z) => (z - beam.z_mm) / uz),
    ...(ux === 0 || x_mm === undefined ? [] : x_mm.map((x) => (x - beam.x_mm) / ux)),
  ]);
  // In a CT, the matter may change at every half pixel.
  const pixel = ct === null ? 0 : Math.min(...ct.slice.spacing_mm) / 2;
  const pixels = ct === null ? 0 : Math.ceil(((geometry.depth_mm ?? ct.depth_mm) - beam.z_mm) / uz / pixel);
  for (let i = 1; i <= pixels; i += 1) at.push(i * pixel);
  return at.filter((way) => way > 0).sort((a, b) => a - b);
}

/** Returns the matter of a CT at a point. Null if there is no CT or the point is outside of the image. */
function matterAt(ct: PlacedCt | null, z_mm: number, x_mm: number): Medium | null {
  const hu = ct === null ? null : huAt(ct, z_mm, x_mm);
  return ct === null || hu === null ? null : mediumOf(ct, hu);
}

interface AxisEnd {
  /** CSDA range in mm along the axis from the entrance. Beyond the box, the background continues. */
  readonly range_mm: number;
  /** Matter in which the beam stops. */
  readonly medium: Medium;
  /** Thickness of this matter along the axis in mm. */
  readonly thickness_mm: number;
  /** Path through the background before this matter in mm. */
  readonly background_mm: number;
}

export function axisEnd(scenario: BeamGeometry, context: TransportContext): AxisEnd {
  const { beam, geometry } = scenario;
  const angle = (beam.angle_deg * Math.PI) / 180;
  const ranges = new Ranges(context, beam.energy_MeV);
  const background: Medium = { material: context.ct?.outside ?? geometry.background, density_scale: 1 };
  const mediumAt = (way: number): Medium => {
    const [z, x] = [beam.z_mm + way * Math.cos(angle), beam.x_mm + way * Math.sin(angle)];
    // Evaluate only midpoints between borders, which are never on a border.
    const isInside = ({ x_mm, z_mm }: (typeof geometry.regions)[number]): boolean =>
      (x_mm === undefined || (x >= x_mm[0] && x < x_mm[1])) && z >= z_mm[0] && z < z_mm[1];
    return geometry.regions.findLast(isInside) ?? matterAt(context.ct, z, x) ?? background;
  };
  let [energy, gone, background_mm] = [beam.energy_MeV, 0, 0];
  for (const border of regionBorders(scenario, context.ct)) {
    const medium = mediumAt((gone + border) / 2);
    const left = ranges.residualPath_mm(medium, energy);
    const thickness_mm = border - gone;
    if (left <= thickness_mm) return { range_mm: gone + left, medium, thickness_mm, background_mm };
    energy = ranges.energyAfter(medium, energy, thickness_mm);
    if (medium === background) background_mm += thickness_mm;
    gone = border;
  }
  const endless = { medium: background, thickness_mm: Number.POSITIVE_INFINITY };
  return { range_mm: gone + ranges.residualPath_mm(background, energy), ...endless, background_mm };
}

/**
 * Selects the matter whose range determines the cell size, and the path through the background before it. By default
 * this is the background. If the beam stops in a clearly denser region that contains the falloff, that region is used.
 * For example, cells sized for the air of a nozzle would be longer than the peak in water.
 */
export function gridMedium(scenario: TransportWithBeam, context: TransportContext): AxisEnd {
  const background: Medium = { material: scenario.geometry.background, density_scale: 1 };
  const endless_mm = Number.POSITIVE_INFINITY;
  const alone = { range_mm: endless_mm, medium: background, thickness_mm: endless_mm, background_mm: endless_mm };
  if (context.ct !== null || scenario.geometry.regions.length === 0) return alone;
  const end = axisEnd(scenario, context);
  const range_mm = ({ material, density_scale }: Medium): number =>
    (10 * stoppingAt(context.rangeTable, tableOf(context, material), scenario.beam.energy_MeV).range) /
    (materialOf(context, material).density_g_cm3 * density_scale);
  const own_mm = range_mm(end.medium);
  const containsFalloff = end.thickness_mm > STRAGGLINGS * rangeStraggling_mm(own_mm);
  return containsFalloff && range_mm(background) > CLEARLY_DENSER * own_mm ? end : alone;
}
