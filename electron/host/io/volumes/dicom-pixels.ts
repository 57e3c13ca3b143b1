/** Stored values of DICOM's pixel data: uncompressed, RLE and lossless JPEG, of any depth that BitsStored states. */
import dicom, { type DataSet, type Element } from 'dicom-parser';
import { foreign } from './header-fields.ts';
import { jpegLossless } from './jpeg-lossless.ts';

export interface PixelFormat {
  readonly columns: number;
  readonly rows: number;
  readonly frames: number;
  readonly allocated: 16 | 32;
  readonly stored: number;
  readonly signed: boolean;
}

export type Packing = 'none' | 'rle' | 'jpeg-lossless';

/** A value of which only the low bits are stored: the others may hold overlays, or the sign again. */
export function storedValue(raw: number, { stored, signed }: Pick<PixelFormat, 'stored' | 'signed'>): number {
  const span = 2 ** stored;
  const low = stored === 32 ? raw >>> 0 : (raw & (span - 1)) >>> 0;
  return signed && low >= span / 2 ? low - span : low;
}

/** PackBits segments of a frame, one for each byte of a value, the highest byte first: part 5, annex G. */
function rleFrame(file: string, bytes: Uint8Array, pixels: number, size: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const segments = bytes.length < 64 ? 0 : view.getUint32(0, true);
  if (segments !== size) throw foreign(file, `its RLE frame has ${segments} segments; allowed: ${size}`);
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
    if (pixel !== pixels) throw foreign(file, `its RLE frame unpacks to ${pixel} pixels where ${pixels} are announced`);
  }
  return out;
}

/** Little-endian bytes of a frame. Encoders store BitsStored or all allocated bits. */
function jpegFrame(file: string, bytes: Uint8Array, { rows, columns, stored, allocated }: PixelFormat): Uint8Array {
  if (allocated !== 16) throw foreign(file, `BitsAllocated is ${allocated}; allowed: 16 where pixels are of JPEG`);
  const image = jpegLossless(file, bytes);
  if (image.rows !== rows || image.columns !== columns) {
    throw foreign(
      file,
      `its JPEG frame has ${image.columns} × ${image.rows} pixels where ${columns} × ${rows} are announced`,
    );
  }
  if (image.precision < stored || image.precision > allocated) {
    throw foreign(file, `its JPEG frame has ${image.precision} bits; allowed: ${stored} (BitsStored) to ${allocated}`);
  }
  const out = new Uint8Array(2 * image.values.length);
  const view = new DataView(out.buffer);
  for (const [i, value] of image.values.entries()) view.setUint16(2 * i, value, true);
  return out;
}

/** Bytes of a frame in fragments: of an only frame all of them. */
function frameBytes(file: string, data: DataSet, element: Element, frame: number, frames: number): Uint8Array {
  const { fragments = [], basicOffsetTable: table = [] } = element;
  try {
    return table.length === frames
      ? dicom.readEncapsulatedImageFrame(data, element, frame)
      : dicom.readEncapsulatedPixelDataFromFragments(data, element, frame, frames === 1 ? fragments.length : 1);
  } catch (error) {
    // The library throws strings as well.
    throw foreign(file, `frame ${frame + 1} of its PixelData cannot be found: ${String(error)}`);
  }
}

const PIXELS = 'x7fe00010';

/** Little-endian bytes of all frames, as if they were not compressed. */
function unpackedBytes(file: string, data: DataSet, packing: Packing, format: PixelFormat): Uint8Array {
  const { rows, columns, frames, allocated } = format;
  const element = data.elements[PIXELS];
  if (element === undefined) throw foreign(file, 'it has no PixelData');
  const wanted = (rows * columns * frames * allocated) / 8;
  if (packing === 'none') {
    if (element.encapsulatedPixelData === true || element.hadUndefinedLength === true) {
      throw foreign(file, 'its PixelData is in fragments, and its transfer syntax is uncompressed');
    }
    const there = Math.min(element.length, data.byteArray.length - element.dataOffset);
    if (there !== wanted) {
      const how = there < wanted ? 'it is cut' : 'its rows, columns or bits are others';
      throw foreign(file, `its PixelData has ${there} bytes where ${wanted} are announced: ${how}`);
    }
    return data.byteArray.subarray(element.dataOffset, element.dataOffset + wanted) as Uint8Array;
  }
  const fragments = element.fragments ?? [];
  if (fragments.length === 0)
    throw foreign(file, 'its PixelData has no fragments, and its transfer syntax is compressed');
  const table = element.basicOffsetTable ?? [];
  if (frames > 1 && table.length !== frames && fragments.length !== frames) {
    throw foreign(file, `its PixelData has ${fragments.length} fragments of ${frames} frames; allowed: one for each`);
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

/** Stored values of all frames in the order of the file. Throws BraggError `foreign-file`. */
export function storedValues(
  file: string,
  data: DataSet,
  format: PixelFormat,
  { packing, little }: { readonly packing: Packing; readonly little: boolean },
): Float64Array {
  const bytes = unpackedBytes(file, data, packing, format);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const order = packing === 'none' ? little : true;
  const values = new Float64Array(format.rows * format.columns * format.frames);
  for (let i = 0; i < values.length; i += 1) {
    values[i] = storedValue(
      format.allocated === 16 ? view.getUint16(2 * i, order) : view.getUint32(4 * i, order),
      format,
    );
  }
  return values;
}
