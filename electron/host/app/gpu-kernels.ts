/**
 * Compiles GPU kernels when a window opens, on machines without nvcc. The first compilation takes seconds. Until it has
 * ended, `auto` selects the CPU.
 */
import type { SolverFrame, SolverState } from '../../contract/capabilities.ts';
import { errorFromNative, type NativeAddon } from '../io/addon/addon.ts';
import type { StagedSolver } from '../io/addon/staged-solver.ts';
import type { FrameSink } from '../io/flow/subscribers.ts';

const COMPLETE_SOLVER: SolverState = { stage: 'whole', progress: null, failed: null };

type Solver = Pick<NativeAddon, 'warmKernels' | 'driverDevices'>;
type Log = (level: 'warning', text: string) => void;

export class GpuKernels {
  readonly #addon: Solver;
  readonly #log: Log;
  readonly #watchers = new Set<() => void>();
  #compiling = false;

  constructor(addon: Solver, log: Log) {
    this.#addon = addon;
    this.#log = log;
  }

  /**
   * Compiles the kernels if there is a GPU. Also resolves after a failure, because runs that need the kernels report it
   * too.
   */
  async compile(workloads: readonly string[]): Promise<void> {
    if (!this.#addon.driverDevices().devices.some(({ usable }) => usable)) return;
    this.#setCompiling(true);
    try {
      for (const workload of workloads) await this.#addon.warmKernels({ workload });
    } catch (error) {
      this.#log('warning', `The GPU kernels could not be compiled: ${errorFromNative(error).message}`);
    }
    this.#setCompiling(false);
  }

  /** Sends the current state of solver and kernels, and then each change until all are ready. */
  stream(solver: StagedSolver | null, sink: FrameSink<SolverFrame>): () => void {
    const sendState = (): void => {
      const frame = { ...(solver?.state ?? COMPLETE_SOLVER), gpuKernels: this.#compiling };
      sink.offer(() => frame);
      if (frame.stage === 'whole' && !frame.gpuKernels) sink.end();
    };
    this.#watchers.add(sendState);
    const unwatch = solver?.watch(sendState);
    sendState();
    return () => {
      this.#watchers.delete(sendState);
      unwatch?.();
    };
  }

  #setCompiling(compiling: boolean): void {
    this.#compiling = compiling;
    for (const watcher of [...this.#watchers]) watcher();
  }
}
