/** The HDF5 library, loaded when the first file is made or read: it takes its time. */
import type { File } from 'h5wasm';
import { readFilters } from './filters.ts';

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

export function loadLibrary(): Promise<Library> {
  loading ??= loadNow();
  return loading;
}
