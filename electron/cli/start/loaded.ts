/** Access to the program's modules, which are loaded already if the process started from a snapshot. */
import type { runProgram } from '../program.ts';
import type { Terminal } from '../terminal.ts';

interface LoadedModules {
  readonly runProgram: typeof runProgram;
  readonly Terminal: typeof Terminal;
}

/** Symbol of a global property. The snapshot and the module that starts from it share only the global object. */
const LOADED_KEY = Symbol.for('braggbench.loaded');

export function saveLoaded(loaded: LoadedModules): void {
  Reflect.set(globalThis, LOADED_KEY, loaded);
}

export function markLoaded(): LoadedModules | null {
  return (Reflect.get(globalThis, LOADED_KEY) as LoadedModules | undefined) ?? null;
}
