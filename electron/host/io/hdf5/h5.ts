/**
 * HDF5 in memory: files are made in and read from the library's own virtual
 * file system, which cannot see the machine's. A foreign file with links to
 * other files, or with its data outside itself, thus reaches nothing.
 */
import { Dataset, File, type Group, ready } from 'h5wasm';
import { BraggError } from '../../../contract/errors.ts';

type Loaded = Awaited<typeof ready>;
let loading: Promise<Loaded> | null = null;

function load(): Promise<Loaded> {
  loading ??= ready.then((module) => {
    // Without it the library prints its errors and returns nonsense.
    module.activate_throwing_error_handler();
    return module;
  });
  return loading;
}

let counter = 0;

/** Makes a file and returns its bytes. */
export async function createFile(fill: (file: File) => void): Promise<Uint8Array> {
  const { FS } = await load();
  const path = `/made-${counter++}.h5`;
  try {
    const file = new File(path, 'w');
    try {
      fill(file);
    } finally {
      file.close();
    }
    return FS.readFile(path);
  } finally {
    if (FS.analyzePath(path, false).exists) FS.unlink(path);
  }
}

/** Opens bytes as a file. Throws BraggError `foreign-file` when they are none. */
export async function openFile<T>(bytes: Uint8Array, read: (file: File) => T): Promise<T> {
  const { FS } = await load();
  const path = `/read-${counter++}.h5`;
  FS.writeFile(path, bytes);
  try {
    let file: File;
    try {
      file = new File(path, 'r');
    } catch (error) {
      const text = error instanceof Error ? error.message : '';
      const reason = /truncated/.test(text) ? 'it is cut off' : 'it is not an HDF5 file';
      throw new BraggError('foreign-file', reason, [], { cause: error });
    }
    try {
      return read(file);
    } finally {
      file.close();
    }
  } finally {
    FS.unlink(path);
  }
}

/** A dataset below a group, or null. */
export function datasetAt(group: Group, path: string): Dataset | null {
  const entity = group.get(path);
  return entity instanceof Dataset ? entity : null;
}
