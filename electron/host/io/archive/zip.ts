/** Zip archives that come from elsewhere: nothing in them is longer, or more, than was allowed before it is unpacked. */
import { unzipSync, zipSync } from 'fflate';
import { BraggError } from '../../../contract/errors.ts';

interface ArchiveLimits {
  /** All entries together, unpacked. */
  readonly bytes: number;
  readonly entries: number;
}

/** Deflated unless already compressed. */
type ArchiveEntries = ReadonlyMap<string, { readonly bytes: Uint8Array; readonly packed: boolean }>;

const LEVEL = 6;
/** Archives without the large form of zip have no more. */
export const MOST_ENTRIES = 65_000;

export function packZip(entries: ArchiveEntries): Uint8Array {
  if (entries.size > MOST_ENTRIES)
    throw new BraggError('unsupported', `An archive holds at most ${MOST_ENTRIES} files; these are ${entries.size}.`);
  return zipSync(
    Object.fromEntries([...entries].map(([name, { bytes, packed }]) => [name, [bytes, { level: packed ? 0 : LEVEL }]])),
  );
}

/** Entries by their names; folders are none. `name`: for messages. Throws BraggError `foreign-file`. */
export function unpackZip(bytes: Uint8Array, name: string, limits: ArchiveLimits): ReadonlyMap<string, Uint8Array> {
  let [total, count] = [0, 0];
  const refuse = (why: string, cause?: unknown): BraggError =>
    new BraggError('foreign-file', `${name} ${why}.`, [], { cause });
  let found: Record<string, Uint8Array>;
  try {
    found = unzipSync(bytes, {
      filter: ({ originalSize, name: entry }) => {
        total += originalSize;
        count += 1;
        if (total > limits.bytes) throw refuse(`unpacks to more than ${Math.round(limits.bytes / 1e6)} MB`);
        if (count > limits.entries) throw refuse(`holds more than ${limits.entries} files`);
        return !entry.endsWith('/');
      },
    });
  } catch (error) {
    throw error instanceof BraggError ? error : refuse('is no archive, or is damaged', error);
  }
  return new Map(Object.entries(found));
}
