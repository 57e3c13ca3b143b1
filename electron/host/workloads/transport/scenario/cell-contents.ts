/**
 * Determines the contents of each cell of the box. Borders of regions may cut cells anywhere, so each medium is
 * included by its share of the cell's area. A foil thinner than a cell thus has the correct total mass.
 *
 * In a CT, the mean of the Hounsfield units in a cell determines its material and density. The solver supports a
 * limited number of media. If there are more, similar densities are merged into their mean, which conserves the mass of
 * a material.
 */
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import { runToCompletion, type YieldingTask } from '../../../../domain/values/pausing.ts';
import { runInSlices } from '../../../io/flow/cooperative.ts';
import { densityAt, materialAt } from '../../../model/matter/hu-table.ts';
import type { CellContents, Contents, Medium, TransportContext } from './context.ts';
import { huAt, type PlacedCt } from './placed-ct.ts';

/** Maximum number of distinct contents. The solver stores a material index in one byte. */
export const MAX_CONTENTS = 255;
/** Denominators to which shares are rounded if there are too many mixtures. The largest one that suffices is used. */
const PARTS = [64, 32, 16, 8, 4, 2, 1] as const;
/** Tolerance in cells within which decimal borders coincide with borders of cells. */
const SLACK = 1e-6;
/** Shares that differ by less than this count as equal. */
const SAME_SHARE = 1e-9;

/**
 * Consecutive cells [from, to) along one axis that region borders cut in the same way, with the share of each part.
 */
interface Band {
  readonly from: number;
  readonly to: number;
  readonly shares: readonly { readonly interval: number; readonly share: number }[];
}

interface Axis {
  /** Positions of all borders, including the faces of the box, in cells from its front and in ascending order. */
  readonly lines: readonly number[];
  readonly bands: readonly Band[];
}

function toCellUnits(edge_mm: number, low_mm: number, cell_mm: number, count: number): number {
  const place = (edge_mm - low_mm) / cell_mm;
  const whole = Math.round(place);
  return Math.min(count, Math.max(0, Math.abs(place - whole) < SLACK ? whole : place));
}

function axisOf(places: readonly number[], count: number): Axis {
  const lines = [...new Set([0, count, ...places])].sort((a, b) => a - b);
  const line = (i: number): number => lines[i] ?? count;
  const bands: Band[] = [];
  let interval = 0;
  for (let cell = 0; cell < count; ) {
    while (line(interval + 1) <= cell) interval += 1;
    const whole = Math.floor(line(interval + 1));
    if (line(interval) <= cell && whole > cell) {
      bands.push({ from: cell, to: whole, shares: [{ interval, share: 1 }] });
      cell = whole;
      continue;
    }
    const shares = [];
    for (let i = interval; line(i) < cell + 1; i += 1) {
      shares.push({ interval: i, share: Math.min(cell + 1, line(i + 1)) - Math.max(cell, line(i)) });
    }
    bands.push({ from: cell, to: cell + 1, shares });
    cell += 1;
  }
  return { lines, bands };
}

/**
 * Determines the medium between the lines of both axes. `of` returns its index for an interval of z and an interval of
 * x.
 */
function mediaBetweenLines(
  scenario: TransportScenario,
  z: Axis,
  x: Axis,
  place: (edge: number, axis: 'x' | 'z') => number,
) {
  const media: Medium[] = [{ material: scenario.geometry.background, density_scale: 1 }];
  const width = x.lines.length - 1;
  const index = new Int32Array((z.lines.length - 1) * width);
  for (const { material, density_scale, x_mm, z_mm } of scenario.geometry.regions) {
    let found = media.findIndex((one) => one.material === material && one.density_scale === density_scale);
    if (found < 0) found = media.push({ material, density_scale }) - 1;
    const [z0, z1] = z_mm.map((edge) => z.lines.indexOf(place(edge, 'z'))) as [number, number];
    const [x0, x1] = x_mm.map((edge) => x.lines.indexOf(place(edge, 'x'))) as [number, number];
    for (let i = z0; i < z1; i += 1) if (x1 > x0) index.fill(found, i * width + x0, i * width + x1);
  }
  return { media, of: (intervalZ: number, intervalX: number): number => index[intervalZ * width + intervalX] ?? 0 };
}

/** Rounds the shares of media to multiples of 1 / `parts` whose sum is 1. */
function roundShares(shares: ReadonlyMap<number, number>, parts: number): ReadonlyMap<number, number> {
  const exact = [...shares].map(([medium, share]) => ({
    medium,
    share: share * parts,
    taken: Math.floor(share * parts),
  }));
  let left = parts - exact.reduce((sum, { taken }) => sum + taken, 0);
  for (const one of [...exact].sort((a, b) => b.share - b.taken - (a.share - a.taken))) {
    if (left <= 0) break;
    one.taken += 1;
    left -= 1;
  }
  return new Map(exact.filter(({ taken }) => taken > 0).map(({ medium, taken }) => [medium, taken / parts]));
}

/** List of distinct contents, numbered in the order of their appearance. */
class ContentsList {
  readonly list: Contents[];
  private readonly known: Map<string, number>;
  private readonly media: readonly Medium[];
  private readonly parts: number | null;
  /** Indices of contents that consist of a single medium, by medium. */
  private readonly whole: number[] = [];

  constructor(media: readonly Medium[], parts: number | null) {
    this.media = media;
    this.parts = parts;
    const water = { material: 'water', density_scale: 1 } as const;
    this.list = [[{ medium: water, share: 1 }]];
    const index = media.findIndex((one) => one.material === water.material && one.density_scale === 1);
    this.known = new Map(index < 0 ? [] : [[String(index), 0]]);
  }

  /** Returns the index in `list` of contents with a single medium, as in most cells. */
  indexOfMedium(medium: number): number {
    const known = this.whole[medium];
    if (known !== undefined) return known;
    const found = this.indexOfMixture(new Map([[medium, 1]]));
    this.whole[medium] = found;
    return found;
  }

  /** Returns the index in `list` of a mixture. */
  indexOfMixture(exact: ReadonlyMap<number, number>): number {
    const shares = [...(this.parts === null || exact.size === 1 ? exact : roundShares(exact, this.parts))];
    shares.sort(([a], [b]) => a - b);
    const [only] = shares;
    const key =
      shares.length === 1 && only !== undefined
        ? String(only[0])
        : shares.map(([medium, share]) => `${medium}:${Math.round(share / SAME_SHARE)}`).join(' ');
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const contents = shares.map(([medium, share]) => ({ medium: this.media[medium] as Medium, share }));
    contents.sort((a, b) => b.share - a.share);
    this.known.set(key, this.list.length);
    return this.list.push(contents) - 1;
  }
}

/** Number of blocks to process before yielding, which needs less than a millisecond. */
const BLOCKS_AT_ONCE = 128;

function* findContents(scenario: TransportScenario, nz: number, nx: number): YieldingTask<CellContents> {
  const { geometry } = scenario;
  const place = (edge: number, axis: 'x' | 'z'): number =>
    axis === 'x'
      ? toCellUnits(edge, -geometry.width_mm / 2, geometry.width_mm / nx, nx)
      : toCellUnits(edge, 0, geometry.depth_mm / nz, nz);
  const placesOf = (axis: 'x' | 'z'): number[] =>
    geometry.regions.flatMap((region) => region[`${axis}_mm`].map((edge) => place(edge, axis)));
  const [z, x] = [axisOf(placesOf('z'), nz), axisOf(placesOf('x'), nx)];
  const { media, of } = mediaBetweenLines(scenario, z, x, place);
  /** Returns the only medium in the intersection of two bands. Null if there are several. */
  const onlyIn = (row: Band, column: Band): number | null => {
    let only: number | null = null;
    for (const a of row.shares) {
      for (const b of column.shares) {
        const medium = of(a.interval, b.interval);
        if (only !== null && medium !== only) return null;
        only = medium;
      }
    }
    return only;
  };
  const sharesIn = (row: Band, column: Band): ReadonlyMap<number, number> => {
    const shares = new Map<number, number>();
    for (const a of row.shares) {
      for (const b of column.shares) {
        const medium = of(a.interval, b.interval);
        shares.set(medium, (shares.get(medium) ?? 0) + a.share * b.share);
      }
    }
    return shares;
  };
  /** Indices of the contents by band of z and band of x. Null if there are too many. */
  function* blockContents(list: ContentsList): YieldingTask<Uint8Array | null> {
    const index = new Uint8Array(z.bands.length * x.bands.length);
    let i = 0;
    for (const row of z.bands) {
      for (const column of x.bands) {
        const only = onlyIn(row, column);
        const found = only === null ? list.indexOfMixture(sharesIn(row, column)) : list.indexOfMedium(only);
        if (found >= MAX_CONTENTS) return null;
        index[i] = found;
        i += 1;
        if (i % BLOCKS_AT_ONCE === 0) yield;
      }
    }
    return index;
  }
  for (const roundedTo of [null, ...PARTS]) {
    const list = new ContentsList(media, roundedTo);
    const index = yield* blockContents(list);
    if (index !== null)
      return { list: list.list, map: () => paintMap(z, x, index, nz, nx), roundedTo, densitiesWithin: null };
  }
  throw new Error(`${media.length} media do not fit ${MAX_CONTENTS} indices`);
}

type CtContext = Pick<TransportContext, 'ct'>;

const contentsOf = (
  scenario: TransportScenario,
  ct: PlacedCt | null,
  nz: number,
  nx: number,
): YieldingTask<CellContents> => (ct === null ? findContents(scenario, nz, nx) : findCtContents(scenario, ct, nz, nx));

/** Cached, because checks, estimates and runs use the same scenario, and hundreds of borders need half a second. */
const found = new WeakMap<TransportScenario, CellContents>();

/**
 * Returns the contents of all cells. `scenario` has whole numbers of cells, which fill the box exactly even if sizes in
 * the file are rounded.
 */
export function cellContents(scenario: TransportScenario, { ct }: CtContext, nz: number, nx: number): CellContents {
  const contents = found.get(scenario) ?? runToCompletion(contentsOf(scenario, ct, nz, nx));
  found.set(scenario, contents);
  return contents;
}

/** Computes the contents in slices of work and caches them for `cellContents`. */
export async function findContentsInSlices(
  scenario: TransportScenario,
  { ct }: CtContext,
  nz: number,
  nx: number,
): Promise<CellContents> {
  const contents = found.get(scenario) ?? (await runInSlices(contentsOf(scenario, ct, nz, nx)));
  found.set(scenario, contents);
  return contents;
}

function paintMap(z: Axis, x: Axis, index: Uint8Array, nz: number, nx: number): Uint8Array {
  const map = new Uint8Array(nz * nx);
  z.bands.forEach(({ from, to }, row) => {
    x.bands.forEach((column, i) => {
      map.fill(index[row * x.bands.length + i] ?? 0, from * nx + column.from, from * nx + column.to);
    });
    // Rows of a band are equal, so copy them by doubling.
    for (let done = 1; done < to - from; done *= 2) {
      map.copyWithin((from + done) * nx, from * nx, (from + Math.min(done, to - from - done)) * nx);
    }
  });
  return map;
}

/** Maximum number of media of a CT. With plane-to-plane steps, each medium needs separate operators for each angle. */
const MAX_MEDIA = { path: 200, depth: 60 } as const;
/** Possible widths of merged densities, as shares of the density or of `LIGHT_G_CM3`, whichever is larger. */
const WIDTHS = [0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32] as const;
const LIGHT_G_CM3 = 0.3;
/** Maximum number of sampling points in a cell along each axis. There are two per pixel. */
const MAX_PLACES = 16;
/** Number of points to look up before yielding, which needs about a millisecond. */
const PLACES_AT_ONCE = 16_384;
/** Material index of cells outside of the image. */
const OUTSIDE = -1;

const placesIn = (cell_mm: number, pixel_mm: number): number =>
  Math.min(MAX_PLACES, Math.max(2, 2 * Math.ceil(cell_mm / pixel_mm - 1e-6)));

interface Cells {
  /** Index of each cell's material in the table, or OUTSIDE. */
  readonly material: Int16Array;
  readonly density: Float64Array;
}

function* sampleCells(scenario: TransportScenario, ct: PlacedCt, nz: number, nx: number): YieldingTask<Cells> {
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
      // A cell counts as inside if at least half of its area is in the image. The edge of a CT is air in any case.
      if (2 * inside < deep * wide) continue;
      const mean = sum / inside;
      material[z * nx + x] = materialAt(ct.table, mean);
      density[z * nx + x] = densityAt(ct.table, mean);
    }
  }
  return { material, density };
}

/**
 * Returns the media and the index of each cell's medium. Null if there are more than `most`. With `width` 0, no
 * densities are merged.
 */
function* groupMedia({ material, density }: Cells, ct: PlacedCt, width: number, most: number) {
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

/** Adds regions, which override the image: a cell belongs to the last region that contains its centre. */
function* applyRegions(
  scenario: TransportScenario,
  nz: number,
  nx: number,
  media: Medium[],
  index: Uint8Array,
): YieldingTask<void> {
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

function* findCtContents(
  scenario: TransportScenario,
  ct: PlacedCt,
  nz: number,
  nx: number,
): YieldingTask<CellContents> {
  const cells = yield* sampleCells(scenario, ct, nz, nx);
  const regions = new Set(
    scenario.geometry.regions.map(({ material, density_scale }) => `${material} ${density_scale}`),
  ).size;
  const most = MAX_MEDIA[scenario.solver.stepping] - Math.min(regions, 30);
  for (const width of [0, ...WIDTHS]) {
    const found = yield* groupMedia(cells, ct, width, most);
    if (found === null) continue;
    const { media, index } = found;
    yield* applyRegions(scenario, nz, nx, media, index);
    return { ...numberMedia(media, index), roundedTo: null, densitiesWithin: width === 0 ? null : width };
  }
  throw new Error(`the densities of a CT do not fit into ${most} media`);
}

/** Puts water of density 1 first in the list, even if no cell contains it. */
function numberMedia(media: readonly Medium[], index: Uint8Array): Pick<CellContents, 'list' | 'map'> {
  const isWater = ({ material, density_scale }: Medium): boolean => material === 'water' && density_scale === 1;
  const water: Medium = { material: 'water', density_scale: 1 };
  const list: Contents[] = [[{ medium: water, share: 1 }]];
  const places = media.map((medium) => (isWater(medium) ? 0 : list.push([{ medium, share: 1 }]) - 1));
  const map = index.map((at) => places[at] ?? 0);
  return { list, map: () => map };
}
