/** Measures one run. */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import type { ClockState } from '../../../contract/capabilities.ts';
import {
  errorFromNative,
  type MeasuringSettings,
  type NativeAddon,
  type TransportProblem,
  type TransportResult,
  type TransportRun,
} from '../../io/addon/addon.ts';

/** Times in seconds. */
interface Timing {
  /** Time for building tables, opening the device, loading kernels, uploading and initialising the state. */
  readonly setup_s: number;
  /** Time of the steps by the host's clock. */
  readonly solve_s: number;
  /** Time of the steps by the device's clock; null on the CPU. */
  readonly device_s: number | null;
  /** Elapsed time of the end-to-end run, from the problem to the result in this process. */
  readonly wall_s: number;
}

export interface MeasuredRun {
  readonly timing: Timing;
  readonly result: TransportResult;
  readonly plan: TransportRun['plan'];
  /** Clock frequencies before and after the run; null on the CPU, or without NVML. */
  readonly clocks: { readonly before: ClockState | null; readonly after: ClockState | null };
}

/**
 * Settings by mode. For the mode `first` the clocks are not read, because that would already open the device and
 * shorten the measured set-up.
 */
const settingsByMode: Readonly<Record<Mode | 'first', MeasuringSettings>> = {
  first: { unwatched: true },
  warm: { unwatched: true, clocks: true },
  cold: { unwatched: true, clocks: true, coldCaches: true },
  graph: { unwatched: true, clocks: true, graphReplay: true },
  'cold-graph': { unwatched: true, clocks: true, coldCaches: true, graphReplay: true },
};

/**
 * Runs a problem once. Aborting the signal cancels the run, whose result then has the status `cancelled`. Throws a
 * BraggError.
 */
export async function measureRun(
  addon: NativeAddon,
  problem: TransportProblem,
  signal?: AbortSignal,
  mode: Mode | 'first' = 'warm',
): Promise<MeasuredRun> {
  const start = performance.now();
  try {
    const run = addon.createTransport(problem);
    const created = performance.now();
    const cancel = (): void => run.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      const started = run.start(() => undefined, settingsByMode[mode]);
      if (signal?.aborted === true) cancel();
      const result = await started;
      // A failed run has no valid time.
      if (result.error !== null) throw errorFromNative(result.error);
      const wall_s = (performance.now() - start) / 1000;
      const setup_s = (created - start) / 1000 + result.setup_s;
      const device_s = result.device_s > 0 ? result.device_s : null;
      return {
        result,
        plan: run.plan,
        clocks: result.clocks,
        timing: { setup_s, solve_s: result.solve_s, device_s, wall_s },
      };
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  } catch (error) {
    throw errorFromNative(error);
  }
}

/** Time on which ratios are based: the device's if available, otherwise the host's. */
export function comparedTime_s({ device_s, solve_s }: Pick<Timing, 'device_s' | 'solve_s'>): number {
  return device_s ?? solve_s;
}
