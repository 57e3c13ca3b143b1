/**
 * Writes maps of a run in the file formats of other programs. The first axis is x (lateral), the second depth, the
 * third y. For a run in a CT, the patient's coordinates are used. Large fields are computed on a worker thread.
 */
import { BraggError } from '../../../../contract/errors.ts';
import type { LetName } from '../../../../contract/quality.ts';
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import type { ValueScaling } from '../../../io/addon/reduction.ts';
import { defineArrayTask, defineThreadTask } from '../../../io/threads/task.ts';
import { type DirectedVolume, metaImageBytes, nrrdBytes, rtDoseBytes } from '../../../io/volumes/write.ts';
import { type GrayRun, grayField } from '../metrics/gray.ts';
import { type LetMoments, letMap } from '../metrics/quality.ts';
import type { RunData } from '../run-data.ts';
import { directionsInSlice } from '../scenario/placed-ct.ts';

const makeLet = defineArrayTask(
  'compute a map of LET',
  ({ primary, protons, name }: LetMoments & { readonly name: LetName }) => letMap({ primary, protons }, name),
);

/** Cached, because maps of a displayed run are requested repeatedly. */
const cachedFields = new WeakMap<LetMoments, Map<LetName, Promise<Float64Array>>>();

/** LET in keV/µm per cell, in rows of z. 0 in cells without protons. */
export function letField(tracks: LetMoments, name: LetName): Promise<Float64Array> {
  const known = cachedFields.get(tracks) ?? new Map<LetName, Promise<Float64Array>>();
  cachedFields.set(tracks, known);
  const { primary, protons } = tracks;
  const found = known.get(name) ?? makeLet({ primary, protons, name });
  known.set(name, found);
  // Do not cache errors.
  found.catch(() => known.delete(name));
  return found;
}

interface GrayRequest {
  readonly run: GrayRun;
  readonly y_mm: number;
}

const makeGray = defineArrayTask('compute a map in Gy', ({ run, y_mm }: GrayRequest) => grayField(run, y_mm));
/** Always on a worker thread, because fields with different spots need much time even on small grids. */
const makeGrayOfKinds = defineThreadTask('compute a map of a field in Gy', ({ run, y_mm }: GrayRequest) =>
  grayField(run, y_mm),
);

/** Dose in Gy per 10⁹ protons at a distance `y_mm` from the axis, in rows of z, or the reason why there is none. */
export function grayMap({ acrossY, axes, beam, dose }: GrayRun, y_mm: number): ReturnType<typeof makeGray> {
  const make = acrossY !== null && 'kinds' in acrossY ? makeGrayOfKinds : makeGray;
  return make({ run: { acrossY, axes, beam, dose }, y_mm });
}

/** An array with scale factors. The value of an element is value · scale · factor / divisor. */
interface ScaledArray {
  readonly values: Float32Array | Float64Array;
  readonly scale: number;
  readonly per?: ValueScaling;
}

const valueAt = ({ values, scale, per }: ScaledArray, i: number): number =>
  ((values[i] ?? 0) * scale * (per?.factor ?? 1)) / (per?.divisor[i] ?? 1);

const subtract = defineArrayTask(
  'subtract maps',
  ({ mine, theirs }: { readonly mine: ScaledArray; readonly theirs: ScaledArray }): Float64Array => {
    const values = new Float64Array(mine.values.length);
    for (let i = 0; i < values.length; i += 1) values[i] = valueAt(mine, i) - valueAt(theirs, i);
    return values;
  },
);

const scaledArrayOf = ({ values, scale, per }: ScaledArray): ScaledArray => ({ values, scale, ...(per && { per }) });

/** Returns `mine` minus `theirs`, cell by cell. */
export const differenceOf = (mine: ScaledArray, theirs: ScaledArray): Promise<Float64Array> =>
  subtract({ mine: scaledArrayOf(mine), theirs: scaledArrayOf(theirs) });

const writers = { mha: metaImageBytes, nrrd: nrrdBytes } as const;
type ImageEnding = keyof typeof writers;

interface Quantity {
  readonly content: string;
  /** Returns the values in rows of z. Throws `unsupported` if the run does not have them. */
  readonly values: (run: RunData) => Float64Array;
}

const GRAY_CONTENT = 'dose, Gy per 1e9 protons';

/** Maps integrated over y, by the name of their export. */
const quantities = {
  dose: {
    content: 'dose, integrated over y, MeV/mm^2',
    values: ({ dose, axes }) => dose.map((energy) => energy / (axes.dz_mm * axes.dx_mm)),
  },
  letd: {
    content: 'LETd of all protons, in water, keV/um',
    values: ({ tracks }) => {
      if (tracks !== null) return letMap(tracks, 'letd');
      throw new BraggError('unsupported', 'This run has no LET; set output.let in the scenario.');
    },
  },
} as const satisfies Readonly<Record<string, Quantity>>;

export const mapNames = ['dose', 'gray', 'letd'] as const satisfies readonly (keyof typeof quantities | 'gray')[];
export const imageEndings = ['mha', 'nrrd'] as const satisfies readonly ImageEnding[];

export type ImageExport = `${(typeof mapNames)[number]}-${ImageEnding}` | typeof rtDose;

const all = mapNames.flatMap((name) => imageEndings.map((ending) => [`${name}-${ending}`, { name, ending }] as const));
const exportsByName: ReadonlyMap<string, (typeof all)[number][1]> = new Map(all);
/** Name of the RT Dose export, which exists only for dose in Gy. */
export const rtDose = 'gray-dcm';

export const isImageExport = (what: string): what is ImageExport => what === rtDose || exportsByName.has(what);

type Grid = Omit<DirectedVolume, 'values'>;

/** Indices of the patient's axes for each slice orientation: two in its plane, and the perpendicular one. */
const sliceAxes = { transverse: [0, 1, 2], coronal: [0, 2, 1], sagittal: [1, 2, 0] } as const;

/** Position of the box with its axes x, depth and y. For a CT, in the patient's coordinates. */
interface Box {
  /** Centre of the first cell in mm, at y = 0. */
  readonly origin_mm: readonly number[];
  /** Unit vectors of x, depth and y, which form a right-handed system. */
  readonly directions: readonly [readonly number[], readonly number[], readonly number[]];
}

function boxOf({ axes: { nx, dx_mm, dz_mm }, completeScenario }: RunData): Box | null {
  const { ct } = (completeScenario as unknown as TransportScenario).geometry;
  if (ct?.isocentre_mm === undefined || ct.isocentre_depth_mm === undefined || ct.at_mm === undefined) return null;
  const [u, v, across] = sliceAxes[ct.plane];
  const { along, across: aside } = directionsInSlice(ct.angle_deg);
  const toPatient = (inSlice: readonly [number, number], at = 0): readonly number[] => {
    const point = [0, 0, 0];
    [point[u], point[v], point[across]] = [inSlice[0], inSlice[1], at];
    return point;
  };
  const [x, z] = [(0.5 - nx / 2) * dx_mm, dz_mm / 2 - ct.isocentre_depth_mm];
  const first = [0, 1].map((i) => (ct.isocentre_mm?.[i] ?? 0) + x * (aside[i] ?? 0) + z * (along[i] ?? 0));
  const [xWay, zWay] = [toPatient(aside), toPatient(along)];
  const crossProduct = (i: number, k: number): number =>
    (xWay[i] ?? 0) * (zWay[k] ?? 0) - (xWay[k] ?? 0) * (zWay[i] ?? 0);
  return {
    origin_mm: toPatient([first[0] ?? 0, first[1] ?? 0], ct.at_mm),
    directions: [xWay, zWay, [crossProduct(1, 2), crossProduct(2, 0), crossProduct(0, 1)]],
  };
}

/**
 * Grid of a map that is integrated over y. In a CT it is a layer 1 mm thick, so that its values are also values per mm.
 */
function planeGrid(run: RunData): Grid {
  const { nx, nz, dx_mm, dz_mm } = run.axes;
  const box = boxOf(run);
  if (box !== null) return { sizes: [nx, nz, 1], spacing_mm: [dx_mm, dz_mm, 1], ...box };
  return { sizes: [nx, nz], spacing_mm: [dx_mm, dz_mm], origin_mm: [(0.5 - nx / 2) * dx_mm, dz_mm / 2] };
}

/**
 * Half of the extent of a dose in Gy along y, in standard deviations. There a Gaussian has fallen to 3e-4 of its
 * maximum.
 */
const REACH_SIGMAS = 4;
const LAYERS_PER_SIDE = 64;
const MIN_LAYERS_PER_SIDE = 4;
/** Maximum number of values, which need 240 MB in FP64. */
const MAX_VALUES = 3e7;

/**
 * Number of layers on each side of y = 0, and their spacing. The spacing is half of the smallest width, or one cell if
 * that is smaller.
 */
function layersAlongY({ acrossY, axes: { nx, nz, dx_mm } }: RunData): {
  readonly aside: number;
  readonly dy_mm: number;
} {
  if (acrossY === null || 'reason' in acrossY) return { aside: 0, dy_mm: dx_mm };
  const widths = 'kinds' in acrossY ? acrossY.kinds.map(({ sigma_y_mm }) => sigma_y_mm) : [acrossY.sigma_y_mm];
  let [narrow, wide] = [Number.POSITIVE_INFINITY, 0];
  for (const width of widths) {
    for (const sigma of width) [narrow, wide] = [Math.min(narrow, sigma), Math.max(wide, sigma)];
  }
  const most = Math.min(LAYERS_PER_SIDE, Math.max(MIN_LAYERS_PER_SIDE, Math.floor((MAX_VALUES / (nx * nz) - 1) / 2)));
  const dy_mm = Number(Math.max(Math.min(dx_mm, narrow / 2), (REACH_SIGMAS * wide) / most).toPrecision(6));
  return { aside: Math.ceil((REACH_SIGMAS * wide) / dy_mm), dy_mm };
}

/** Dose in Gy in three dimensions: x, depth and y. It is symmetric in y. */
async function doseVolume_Gy(run: RunData): Promise<DirectedVolume> {
  const { nx, nz, dx_mm, dz_mm } = run.axes;
  const { aside, dy_mm } = layersAlongY(run);
  const cells = nx * nz;
  const values = new Float64Array(cells * (2 * aside + 1));
  for (let layer = 0; layer <= aside; layer += 1) {
    const found = await grayMap(run, layer * dy_mm);
    if ('reason' in found) throw new BraggError('unsupported', `There is no dose in Gy: ${found.reason}.`);
    values.set(found.values, (aside - layer) * cells);
    values.set(found.values, (aside + layer) * cells);
  }
  const box = boxOf(run);
  const directions =
    box?.directions ??
    ([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ] as const);
  const middle = box?.origin_mm ?? [(0.5 - nx / 2) * dx_mm, dz_mm / 2, 0];
  return {
    sizes: [nx, nz, 2 * aside + 1],
    spacing_mm: [dx_mm, dz_mm, dy_mm],
    origin_mm: middle.map((place, i) => place - aside * dy_mm * (directions[2][i] ?? 0)),
    directions,
    values,
  };
}

export async function imageOf(
  run: RunData,
  what: ImageExport,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  if (what === rtDose) {
    const { ct } = (run.completeScenario as unknown as TransportScenario).geometry;
    const words = { content: GRAY_CONTENT, frame: ct?.frame_of_reference ?? null };
    return { name: 'gray.dcm', bytes: rtDoseBytes(await doseVolume_Gy(run), words) };
  }
  const requested = exportsByName.get(what);
  if (requested === undefined) throw new Error(`${what} is not an image`);
  const quantity = requested.name === 'gray' ? null : quantities[requested.name];
  const volume = quantity === null ? await doseVolume_Gy(run) : { ...planeGrid(run), values: quantity.values(run) };
  const content = `${run.name}: ${quantity?.content ?? GRAY_CONTENT}`;
  return { name: `${requested.name}.${requested.ending}`, bytes: writers[requested.ending](volume, { content }) };
}
