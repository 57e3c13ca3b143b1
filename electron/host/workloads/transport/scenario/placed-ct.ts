/**
 * A CT slice, placed in the box of a scenario: z is along the beam, and x is across it. The slice is read on a worker
 * thread and cached until a file changes. Questionable numbers cause warnings, and the page displays slice, box and
 * beam.
 */
import { BraggError } from '../../../../contract/errors.ts';
import type { CtPicture, CtSeriesInfo } from '../../../../contract/fields.ts';
import {
  type CtPlacement,
  type FieldIssue,
  fieldIssue,
  fieldWarning,
  type TransportScenario,
  type TransportWithStaticDefaults,
} from '../../../../contract/scenario/index.ts';
import type { YieldingTask } from '../../../../domain/values/pausing.ts';
import { formatNumber } from '../../../../domain/values/units.ts';
import { changeStamp, resolveInsideFolder } from '../../../io/files/folders.ts';
import { runInSlices } from '../../../io/flow/cooperative.ts';
import { defineThreadTask } from '../../../io/threads/task.ts';
import { listCtSeries } from '../../../io/volumes/ct-series.ts';
import { type CtPlane, type CtRequest, type CtSlice, readCtSlice } from '../../../io/volumes/ct-slice.ts';
import { type GridAxis, reducePlane, sampleAxis, sampledMapAxis } from '../../../model/fields/field.ts';
import { densityAt, type HuTable, huRange, materialAt } from '../../../model/matter/hu-table.ts';
import type { MaterialSet } from '../../../model/scenarios/stopping-table.ts';

/** Numbers of pixels beyond the two ends of the table, and their extreme values. */
interface HuBeyondTable {
  readonly below: number;
  readonly above: number;
  readonly least: number;
  readonly most: number;
}

export interface PlacedCt {
  readonly slice: CtSlice;
  readonly table: HuTable;
  /** Density of each material in the table in g/cm³. Relative densities of cells refer to it. */
  readonly listed_g_cm3: readonly number[];
  readonly outside: string;
  /** Position in mm along the two axes of the slice. */
  readonly isocentre_mm: readonly [number, number];
  readonly isocentre_depth_mm: number;
  /** Direction of the box's z along the two axes of the slice. The next field is that of x. */
  readonly along: readonly [number, number];
  readonly across: readonly [number, number];
  /** Depth of a box that covers the image, in mm. The next field is its width. */
  readonly depth_mm: number;
  readonly width_mm: number;
  readonly beyond: HuBeyondTable;
}

interface Rectangle {
  readonly low: readonly [number, number];
  readonly high: readonly [number, number];
}

/** Edges of the image, which are half a pixel outside of the first and last pixel centres. */
function edgesOf({ origin_mm, spacing_mm, columns, rows }: CtSlice): Rectangle {
  const low = [origin_mm[0] - spacing_mm[0] / 2, origin_mm[1] - spacing_mm[1] / 2] as const;
  return { low, high: [low[0] + columns * spacing_mm[0], low[1] + rows * spacing_mm[1]] };
}

/** Components of a direction that are smaller than this count as zero. */
const STRAIGHT = 1e-12;
const zeroIfStraight = (value: number): number => (Math.abs(value) < STRAIGHT ? 0 : value);

/** Distances from a point at which a line enters and leaves a rectangle. Null if it misses the rectangle. */
function chord(
  point: readonly [number, number],
  direction: readonly [number, number],
  { low, high }: Rectangle,
): readonly [number, number] | null {
  let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const axis of [0, 1] as const) {
    const step = direction[axis];
    if (step === 0) {
      if (point[axis] < low[axis] || point[axis] > high[axis]) return null;
      continue;
    }
    const ends = [(low[axis] - point[axis]) / step, (high[axis] - point[axis]) / step].sort((a, b) => a - b);
    from = Math.max(from, ends[0] ?? 0);
    to = Math.min(to, ends[1] ?? 0);
  }
  return to > from ? [from, to] : null;
}

/** Returns the directions of the box's z and x along the two axes of a slice. */
export function directionsInSlice(angle_deg: number): Pick<PlacedCt, 'along' | 'across'> {
  const angle = (angle_deg * Math.PI) / 180;
  return {
    along: [zeroIfStraight(-Math.sin(angle)), zeroIfStraight(Math.cos(angle))],
    across: [zeroIfStraight(Math.cos(angle)), zeroIfStraight(Math.sin(angle))],
  };
}

/** Places a CT in the box. Null if the beam axis misses the image. */
function placeCt(
  slice: CtSlice,
  placement: CtPlacement,
  table: HuTable,
  listed_g_cm3: readonly number[],
): Omit<PlacedCt, 'beyond'> | null {
  const { along, across } = directionsInSlice(placement.angle_deg);
  const edges = edgesOf(slice);
  const middle = [(edges.low[0] + edges.high[0]) / 2, (edges.low[1] + edges.high[1]) / 2] as const;
  const isocentre_mm = placement.isocentre_mm ?? middle;
  const through = chord(isocentre_mm, along, edges);
  if (through === null) return null;
  const isocentre_depth_mm = placement.isocentre_depth_mm ?? -through[0];
  const reach = ([0, 1] as const).flatMap((i) =>
    ([0, 1] as const).map((k) => {
      const corner = [i === 0 ? edges.low[0] : edges.high[0], k === 0 ? edges.low[1] : edges.high[1]] as const;
      return Math.abs((corner[0] - isocentre_mm[0]) * across[0] + (corner[1] - isocentre_mm[1]) * across[1]);
    }),
  );
  return {
    slice,
    table,
    listed_g_cm3,
    outside: placement.outside,
    isocentre_mm,
    isocentre_depth_mm,
    along,
    across,
    depth_mm: isocentre_depth_mm + through[1],
    width_mm: 2 * Math.max(...reach),
  };
}

/** Converts a point of the box to coordinates along the two axes of the slice. */
function slicePoint(
  { along, across, isocentre_mm, isocentre_depth_mm }: PlacedCt,
  z_mm: number,
  x_mm: number,
): readonly [number, number] {
  const way = z_mm - isocentre_depth_mm;
  return [isocentre_mm[0] + way * along[0] + x_mm * across[0], isocentre_mm[1] + way * along[1] + x_mm * across[1]];
}

/** Returns the Hounsfield units of the pixel at a point of the box. Null outside of the image. */
export function huAt(ct: PlacedCt, z_mm: number, x_mm: number): number | null {
  const { slice } = ct;
  const [u, v] = slicePoint(ct, z_mm, x_mm);
  const column = Math.round((u - slice.origin_mm[0]) / slice.spacing_mm[0]);
  const row = Math.round((v - slice.origin_mm[1]) / slice.spacing_mm[1]);
  if (column < 0 || row < 0 || column >= slice.columns || row >= slice.rows) return null;
  return slice.hu[row * slice.columns + column] ?? null;
}

/** Returns material and relative density for a Hounsfield unit. */
export function mediumOf(ct: PlacedCt, hu: number): { readonly material: string; readonly density_scale: number } {
  const index = materialAt(ct.table, hu);
  const scale = densityAt(ct.table, hu) / (ct.listed_g_cm3[index] ?? 1);
  return { material: ct.table.materials[index]?.[1] ?? 'water', density_scale: scale };
}

/** Warns about pixels beyond the table. They use its ends, so padding becomes air, and metal the densest bone. */
export function warnOfHu({ slice, table, beyond: { below, above, least, most } }: PlacedCt): readonly FieldIssue[] {
  const [lowest, highest] = huRange(table);
  const huIssue = (count: number, end: number, which: string, extreme: number): FieldIssue =>
    fieldWarning(
      ['geometry', 'ct', 'hu_table'],
      'HU table',
      `${count} pixels are ${which} ${formatNumber(end)} HU, where the table ${which === 'below' ? 'begins' : 'ends'} ` +
        `(${which === 'below' ? 'lowest' : 'highest'} ${formatNumber(Number(extreme.toPrecision(6)))}): the last value of the table is used for them`,
    );
  return [
    ...slice.notes.map((note) => fieldWarning(['geometry', 'ct', 'file'], 'CT', note.replace(/\.$/, ''))),
    ...(below > 0 ? [huIssue(below, lowest, 'below', least)] : []),
    ...(above > 0 ? [huIssue(above, highest, 'above', most)] : []),
  ];
}

const readOnThread = defineThreadTask('read a CT slice', readCtSlice);
const listOnThread = defineThreadTask('list CT series', listCtSeries);

/** Lists the CT series in a folder next to a scenario. Empty if there is none, or if the folder cannot be read. */
export async function ctSeriesOf(name: string, folder: string | null): Promise<readonly CtSeriesInfo[]> {
  const found = folder === null ? null : await resolveInsideFolder(folder, name);
  if (found === null) return [];
  return listOnThread({ path: found, name }).catch((error: unknown) => {
    // Ignore the error here, because reading the slice reports it.
    if (error instanceof BraggError && error.code === 'foreign-file') return [];
    throw error;
  });
}

/** Number of cached slices, as many as may be used at the same time. */
const CACHED_SLICES = 8;
const cachedSlices = new Map<string, Promise<CtSlice>>();

async function read(requested: CtRequest): Promise<CtSlice> {
  const key = JSON.stringify([requested, await changeStamp(requested.path)]);
  const known = cachedSlices.get(key);
  if (known !== undefined) return known;
  const reading = readOnThread(requested);
  cachedSlices.set(key, reading);
  reading.catch(() => cachedSlices.delete(key));
  const [oldest] = cachedSlices.keys();
  if (cachedSlices.size > CACHED_SLICES && oldest !== undefined) cachedSlices.delete(oldest);
  return reading;
}

interface CtReadResult {
  readonly slice: CtSlice | null;
  readonly faults: readonly FieldIssue[];
}

/** Reads the slice of a scenario. `folder`: folder of the scenario, or null if it is unsaved. */
async function ctSlice(
  { file, series, plane, at_mm }: CtPlacement,
  { folder }: { readonly folder: string | null },
): Promise<CtReadResult> {
  const rejected = (
    says: string,
    allowed: string,
    at: readonly string[] = ['file'],
    value: unknown = file,
  ): CtReadResult => ({
    slice: null,
    faults: [fieldIssue(['geometry', 'ct', ...at], value, says, allowed)],
  });
  const allowed = 'a DICOM folder or file, .nrrd, .mha or .mhd in the folder of the scenario';
  if (folder === null) {
    return rejected('cannot be found before the scenario is saved, because the path is relative to its file', allowed);
  }
  const found = await resolveInsideFolder(folder, file);
  if (found === null) return rejected('is outside the folder of the scenario', allowed);
  try {
    return {
      slice: await read({ path: found, name: file, series: series ?? null, plane, at_mm: at_mm ?? null }),
      faults: [],
    };
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    const reason = error.message.replace(/\.$/, '');
    // The folder itself is valid, so report the error at the field that selects the series.
    if (error.issues.some((issue) => issue.path === 'geometry.ct.series')) {
      return rejected(
        `does not select a series: ${reason}`,
        'UID or description of a series',
        ['series'],
        series ?? null,
      );
    }
    return rejected(`cannot be used: ${reason}`, allowed);
  }
}

/** Number of pixels to examine before yielding, which needs a millisecond. */
const PIXELS_AT_ONCE = 65_536;

function* countBeyond({ hu }: CtSlice, lowest: number, highest: number): YieldingTask<HuBeyondTable> {
  let [below, above] = [0, 0];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < hu.length; i += 1) {
    if (i % PIXELS_AT_ONCE === 0) yield;
    const value = hu[i] ?? 0;
    if (value < lowest) below += 1;
    if (value > highest) above += 1;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { below, above, least, most };
}

/** Cached by slice and ends of the table, because a scenario is checked after every key press. */
const countsBySlice = new WeakMap<CtSlice, Map<string, Promise<HuBeyondTable>>>();

function huBeyondTable(slice: CtSlice, table: HuTable): Promise<HuBeyondTable> {
  const [lowest, highest] = huRange(table);
  const ofSlice = countsBySlice.get(slice) ?? new Map<string, Promise<HuBeyondTable>>();
  countsBySlice.set(slice, ofSlice);
  const key = `${lowest} ${highest}`;
  const found = ofSlice.get(key) ?? runInSlices(countBeyond(slice, lowest, highest));
  ofSlice.set(key, found);
  return found;
}

/** Returns the CT of a scenario in its box. Null if there is none, or if it cannot be used. */
export async function placedCt(
  { geometry: { ct } }: TransportWithStaticDefaults,
  materials: MaterialSet,
  shipped: HuTable,
  place: { readonly folder: string | null },
): Promise<{ readonly placed: PlacedCt | null; readonly faults: readonly FieldIssue[] }> {
  if (ct === undefined) return { placed: null, faults: [] };
  const { slice, faults } = await ctSlice(ct, place);
  if (slice === null) return { placed: null, faults };
  const own = ct.frame_of_reference;
  if (own !== undefined && slice.frame !== '' && own !== slice.frame) {
    const at = ['geometry', 'ct', 'frame_of_reference'];
    return {
      placed: null,
      faults: [fieldIssue(at, own, 'belongs to another CT', `${slice.frame}, that of the file, or nothing`)],
    };
  }
  const table = ct.hu_table === 'schneider' ? shipped : ct.hu_table;
  const listed = table.materials.map(([, name]) => materials[name]?.density_g_cm3 ?? 1);
  const placed = placeCt(slice, ct, table, listed);
  if (placed !== null) return { placed: { ...placed, beyond: await huBeyondTable(slice, table) }, faults: [] };
  const [u, v] = slice.origin_mm;
  const ends = [u + (slice.columns - 1) * slice.spacing_mm[0], v + (slice.rows - 1) * slice.spacing_mm[1]];
  const allowed = `a point of the image: ${u} to ${ends[0]} mm, ${v} to ${ends[1]} mm`;
  return {
    placed,
    faults: [
      fieldIssue(
        ['geometry', 'ct', 'isocentre_mm'],
        ct.isocentre_mm,
        "puts the beam's axis outside of the image",
        allowed,
      ),
    ],
  };
}

const axisNames: Readonly<Record<CtPlane, readonly [string, string]>> = {
  transverse: ['left', 'back'],
  coronal: ['left', 'head'],
  sagittal: ['back', 'head'],
};

/** Maximum number of beam paths to draw. More would cover the picture. */
const MAX_BEAMS = 48;

function axisOf({ plane, origin_mm, spacing_mm, columns, rows }: CtSlice, which: 0 | 1): GridAxis {
  const start = origin_mm[which] - spacing_mm[which] / 2;
  const count = which === 0 ? columns : rows;
  const edges = Float64Array.from({ length: count + 1 }, (_, i) => start + i * spacing_mm[which]);
  return { name: axisNames[plane][which], unit: 'mm', uniform: true, edges };
}

interface BeamPath {
  readonly x_mm: number;
  readonly angle_deg: number;
}

/** Beam paths to draw. Spots with equal position and angle share one. */
function beamPathsOf({ beam }: TransportScenario): readonly BeamPath[] {
  const all: readonly BeamPath[] = beam.spots ?? [beam];
  const different = new Map(all.map(({ x_mm, angle_deg }) => [`${x_mm} ${angle_deg}`, { x_mm, angle_deg }]));
  const ways = [...different.values()];
  if (ways.length <= MAX_BEAMS) return ways;
  return Array.from(
    { length: MAX_BEAMS },
    (_, i) => ways[Math.round((i * (ways.length - 1)) / (MAX_BEAMS - 1))],
  ).filter((way) => way !== undefined);
}

/** Builds the picture of a CT with box and beams. `range_mm`: range of a single beam along its axis. */
export async function ctPicture(
  ct: PlacedCt,
  scenario: TransportScenario,
  range_mm: number | null,
  pixels: number,
): Promise<CtPicture> {
  const { slice } = ct;
  const { depth_mm, width_mm } = scenario.geometry;
  const [horizontal, vertical] = [axisOf(slice, 0), axisOf(slice, 1)];
  const [across, down] = [sampleAxis(horizontal, null, pixels), sampleAxis(vertical, null, pixels)];
  const plane = { values: slice.hu, strideHorizontal: 1, strideVertical: slice.columns };
  const half = width_mm / 2;
  const corners = [
    [0, -half],
    [0, half],
    [depth_mm, half],
    [depth_mm, -half],
  ] as const;
  const { z_mm } = scenario.beam;
  const through_mm = (angle: number): number => (depth_mm - z_mm) / Math.cos(angle);
  const alone = scenario.beam.spots === undefined ? range_mm : null;
  const toRange = alone !== null && alone < through_mm((scenario.beam.angle_deg * Math.PI) / 180);
  const beams = beamPathsOf(scenario).map(({ x_mm, angle_deg }) => {
    const angle = (angle_deg * Math.PI) / 180;
    const way = toRange ? alone : through_mm(angle);
    const end = [z_mm + way * Math.cos(angle), x_mm + way * Math.sin(angle)] as const;
    return {
      from: [...slicePoint(ct, z_mm, x_mm)] as [number, number],
      to: [...slicePoint(ct, ...end)] as [number, number],
    };
  });
  return {
    plane: slice.plane,
    slice: {
      quantity: 'Hounsfield units',
      unit: 'HU',
      horizontal: sampledMapAxis(horizontal, across),
      vertical: sampledMapAxis(vertical, down),
      ...(await reducePlane(plane, across, down, 'mean', 1)),
    },
    at_mm: slice.at_mm,
    from_mm: slice.from_mm,
    to_mm: slice.to_mm,
    slices: slice.slices,
    box: corners.map(([z, x]) => [...slicePoint(ct, z, x)] as [number, number]),
    beams,
    toRange,
  };
}
