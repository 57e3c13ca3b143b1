/**
 * Contents of the cells of a box in a CT. The mean of the Hounsfield units in a cell determines its material and
 * density. The solver supports a limited number of media: if there are more, similar densities are merged into their
 * mean, which conserves the mass of a material.
 */

import type { TransportScenario } from '../../../../../contract/scenario/index.ts';
import type { Pausing } from '../../../../../domain/values/pausing.ts';
import { densityAt, materialAt } from '../../../../model/matter/hu-table.ts';
import type { CellContents, Contents, Medium } from '../context.ts';
import { huAt, type PlacedCt } from './placed-ct.ts';

/** Limits on the media of a CT: with plane-to-plane steps, each medium needs separate operators for each angle. */
const MAX_MEDIA = { path: 200, depth: 60 } as const;
/** Relative widths of merged densities; below LIGHT, absolute widths as shares of LIGHT. */
const WIDTHS = [0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32] as const;
const LIGHT_G_CM3 = 0.3;
/** Limit on sampling points in a cell along each axis, two per pixel. */
const MAX_PLACES = 16;
/** Number of points to look up before yielding, which needs about a millisecond. */
const PLACES_AT_ONCE = 16_384;
/** Marks cells outside the image. */
const OUTSIDE = -1;

const placesIn = (cell_mm: number, pixel_mm: number): number =>
  Math.min(MAX_PLACES, Math.max(2, 2 * Math.ceil(cell_mm / pixel_mm - 1e-6)));

interface Cells {
  /** Index of the material in the table, or OUTSIDE. */
  readonly material: Int16Array;
  readonly density: Float64Array;
}

function* fill(scenario: TransportScenario, ct: PlacedCt, nz: number, nx: number): Pausing<Cells> {
  const [dz, dx] = [scenario.geometry.depth_mm / nz, scenario.geometry.width_mm / nx];
  const pixel = Math.min(...ct.slice.spacing_mm);
  const [deep, wide] = [placesIn(dz, pixel), placesIn(dx, pixel)];
  const material = new Int16Array(nz * nx).fill(OUTSIDE);
  const density = new Float64Array(nz * nx);
  const turn = Math.ceil(PLACES_AT_ONCE / (deep * wide));
  for (let z = 0; z < nz; z += 1) {
    for (let x = 0; x < nx; x += 1) {
      if ((z * nx + x) % turn === 0) yield;
      let [sum, inside] = [0, 0];
      for (let i = 0; i < deep; i += 1) {
        for (let k = 0; k < wide; k += 1) {
          const hu = huAt(ct, (z + (i + 0.5) / deep) * dz, (x + (k + 0.5) / wide - nx / 2) * dx);
          if (hu === null) continue;
          sum += hu;
          inside += 1;
        }
      }
      // A cell counts as inside if at least half of its area is in the image: the edge of a CT is air in any case.
      if (2 * inside < deep * wide) continue;
      const mean = sum / inside;
      material[z * nx + x] = materialAt(ct.table, mean);
      density[z * nx + x] = densityAt(ct.table, mean);
    }
  }
  return { material, density };
}

/** Media, and the index of each cell's medium; null if there are more than `most`. Width 0 merges no densities. */
function* gather({ material, density }: Cells, ct: PlacedCt, width: number, most: number) {
  const known = new Map<string, number>();
  const sums: { material: number; density: number; cells: number }[] = [];
  const index = new Uint8Array(material.length);
  for (let i = 0; i < material.length; i += 1) {
    if (i % 65_536 === 0) yield;
    const m = material[i] ?? OUTSIDE;
    const d = density[i] ?? 0;
    const bin =
      width === 0
        ? d
        : d < LIGHT_G_CM3
          ? Math.floor(d / (LIGHT_G_CM3 * width))
          : 1000 + Math.floor(Math.log(d) / width);
    const key = m === OUTSIDE ? '' : `${m} ${bin}`;
    let at = known.get(key);
    if (at === undefined) {
      at = sums.push({ material: m, density: 0, cells: 0 }) - 1;
      if (at >= most) return null;
      known.set(key, at);
    }
    const sum = sums[at];
    if (sum !== undefined) {
      sum.density += d;
      sum.cells += 1;
    }
    index[i] = at;
  }
  const media = sums.map(({ material: m, density: d, cells }): Medium => {
    if (m === OUTSIDE) return { material: ct.outside, density_scale: 1 };
    return { material: ct.table.materials[m]?.[1] ?? 'water', density_scale: d / cells / (ct.listed_g_cm3[m] ?? 1) };
  });
  return { media, index };
}

/** Regions override the image: a cell belongs to the last region that contains its centre. */
function* paint(
  scenario: TransportScenario,
  nz: number,
  nx: number,
  media: Medium[],
  index: Uint8Array,
): Pausing<void> {
  const [dz, dx] = [scenario.geometry.depth_mm / nz, scenario.geometry.width_mm / nx];
  for (const { material, density_scale, x_mm, z_mm } of scenario.geometry.regions) {
    yield;
    let found = media.findIndex((one) => one.material === material && one.density_scale === density_scale);
    if (found < 0) found = media.push({ material, density_scale }) - 1;
    const first = (from: number, low: number, step: number): number =>
      Math.max(0, Math.ceil((from - low) / step - 0.5 - 1e-6));
    const [z0, z1] = [first(z_mm[0], 0, dz), Math.min(nz, first(z_mm[1], 0, dz))];
    const low = (-nx / 2) * dx;
    const [x0, x1] = [first(x_mm[0], low, dx), Math.min(nx, first(x_mm[1], low, dx))];
    for (let z = z0; z < z1; z += 1) if (x1 > x0) index.fill(found, z * nx + x0, z * nx + x1);
  }
}

export function* findCtContents(
  scenario: TransportScenario,
  ct: PlacedCt,
  nz: number,
  nx: number,
): Pausing<CellContents> {
  const cells = yield* fill(scenario, ct, nz, nx);
  const regions = new Set(
    scenario.geometry.regions.map(({ material, density_scale }) => `${material} ${density_scale}`),
  ).size;
  const most = MAX_MEDIA[scenario.solver.stepping] - Math.min(regions, 30);
  for (const width of [0, ...WIDTHS]) {
    const found = yield* gather(cells, ct, width, most);
    if (found === null) continue;
    const { media, index } = found;
    yield* paint(scenario, nz, nx, media, index);
    return { ...numberMedia(media, index), roundedTo: null, densitiesWithin: width === 0 ? null : width };
  }
  throw new Error(`the densities of a CT do not fit into ${most} media`);
}

/** Puts water of density 1 first in the list, even if it is unused. */
function numberMedia(media: readonly Medium[], index: Uint8Array): Pick<CellContents, 'list' | 'map'> {
  const isWater = ({ material, density_scale }: Medium): boolean => material === 'water' && density_scale === 1;
  const water: Medium = { material: 'water', density_scale: 1 };
  const list: Contents[] = [[{ medium: water, share: 1 }]];
  const places = media.map((medium) => (isWater(medium) ? 0 : list.push([{ medium, share: 1 }]) - 1));
  const map = index.map((at) => places[at] ?? 0);
  return { list, map: () => map };
}
