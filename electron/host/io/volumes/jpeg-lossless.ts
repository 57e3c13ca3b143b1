/**
 * Decodes lossless JPEG with one component (process 14 of ITU-T T.81, annex H), as in DICOM's transfer syntaxes 57 and
 * 70. Uses the Independent JPEG Group's decoder from dcmjs-codecs, a WebAssembly module that is loaded for the first
 * frame. The package jpeg-lossless-decoder-js 2.1.2 is not used: it ignores the point transform and truncation, and
 * decodes restart markers incorrectly.
 */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../../contract/errors.ts';
import { foreignFileError } from '../../../domain/header-fields.ts';
import { decoderPath } from '../programs.ts';

interface JpegImage {
  readonly rows: number;
  readonly columns: number;
  /** Bits per value. */
  readonly precision: number;
  readonly values: Uint16Array;
}

type Frame = Omit<JpegImage, 'values'>;

const [SOI, EOI, SOS, SOF3] = [0xd8, 0xd9, 0xda, 0xc3];

/** Functions of the WebAssembly module. A context is an address in its memory. */
interface CodecModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly CreateCodecsContext: () => number;
  readonly ReleaseCodecsContext: (context: number) => void;
  readonly CreateDecoderParameters: () => number;
  readonly ReleaseDecoderParameters: (parameters: number) => void;
  readonly GetEncodedBuffer: (context: number) => number;
  readonly GetDecodedBuffer: (context: number) => number;
  readonly GetDecodedBufferSize: (context: number) => number;
  readonly DecodeJpeg: (context: number, parameters: number) => void;
  readonly SetColumns: ContextSetter;
  readonly SetRows: ContextSetter;
  readonly SetBitsAllocated: ContextSetter;
  readonly SetBitsStored: ContextSetter;
  readonly SetSamplesPerPixel: ContextSetter;
  readonly SetPixelRepresentation: ContextSetter;
  readonly SetPlanarConfiguration: ContextSetter;
  readonly SetPhotometricInterpretation: ContextSetter;
  readonly SetEncodedBufferSize: ContextSetter;
}
type ContextSetter = (context: number, value: number) => void;

interface Decoder {
  readonly codecs: CodecModule;
  /** Messages of the decoder for the current frame. Errors in the data are reported only here. */
  readonly messages: string[];
}

let compiledModule: WebAssembly.Module | null = null;
/**
 * Idle decoder for the next frame. It is not reused after an error, because an exception does not free its stack and
 * memory.
 */
let idleDecoder: Decoder | null = null;

/**
 * WASI's error number ENOTSUP. It is returned by system calls for clock, environment and files, which the decoder does
 * not need.
 */
const NOT_SUPPORTED = 58;

function newDecoder(): Decoder {
  compiledModule ??= new WebAssembly.Module(
    readFileSync(decoderPath('dcmjs-native-codecs.wasm', 'dcmjs-codecs/build')),
  );
  const messages: string[] = [];
  const text = (at: number, length: number): string => Buffer.from(codecs.memory.buffer, at, length).toString('latin1');
  const none = (): number => NOT_SUPPORTED;
  const instance = new WebAssembly.Instance(compiledModule, {
    env: {
      onCodecsException: (at: number, length: number) => {
        throw new Error(text(at, length));
      },
      onCodecsInfo: (at: number, length: number) => messages.push(text(at, length)),
      onCodecsTrace: () => undefined,
      emscripten_notify_memory_growth: () => undefined,
    },
    wasi_snapshot_preview1: {
      ...{ proc_exit: none, clock_time_get: none, fd_write: none, fd_close: none, fd_seek: none },
      ...{ environ_sizes_get: none, environ_get: none },
    },
  });
  const codecs = instance.exports as unknown as CodecModule;
  return { codecs, messages };
}

/**
 * Decodes a frame. A value has one byte if the precision is at most 8 bits, otherwise two, little-endian. Throws for
 * damaged data.
 */
function decodeFrame(bytes: Uint8Array, { rows, columns, precision }: Frame): Buffer {
  const decoder = idleDecoder ?? newDecoder();
  idleDecoder = null;
  const { codecs, messages } = decoder;
  messages.length = 0;
  const [context, parameters] = [codecs.CreateCodecsContext(), codecs.CreateDecoderParameters()];
  codecs.SetColumns(context, columns);
  codecs.SetRows(context, rows);
  codecs.SetBitsAllocated(context, precision > 8 ? 16 : 8);
  codecs.SetBitsStored(context, precision);
  codecs.SetSamplesPerPixel(context, 1);
  codecs.SetPixelRepresentation(context, 0);
  codecs.SetPlanarConfiguration(context, 0);
  const MONOCHROME2 = 1;
  codecs.SetPhotometricInterpretation(context, MONOCHROME2);
  codecs.SetEncodedBufferSize(context, bytes.length);
  new Uint8Array(codecs.memory.buffer).set(bytes, codecs.GetEncodedBuffer(context));
  codecs.DecodeJpeg(context, parameters);
  const [at, size] = [codecs.GetDecodedBuffer(context), codecs.GetDecodedBufferSize(context)];
  const values = Buffer.from(new Uint8Array(codecs.memory.buffer, at, size));
  codecs.ReleaseDecoderParameters(parameters);
  codecs.ReleaseCodecsContext(context);
  idleDecoder = decoder;
  const damage = messages.map((message) => /Corrupt JPEG data: .*|Premature end.*/.exec(message)?.[0]);
  const first = damage.find((message) => message !== undefined);
  if (first !== undefined) throw new Error(first);
  return values;
}

const hex = (marker: number): string => `FF${marker.toString(16).toUpperCase().padStart(2, '0')}`;

/** Segment SOF3. */
function parseFrame(file: string, segment: Uint8Array): Frame {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  if (segment.length !== 9 || segment[5] !== 1) {
    throw foreignFileError(file, `its JPEG frame has ${segment[5] ?? 'no'} components; allowed: 1`);
  }
  const [precision, rows, columns] = [view.getUint8(0), view.getUint16(1), view.getUint16(3)];
  if (precision < 2 || precision > 16 || rows === 0 || columns === 0) {
    throw foreignFileError(
      file,
      `its JPEG frame has ${columns} × ${rows} values of ${precision} bits; allowed: 1 × 1 and more of 2 to 16 bits`,
    );
  }
  return { precision, rows, columns };
}

/** Checks the scan header (segment SOS), because the module would also decode other processes. */
function checkScan(file: string, segment: Uint8Array, { precision }: Frame): void {
  const [components, , , predictor = 0, , low = 0] = segment;
  if (segment.length !== 6 || components !== 1) {
    throw foreignFileError(file, `its JPEG scan has ${components ?? 'no'} components; allowed: 1`);
  }
  if (predictor < 1 || predictor > 7)
    throw foreignFileError(file, `its JPEG predictor is ${predictor}; allowed: 1 to 7`);
  if ((low & 15) >= precision) {
    throw foreignFileError(file, `its JPEG point transform is ${low & 15}; allowed: below ${precision}, its bits`);
  }
}

/** Size and precision of the frame, and the offset after its header. */
function parseHeader(file: string, bytes: Uint8Array): Frame & { readonly end: number } {
  if (bytes[0] !== 0xff || bytes[1] !== SOI)
    throw foreignFileError(file, 'its frame is not a JPEG: it does not begin with FFD8');
  let frame: Frame | null = null;
  let at = 2;
  for (;;) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1];
    const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    const next = at + 2 + length;
    if (bytes[at] !== 0xff || marker === undefined || length < 2 || next > bytes.length) {
      throw foreignFileError(file, `its JPEG frame is truncated or damaged at byte ${at + 1} of ${bytes.length}`);
    }
    const segment = bytes.subarray(at + 4, next);
    if (marker === SOF3) frame = parseFrame(file, segment);
    else if (marker === SOS) {
      if (frame === null) throw foreignFileError(file, 'its JPEG frame has a scan before its size');
      checkScan(file, segment, frame);
      return { ...frame, end: next };
    } else if (
      (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4) ||
      (marker >= 0xd0 && marker <= 0xdc && marker !== 0xdb)
    ) {
      // These markers announce another coding process, arithmetic coding, or a height that is defined after the data.
      throw foreignFileError(
        file,
        `its JPEG frame has marker ${hex(marker)}; allowed: ${hex(SOF3)}, lossless with Huffman codes`,
      );
    }
    at = next;
  }
}

/** Decodes a frame. Throws BraggError `foreign-file`. */
export function decodeJpegLossless(file: string, bytes: Uint8Array): JpegImage {
  const { end, ...frame } = parseHeader(file, bytes);
  // DICOM fragments have an even length, so the last byte may be padding.
  const padded = bytes.at(-1) === 0 && bytes.at(-2) === EOI;
  const whole = padded ? bytes.subarray(0, -1) : bytes;
  const excess = (): Error =>
    foreignFileError(
      file,
      `its JPEG data has further bytes after the last pixel; allowed: ${hex(EOI)}, the end marker`,
    );
  const damaged = (error: unknown): Error => {
    const why = messageOf(error);
    if (/extraneous/.test(why)) return excess();
    return foreignFileError(file, `its JPEG data is truncated or damaged: ${why.replace(/^.*(::|data: )/, '')}`);
  };
  if (whole.at(-2) !== 0xff || whole.at(-1) !== EOI) {
    throw foreignFileError(file, `its JPEG data is truncated or damaged: it does not end with ${hex(EOI)}`);
  }
  let data: Buffer;
  try {
    data = decodeFrame(whole, frame);
  } catch (error) {
    throw damaged(error);
  }
  if (isComplete(whole, end, frame)) throw excess();
  const values = Uint16Array.from({ length: frame.rows * frame.columns }, (_, i) =>
    frame.precision > 8 ? data.readUInt16LE(2 * i) : (data[i] ?? 0),
  );
  return { ...frame, values };
}

/**
 * Whether a frame can be decoded completely without its last byte of data, which then is excess. The decoder reads
 * ahead, and does not report one or two excess bytes itself.
 */
function isComplete(whole: Uint8Array, header: number, frame: Frame): boolean {
  let last = whole.length - 3;
  // A marker may begin with several FF bytes; DCMTK writes an additional one.
  while (whole[last] === 0xff) last -= 1;
  // A byte FF in the data is followed by 00, so both are removed together.
  const cut = whole[last] === 0 && whole[last - 1] === 0xff ? last - 1 : last;
  if (cut < header) return false;
  const shorter = Buffer.concat([whole.subarray(0, cut), whole.subarray(-2)]);
  try {
    decodeFrame(shorter, frame);
    return true;
  } catch {
    return false;
  }
}
