/**
 * Reads images of detectors from HDF5 by the definition NXmx of NeXus, as Eiger detectors write them: counts, the mask of
 * pixels, the greatest valid count and the geometry. Values are honoured in the units that they state.
 */
import type { Dataset, ExternalLink, File, Group } from 'h5wasm';
import { BraggError } from '../../../../contract/errors.ts';
import { filterFiles } from '../../../io/hdf5/filters.ts';
import { datasetAt, isGroup, openFile } from '../../../io/hdf5/h5.ts';
import { type FieldRules, honoured, ignored, only } from '../../../io/volumes/header-fields.ts';
import { foreign, type Header, type Pixels, sized } from './pixels-read.ts';

const is = (wanted: number) => only(String(wanted), (value) => Number(value) === wanted);

/** Fields of NXdata and NXdetector that can change what counts mean. */
export const nexusFields: FieldRules = {
  data: honoured,
  pixel_mask: honoured,
  saturation_value: honoured,
  countrate_correction_count_cutoff: honoured,
  distance: honoured,
  detector_distance: honoured,
  x_pixel_size: honoured,
  y_pixel_size: honoured,
  data_scaling_factor: is(1),
  data_offset: is(0),
  scaling_factor: is(1),
  offset: is(0),
  underload_value: ignored('counts below zero are left out, and pixel_mask marks others'),
  flatfield: ignored('flatfield_correction_applied states whether counts contain it, and none is applied here'),
  beam_center_x: ignored('the scenario states the centre'),
  beam_center_y: ignored('the scenario states the centre'),
};

/** Filters by their numbers. Within the HDF5 library: deflate, shuffle, Fletcher's checksum. */
const FILTERS: readonly number[] = [1, 2, 3, ...Object.keys(filterFiles).map(Number)];

/** Greatest values of whole numbers: detectors mark gaps and overloads by them. */
const greatest: Readonly<Record<string, number>> = {
  ...{ B: 2 ** 8 - 1, b: 2 ** 7 - 1, H: 2 ** 16 - 1, h: 2 ** 15 - 1 },
  ...{ I: 2 ** 32 - 1, i: 2 ** 31 - 1, f: Number.POSITIVE_INFINITY },
};

const groupAt = (group: Group, path: string): Group | null => {
  const found = group.get(path);
  return isGroup(found) ? found : null;
};

/** The only number of a dataset; null without it. */
function numberAt(group: Group | null, path: string): number | null {
  const value: unknown = group === null ? null : datasetAt(group, path)?.value;
  const first: unknown = ArrayBuffer.isView(value) || Array.isArray(value) ? (value as ArrayLike<unknown>)[0] : value;
  return typeof first === 'number' || typeof first === 'bigint' ? Number(first) : null;
}

const lengths: Readonly<Record<string, number>> = { m: 1000, meter: 1000, metre: 1000, cm: 10, mm: 1, um: 1e-3 };
const wavelengths: Readonly<Record<string, number>> = { angstrom: 1, angstroms: 1, a: 1, nm: 10, m: 1e10 };

/** A length in the unit that its attribute names. Throws for other units. */
function lengthAt(group: Group | null, path: string, units: Readonly<Record<string, number>>, usual: string): number {
  const value = numberAt(group, path);
  if (group === null || value === null) return Number.NaN;
  const stated: unknown = datasetAt(group, path)?.attrs['units']?.value;
  const unit = typeof stated === 'string' ? stated : usual;
  const factor = units[unit.toLowerCase()];
  if (factor === undefined) throw foreign(`${path} is in ${unit}; allowed: ${Object.keys(units).join(', ')}`);
  return value * factor;
}

function refuseUnread(group: Group | null): void {
  for (const [name, rule] of Object.entries(nexusFields)) {
    if (rule.kind !== 'only') continue;
    const value = numberAt(group, name);
    if (value !== null && !rule.accepts(String(value))) throw foreign(`${name} is ${value}; allowed: ${rule.allowed}`);
  }
}

/** Images of a group of data: one dataset, or the first of Eiger's numbered ones. */
function firstOf(entry: Group): { readonly data: Group; readonly name: string; readonly parts: number } {
  const data = groupAt(entry, 'data');
  if (data === null) throw otherFile();
  const names = data.keys().filter((name) => name === 'data' || /^data_\d+$/.test(name));
  const [name] = names.includes('data') ? ['data'] : names.sort();
  if (name === undefined) throw foreign('its group data has no images: it has neither data nor data_000001');
  return { data, name, parts: name === 'data' ? 1 : names.length };
}

const isLink = (found: unknown): found is ExternalLink =>
  found !== null && typeof found === 'object' && 'filename' in found && 'obj_path' in found;

/** Name of the file with the first images of a master; null where they are in the master itself. */
function linkedFile(file: File): string | null {
  const { data, name } = firstOf(entryOf(file));
  const found: unknown = data.get(name);
  if (!isLink(found)) return null;
  const plain = found.filename.replace(/^\.\//, '');
  if (plain === '' || /[/\\\0]|^\.\.?$/.test(plain)) {
    throw foreign(`its images ${name} lie in "${found.filename}"; allowed: files in the same folder`);
  }
  return plain;
}

function imagesOf(entry: Group, linked: File | null) {
  const { data, name, parts } = firstOf(entry);
  const found: unknown = data.get(name);
  const dataset = isLink(found)
    ? linked === null
      ? null
      : datasetAt(linked as unknown as Group, found.obj_path.replace(/^\//, ''))
    : datasetAt(data, name);
  if (dataset !== null) return { name, dataset, parts };
  const where = isLink(found) ? `${found.obj_path} of ${found.filename}` : name;
  throw foreign(`its images ${name} are no dataset: ${where} is none`);
}

const otherFile = (): BraggError =>
  new BraggError('unsupported', 'it has no entry with a group data: it is no NXmx file');

function entryOf(file: File): Group {
  const root = file as unknown as Group;
  const named: unknown = root.attrs['default']?.value;
  const names = [...(typeof named === 'string' ? [named] : []), 'entry', ...root.keys()];
  for (const name of names) {
    const entry = groupAt(root, name);
    if (entry !== null && groupAt(entry, 'data') !== null) return entry;
  }
  throw otherFile();
}

function countsOf({ name, dataset }: ReturnType<typeof imagesOf>) {
  const { shape, dtype } = dataset;
  const [high = 0, wide = 0] = shape?.slice(-2) ?? [];
  if (shape === null || (shape.length !== 2 && shape.length !== 3)) {
    throw foreign(
      `its images ${name} have ${shape?.length ?? 0} axes; allowed: 2, or 3 of which the first counts images`,
    );
  }
  sized(wide, high);
  const images = shape.length === 3 ? (shape[0] ?? 0) : 1;
  if (images < 1) throw foreign(`its images ${name} are none; allowed: 1 and more`);
  const unread = dataset.filters.find(({ id }) => !FILTERS.includes(id));
  if (unread !== undefined) {
    const filter = unread.name.split(';')[0] || 'without a name';
    throw foreign(
      `its images are packed by the filter ${filter} (${unread.id}), which is not read; allowed: bitshuffle, LZ4, gzip, or none (h5repack -f GZIP=4)`,
    );
  }
  const most = typeof dtype === 'string' ? greatest[dtype.slice(-1)] : undefined;
  if (most === undefined) {
    throw foreign(`its images have values of ${String(dtype)}; allowed: whole numbers of 8 to 32 bits, floats of 32`);
  }
  const values = dataset.slice(shape.length === 3 ? [[0, 1], [], []] : [[], []]);
  if (!ArrayBuffer.isView(values)) throw foreign(`its images ${name} cannot be read`);
  const counts = Float32Array.from(values as unknown as ArrayLike<number>);
  return { width: wide, height: high, counts, most, images };
}

/** Pixels that the mask excludes count nothing: below zero they are left out. */
function masked(counts: Float32Array, mask: Dataset | null): void {
  if (mask === null) return;
  const values: unknown = mask.value;
  if (!ArrayBuffer.isView(values) || (values as unknown as ArrayLike<number>).length !== counts.length) {
    throw foreign(
      `its pixel_mask has ${mask.shape?.join(' × ') ?? 'no'} values; allowed: ${counts.length}, one for each pixel`,
    );
  }
  const flags = values as unknown as ArrayLike<number>;
  for (let i = 0; i < counts.length; i += 1) if (flags[i] !== 0) counts[i] = -1;
}

function pixelsIn(file: File, linked: File | null): Pixels {
  const entry = entryOf(file);
  const images = imagesOf(entry, linked);
  const detector = groupAt(entry, 'instrument/detector');
  const specific = detector === null ? null : groupAt(detector, 'detectorSpecific');
  for (const group of [detector, groupAt(entry, 'data')]) refuseUnread(group);
  const { width, height, counts, most, images: there } = countsOf(images);
  const mask = (group: Group | null): Dataset | null => (group === null ? null : datasetAt(group, 'pixel_mask'));
  masked(counts, mask(detector) ?? mask(specific));
  const cutoffs = [detector, specific].flatMap((group) =>
    ['saturation_value', 'countrate_correction_count_cutoff'].flatMap((name) => numberAt(group, name) ?? []),
  );
  const [pixel = 0, other = 0] = ['x_pixel_size', 'y_pixel_size'].map((name) => lengthAt(detector, name, lengths, 'm'));
  if (Math.abs(other / pixel - 1) > 1e-3) {
    throw foreign(`y_pixel_size is ${other} mm and x_pixel_size ${pixel} mm; allowed: square pixels`);
  }
  const distance = lengthAt(detector, 'distance', lengths, 'm');
  const own = {
    distance_mm: Number.isNaN(distance) ? lengthAt(detector, 'detector_distance', lengths, 'm') : distance,
    pixel_mm: pixel,
    wavelength_A: [groupAt(entry, 'instrument/beam'), groupAt(entry, 'sample/beam')]
      .map((beam) => lengthAt(beam, 'incident_wavelength', wavelengths, 'angstrom'))
      .find((value) => value > 0),
  };
  const header: Header = Object.fromEntries(
    Object.entries(own).filter(([, value]) => value !== undefined && value > 0),
  );
  const total = images.parts > 1 ? `more than ${there}` : there;
  return {
    ...{ width, height, counts, header },
    full: Math.min(most, ...cutoffs.filter((value) => value > 0)),
    ...(there > 1 || images.parts > 1 ? { notes: [`It has ${total} images: the first one is read.`] } : {}),
  };
}

/** Bytes of a file in the same folder, or chosen together; null for one that is not there. */
export type ReadLinkedFile = (name: string) => Promise<Uint8Array | null>;

/** A master of an Eiger detector has its images in files of their own, of which the first is read. */
export async function readNexus(bytes: Uint8Array, readLinked: ReadLinkedFile): Promise<Pixels> {
  const name = await openFile(bytes, linkedFile);
  const linked = name === null ? null : await readLinked(name);
  if (name !== null && linked === null) {
    throw foreign(
      `its first images lie in ${name}, which is not there; put it into the same folder, or choose both files`,
    );
  }
  return openFile(bytes, pixelsIn, { filters: true, linked });
}
