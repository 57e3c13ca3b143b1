/** One timed image. */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import { fromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type { DiffractionProblem } from '../../io/addon/diffraction.ts';

export const REFERENCE = 'diffraction-reference';

/** A GPU makes the image again and again for this long; an image alone is shorter than the clock's steps. */
const SAMPLE_S = 0.02;

interface Rendering {
  readonly variant: string;
  readonly mode: Mode;
  readonly clocks?: boolean;
}

/**
 * Renders once; `clocks` reads the GPU's, which opens the device before the run does. Throws a BraggError; a cancelled
 * run is one too.
 */
export async function render(
  addon: NativeAddon,
  problem: DiffractionProblem,
  { variant, mode, clocks = false }: Rendering,
  signal?: AbortSignal,
) {
  const start = performance.now();
  try {
    const run = addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant } });
    const cancel = (): void => run.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      const started = run.start(() => undefined, { mode, clocks, atLeast_s: SAMPLE_S });
      if (signal?.aborted === true) cancel();
      const result = await started;
      return { plan: run.plan, result, wall_s: (performance.now() - start) / 1000 };
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  } catch (error) {
    throw fromNative(error);
  }
}
