/** Maps of a run as files of other programs: x across is the first axis, depth the second. */
import { BraggError } from '../../../../contract/errors.ts';
import { rtDoseBytes } from '../../../io/volumes/dicom-write.ts';
import type { Volume } from '../../../io/volumes/volume.ts';
import { metaImageBytes, nrrdBytes } from '../../../io/volumes/write.ts';
import { letMap } from '../metrics/quality.ts';
import type { RunData } from '../run-data.ts';
import { grayMap } from './whole-fields.ts';

const writers = { mha: metaImageBytes, nrrd: nrrdBytes } as const;
type ImageEnding = keyof typeof writers;

interface Quantity {
  readonly content: string;
  /** [z][x]. Throws `unsupported` where the run has none. */
  readonly values: (run: RunData) => Float64Array | Promise<Float64Array>;
}

/** What can be written, by the names of the exports. */
const quantities = {
  dose: {
    content: 'dose, integrated over y, MeV/mm^2',
    values: ({ dose, axes }) => dose.map((energy) => energy / (axes.dz_mm * axes.dx_mm)),
  },
  gray: {
    content: 'dose at y = 0, Gy per 1e9 protons',
    values: async (run) => {
      const found = await grayMap(run, 0);
      if ('reason' in found) throw new BraggError('unsupported', `There is no dose in Gy: ${found.reason}.`);
      return found.values;
    },
  },
  letd: {
    content: 'LETd of all protons, in water, keV/um',
    values: ({ tracks }) => {
      if (tracks !== null) return letMap(tracks, 'letd');
      throw new BraggError('unsupported', 'This run did not score LET; output.let in the scenario does.');
    },
  },
} as const satisfies Readonly<Record<string, Quantity>>;

export const mapNames = ['dose', 'gray', 'letd'] as const satisfies readonly (keyof typeof quantities)[];
export const imageEndings = ['mha', 'nrrd'] as const satisfies readonly ImageEnding[];

export type ImageExport = `${keyof typeof quantities}-${ImageEnding}` | typeof rtDose;

const all = mapNames.flatMap((name) => imageEndings.map((ending) => [`${name}-${ending}`, { name, ending }] as const));
const exportsByName: ReadonlyMap<string, (typeof all)[number][1]> = new Map(all);
/** A dose in Gy alone is RT Dose. */
export const rtDose = 'gray-dcm';

export const isImageExport = (what: string): what is ImageExport => what === rtDose || exportsByName.has(what);

/** The plane as one frame: across to the patient's left, depth to the back, as from the front; the plane is at z = 0. */
async function rtDoseOf(run: RunData): Promise<Uint8Array> {
  const { content, values } = quantities.gray;
  const { sizes, spacing_mm, origin_mm } = gridOf(run);
  const [dx = 1] = spacing_mm;
  return rtDoseBytes(
    { sizes: [...sizes, 1], spacing_mm: [...spacing_mm, dx], origin_mm: [...origin_mm, 0], values: await values(run) },
    { content },
  );
}

/** Centres of cells as the scenario counts them: depth from the front of the box, x from its middle. */
function gridOf({ axes: { nx, nz, dx_mm, dz_mm } }: RunData): Omit<Volume, 'values'> {
  return { sizes: [nx, nz], spacing_mm: [dx_mm, dz_mm], origin_mm: [(0.5 - nx / 2) * dx_mm, dz_mm / 2] };
}

export async function imageOf(
  run: RunData,
  what: ImageExport,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  if (what === rtDose) return { name: 'gray.dcm', bytes: await rtDoseOf(run) };
  const asked = exportsByName.get(what);
  if (asked === undefined) throw new Error(`${what} is no image`);
  const { content, values } = quantities[asked.name];
  const bytes = writers[asked.ending](
    { ...gridOf(run), values: await values(run) },
    { content: `${run.name}: ${content}` },
  );
  return { name: `${asked.name}.${asked.ending}`, bytes };
}
