/**
 * HDF5 in memory: files are made in and read from the library's own virtual
 * file system, which cannot see the machine's. A foreign file with links to
 * other files, or with its data outside itself, thus reaches nothing.
 */
import type { Dataset, Entity, File, Group } from 'h5wasm';
import { BraggError } from '../../../contract/errors.ts';
import { readFilters } from './filters.ts';

/** The HDF5 library, loaded when the first file is made or read: it takes its time. */
type Module = Awaited<typeof import('h5wasm')['ready']>;

/** The open files of the library's file system, by number: not declared by it. */
interface OpenFiles {
  readonly streams: readonly (Parameters<Module['FS']['close']>[0] | null | undefined)[];
}

interface Library {
  /** Makes the filters of images known to the library, once. */
  readonly withFilters: () => Promise<void>;
  readonly File: typeof File;
  readonly FS: Module['FS'];
  /** All work in the library between its awaits. */
  readonly entered: <T>(work: () => T) => T;
}
let loading: Promise<Library> | null = null;

/** The name under which the library finds work to call. */
const WORK = 'braggbench_work';

/**
 * The library's errors are thrown through C, which then puts nothing back: a kilobyte of its stack and two open files
 * stay behind each. After some 2,000 errors the stack was gone, and sound files failed with "memory access out of
 * bounds". Its ccall() saves and restores the stack around what it calls, if it has text to pass.
 */
function enteredIn(module: Module): Library['entered'] {
  const { streams } = module.FS as Module['FS'] & OpenFiles;
  return <T>(work: () => T): T => {
    const before = new Set(streams);
    let outcome: { readonly value: T } | { readonly error: unknown } | null = null;
    Reflect.set(module, `_${WORK}`, () => {
      try {
        outcome = { value: work() };
      } catch (error) {
        outcome = { error };
      }
    });
    module.ccall(WORK, null, ['string'], ['']);
    for (const stream of streams) if (stream && !before.has(stream)) module.FS.close(stream);
    return taken(outcome);
  };
}

function taken<T>(outcome: { readonly value: T } | { readonly error: unknown } | null): T {
  if (outcome !== null && 'value' in outcome) return outcome.value;
  throw outcome?.error;
}

async function loadNow(): Promise<Library> {
  const { File: Opened, ready } = await import('h5wasm');
  const module = await ready;
  // Without it the library prints its errors and returns nonsense.
  module.activate_throwing_error_handler();
  let filters: Promise<void> | null = null;
  const install = async (): Promise<void> => {
    const [folder = ''] = module.get_plugin_search_paths();
    const files = await readFilters();
    module.FS.mkdirTree(folder);
    for (const [name, bytes] of files) module.FS.writeFile(`${folder}/${name}`, bytes);
  };
  return {
    ...{ File: Opened, FS: module.FS, entered: enteredIn(module) },
    withFilters: () => (filters ??= install()),
  };
}

function loadLibrary(): Promise<Library> {
  loading ??= loadNow();
  return loading;
}

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
