/**
 * Image files of a diffraction run, selected by file name extension. SMV (`.img`), as area detectors write it: a text
 * header of 512 bytes, then 16-bit counts. TIFF 6.0: little-endian, one strip, one channel, 32-bit floating-point
 * photons or 16-bit counts. HDF5: photons over the detector, its axes in millimetres, and the geometry.
 */
import { extname } from 'node:path';
import { BraggError } from '../../../../contract/errors.ts';
import type { PackedFigure } from '../../../../contract/figures.ts';
import { type DiffractionScenario, imageGeometry } from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../domain/values/units.ts';
import type { ImageRunData } from '../image-data.ts';

/**
 * Count to which the brightest pixel is scaled. A pixel without photons has the count OFFSET, as in simulated images of
 * other programs.
 */
const FULL_SCALE = 55_000;
const OFFSET = 40;
const MAX_COUNT = 65_535;

interface Counts {
  readonly counts: Uint16Array;
  /** Counts per photon. */
  readonly scale: number;
  readonly offset: number;
}

/** Converts photons to counts, rounding halves up. In an image without photons, every count is the offset. */
export function toCounts(image: Float32Array): Counts {
  let max = 0;
  for (const photons of image) max = Math.max(max, photons);
  const scale = max > 0 ? FULL_SCALE / max : 1;
  const out = Uint16Array.from(image, (photons) =>
    Math.min(MAX_COUNT, Math.max(0, Math.floor(photons * scale + OFFSET + 0.5))),
  );
  return { counts: out, scale, offset: OFFSET };
}

/** Converts values to little-endian bytes on any machine. */
function toLittleEndian(values: Float32Array | Uint16Array): Uint8Array {
  const size = values.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (const [i, value] of values.entries()) {
    if (size === 4) view.setFloat32(4 * i, value, true);
    else view.setUint16(2 * i, value, true);
  }
  return bytes;
}

const SMV_HEADER_BYTES = 512;

/** Formats a number with six significant digits. */
const sixDigits = (value: number): string => formatNumber(Number(value.toPrecision(6)));

export function smvHeader(scenario: DiffractionScenario): string {
  const { detector, beam, rotation } = scenario;
  const { foot, close_mm } = imageGeometry(scenario);
  const entries: readonly (readonly [string, string | number])[] = [
    ['HEADER_BYTES', SMV_HEADER_BYTES],
    ['DIM', 2],
    ['BYTE_ORDER', 'little_endian'],
    ['TYPE', 'unsigned_short'],
    ['SIZE1', detector.width],
    ['SIZE2', detector.height],
    ['PIXEL_SIZE', detector.pixel_mm],
    ['DISTANCE', detector.distance_mm],
    ['WAVELENGTH', beam.wavelength_A],
    ['BEAM_CENTER_X', detector.beam_x_mm],
    ['BEAM_CENTER_Y', detector.beam_y_mm],
    ['XDS_ORGX', foot.fast + 0.5],
    ['XDS_ORGY', foot.slow + 0.5],
    ['CLOSE_DISTANCE', close_mm],
    ['PHI', rotation.phi_deg],
    ['OSC_START', rotation.phi_deg],
    ['OSC_RANGE', rotation.oscillation_deg],
    ['TWOTHETA', detector.twotheta_deg],
  ];
  const lines = entries.map(([key, value]) => `${key}=${typeof value === 'number' ? sixDigits(value) : value};\n`);
  return `{\n${lines.join('')}}\f`.padEnd(SMV_HEADER_BYTES, ' ');
}

function smvImage(image: Float32Array, scenario: DiffractionScenario): Uint8Array {
  const header = new TextEncoder().encode(smvHeader(scenario));
  const pixels = toLittleEndian(toCounts(image).counts);
  const out = new Uint8Array(header.length + pixels.length);
  out.set(header);
  out.set(pixels, header.length);
  return out;
}

const SHORT_TYPE = 3;
const LONG_TYPE = 4;
const ASCII = 2;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;

interface TagEntry {
  readonly tag: number;
  readonly type: typeof SHORT_TYPE | typeof LONG_TYPE | typeof ASCII;
  readonly value: number | Uint8Array;
}

/** Builds a TIFF file. `description` becomes the ImageDescription tag, which viewers show. */
function buildTiff(pixels: Uint8Array, width: number, height: number, bits: 16 | 32, description: string): Uint8Array {
  const text = new TextEncoder().encode(`${description}\0`);
  const dataAt = HEADER_BYTES;
  const textAt = dataAt + pixels.length;
  const directoryAt = textAt + text.length + (text.length % 2);
  const entries: readonly TagEntry[] = [
    { tag: 256, type: LONG_TYPE, value: width },
    { tag: 257, type: LONG_TYPE, value: height },
    { tag: 258, type: SHORT_TYPE, value: bits },
    { tag: 259, type: SHORT_TYPE, value: 1 }, // not compressed
    { tag: 262, type: SHORT_TYPE, value: 1 }, // 0 is black
    { tag: 270, type: ASCII, value: text },
    { tag: 273, type: LONG_TYPE, value: dataAt },
    { tag: 277, type: SHORT_TYPE, value: 1 },
    { tag: 278, type: LONG_TYPE, value: height },
    { tag: 279, type: LONG_TYPE, value: pixels.length },
    { tag: 339, type: SHORT_TYPE, value: bits === 32 ? 3 : 1 }, // floating point or unsigned
  ];
  const bytes = new Uint8Array(directoryAt + 2 + ENTRY_BYTES * entries.length + 4);
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0]);
  view.setUint32(4, directoryAt, true);
  bytes.set(pixels, dataAt);
  bytes.set(text, textAt);
  view.setUint16(directoryAt, entries.length, true);
  for (const [i, { tag, type, value }] of entries.entries()) {
    const at = directoryAt + 2 + ENTRY_BYTES * i;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, typeof value === 'number' ? 1 : value.length, true);
    if (typeof value !== 'number') view.setUint32(at + 8, textAt, true);
    else if (type === SHORT_TYPE) view.setUint16(at + 8, value, true);
    else view.setUint32(at + 8, value, true);
  }
  return bytes;
}

function tiffImage(image: Float32Array, width: number, height: number, bits: 16 | 32): Uint8Array {
  if (bits === 32) return buildTiff(toLittleEndian(image), width, height, bits, 'photons per pixel');
  const { counts: values, scale, offset } = toCounts(image);
  return buildTiff(toLittleEndian(values), width, height, bits, `counts; photons = (counts - ${offset}) / ${scale}`);
}

/** Centres of the pixels along one side in mm, measured from the corner of the detector. */
const centres = (count: number, pixel_mm: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => (i + 0.5) * pixel_mm);

export function imageFigure(run: ImageRunData): PackedFigure {
  const { image, width, height, name, variant, completeScenario } = run;
  const { beam, detector, rotation } = completeScenario as unknown as DiffractionScenario;
  const axis = (along: 'slow' | 'fast', count: number): PackedFigure['arrays'][number] => ({
    name: along,
    unit: 'mm',
    description: `centres of the pixels along the ${along} side, from the detector's corner`,
    shape: [count],
    values: centres(count, detector.pixel_mm),
    axes: null,
  });
  return {
    title: name,
    notes: {
      variant,
      wavelength_A: beam.wavelength_A,
      distance_mm: detector.distance_mm,
      pixel_mm: detector.pixel_mm,
      beam_x_mm: detector.beam_x_mm,
      beam_y_mm: detector.beam_y_mm,
      twotheta_deg: detector.twotheta_deg,
      phi_deg: rotation.phi_deg,
      oscillation_deg: rotation.oscillation_deg,
    },
    arrays: [
      axis('slow', height),
      axis('fast', width),
      {
        name: 'image',
        unit: 'photons',
        description: 'photons per pixel, [slow][fast]',
        shape: [height, width],
        values: image,
        axes: ['slow', 'fast'],
      },
    ],
  };
}

export type ImageBits = 16 | 32;

interface Format {
  readonly title: string;
  readonly bits: readonly ImageBits[];
  readonly write: (run: ImageRunData, bits: ImageBits) => Uint8Array;
}

const imagesTiff: Format = {
  title: 'TIFF',
  bits: [32, 16],
  write: ({ image, width, height }, bits) => tiffImage(image, width, height, bits),
};

const rawFormat: Format = {
  title: 'raw float32, slow · width + fast',
  bits: [32],
  write: ({ image }) => toLittleEndian(image),
};

/** Formats by file name extension. The first entry of `bits` is the default. */
export const imageFormats: Readonly<Record<string, Format>> = {
  '.img': {
    title: 'SMV',
    bits: [16],
    write: ({ image, completeScenario }) => smvImage(image, completeScenario as unknown as DiffractionScenario),
  },
  '.tif': imagesTiff,
  '.tiff': imagesTiff,
  '.bin': rawFormat,
  '.raw': rawFormat,
};

/**
 * Returns the bytes of an image file with this name. Throws a BraggError if the extension is unknown or the bit depth
 * is not supported.
 */
export function imageFile(run: ImageRunData, name: string, bits?: ImageBits): Uint8Array {
  const extension = extname(name).toLowerCase();
  const format = imageFormats[extension];
  if (format === undefined) {
    const known = [...Object.keys(imageFormats), '.h5'].join(', ');
    throw new BraggError(
      'unsupported',
      `${name}: ${extension || 'no extension'} is not an image format; allowed: ${known}`,
    );
  }
  const [usual = 32] = format.bits;
  const wanted = bits ?? usual;
  if (!format.bits.includes(wanted)) {
    throw new BraggError(
      'unsupported',
      `${name}: ${format.title} does not support ${wanted} bits; allowed: ${format.bits.join(', ')}`,
    );
  }
  return format.write(run, wanted);
}
