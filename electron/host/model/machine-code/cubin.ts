/**
 * Extracts the machine code for a GPU architecture from a fat binary of nvcc, and lists the kernels in it. NVIDIA
 * documents neither format. The offsets are those observed in files of `fatbinary` and `ptxas` 11.8 to 13.0. Every
 * length is checked against the size of the file.
 */
import { zstdDecompressSync } from 'node:zlib';
import { BraggError } from '../../../contract/errors.ts';
import type { KernelResource } from '../../../contract/launches.ts';

const FATBIN_MAGIC = 0xba55ed50;
const ELF_MAGIC = 0x464c457f;
const KIND_ELF = 2;
const [LZ4, ZSTD] = [0x2000n, 0x8000n];
/** Maximum number of entries in a fat binary. A workload compiled for six architectures has fewer than 100. */
const MAX_ENTRIES = 1024;
/** Maximum size of the code for one architecture. Our largest has 3 MB. */
const MAX_BYTES = 256 * 2 ** 20;
const MAX_SECTIONS = 65_535;

const damagedError = (what: string): BraggError =>
  new BraggError('invalid', `The compiled kernels are damaged: ${what}.`);

/** Reads little-endian integers of a file, and throws if a position is outside of it. */
class BinaryReader {
  readonly #view: DataView;
  readonly #what: string;

  constructor(bytes: Uint8Array, what: string) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#what = what;
  }

  #checkedPosition(at: number, size: number): number {
    if (!Number.isSafeInteger(at) || at < 0 || at + size > this.#view.byteLength) {
      throw damagedError(`${this.#what} ends at byte ${this.#view.byteLength}, but byte ${at} is needed`);
    }
    return at;
  }

  u8 = (at: number): number => this.#view.getUint8(this.#checkedPosition(at, 1));
  u16 = (at: number): number => this.#view.getUint16(this.#checkedPosition(at, 2), true);
  u32 = (at: number): number => this.#view.getUint32(this.#checkedPosition(at, 4), true);
  u64 = (at: number): number => Number(this.#view.getBigUint64(this.#checkedPosition(at, 8), true));
  flags = (at: number): bigint => this.#view.getBigUint64(this.#checkedPosition(at, 8), true);
}

/** Decompresses an LZ4 block, as in fat binaries of nvcc before CUDA 12.8. */
export function decompressLz4(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let [at, to] = [0, 0];
  const next = (): number => {
    const byte = packed[at];
    if (byte === undefined) throw damagedError('an LZ4 block ends too early');
    at += 1;
    return byte;
  };
  const extended = (nibble: number): number => {
    let length = nibble;
    if (nibble < 15) return length;
    for (let byte = 255; byte === 255; length += byte) byte = next();
    return length;
  };
  while (at < packed.length) {
    const token = next();
    const literals = extended(token >> 4);
    if (at + literals > packed.length || to + literals > size) throw damagedError('an LZ4 block has too many literals');
    out.set(packed.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at >= packed.length) break;
    const back = next() | (next() << 8);
    const length = extended(token & 15) + 4;
    if (back === 0 || back > to || to + length > size)
      throw damagedError('an LZ4 block refers to data outside of the block');
    for (let i = 0; i < length; i += 1) out[to + i] = out[to + i - back] ?? 0;
    to += length;
  }
  if (to !== size) throw damagedError(`an LZ4 block has ${to} bytes instead of ${size}`);
  return out;
}

function unpackImage(payload: Uint8Array, flags: bigint, size: number): Uint8Array {
  if (size > MAX_BYTES) throw damagedError(`one image has ${size} bytes; allowed: ${MAX_BYTES}`);
  if ((flags & ZSTD) !== 0n) {
    try {
      return zstdDecompressSync(payload, { maxOutputLength: Math.max(1, size) });
    } catch (error) {
      throw damagedError(`an image cannot be decompressed (${error instanceof Error ? error.message : 'zstd'})`);
    }
  }
  return (flags & LZ4) === 0n ? payload : decompressLz4(payload, size);
}

/**
 * Functions that return the machine code (cubin), by architecture number such as 90. PTX in the fat binary is left out.
 */
export function extractCubins(fatbin: Uint8Array): ReadonlyMap<number, () => Uint8Array> {
  const file = new BinaryReader(fatbin, 'the fat binary');
  if (file.u32(0) !== FATBIN_MAGIC) throw damagedError('it does not begin with the signature of fat binaries');
  const end = file.u16(6) + file.u64(8);
  const out = new Map<number, () => Uint8Array>();
  let at = file.u16(6);
  for (let entries = 0; at + 64 <= Math.min(end, fatbin.length) && entries < MAX_ENTRIES; entries += 1) {
    const [kind, header, size] = [file.u16(at), file.u32(at + 4), file.u64(at + 8)];
    if (header < 64 || !Number.isSafeInteger(size)) throw damagedError(`its entry at byte ${at} has no size`);
    const [packed, architecture, flags] = [file.u32(at + 16), file.u32(at + 28), file.flags(at + 40)];
    const compressed = (flags & (LZ4 | ZSTD)) !== 0n;
    const whole = compressed ? file.u64(at + 56) : size;
    const begin = at + header;
    const payload = fatbin.subarray(begin, begin + (compressed && packed > 0 ? packed : size));
    if (begin + size > fatbin.length) throw damagedError(`its entry at byte ${at} ends beyond the file`);
    if (kind === KIND_ELF) out.set(architecture, () => unpackImage(payload, flags, whole));
    at = begin + size;
  }
  return out;
}

interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
}

export interface CubinKernel {
  readonly name: string;
  /** Index in the symbol table, the argument of `nvdisasm -fun`. */
  readonly symbol: number;
  readonly resource: Omit<KernelResource, 'spill_store_bytes' | 'spill_load_bytes'>;
}

const [SYMTAB, NOBITS, FUNCTION, ENTRY] = [2, 8, 2, 0x10];
/**
 * Attribute numbers in the section `.nv.info`, and the format byte of attributes that have a size. An attribute is a
 * format byte, a number, and a size or a value.
 */
const [FRAME_SIZE, REGISTERS, MAX_THREADS, BARRIERS, SIZED] = [0x11, 0x2f, 0x05, 0x4c, 4];
/**
 * Shared memory that the system reserves in each block from sm_90 on. The section's size includes it, but the size that
 * ptxas prints does not.
 */
const SYSTEM_SHARED_BYTES = 1024;

function readText(bytes: Uint8Array, at: number, limit: number): string {
  const end = bytes.subarray(at, limit).indexOf(0);
  return new TextDecoder().decode(bytes.subarray(at, end < 0 ? limit : at + end));
}

function readSections(cubin: Uint8Array, file: BinaryReader): readonly Section[] {
  const [first, size, count, names] = [file.u64(0x28), file.u16(0x3a), file.u16(0x3c), file.u16(0x3e)];
  if (size < 64 || count > MAX_SECTIONS)
    throw damagedError(`its table of ${count} sections has rows of ${size} bytes, which is not a valid size`);
  const rows = Array.from({ length: count }, (_, i) => first + i * size);
  const table = rows[names];
  if (table === undefined) throw damagedError('its sections have no names');
  const [from, length] = [file.u64(table + 24), file.u64(table + 32)];
  return rows.map((at) => {
    const section = {
      name: readText(cubin, from + file.u32(at), Math.min(cubin.length, from + length)),
      type: file.u32(at + 4),
      flags: file.u64(at + 8),
      offset: file.u64(at + 24),
      size: file.u64(at + 32),
      link: file.u32(at + 40),
      info: file.u32(at + 44),
    };
    if (section.type !== NOBITS && section.offset + section.size > cubin.length) {
      throw damagedError(`its section ${section.name} ends beyond the file`);
    }
    return section;
  });
}

/** Numbers and data offsets of the attributes in a `.nv.info` section. */
function readAttributes(file: BinaryReader, section: Section | undefined): readonly (readonly [number, number])[] {
  const out: [number, number][] = [];
  if (section === undefined) return out;
  const end = section.offset + section.size;
  for (let at = section.offset; at + 4 <= end; ) {
    const [format, attribute] = [file.u8(at), file.u8(at + 1)];
    out.push([attribute, at + 4]);
    at += 4 + (format === SIZED ? file.u16(at + 2) : 0);
  }
  return out;
}

/** Kernels of one cubin, by name. */
export function readKernels(cubin: Uint8Array, architecture: string): readonly CubinKernel[] {
  const file = new BinaryReader(cubin, 'the machine code');
  if (file.u32(0) !== ELF_MAGIC) throw damagedError('it does not begin with the signature of ELF files');
  const sections = readSections(cubin, file);
  const named = new Map(sections.map((section) => [section.name, section]));
  const symbols = sections.find(({ type }) => type === SYMTAB);
  const strings = symbols === undefined ? undefined : sections[symbols.link];
  if (symbols === undefined || strings === undefined) throw damagedError('it has no symbols');
  const general = readAttributes(file, named.get('.nv.info'));
  const bySymbol = (wanted: number): ReadonlyMap<number, number> =>
    new Map(general.flatMap(([one, at]) => (one === wanted ? [[file.u32(at), file.u32(at + 4)] as const] : [])));
  const [frames, registers] = [bySymbol(FRAME_SIZE), bySymbol(REGISTERS)];
  const reserved = named.has('.nv.shared.reserved.0') ? SYSTEM_SHARED_BYTES : 0;
  const out: CubinKernel[] = [];
  for (let symbol = 0; (symbol + 1) * 24 <= symbols.size; symbol += 1) {
    const at = symbols.offset + symbol * 24;
    if ((file.u8(at + 4) & 15) !== FUNCTION || (file.u8(at + 5) & ENTRY) === 0) continue;
    const name = readText(cubin, strings.offset + file.u32(at), strings.offset + strings.size);
    const text = named.get(`.text.${name}`);
    if (text === undefined) continue;
    const own = readAttributes(file, named.get(`.nv.info.${name}`));
    const bounds = own.find(([attribute]) => attribute === MAX_THREADS);
    const barriers = own.find(([attribute]) => attribute === BARRIERS);
    const shared = named.get(`.nv.shared.${name}`)?.size ?? 0;
    const threads = bounds === undefined ? null : [0, 4, 8].reduce((all, by) => all * file.u32(bounds[1] + by), 1);
    out.push({
      name,
      symbol,
      resource: {
        name,
        architecture,
        // In older formats the upper byte of the section's `info` is the number of registers.
        registers: registers.get(symbol) ?? text.info >>> 24,
        shared_bytes: Math.max(0, shared - reserved),
        // Bank 0 is not counted: it contains the kernel's parameters.
        constant_bytes: [...named].reduce((sum, [one, { size }]) => {
          const bank = /^\.nv\.constant[1-9]\d*\.(.+)$/.exec(one)?.[1];
          return bank === name ? sum + size : sum;
        }, 0),
        stack_bytes: frames.get(symbol) ?? 0,
        barriers: barriers === undefined ? 0 : file.u8(barriers[1] - 2),
        max_threads: threads === 0 ? null : threads,
      },
    });
  }
  return out.sort((a, b) => (a.name < b.name ? -1 : 1));
}
