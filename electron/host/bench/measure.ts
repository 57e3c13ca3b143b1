/** One timed run. */
import { fromNative, type NativeAddon, type TransportProblem, type TransportResult } from '../addon.ts';

export interface Timing {
  /** Tables, allocation, start state. */
  readonly setup_s: number;
  /** The steps themselves. */
  readonly solve_s: number;
  /** Everything, from the problem to the result in this process. */
  readonly wall_s: number;
}

export interface Measured {
  readonly timing: Timing;
  readonly result: TransportResult;
}

/**
 * Runs the problem once. An aborted signal cancels the run, whose result then
 * has the status `cancelled`. Throws a BraggError.
 */
export async function measure(addon: NativeAddon, problem: TransportProblem, signal?: AbortSignal): Promise<Measured> {
  const start = performance.now();
  try {
    const run = addon.createTransport(problem);
    const created = performance.now();
    const cancel = (): void => run.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      const started = run.start(() => undefined);
      if (signal?.aborted === true) cancel();
      const result = await started;
      const setup_s = (created - start) / 1000 + result.setup_s;
      return { result, timing: { setup_s, solve_s: result.solve_s, wall_s: (performance.now() - start) / 1000 } };
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  } catch (error) {
    throw fromNative(error);
  }
}
