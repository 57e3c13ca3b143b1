/**
 * Maps of a run as files of other programs: x across is the first axis, depth the second, y the third. A run in a CT lies in
 * the patient's coordinates.
 */
import { BraggError } from '../../../../contract/errors.ts';
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import { rtDoseBytes } from '../../../io/volumes/dicom-write.ts';
import { type DirectedVolume, metaImageBytes, nrrdBytes } from '../../../io/volumes/write.ts';
import { letMap } from '../metrics/quality.ts';
import type { RunData } from '../run-data.ts';
import { directionsInSlice } from '../scenario/ct/placed-ct.ts';
import { grayMap } from './whole-fields.ts';

const writers = { mha: metaImageBytes, nrrd: nrrdBytes } as const;
type ImageEnding = keyof typeof writers;

interface Quantity {
  readonly content: string;
  /** [z][x]. Throws `unsupported` where the run has none. */
  readonly values: (run: RunData) => Float64Array;
}

const GRAY_CONTENT = 'dose, Gy per 1e9 protons';

/** Maps that are integrated over y, by the names of the exports. */
const quantities = {
  dose: {
    content: 'dose, integrated over y, MeV/mm^2',
    values: ({ dose, axes }) => dose.map((energy) => energy / (axes.dz_mm * axes.dx_mm)),
  },
  letd: {
    content: 'LETd of all protons, in water, keV/um',
    values: ({ tracks }) => {
      if (tracks !== null) return letMap(tracks, 'letd');
      throw new BraggError('unsupported', 'This run did not score LET; output.let in the scenario does.');
    },
  },
} as const satisfies Readonly<Record<string, Quantity>>;

export const mapNames = ['dose', 'gray', 'letd'] as const satisfies readonly (keyof typeof quantities | 'gray')[];
export const imageEndings = ['mha', 'nrrd'] as const satisfies readonly ImageEnding[];

export type ImageExport = `${(typeof mapNames)[number]}-${ImageEnding}` | typeof rtDose;

const all = mapNames.flatMap((name) => imageEndings.map((ending) => [`${name}-${ending}`, { name, ending }] as const));
const exportsByName: ReadonlyMap<string, (typeof all)[number][1]> = new Map(all);
/** A dose in Gy alone is RT Dose. */
export const rtDose = 'gray-dcm';

export const isImageExport = (what: string): what is ImageExport => what === rtDose || exportsByName.has(what);

type Grid = Omit<DirectedVolume, 'values'>;

/** The patient's axes along the two of a slice, and the one across it. */
const sliceAxes = { transverse: [0, 1, 2], coronal: [0, 2, 1], sagittal: [1, 2, 0] } as const;

/** The box in a CT, in the patient's coordinates; without a CT, x of the box, its depth, and y. */
interface Box {
  /** Centre of the first cell at y = 0. */
  readonly origin_mm: readonly number[];
  /** Unit vectors of x, depth and y, which are right-handed. */
  readonly directions: readonly [readonly number[], readonly number[], readonly number[]];
}

function boxOf({ axes: { nx, dx_mm, dz_mm }, completeScenario }: RunData): Box | null {
  const { ct } = (completeScenario as unknown as TransportScenario).geometry;
  if (ct?.isocentre_mm === undefined || ct.isocentre_depth_mm === undefined || ct.at_mm === undefined) return null;
  const [u, v, across] = sliceAxes[ct.plane];
  const { along, across: aside } = directionsInSlice(ct.angle_deg);
  const placed = (inSlice: readonly [number, number], at = 0): readonly number[] => {
    const point = [0, 0, 0];
    [point[u], point[v], point[across]] = [inSlice[0], inSlice[1], at];
    return point;
  };
  const [x, z] = [(0.5 - nx / 2) * dx_mm, dz_mm / 2 - ct.isocentre_depth_mm];
  const first = [0, 1].map((i) => (ct.isocentre_mm?.[i] ?? 0) + x * (aside[i] ?? 0) + z * (along[i] ?? 0));
  const [xWay, zWay] = [placed(aside), placed(along)];
  const product = (i: number, k: number): number => (xWay[i] ?? 0) * (zWay[k] ?? 0) - (xWay[k] ?? 0) * (zWay[i] ?? 0);
  return {
    origin_mm: placed([first[0] ?? 0, first[1] ?? 0], ct.at_mm),
    directions: [xWay, zWay, [product(1, 2), product(2, 0), product(0, 1)]],
  };
}

/** A map integrated over y. In a CT it is a layer of 1 mm, so that its values are those per mm as well. */
function planeGrid(run: RunData): Grid {
  const { nx, nz, dx_mm, dz_mm } = run.axes;
  const box = boxOf(run);
  if (box !== null) return { sizes: [nx, nz, 1], spacing_mm: [dx_mm, dz_mm, 1], ...box };
  return { sizes: [nx, nz], spacing_mm: [dx_mm, dz_mm], origin_mm: [(0.5 - nx / 2) * dx_mm, dz_mm / 2] };
}

/** A layer of a dose in Gy begins where a Gaussian has fallen to 3e-4 of its middle. */
const REACH_SIGMAS = 4;
const LAYERS_ASIDE = 64;
const FEWEST_ASIDE = 4;
/** 240 MB of FP64. */
const MOST_VALUES = 3e7;

/** Layers on either side of y = 0 and the distance between two: half the narrowest width, or a cell where that is less. */
function layersOf({ acrossY, axes: { nx, nz, dx_mm } }: RunData): { readonly aside: number; readonly dy_mm: number } {
  if (acrossY === null || 'reason' in acrossY) return { aside: 0, dy_mm: dx_mm };
  const widths = 'kinds' in acrossY ? acrossY.kinds.map(({ sigma_y_mm }) => sigma_y_mm) : [acrossY.sigma_y_mm];
  let [narrow, wide] = [Number.POSITIVE_INFINITY, 0];
  for (const width of widths) {
    for (const sigma of width) [narrow, wide] = [Math.min(narrow, sigma), Math.max(wide, sigma)];
  }
  const most = Math.min(LAYERS_ASIDE, Math.max(FEWEST_ASIDE, Math.floor((MOST_VALUES / (nx * nz) - 1) / 2)));
  const dy_mm = Number(Math.max(Math.min(dx_mm, narrow / 2), (REACH_SIGMAS * wide) / most).toPrecision(6));
  return { aside: Math.ceil((REACH_SIGMAS * wide) / dy_mm), dy_mm };
}

/** The dose in Gy in three dimensions: x, depth and y, which the beam is symmetric in. */
async function grayVolume(run: RunData): Promise<DirectedVolume> {
  const { nx, nz, dx_mm, dz_mm } = run.axes;
  const { aside, dy_mm } = layersOf(run);
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
    return { name: 'gray.dcm', bytes: rtDoseBytes(await grayVolume(run), words) };
  }
  const asked = exportsByName.get(what);
  if (asked === undefined) throw new Error(`${what} is no image`);
  const quantity = asked.name === 'gray' ? null : quantities[asked.name];
  const volume = quantity === null ? await grayVolume(run) : { ...planeGrid(run), values: quantity.values(run) };
  const content = `${run.name}: ${quantity?.content ?? GRAY_CONTENT}`;
  return { name: `${asked.name}.${asked.ending}`, bytes: writers[asked.ending](volume, { content }) };
}
