/**
 * Lossless JPEG with one component: process 14 of ITU-T T.81, annex H, as in DICOM's transfer syntaxes 57 and 70. All
 * predictors, point transforms and restart intervals are supported; missing or excess data is an error.
 */
import { foreign } from '../../../domain/header-fields.ts';

interface JpegImage {
  readonly rows: number;
  readonly columns: number;
  /** Bits per value. */
  readonly precision: number;
  readonly values: Uint16Array;
}

/** For each code length: the first code, the index of its symbol, and the number of codes. */
interface HuffmanTable {
  readonly firsts: Int32Array;
  readonly indices: Int32Array;
  readonly counts: Uint8Array;
  readonly symbols: Uint8Array;
}

interface Frame {
  readonly precision: number;
  readonly rows: number;
  readonly columns: number;
}

const LONGEST_CODE = 16;
const [SOI, EOI, SOS, DHT, DRI, SOF3] = [0xd8, 0xd9, 0xda, 0xc4, 0xdd, 0xc3];
const [RST0, RST7] = [0xd0, 0xd7];

const hex = (marker: number): string => `FF${marker.toString(16).toUpperCase().padStart(2, '0')}`;

/** Segment DHT: tables by number. */
function huffmanTables(file: string, segment: Uint8Array, into: Map<number, HuffmanTable>): void {
  let at = 0;
  while (at < segment.length) {
    const target = segment[at] ?? 0;
    const counts = segment.slice(at + 1, at + 1 + LONGEST_CODE);
    const total = counts.reduce((a, b) => a + b, 0);
    const symbols = segment.slice(at + 1 + LONGEST_CODE, at + 1 + LONGEST_CODE + total);
    if (counts.length !== LONGEST_CODE || symbols.length !== total || symbols.some((one) => one > 16)) {
      throw foreign(file, 'its JPEG frame has a Huffman table that is truncated or has codes longer than 16 bits');
    }
    const [firsts, indices] = [new Int32Array(LONGEST_CODE + 1), new Int32Array(LONGEST_CODE + 1)];
    let [code, index] = [0, 0];
    for (let length = 1; length <= LONGEST_CODE; length += 1) {
      firsts[length] = code;
      indices[length] = index;
      const count = counts[length - 1] ?? 0;
      if (code + count > 2 ** length) throw foreign(file, 'its JPEG frame has a Huffman table with too many codes');
      code = (code + count) * 2;
      index += count;
    }
    into.set(target, { firsts, indices, counts, symbols });
    at += 1 + LONGEST_CODE + total;
  }
}

/** Segment SOF3. */
function frameOf(file: string, segment: Uint8Array): Frame {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  if (segment.length !== 9 || segment[5] !== 1) {
    throw foreign(file, `its JPEG frame has ${segment[5] ?? 'no'} components; allowed: 1`);
  }
  const [precision, rows, columns] = [view.getUint8(0), view.getUint16(1), view.getUint16(3)];
  if (precision < 2 || precision > 16 || rows === 0 || columns === 0) {
    throw foreign(
      file,
      `its JPEG frame has ${columns} × ${rows} values of ${precision} bits; allowed: 1 × 1 and more of 2 to 16 bits`,
    );
  }
  return { precision, rows, columns };
}

/** Bits of entropy-coded data, most significant first. FF is followed by 00, or by a marker, which ends the bits. */
class Bits {
  readonly #bytes: Uint8Array;
  #at: number;
  #word = 0;
  #left = 0;
  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }
  /** Null if a marker or the end of the bytes is reached. */
  next(): 0 | 1 | null {
    if (this.#left === 0) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || (byte === 0xff && this.#bytes[this.#at + 1] !== 0)) return null;
      this.#word = byte;
      this.#at += byte === 0xff ? 2 : 1;
      this.#left = 8;
    }
    this.#left -= 1;
    return ((this.#word >> this.#left) & 1) === 1 ? 1 : 0;
  }
  /** Skips to the marker after the current byte and returns it. Null if there is none. */
  marker(): number | null {
    this.#left = 0;
    while (this.#bytes[this.#at] === 0xff && this.#bytes[this.#at + 1] === 0xff) this.#at += 1;
    const marker = this.#bytes[this.#at] === 0xff ? this.#bytes[this.#at + 1] : undefined;
    if (marker === undefined || marker === 0) return null;
    this.#at += 2;
    return marker;
  }
}

/** Difference from the prediction. Null at the end of the data. */
function difference(bits: Bits, { firsts, indices, counts, symbols }: HuffmanTable): number | null {
  let code = 0;
  for (let length = 1; length <= LONGEST_CODE; length += 1) {
    const bit = bits.next();
    if (bit === null) return null;
    code = code * 2 + bit;
    const offset = code - (firsts[length] ?? 0);
    if (offset < 0 || offset >= (counts[length - 1] ?? 0)) continue;
    const size = symbols[(indices[length] ?? 0) + offset] ?? 0;
    if (size === 16) return 2 ** 15;
    let value = 0;
    for (let i = 0; i < size; i += 1) {
      const next = bits.next();
      if (next === null) return null;
      value = value * 2 + next;
    }
    return size > 0 && value < 2 ** (size - 1) ? value - 2 ** size + 1 : value;
  }
  return null;
}

/** Table H.1: predictors from the values to the left, above, and above to the left. */
const predictors: readonly ((a: number, b: number, c: number) => number)[] = [
  (a) => a,
  (_, b) => b,
  (_, __, c) => c,
  (a, b, c) => a + b - c,
  (a, b, c) => a + ((b - c) >> 1),
  (a, b, c) => b + ((a - c) >> 1),
  (a, b) => (a + b) >> 1,
];

interface Scan {
  readonly frame: Frame;
  readonly table: HuffmanTable;
  readonly predict: (a: number, b: number, c: number) => number;
  /** Number of low bits dropped before prediction. */
  readonly point: number;
  /** Values between two restart markers; 0 for none. */
  readonly interval: number;
}

function scanOf(
  file: string,
  segment: Uint8Array,
  frame: Frame | null,
  tables: ReadonlyMap<number, HuffmanTable>,
  interval: number,
): Scan {
  if (frame === null) throw foreign(file, 'its JPEG frame has a scan before its size');
  const [components, , destination = 0, selection = 0, , low = 0] = segment;
  if (segment.length !== 6 || components !== 1) {
    throw foreign(file, `its JPEG scan has ${components ?? 'no'} components; allowed: 1`);
  }
  const predict = predictors[selection - 1];
  if (predict === undefined) throw foreign(file, `its JPEG predictor is ${selection}; allowed: 1 to 7`);
  const point = low & 15;
  if (point >= frame.precision) {
    throw foreign(file, `its JPEG point transform is ${point}; allowed: below ${frame.precision}, its bits`);
  }
  if (interval % frame.columns !== 0) {
    throw foreign(
      file,
      `its JPEG restart interval is ${interval}; allowed: multiples of ${frame.columns}, its columns`,
    );
  }
  const table = tables.get(destination >> 4);
  if (table === undefined)
    throw foreign(file, `its JPEG scan uses Huffman table ${destination >> 4}, which is missing`);
  return { frame, table, predict, point, interval };
}

function valuesOf(file: string, bytes: Uint8Array, from: number, scan: Scan): Uint16Array {
  const { frame, table, predict, point, interval } = scan;
  const { precision, rows, columns } = frame;
  const values = new Uint16Array(rows * columns);
  const bits = new Bits(bytes, from);
  let firstRow = 0;
  for (let row = 0; row < rows; row += 1) {
    if (interval > 0 && row > 0 && (row * columns) % interval === 0) {
      const wanted = RST0 + (((row * columns) / interval - 1) & 7);
      const marker = bits.marker();
      if (marker !== wanted) {
        const there = marker === null ? 'no marker' : hex(marker);
        throw foreign(file, `its JPEG data has ${there} before row ${row + 1}; allowed: ${hex(wanted)}`);
      }
      firstRow = row;
    }
    for (let column = 0; column < columns; column += 1) {
      const at = row * columns + column;
      const [left, above] = [values[at - 1] ?? 0, values[at - columns] ?? 0];
      let predicted: number;
      if (row === firstRow) predicted = column === 0 ? 2 ** (precision - point - 1) : left;
      else predicted = column === 0 ? above : predict(left, above, values[at - columns - 1] ?? 0);
      const found = difference(bits, table);
      if (found === null) {
        throw foreign(file, `its JPEG data is truncated or damaged at pixel ${at + 1} of ${values.length}`);
      }
      values[at] = (predicted + found) & 0xffff;
    }
  }
  const end = bits.marker();
  if (end !== EOI) {
    const there = end === null ? 'further bytes' : `marker ${hex(end)}`;
    throw foreign(file, `its JPEG data has ${there} after the last pixel; allowed: ${hex(EOI)}, the end marker`);
  }
  return point === 0 ? values : values.map((value) => value << point);
}

/** Throws BraggError `foreign-file`. */
export function jpegLossless(file: string, bytes: Uint8Array): JpegImage {
  if (bytes[0] !== 0xff || bytes[1] !== SOI)
    throw foreign(file, 'its frame is not a JPEG: it does not begin with FFD8');
  const tables = new Map<number, HuffmanTable>();
  let frame: Frame | null = null;
  let interval = 0;
  let at = 2;
  for (;;) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1];
    const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    const next = at + 2 + length;
    if (bytes[at] !== 0xff || marker === undefined || length < 2 || next > bytes.length) {
      throw foreign(file, `its JPEG frame is truncated or damaged at byte ${at + 1} of ${bytes.length}`);
    }
    const segment = bytes.subarray(at + 4, next);
    if (marker === DHT) huffmanTables(file, segment, tables);
    else if (marker === DRI) interval = ((segment[0] ?? 0) << 8) | (segment[1] ?? 0);
    else if (marker === SOF3) frame = frameOf(file, segment);
    else if (marker === SOS) {
      const scan = scanOf(file, segment, frame, tables, interval);
      const { rows, columns, precision } = scan.frame;
      return { rows, columns, precision, values: valuesOf(file, bytes, next, scan) };
    } else if ((marker >= 0xc0 && marker <= 0xcf) || marker === 0xdc || (marker >= RST0 && marker <= RST7)) {
      // Other processes, arithmetic coding, and a height defined after the data.
      throw foreign(
        file,
        `its JPEG frame has marker ${hex(marker)}; allowed: ${hex(SOF3)}, lossless with Huffman codes`,
      );
    }
    at = next;
  }
}
