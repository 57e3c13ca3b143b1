/**
 * Reads and writes HDF5 in memory: the library works on a virtual file system of its own, and cannot access the
 * machine's files. Links to other files and external data in a foreign file therefore lead nowhere. Also installs the
 * filters of h5wasm-plugins, which the HDF5 library loads by name. Eiger detectors compress images with them.
 */
import { readFile } from 'node:fs/promises';
import type { Dataset, Entity, File, Group } from 'h5wasm';
import { BraggError } from '../../../contract/errors.ts';
import { decoderPath } from '../programs.ts';

/** Files of the filters, by their numbers in the HDF Group's registry: LZ4, and bitshuffle with LZ4. */
export const filterFiles: Readonly<Record<number, string>> = { 32004: 'libH5Zlz4.so', 32008: 'libH5Zbshuf.so' };

/** Content of every filter's file, by file name. */
async function readFilters(): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = Object.values(filterFiles).map(async (name) => {
    const bytes = await readFile(decoderPath(name, 'h5wasm-plugins/plugins'));
    return [name, bytes] as const;
  });
  return new Map(await Promise.all(files));
}

/** The HDF5 library as a WebAssembly module. It is loaded with the first file, because loading is slow. */
type Module = Awaited<typeof import('h5wasm')['ready']>;

/** Open files of the virtual file system, by number. The library's type declarations lack this field. */
interface OpenFiles {
  readonly streams: readonly (Parameters<Module['FS']['close']>[0] | null | undefined)[];
}

interface HdfLibrary {
  /** Installs the image filters, on the first call. */
  readonly withFilters: () => Promise<void>;
  readonly File: typeof File;
  readonly FS: Module['FS'];
  /**
   * Runs `work` inside a C call, so that errors leak nothing. All synchronous calls of the library must be made in
   * `work`.
   */
  readonly runInCall: <T>(work: () => T) => T;
}
let libraryPromise: Promise<HdfLibrary> | null = null;

/** Name of the C function that calls `work`. */
const CALLBACK_NAME = 'braggbench_work';

/**
 * Returns a function that runs `work` so that its errors leak nothing. Errors thrown through the library's C code skip
 * its clean-up: each leaves 1 kB on its stack and two open files. After some 2,000 errors the stack is full, and valid
 * files fail with "memory access out of bounds". ccall() with a text argument saves and restores the stack.
 */
function leakFreeCall(module: Module): HdfLibrary['runInCall'] {
  const { streams } = module.FS as Module['FS'] & OpenFiles;
  return <T>(work: () => T): T => {
    const before = new Set(streams);
    let outcome: { readonly value: T } | { readonly error: unknown } | null = null;
    Reflect.set(module, `_${CALLBACK_NAME}`, () => {
      try {
        outcome = { value: work() };
      } catch (error) {
        outcome = { error };
      }
    });
    module.ccall(CALLBACK_NAME, null, ['string'], ['']);
    for (const stream of streams) if (stream && !before.has(stream)) module.FS.close(stream);
    return valueOrThrow(outcome);
  };
}

function valueOrThrow<T>(outcome: { readonly value: T } | { readonly error: unknown } | null): T {
  if (outcome !== null && 'value' in outcome) return outcome.value;
  throw outcome?.error;
}

async function loadModule(): Promise<HdfLibrary> {
  const { File: Opened, ready } = await import('h5wasm');
  const module = await ready;
  // Without this handler the library prints errors and returns invalid values.
  module.activate_throwing_error_handler();
  let filters: Promise<void> | null = null;
  const install = async (): Promise<void> => {
    const [folder = ''] = module.get_plugin_search_paths();
    const files = await readFilters();
    module.FS.mkdirTree(folder);
    for (const [name, bytes] of files) module.FS.writeFile(`${folder}/${name}`, bytes);
  };
  return {
    ...{ File: Opened, FS: module.FS, runInCall: leakFreeCall(module) },
    withFilters: () => (filters ??= install()),
  };
}

function loadLibrary(): Promise<HdfLibrary> {
  libraryPromise ??= loadModule();
  return libraryPromise;
}

let fileCounter = 0;

/** Creates a file with the content that `fill` writes, and returns its bytes. */
export async function createFile(fill: (file: File) => void): Promise<Uint8Array> {
  const { File: Opened, FS, runInCall } = await loadLibrary();
  const path = `/made-${fileCounter++}.h5`;
  try {
    runInCall(() => {
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

/** Shortens an error of the library, which lists all functions on the stack; the innermost one states the cause. */
function shortenError(error: unknown): unknown {
  const text = error instanceof Error ? error.message : '';
  if (!text.startsWith('HDF5-DIAG')) return error;
  const reasons = [...text.matchAll(/#\d+: \S+ line \d+ in \w+\(\): (.*)/g)].map(([, reason]) => reason);
  return new BraggError('foreign-file', `the HDF5 library cannot read it: ${reasons.at(-1) ?? 'it is damaged'}`, [], {
    cause: error,
  });
}

interface OpenOptions {
  /** Whether datasets may be compressed by filters that are not part of the library. */
  readonly filters?: boolean;
  /** Content of a second file, to which links in the first one refer. */
  readonly linked?: Uint8Array | null;
}

/** Opens bytes as an HDF5 file and calls `read`. Throws BraggError `foreign-file` if they are not HDF5. */
export async function openFile<T>(
  bytes: Uint8Array,
  read: (file: File, linked: File | null) => T,
  { filters = false, linked = null }: OpenOptions = {},
): Promise<T> {
  const { File: Opened, FS, runInCall, withFilters } = await loadLibrary();
  if (filters) await withFilters();
  const paths = [bytes, ...(linked === null ? [] : [linked])].map((each) => {
    const path = `/read-${fileCounter++}.h5`;
    FS.writeFile(path, each);
    return path;
  });
  const open = (path: string): File => {
    try {
      return new Opened(path, 'r');
    } catch (error) {
      const text = error instanceof Error ? error.message : '';
      const reason = /truncated/.test(text) ? 'it is truncated' : 'it is not an HDF5 file';
      throw new BraggError('foreign-file', reason, [], { cause: error });
    }
  };
  try {
    return runInCall(() => {
      const opened: File[] = [];
      try {
        for (const path of paths) opened.push(open(path));
        const [file = open(''), other = null] = opened;
        return read(file, other);
      } catch (error) {
        throw shortenError(error);
      } finally {
        for (const file of opened) file.close();
      }
    });
  } finally {
    for (const path of paths) FS.unlink(path);
  }
}

type HdfEntity = Entity | null;
export const isDataset = (entity: HdfEntity): entity is Dataset =>
  entity !== null && 'type' in entity && entity.type === 'Dataset';
export const isGroup = (entity: HdfEntity): entity is Group =>
  entity !== null && 'type' in entity && entity.type === 'Group';

/** Dataset at a path below a group; null if there is none. */
export function datasetAt(group: Group, path: string): Dataset | null {
  const entity = group.get(path);
  return isDataset(entity) ? entity : null;
}
