/**
 * HDF5 in memory: files are made in and read from the library's own virtual
 * file system, which cannot see the machine's. A foreign file with links to
 * other files, or with its data outside itself, thus reaches nothing.
 */
import type { Dataset, Entity, File, Group } from 'h5wasm';
import { BraggError } from '../../../contract/errors.ts';
import { loadLibrary } from './library.ts';

let counter = 0;

/** Makes a file and returns its bytes. */
export async function createFile(fill: (file: File) => void): Promise<Uint8Array> {
  const { File: Opened, FS, entered } = await loadLibrary();
  const path = `/made-${counter++}.h5`;
  try {
    entered(() => {
      const file = new Opened(path, 'w');
      try {
        fill(file);
      } finally {
        file.close();
      }
    });
    return FS.readFile(path);
  } finally {
    if (FS.analyzePath(path, false).exists) FS.unlink(path);
  }
}

/** Errors of the library list every function that they passed: the innermost names the cause. */
function inWords(error: unknown): unknown {
  const text = error instanceof Error ? error.message : '';
  if (!text.startsWith('HDF5-DIAG')) return error;
  const reasons = [...text.matchAll(/#\d+: \S+ line \d+ in \w+\(\): (.*)/g)].map(([, reason]) => reason);
  return new BraggError('foreign-file', `the HDF5 library cannot read it: ${reasons.at(-1) ?? 'it is damaged'}`, [], {
    cause: error,
  });
}

interface OpenOptions {
  /** Whether datasets may be packed by filters outside the library. */
  readonly filters?: boolean;
  /** Bytes of another file, to which links of the first one lead. */
  readonly linked?: Uint8Array | null;
}

/** Opens bytes as a file. Throws BraggError `foreign-file` when they are none. */
export async function openFile<T>(
  bytes: Uint8Array,
  read: (file: File, linked: File | null) => T,
  { filters = false, linked = null }: OpenOptions = {},
): Promise<T> {
  const { File: Opened, FS, entered, withFilters } = await loadLibrary();
  if (filters) await withFilters();
  const paths = [bytes, ...(linked === null ? [] : [linked])].map((each) => {
    const path = `/read-${counter++}.h5`;
    FS.writeFile(path, each);
    return path;
  });
  const open = (path: string): File => {
    try {
      return new Opened(path, 'r');
    } catch (error) {
      const text = error instanceof Error ? error.message : '';
      const reason = /truncated/.test(text) ? 'it is cut off' : 'it is not an HDF5 file';
      throw new BraggError('foreign-file', reason, [], { cause: error });
    }
  };
  try {
    return entered(() => {
      const opened: File[] = [];
      try {
        for (const path of paths) opened.push(open(path));
        const [file = open(''), other = null] = opened;
        return read(file, other);
      } catch (error) {
        throw inWords(error);
      } finally {
        for (const file of opened) file.close();
      }
    });
  } finally {
    for (const path of paths) FS.unlink(path);
  }
}

type Found = Entity | null;
export const isDataset = (entity: Found): entity is Dataset =>
  entity !== null && 'type' in entity && entity.type === 'Dataset';
export const isGroup = (entity: Found): entity is Group =>
  entity !== null && 'type' in entity && entity.type === 'Group';

/** A dataset below a group, or null. */
export function datasetAt(group: Group, path: string): Dataset | null {
  const entity = group.get(path);
  return isDataset(entity) ? entity : null;
}
