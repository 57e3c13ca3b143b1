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
  /** Time for tables, device, kernels, upload and start state. */
  readonly setup_s: number;
  /** Time of the steps by the host's clock. */
  readonly solve_s: number;
  /** Time of the steps by the device's clock; null on the CPU. */
  readonly device_s: number | null;
  /** Total time from the problem to the result in this process. */
  readonly wall_s: number;
}

export interface MeasuredRun {
  readonly timing: Timing;
  readonly result: TransportResult;
  readonly plan: TransportRun['plan'];
  /** Clock states before and after the run; null on the CPU and without NVML. */
  readonly clocks: { readonly before: ClockState | null; readonly after: ClockState | null };
}

/** `first`: the device is opened only by the run itself, so that its set-up includes the complete cold start. */
const measuringFor: Readonly<Record<Mode | 'first', MeasuringSettings>> = {
  first: { unwatched: true },
  warm: { unwatched: true, clocks: true },
  cold: { unwatched: true, clocks: true, coldCaches: true },
  graph: { unwatched: true, clocks: true, graphReplay: true },
  'cold-graph': { unwatched: true, clocks: true, coldCaches: true, graphReplay: true },
};

/**
 * Runs the problem once. An aborted signal cancels the run, whose result then
 * has the status `cancelled`. Throws a BraggError.
 */
export async function measure(
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
      const started = run.start(() => undefined, measuringFor[mode]);
      if (signal?.aborted === true) cancel();
      const result = await started;
      // An interrupted run gives no time.
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

/** Time on which ratios are based: by the device's clock if available, else by the host's. */
export function timeOf({ device_s, solve_s }: Pick<Timing, 'device_s' | 'solve_s'>): number {
  return device_s ?? solve_s;
}
