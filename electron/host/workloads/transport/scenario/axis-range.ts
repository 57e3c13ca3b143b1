/** Range of the beam along its axis, through the regions on it. */
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import { lowestEnergy } from '../../../model/scenarios/stopping-table.ts';
import type { Medium } from './contents.ts';
import { materialOf, type TransportContext, tableOf } from './context.ts';
import { huAt, mediumOf, type PlacedCt } from './ct/placed-ct.ts';

/** Ranges between these many energies, apart by equal factors, are interpolated: good to 1e-5 of the range. */
const ENERGIES = 1000;

/** The energies of a beam that slows down, and its range in each material at them, g/cm². */
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

  private of(material: string): Float64Array {
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

  /** Path that is left at an energy, mm. */
  left_mm(medium: Medium, energy_MeV: number): number {
    return (interpolate(this.energies_MeV, this.of(medium.material), energy_MeV) * 10) / this.density(medium);
  }

  /** Energy after a path that is shorter than what is left. */
  after(medium: Medium, energy_MeV: number, path_mm: number): number {
    const range = ((this.left_mm(medium, energy_MeV) - path_mm) * this.density(medium)) / 10;
    return interpolate(this.of(medium.material), this.energies_MeV, range);
  }
}

/** On straight lines between points of ascending `from`; the ends hold outside of them. */
function interpolate(from: Float64Array, to: Float64Array, value: number): number {
  // The first that is not below it: an axis through a fine CT asks some ten thousand times.
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

/** Distances from the entrance at which the axis may enter or leave a region, ascending. */
function borders({ beam, geometry }: TransportScenario, ct: PlacedCt | null): readonly number[] {
  const angle = (beam.angle_deg * Math.PI) / 180;
  const [uz, ux] = [Math.cos(angle), Math.sin(angle)];
  const at = geometry.regions.flatMap(({ x_mm, z_mm }) => [
    ...z_mm.map((z) => (z - beam.z_mm) / uz),
    ...(ux === 0 ? [] : x_mm.map((x) => (x - beam.x_mm) / ux)),
  ]);
  // In a CT every half pixel may be other matter.
  const pixel = ct === null ? 0 : Math.min(...ct.slice.spacing_mm) / 2;
  const pixels = ct === null ? 0 : Math.ceil((geometry.depth_mm - beam.z_mm) / uz / pixel);
  for (let i = 1; i <= pixels; i += 1) at.push(i * pixel);
  return at.filter((way) => way > 0).sort((a, b) => a - b);
}

/** Null if the point lies outside the image, or there is no CT. */
function matterAt(ct: PlacedCt | null, z_mm: number, x_mm: number): Medium | null {
  const hu = ct === null ? null : huAt(ct, z_mm, x_mm);
  return ct === null || hu === null ? null : mediumOf(ct, hu);
}

/** CSDA range along the axis from the entrance, mm; the background goes on behind the box. */
export function axisRange_mm(scenario: TransportScenario, context: TransportContext): number {
  const { beam, geometry } = scenario;
  const angle = (beam.angle_deg * Math.PI) / 180;
  const ranges = new Ranges(context, beam.energy_MeV);
  const background: Medium = { material: context.ct?.outside ?? geometry.background, density_scale: 1 };
  const mediumAt = (way: number): Medium => {
    const [z, x] = [beam.z_mm + way * Math.cos(angle), beam.x_mm + way * Math.sin(angle)];
    // Only midpoints between borders are evaluated, so none lies on a border.
    const inside = ({ x_mm, z_mm }: Readonly<Record<'x_mm' | 'z_mm', readonly [number, number]>>): boolean =>
      x >= x_mm[0] && x < x_mm[1] && z >= z_mm[0] && z < z_mm[1];
    return geometry.regions.findLast(inside) ?? matterAt(context.ct, z, x) ?? background;
  };
  let [energy, gone] = [beam.energy_MeV, 0];
  for (const border of borders(scenario, context.ct)) {
    const medium = mediumAt((gone + border) / 2);
    const left = ranges.left_mm(medium, energy);
    if (gone + left <= border) return gone + left;
    energy = ranges.after(medium, energy, border - gone);
    gone = border;
  }
  return gone + ranges.left_mm(background, energy);
}
