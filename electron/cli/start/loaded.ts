/** Modules of the program: already loaded if the process started from an image. */
import type { runProgram } from '../program.ts';
import type { Terminal } from '../terminal.ts';

interface Loaded {
  readonly runProgram: typeof runProgram;
  readonly Terminal: typeof Terminal;
}

/** An image and the module that starts from it share only the global object. */
const PLACE = Symbol.for('braggbench.loaded');

export function keepLoaded(loaded: Loaded): void {
  Reflect.set(globalThis, PLACE, loaded);
}

export function markLoaded(): Loaded | null {
  return (Reflect.get(globalThis, PLACE) as Loaded | undefined) ?? null;
}
