/**
 * Reads zip archives from other people: file sizes and the number of entries are checked before anything is unpacked.
 */
import { type UnzipFileInfo, unzipSync, zipSync } from 'fflate';
import { BraggError } from '../../../contract/errors.ts';
import { formatBytes } from '../../../domain/values/units.ts';

/** Contents by file name. `packed`: the content is already compressed, so it is stored without deflate. */
type ArchiveEntries = ReadonlyMap<string, { readonly bytes: Uint8Array; readonly packed: boolean }>;

const COMPRESSION_LEVEL = 6;
/** Maximum number of entries; more would need the ZIP64 format. */
const MAX_ENTRIES = 65_000;
/** Maximum size after unpacking: four times the limit for packing, because results of studies are text. */
const MAX_BYTES = 4 * 2 ** 30;
/** Maximum ratio of unpacked to packed size. Tables of numbers reach 20; only a zip bomb exceeds 200. */
const MAX_RATIO = 200;
/**
 * Unpacked size up to which any ratio is allowed, because a constant field of a small study compresses a thousandfold.
 */
const ALWAYS_ALLOWED_BYTES = 64 * 2 ** 20;
/** Largest compression ratio of deflate, which encodes at most 258 bytes in two bits. */
const DEFLATE_RATIO = 1032;

export function packZip(entries: ArchiveEntries): Uint8Array {
  if (entries.size > MAX_ENTRIES)
    throw new BraggError(
      'unsupported',
      `An archive can contain at most ${MAX_ENTRIES} files; this has ${entries.size}.`,
    );
  return zipSync(
    Object.fromEntries(
      [...entries].map(([name, { bytes, packed }]) => [name, [bytes, { level: packed ? 0 : COMPRESSION_LEVEL }]]),
    ),
  );
}

export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #name: string;
  readonly #names: ReadonlySet<string>;

  /** Reads only the archive's directory. `name` is used in messages. Throws BraggError `foreign-file`. */
  constructor(bytes: Uint8Array, name: string) {
    this.#bytes = bytes;
    this.#name = name;
    const names = new Set<string>();
    let [packed, unpacked] = [0, 0];
    const most = Math.min(MAX_BYTES, Math.max(ALWAYS_ALLOWED_BYTES, MAX_RATIO * bytes.length));
    this.#unzip((entry) => {
      packed += entry.size;
      unpacked += entry.originalSize;
      if (names.has(entry.name)) throw this.#refuse(`contains two files named ${JSON.stringify(entry.name)}`);
      names.add(entry.name);
      if (names.size > MAX_ENTRIES) throw this.#refuse(`contains more than ${MAX_ENTRIES} files`);
      // The packed sizes add up to more than the archive if entries share their data, as in a zip bomb.
      if (packed > bytes.length) throw this.#refuse('is damaged: data of different files overlap');
      if (entry.originalSize > DEFLATE_RATIO * (entry.size + 1) || unpacked > most) {
        throw this.#refuse(
          `decompresses to more than ${formatBytes(most)}, the limit for its ${formatBytes(bytes.length)}`,
        );
      }
      return false;
    });
    this.#names = names;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Unpacks these entries; missing names are absent from the result. Throws BraggError `foreign-file`. */
  read(wanted: ReadonlySet<string>): ReadonlyMap<string, Uint8Array> {
    return new Map(Object.entries(this.#unzip((entry) => wanted.has(entry.name))));
  }

  #unzip(filter: (entry: UnzipFileInfo) => boolean): Record<string, Uint8Array> {
    try {
      return unzipSync(this.#bytes, { filter });
    } catch (error) {
      throw error instanceof BraggError ? error : this.#refuse('is not an archive, or is damaged', error);
    }
  }

  #refuse(why: string, cause?: unknown): BraggError {
    return new BraggError('foreign-file', `${this.#name} ${why}.`, [], { cause });
  }
}
