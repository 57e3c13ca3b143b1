/**
 * Reads detector images from HDF5 files by the NeXus definition NXmx, as written by Eiger detectors: counts, pixel
 * mask, largest valid count and geometry. Values are converted from the units that the file states.
 */
import type { Dataset, ExternalLink, File, Group } from 'h5wasm';
import { BraggError } from '../../../../contract/errors.ts';
import {
  allowOnly,
  type FieldRule,
  type FieldRules,
  honoured,
  ignoredField,
} from '../../../../domain/header-fields.ts';
import { datasetAt, filterFiles, isGroup, openFile } from '../../../io/hdf5/h5.ts';
import { checkSize, excludeUndefined, foreignImageError, type Header, type Pixels, squareSide } from './read-cbf.ts';

const about = ignoredField('describes the measurement, without effect on counts');
const rulesFor = (names: string, rule: FieldRule): FieldRules =>
  Object.fromEntries(names.split(' ').map((name) => [name, rule]));
const onlyNumber = (wanted: number) => allowOnly(String(wanted), (value) => Number(value) === wanted);

/** Rules for fields of NXdata, NXdetector and NXdetector_module that can change the meaning of counts. */
export const nexusFields: FieldRules = {
  data: honoured,
  pixel_mask: honoured,
  saturation_value: honoured,
  bit_depth_image: honoured,
  bit_depth_readout: ignoredField('is the limit of a single readout, but an image is a sum of readouts'),
  image_key: onlyNumber(0),
  countrate_correction_count_cutoff: honoured,
  distance: honoured,
  detector_distance: honoured,
  x_pixel_size: honoured,
  y_pixel_size: honoured,
  data_scaling_factor: onlyNumber(1),
  data_offset: onlyNumber(0),
  scaling_factor: onlyNumber(1),
  offset: onlyNumber(0),
  underload_value: honoured,
  fast_pixel_direction: honoured,
  slow_pixel_direction: honoured,
  data_size: honoured,
  data_origin: honoured,
  pixel_mask_applied: ignoredField('pixel_mask already excludes these pixels'),
  flatfield_applied: honoured,
  flatfield_correction_applied: honoured,
  flatfield: honoured,
  dark_applied: honoured,
  dark: honoured,
  pedestal_applied: honoured,
  pedestal: honoured,
  gain: honoured,
  virtual_pixel_interpolation_applied: ignoredField('values between chips are read as they are stored'),
  countrate_correction_lookup_table: ignoredField('counts are read as they are stored'),
  ...rulesFor('angular_calibration angular_calibration_applied dead_time', ignoredField('changes no stored count')),
  ...rulesFor('threshold_energy sensor_material sensor_thickness type description', about),
  ...rulesFor('count_time frame_time detector_readout_time number_of_cycles', about),
  gain_setting: ignoredField('describes a setting only; counts are read as they are stored'),
  data_stride: honoured,
  countrate_correction_applied: ignoredField('counts are read as they are stored'),
  beam_center_x: ignoredField('the scenario sets the centre'),
  beam_center_y: ignoredField('the scenario sets the centre'),
};

/**
 * Corrections of each pixel's counts: the neutral value, and fields that state whether the counts already include the
 * correction.
 */
const corrections = {
  flatfield: { neutral: 1, flags: ['flatfield_correction_applied', 'flatfield_applied'] },
  dark: { neutral: 0, flags: ['dark_applied'] },
  pedestal: { neutral: 0, flags: ['pedestal_applied'] },
  // Counts must be photons, so reject a gain even if the counts may already include it.
  gain: { neutral: 1, flags: [] },
} as const satisfies Readonly<Record<string, { readonly neutral: number; readonly flags: readonly string[] }>>;

/** Attributes by which NeXus and netCDF scale the values of images, with their neutral values. */
const scales = { scale_factor: 1, data_scaling_factor: 1, scaling_factor: 1, add_offset: 0, offset: 0 } as const;

/**
 * Supported HDF5 filters by number. The library itself includes deflate (1), shuffle (2) and Fletcher checksums (3).
 */
const FILTERS: readonly number[] = [1, 2, 3, ...Object.keys(filterFiles).map(Number)];

/** Largest values of integer types. Detectors mark gaps and saturated pixels with them. */
const greatest: Readonly<Record<string, number>> = {
  ...{ B: 2 ** 8 - 1, b: 2 ** 7 - 1, H: 2 ** 16 - 1, h: 2 ** 15 - 1 },
  ...{ I: 2 ** 32 - 1, i: 2 ** 31 - 1, f: Number.POSITIVE_INFINITY },
};

const groupAt = (group: Group, path: string): Group | null => {
  const found = group.get(path);
  return isGroup(found) ? found : null;
};

/** Returns the subgroups of a NeXus class with their names. */
function groupsOfClass(group: Group | null, name: string): readonly (readonly [string, Group])[] {
  return (group?.keys() ?? []).flatMap((key) => {
    const found = group === null ? null : groupAt(group, key);
    return found !== null && found.attrs['NX_class']?.value === name ? [[key, found] as const] : [];
  });
}

/**
 * Returns the only detector of an instrument, or the only module of a detector. Throws if there are several, because
 * their images do not form one plane.
 */
function onlyGroupOfClass(group: Group | null, usual: string, name: string): Group | null {
  const found = groupsOfClass(group, name);
  const [first, second] = found;
  if (second !== undefined) {
    throw foreignImageError(
      `it has ${found.length} groups of ${name} (${found.map(([key]) => key).join(', ')}); allowed: 1, a flat panel`,
    );
  }
  return first?.[1] ?? (group === null ? null : groupAt(group, usual));
}

/** Returns the numbers in the value of an attribute or dataset. */
const numbersOf = (value: unknown): readonly number[] | null =>
  ArrayBuffer.isView(value) ? [...(value as unknown as Iterable<number | bigint>)].map(Number) : null;

/** Returns the single number in a dataset. Null if the dataset does not exist. */
function numberAt(group: Group | null, path: string): number | null {
  const value: unknown = group === null ? null : datasetAt(group, path)?.value;
  const first: unknown = ArrayBuffer.isView(value) || Array.isArray(value) ? (value as ArrayLike<unknown>)[0] : value;
  return typeof first === 'number' || typeof first === 'bigint' ? Number(first) : null;
}

const lengths: Readonly<Record<string, number>> = { m: 1000, meter: 1000, metre: 1000, cm: 10, mm: 1, um: 1e-3 };
const wavelengths: Readonly<Record<string, number>> = { angstrom: 1, angstroms: 1, a: 1, nm: 10, m: 1e10 };

/**
 * Returns a length, converted from the unit in its attribute. Throws if the unit is not supported. For a length without
 * a unit, a note is added to `unstated`.
 */
function lengthAt(
  group: Group | null,
  path: string,
  units: Readonly<Record<string, number>>,
  usual: string,
  unstated: string[],
): number {
  const value = numberAt(group, path);
  if (group === null || value === null) return Number.NaN;
  const stated: unknown = datasetAt(group, path)?.attrs['units']?.value;
  if (typeof stated !== 'string') unstated.push(`Its ${path} has no unit: ${value} is assumed to be in ${usual}.`);
  const unit = typeof stated === 'string' ? stated : usual;
  const factor = units[unit.toLowerCase()];
  if (factor === undefined) throw foreignImageError(`${path} is in ${unit}; allowed: ${Object.keys(units).join(', ')}`);
  return value * factor;
}

function throwIfUnsupportedField(group: Group | null): void {
  for (const [name, rule] of Object.entries(nexusFields)) {
    if (rule.kind !== 'only') continue;
    const value = numberAt(group, name);
    if (value !== null && !rule.accepts(String(value)))
      throw foreignImageError(`${name} is ${value}; allowed: ${rule.allowed}`);
  }
}

/** Finds the images of a data group: one dataset, or the first of the numbered datasets that Eiger detectors write. */
function firstImages(entry: Group): { readonly data: Group; readonly name: string; readonly parts: number } {
  const data = groupAt(entry, 'data');
  if (data === null) throw notNexusError();
  const names = data.keys().filter((name) => name === 'data' || /^data_\d+$/.test(name));
  const [name] = names.includes('data') ? ['data'] : names.sort();
  if (name === undefined) throw foreignImageError('its group data has no images: it has neither data nor data_000001');
  return { data, name, parts: name === 'data' ? 1 : names.length };
}

const isLink = (found: unknown): found is ExternalLink =>
  found !== null && typeof found === 'object' && 'filename' in found && 'obj_path' in found;

/** Name of the file with the first images that a master file links to. Null if the master file contains the images. */
function linkedFile(file: File): string | null {
  const { data, name } = firstImages(requireEntry(file));
  const found: unknown = data.get(name);
  if (!isLink(found)) return null;
  const plain = found.filename.replace(/^\.\//, '');
  if (plain === '' || /[/\\\0]|^\.\.?$/.test(plain)) {
    throw foreignImageError(`its images ${name} are in "${found.filename}"; allowed: files in the same folder`);
  }
  return plain;
}

function imagesOfEntry(entry: Group, linked: File | null) {
  const { data, name, parts } = firstImages(entry);
  const found: unknown = data.get(name);
  const dataset = isLink(found)
    ? linked === null
      ? null
      : datasetAt(linked as unknown as Group, found.obj_path.replace(/^\//, ''))
    : datasetAt(data, name);
  if (dataset !== null) return { name, dataset, parts };
  const where = isLink(found) ? `${found.obj_path} of ${found.filename}` : name;
  throw foreignImageError(`its images ${name} must be a dataset, but ${where} is not one`);
}

const notNexusError = (): BraggError =>
  new BraggError('unsupported', 'it has no entry with a group data, so it is not an NXmx file');

function requireEntry(file: File): Group {
  const root = file as unknown as Group;
  const named: unknown = root.attrs['default']?.value;
  const names = [...(typeof named === 'string' ? [named] : []), 'entry', ...root.keys()];
  for (const name of names) {
    const entry = groupAt(root, name);
    if (entry !== null && groupAt(entry, 'data') !== null) return entry;
  }
  throw notNexusError();
}

/** Rejects virtual datasets that refer to other files, because the library reads zeros for missing files. */
function throwIfVirtual(name: string, dataset: Dataset): void {
  const sources = dataset.metadata.virtual_sources ?? [];
  const other = sources.find(({ file_name }) => file_name !== '.');
  if (other === undefined) return;
  throw foreignImageError(
    `its images ${name} are a virtual dataset of ${other.file_name}; allowed: images in the file itself or behind an external link. If ${other.file_name} is next to it, h5repack -l ${dataset.path}:CONTI OLD.h5 NEW.h5 copies them into a new file`,
  );
}

function countsOf({ name, dataset }: ReturnType<typeof imagesOfEntry>) {
  throwIfVirtual(name, dataset);
  const { shape, dtype } = dataset;
  const [high = 0, wide = 0] = shape?.slice(-2) ?? [];
  if (shape === null || (shape.length !== 2 && shape.length !== 3)) {
    throw foreignImageError(
      `its images ${name} have ${shape?.length ?? 0} axes; allowed: 2, or 3 with the first counting images`,
    );
  }
  checkSize(wide, high);
  const images = shape.length === 3 ? (shape[0] ?? 0) : 1;
  if (images < 1) throw foreignImageError(`its images ${name} are empty; allowed: at least 1`);
  const unread = dataset.filters.find(({ id }) => !FILTERS.includes(id));
  if (unread !== undefined) {
    const filter = unread.name.split(';')[0] || 'without a name';
    throw foreignImageError(
      `its images are compressed by the filter ${filter} (${unread.id}), which is not supported; allowed: bitshuffle, LZ4, gzip, or none. h5repack -f GZIP=4 OLD.h5 NEW.h5 converts the file`,
    );
  }
  const most = typeof dtype === 'string' ? greatest[dtype.slice(-1)] : undefined;
  if (most === undefined) {
    throw foreignImageError(
      `its images have values of ${String(dtype)}; allowed: integers of 8 to 32 bits, floats of 32`,
    );
  }
  const values = dataset.slice(shape.length === 3 ? [[0, 1], [], []] : [[], []]);
  if (!ArrayBuffer.isView(values)) throw foreignImageError(`its images ${name} cannot be read`);
  const counts = Float32Array.from(values as unknown as ArrayLike<number>);
  const empty = checkUnwrittenChunks(counts, wide, high, dataset.metadata.chunks?.slice(-2).map(Number) ?? null);
  return { width: wide, height: high, counts, most, images, empty };
}

/** Rejects images with chunks that were not written, because the library reads zeros for them. */
function checkUnwrittenChunks(
  counts: Float32Array,
  wide: number,
  high: number,
  chunks: readonly number[] | null,
): readonly string[] {
  const [tall, broad] = chunks === null || chunks.length !== 2 ? [high, wide] : [chunks[0] ?? high, chunks[1] ?? wide];
  const across = Math.ceil(wide / broad);
  const written = new Uint8Array(across * Math.ceil(high / tall));
  for (let i = 0; i < counts.length; i += 1) {
    if (counts[i] !== 0) written[Math.floor(Math.floor(i / wide) / tall) * across + Math.floor((i % wide) / broad)] = 1;
  }
  const empty = written.filter((one) => one === 0).length;
  if (empty === 0) return [];
  return written.length === 1
    ? ['All counts of its first image are 0: it may not have been written.']
    : [`${empty} of ${written.length} chunks of its first image contain only zeros: they may not have been written.`];
}

/**
 * Notes on the detector module: the directions of rows and columns, and the part of the detector that the image covers.
 */
function moduleNotes(module: Group | null, shown: readonly [number, number]): readonly string[] {
  if (module === null) return [];
  const vector = (name: string): readonly number[] | null => numbersOf(datasetAt(module, name)?.attrs['vector']?.value);
  const isTurned = (
    [
      ['fast_pixel_direction', [-1, 0, 0]],
      ['slow_pixel_direction', [0, -1, 0]],
    ] as const
  ).flatMap(([name, straight]) => {
    const found = vector(name);
    if (found === null || straight.every((part, i) => Math.abs((found[i] ?? 0) - part) <= 1e-3)) return [];
    return [
      `Its ${name} is ${found.join(', ')}, not ${straight.join(', ')}: the scenario must describe this rotation of the detector.`,
    ];
  });
  const sizes = numbersOf(datasetAt(module, 'data_size')?.value)?.slice(-2) ?? shown;
  // Early Eiger firmware stores the size of the fast axis first.
  const either = [shown.join(' × '), shown.toReversed().join(' × ')];
  if (!either.includes(sizes.join(' × '))) {
    throw foreignImageError(
      `data_size of its module is ${sizes.join(' × ')}; allowed: ${either[0]}, the size of its images`,
    );
  }
  const stride = numbersOf(datasetAt(module, 'data_stride')?.value);
  if (stride?.some((step) => step !== 1) === true) {
    throw foreignImageError(`data_stride of its module is ${stride.join(', ')}; allowed: 1`);
  }
  const origin = numbersOf(datasetAt(module, 'data_origin')?.value);
  if (origin?.some((start) => start !== 0) === true) {
    throw foreignImageError(`data_origin of its module is ${origin.join(', ')}; allowed: 0`);
  }
  return isTurned;
}

/** Pixel masks of a detector. A pixel is masked if any mask marks it. */
const masksOf = (group: Group | null): readonly Dataset[] =>
  (group?.keys() ?? []).flatMap((name) =>
    group !== null && /^pixel_mask(_\d+)?$/.test(name) ? (datasetAt(group, name) ?? []) : [],
  );

/** Makes masked pixels negative, which excludes them. */
function applyMask(counts: Float32Array, mask: Dataset): void {
  const values: unknown = mask.value;
  if (!ArrayBuffer.isView(values) || (values as unknown as ArrayLike<number>).length !== counts.length) {
    throw foreignImageError(
      `its ${mask.path.split('/').at(-1)} has ${mask.shape?.join(' × ') ?? 'no'} values; allowed: ${counts.length}, one per pixel`,
    );
  }
  const flags = values as unknown as ArrayLike<number>;
  for (let i = 0; i < counts.length; i += 1) if (flags[i] !== 0) counts[i] = -1;
}

/**
 * Reads the limit on counts from a dataset. If it differs between pixels, pixels beyond their limit are excluded here
 * and the result is NaN. NaN if the dataset does not exist.
 */
function countLimit(
  group: Group,
  name: string,
  counts: Float32Array,
  isOut: (count: number, limit: number) => boolean,
) {
  const value: unknown = datasetAt(group, name)?.value;
  const limits = numbersOf(value) ?? (value === undefined ? [] : [Number(value)]);
  const [limit = Number.NaN] = limits;
  if (limits.every((one) => one === limit)) return limit;
  if (limits.length !== counts.length) {
    throw foreignImageError(
      `${name} has ${limits.length} values that differ; allowed: 1, or ${counts.length}, one for each pixel`,
    );
  }
  for (const [i, count] of counts.entries()) if (isOut(count, limits[i] ?? Number.NaN)) counts[i] = -1;
  return Number.NaN;
}

/** Returns the numbers of an attribute. */
function attributeOf(dataset: Dataset, name: string): readonly number[] {
  const value: unknown = dataset.attrs[name]?.value;
  return numbersOf(value) ?? (value === undefined ? [] : [Number(value)]);
}

/** Rejects scaled images, and excludes pixels with values that attributes declare as missing. */
function excludeFillValues(name: string, dataset: Dataset, counts: Float32Array): readonly string[] {
  for (const [scale, neutral] of Object.entries(scales)) {
    const value = attributeOf(dataset, scale).find((one) => one !== neutral);
    if (value !== undefined)
      throw foreignImageError(`${scale} of its images ${name} is ${value}; allowed: ${neutral} or absent`);
  }
  return ['_FillValue', 'missing_value'].flatMap((fill) => excludeUndefined(counts, attributeOf(dataset, fill), fill));
}

/**
 * Rejects counts that lack a correction contained in the file. Adds a note if the file does not state whether the
 * counts include it.
 */
function correctionNotes(groups: readonly (Group | null)[], counts: Float32Array): readonly string[] {
  const found = groups.flatMap((group) => (group === null ? [] : [group]));
  return Object.entries(corrections).flatMap(([name, { neutral, flags }]) => {
    const values: unknown = found.map((group) => datasetAt(group, name)).find((one) => one !== null)?.value;
    const numbers = ArrayBuffer.isView(values) ? (values as unknown as ArrayLike<number>) : [Number(values ?? neutral)];
    // Ignore the corrections of excluded pixels, which have no meaning.
    const isUsed = (at: number): boolean => numbers.length !== counts.length || (counts[at] ?? 0) >= 0;
    const other = Array.prototype.findIndex.call(numbers, (value, at) => Number(value) !== neutral && isUsed(at));
    if (other < 0) return [];
    const stated = flags.flatMap((flag) =>
      found.flatMap((group) => {
        const value = numberAt(group, flag);
        return value === null ? [] : [{ flag, value }];
      }),
    )[0];
    const [flag] = flags;
    if (flag === undefined) {
      throw foreignImageError(
        `its ${name} has ${numbers[other]}; allowed: ${neutral} everywhere or absent, counts of photons`,
      );
    }
    if (stated === undefined) {
      return [`It has a ${name} but no ${flag}: its counts are read as stored.`];
    }
    if (stated.value !== 0) return [];
    throw foreignImageError(
      `its ${name} has ${numbers[other]}, but ${stated.flag} is 0, so its counts are uncorrected; allowed: ${neutral} everywhere, or corrected counts with ${stated.flag} 1`,
    );
  });
}

const notesIfAny = (notes: readonly string[]): Pick<Pixels, 'notes'> => (notes.length === 0 ? {} : { notes });

function pixelsIn(file: File, linked: File | null): Pixels {
  const entry = requireEntry(file);
  const images = imagesOfEntry(entry, linked);
  const detector = onlyGroupOfClass(groupAt(entry, 'instrument'), 'detector', 'NXdetector');
  const module = onlyGroupOfClass(detector, 'module', 'NXdetector_module');
  const specific = detector === null ? null : groupAt(detector, 'detectorSpecific');
  for (const group of [detector, groupAt(entry, 'data')]) throwIfUnsupportedField(group);
  const { width, height, counts, most, images: there, empty } = countsOf(images);
  const masks = masksOf(detector);
  for (const mask of masks.length > 0 ? masks : masksOf(specific)) applyMask(counts, mask);
  const groups = [detector, specific].flatMap((group) => group ?? []);
  const underload =
    detector === null ? 0 : countLimit(detector, 'underload_value', counts, (count, limit) => count < limit);
  const least = Number.isNaN(underload) ? 0 : underload;
  for (let i = 0; i < counts.length; i += 1) if ((counts[i] ?? 0) < least) counts[i] = -1;
  const fill = excludeFillValues(images.name, images.dataset, counts);
  const uncorrected = correctionNotes([detector, specific], counts);
  const cutoffs = groups.flatMap((group) => [
    ...['saturation_value', 'countrate_correction_count_cutoff'].map((name) =>
      countLimit(group, name, counts, (count, limit) => limit > 0 && count >= limit),
    ),
    // The largest value with this number of bits marks overloads, even if counts are stored with more bits.
    2 ** countLimit(group, 'bit_depth_image', counts, () => false) - 1,
  ]);
  const unstated: string[] = [];
  const length = (name: string): number => lengthAt(detector, name, lengths, 'm', unstated);
  const [across = 0, other = 0] = ['x_pixel_size', 'y_pixel_size'].map(length);
  if (Math.abs(other / across - 1) > 1e-3) {
    throw foreignImageError(`y_pixel_size is ${other} mm and x_pixel_size ${across} mm; allowed: square pixels`);
  }
  const ofModule = ['fast_pixel_direction', 'slow_pixel_direction'].map((name) =>
    module !== null && datasetAt(module, name)?.attrs['units'] !== undefined
      ? lengthAt(module, name, lengths, 'm', unstated)
      : Number.NaN,
  );
  const pixel = squareSide('the size of its pixels in its detector and its module', [across, ...ofModule], 'mm');
  const [distance = 0, older = 0] = ['distance', 'detector_distance'].map(length);
  if (Math.abs(older / distance - 1) > 1e-3) {
    throw foreignImageError(`detector_distance is ${older} mm and distance ${distance} mm; allowed: equal values`);
  }
  const own = {
    distance_mm: Number.isNaN(distance) ? older : distance,
    pixel_mm: pixel,
    wavelength_A: [groupAt(entry, 'instrument/beam'), groupAt(entry, 'sample/beam')]
      .map((beam) => lengthAt(beam, 'incident_wavelength', wavelengths, 'angstrom', unstated))
      .find((value) => value > 0),
  };
  const header: Header = Object.fromEntries(
    Object.entries(own).filter(([, value]) => value !== undefined && value > 0),
  );
  const isTurned = moduleNotes(module, [height, width]);
  const total = images.parts > 1 ? `more than ${there}` : there;
  return {
    ...{ width, height, counts, header },
    full: Math.min(most, ...cutoffs.filter((value) => value > 0)),
    ...notesIfAny([
      ...(there > 1 || images.parts > 1 ? [`It has ${total} images: only the first one is read.`] : []),
      ...isTurned,
      ...unstated,
      ...fill,
      ...uncorrected,
      ...empty,
    ]),
  };
}

/**
 * Reads a file that is in the same folder or was selected together with this one. Resolves to null if there is none.
 */
export type ReadLinkedFile = (name: string) => Promise<Uint8Array | null>;

/**
 * Reads an NXmx file. The master file of an Eiger detector links to its images in other files, of which the first is
 * read.
 */
export async function readNexus(bytes: Uint8Array, readLinked: ReadLinkedFile): Promise<Pixels> {
  const name = await openFile(bytes, linkedFile);
  const linked = name === null ? null : await readLinked(name);
  if (name !== null && linked === null) {
    throw foreignImageError(
      `its first images are in ${name}, which is missing; put it into the same folder, or choose both files`,
    );
  }
  return openFile(bytes, pixelsIn, { filters: true, linked });
}
