/** Modules of the program: already loaded if the process started from an image. */
import type { runProgram } from '../program.ts';
import type { Terminal } from '../terminal.ts';

interface LoadedModules {
  readonly runProgram: typeof runProgram;
  readonly Terminal: typeof Terminal;
}

/** An image and the module that starts from it share only the global object. */
const LOADED_KEY = Symbol.for('braggbench.loaded');

export function saveLoaded(loaded: LoadedModules): void {
  Reflect.set(globalThis, LOADED_KEY, loaded);
}

export function markLoaded(): LoadedModules | null {
  return (Reflect.get(globalThis, LOADED_KEY) as LoadedModules | undefined) ?? null;
}
