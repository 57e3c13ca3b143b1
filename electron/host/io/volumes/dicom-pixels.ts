/** Decodes DICOM pixel data to stored values: uncompressed, RLE and lossless JPEG, for any value of BitsStored. */
import dicom, { type DataSet, type Element } from 'dicom-parser';
import { foreignFileError } from '../../../domain/header-fields.ts';
import { decodeJpegLossless } from './jpeg-lossless.ts';

export interface PixelFormat {
  readonly columns: number;
  readonly rows: number;
  readonly frames: number;
  readonly allocated: 16 | 32;
  readonly stored: number;
  readonly signed: boolean;
}

export type PixelEncoding = 'none' | 'rle' | 'jpeg-lossless';

/** Value in the low BitsStored bits. The bits above them may contain overlays or repeat the sign. */
export function storedValue(raw: number, { stored, signed }: Pick<PixelFormat, 'stored' | 'signed'>): number {
  const span = 2 ** stored;
  const low = stored === 32 ? raw >>> 0 : (raw & (span - 1)) >>> 0;
  return signed && low >= span / 2 ? low - span : low;
}

/**
 * Decodes a frame in RLE: PackBits segments, one for each byte of a value, beginning with the highest byte. Part 5,
 * annex G.
 */
function rleFrame(file: string, bytes: Uint8Array, pixels: number, size: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const segments = bytes.length < 64 ? 0 : view.getUint32(0, true);
  if (segments !== size) throw foreignFileError(file, `its RLE frame has ${segments} segments; allowed: ${size}`);
  const out = new Uint8Array(pixels * size);
  for (let segment = 0; segment < segments; segment += 1) {
    let from = view.getUint32(4 + 4 * segment, true);
    const end = segment + 1 < segments ? view.getUint32(8 + 4 * segment, true) : bytes.length;
    let pixel = 0;
    const put = (value: number): void => {
      if (pixel < pixels) out[pixel * size + (size - 1 - segment)] = value;
      pixel += 1;
    };
    while (from < Math.min(end, bytes.length) && pixel < pixels) {
      const count = view.getInt8(from);
      from += 1;
      if (count >= 0) {
        for (let i = 0; i <= count; i += 1) put(bytes[from + i] ?? 0);
        from += count + 1;
      } else if (count > -128) {
        for (let i = 0; i <= -count; i += 1) put(bytes[from] ?? 0);
        from += 1;
      }
    }
    if (pixel !== pixels)
      throw foreignFileError(file, `its RLE frame decompresses to ${pixel} pixels, but ${pixels} are specified`);
  }
  return out;
}

/** Decodes a lossless JPEG frame to little-endian bytes. Encoders store either BitsStored or all allocated bits. */
function jpegFrame(file: string, bytes: Uint8Array, { rows, columns, stored, allocated }: PixelFormat): Uint8Array {
  if (allocated !== 16) throw foreignFileError(file, `BitsAllocated is ${allocated}; allowed: 16 for JPEG pixels`);
  const image = decodeJpegLossless(file, bytes);
  if (image.rows !== rows || image.columns !== columns) {
    throw foreignFileError(
      file,
      `its JPEG frame has ${image.columns} × ${image.rows} pixels, but ${columns} × ${rows} are specified`,
    );
  }
  if (image.precision < stored || image.precision > allocated) {
    throw foreignFileError(
      file,
      `its JPEG frame has ${image.precision} bits; allowed: ${stored} (BitsStored) to ${allocated}`,
    );
  }
  const out = new Uint8Array(2 * image.values.length);
  const view = new DataView(out.buffer);
  for (const [i, value] of image.values.entries()) view.setUint16(2 * i, value, true);
  return out;
}

/** Compressed bytes of a frame, joined from its fragments. If there is only one frame, all fragments belong to it. */
function frameBytes(file: string, data: DataSet, element: Element, frame: number, frames: number): Uint8Array {
  const { fragments = [], basicOffsetTable: table = [] } = element;
  try {
    return table.length === frames
      ? dicom.readEncapsulatedImageFrame(data, element, frame)
      : dicom.readEncapsulatedPixelDataFromFragments(data, element, frame, frames === 1 ? fragments.length : 1);
  } catch (error) {
    // The DICOM library throws strings as well as errors.
    throw foreignFileError(file, `frame ${frame + 1} of its PixelData cannot be found: ${String(error)}`);
  }
}

const PIXEL_DATA_TAG = 'x7fe00010';

/** Mask of the bits of a pixel that contain overlays, as in files from before 2004: part 3, C.9.2 (retired). */
function overlayBits(file: string, data: DataSet, { stored, allocated: pixel }: PixelFormat): number {
  let bits = 0;
  for (let group = 0x6000; group <= 0x601e; group += 2) {
    const tag = `x${group.toString(16)}`;
    const [allocated = 1, position = 0] = [data.uint16(`${tag}0100`), data.uint16(`${tag}0102`)];
    if (allocated === 1 || data.elements[`${tag}3000`] !== undefined) continue;
    if (position < stored || position >= pixel) {
      throw foreignFileError(
        file,
        `OverlayBitPosition is ${position}; allowed: ${stored} to ${pixel - 1}, above BitsStored`,
      );
    }
    bits += 2 ** position;
  }
  return bits;
}

/** Whether all bits above BitsStored, except overlays, are zero or repeat the sign. */
function hasPlainUpperBits(raw: number, value: number, { allocated, stored }: PixelFormat, overlays: number): boolean {
  const above = ((stored === 32 ? 0 : -(2 ** stored)) & (allocated === 16 ? 0xffff : -1) & ~overlays) >>> 0;
  const found = (raw & above) >>> 0;
  return found === 0 || (value < 0 && found === above);
}

/** Decompresses all frames to little-endian bytes. */
function unpackedBytes(file: string, data: DataSet, packing: PixelEncoding, format: PixelFormat): Uint8Array {
  const { rows, columns, frames, allocated } = format;
  const element = data.elements[PIXEL_DATA_TAG];
  if (element === undefined) throw foreignFileError(file, 'it has no PixelData');
  const wanted = (rows * columns * frames * allocated) / 8;
  if (packing === 'none') {
    if (element.encapsulatedPixelData === true || element.hadUndefinedLength === true) {
      throw foreignFileError(file, 'its PixelData is in fragments, but its transfer syntax is uncompressed');
    }
    const there = Math.min(element.length, data.byteArray.length - element.dataOffset);
    if (there !== wanted) {
      const how = there < wanted ? 'it is truncated' : 'its rows, columns or bits differ';
      throw foreignFileError(file, `its PixelData has ${there} bytes, but ${wanted} are specified: ${how}`);
    }
    return data.byteArray.subarray(element.dataOffset, element.dataOffset + wanted) as Uint8Array;
  }
  const fragments = element.fragments ?? [];
  if (fragments.length === 0)
    throw foreignFileError(file, 'its PixelData has no fragments, but its transfer syntax is compressed');
  const table = element.basicOffsetTable ?? [];
  if (frames > 1 && table.length !== frames && fragments.length !== frames) {
    throw foreignFileError(
      file,
      `its PixelData has ${fragments.length} fragments for ${frames} frames; allowed: one per frame`,
    );
  }
  const out = new Uint8Array(wanted);
  const pixels = rows * columns;
  for (let frame = 0; frame < frames; frame += 1) {
    const bytes = frameBytes(file, data, element, frame, frames);
    const unpacked = packing === 'rle' ? rleFrame(file, bytes, pixels, allocated / 8) : jpegFrame(file, bytes, format);
    out.set(unpacked, (frame * wanted) / frames);
  }
  return out;
}

/**
 * Stored values of all frames, in file order. `padding`: raw values (all allocated bits) that mark pixels without a
 * value; these become NaN. Throws BraggError `foreign-file`.
 */
export function storedValues(
  file: string,
  data: DataSet,
  format: PixelFormat,
  { packing, little }: { readonly packing: PixelEncoding; readonly little: boolean },
  padding: readonly number[] = [],
): Float64Array {
  const bytes = unpackedBytes(file, data, packing, format);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const order = packing === 'none' ? little : true;
  const overlays = overlayBits(file, data, format);
  const values = new Float64Array(format.rows * format.columns * format.frames);
  let [strange, first] = [0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const raw = format.allocated === 16 ? view.getUint16(2 * i, order) : view.getUint32(4 * i, order);
    const value = storedValue(raw, format);
    const isPadding = padding.includes(raw);
    values[i] = isPadding ? Number.NaN : value;
    if (isPadding || hasPlainUpperBits(raw, value, format, overlays)) continue;
    if (strange === 0) first = raw;
    strange += 1;
  }
  if (strange > 0) {
    throw foreignFileError(
      file,
      `${strange} ${strange === 1 ? 'pixel has' : 'pixels have'} bits above BitsStored = ${format.stored}, the first is ${first}; allowed: 0, the sign again, PixelPaddingValue, or overlays at OverlayBitPosition`,
    );
  }
  return values;
}
