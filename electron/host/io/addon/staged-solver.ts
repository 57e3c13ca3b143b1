/**
 * On the first start the solver is compiled while the page is already in use: first an addon with CPU transport, then
 * the complete one. Functions that are not compiled yet throw, and `answer` repeats the call at the next stage.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { z } from 'zod';
import {
  type DeviceReport,
  type LibraryState,
  type SolverStage,
  type SolverState,
  solverStateSchema,
} from '../../../contract/capabilities.ts';
import { BraggError } from '../../../contract/errors.ts';
import { loadAddon, type NativeAddon } from './addon.ts';

/** Environment variable with the program's version, set by the parent process that compiles the solver. */
const BUILD_VARIABLE = 'BRAGGBENCH_SOLVER_BUILD';

const messageSchema = z.strictObject({ ...solverStateSchema.shape, kind: z.literal('solver-build') });

const STAGE_ORDER: readonly SolverStage[] = ['none', 'first', 'whole'];

const LIBRARY_COMPILING: LibraryState = {
  available: false,
  reason: 'The solver is being compiled.',
  version: null,
  file: null,
};
const { available, reason } = LIBRARY_COMPILING;
const DEVICES_WHILE_COMPILING: DeviceReport = {
  cuda: { available, reason, driver: null, version: null, devices: [] },
  nvrtc: LIBRARY_COMPILING,
  nvml: LIBRARY_COMPILING,
  cupti: LIBRARY_COMPILING,
  cublas: LIBRARY_COMPILING,
  cublasLt: LIBRARY_COMPILING,
};

/** Functions of the addon before the first stage is compiled; their lists are empty. */
const placeholderFunctions = (version: string) =>
  ({
    buildInfo: () => ({ version, compiler: '', build: 'release', isas: [] }),
    machine: () => ({
      cpu: cpus()[0]?.model ?? '',
      logicalCores: availableParallelism(),
      isa: '',
      memoryBytes: totalmem(),
      lastLevelCacheBytes: 0,
      os: `${type()} ${release()}`,
    }),
    devices: () => DEVICES_WHILE_COMPILING,
    driverDevices: () => DEVICES_WHILE_COMPILING.cuda,
    variants: () => [],
    diffractionVariants: () => [],
    taskVariants: () => [],
  }) satisfies Partial<NativeAddon>;

type FunctionName = keyof NativeAddon;
/**
 * Names of all functions of the addon. `StagedSolver` forwards each of them, so that its addon can be copied by the
 * spread syntax.
 */
const functionNames: Readonly<Record<FunctionName, true>> = {
  ...{
    buildInfo: true,
    machine: true,
    memoryReadRate: true,
    devices: true,
    driverDevices: true,
    clockState: true,
    lockClocks: true,
  },
  ...{
    measureCeilings: true,
    warmKernels: true,
    kernelOccupancy: true,
    variants: true,
    rangeTable: true,
    fermiEyges: true,
  },
  ...{ doseTangents: true, volumeDose: true },
  ...{ createTransport: true, layTransport: true, layBeams: true, loadUserLibrary: true, loadUserKernels: true },
  ...{ compileUserKernels: true, flushOutput: true, limitMemory: true, diffractionVariants: true },
  ...{ createDiffraction: true, taskVariants: true, createTask: true },
};

/** Records whether a call needed a function that is not compiled yet. */
interface FunctionUse {
  missing: boolean;
}

export class StagedSolver {
  readonly addon: NativeAddon;
  readonly #load: () => NativeAddon;
  readonly #calls = new AsyncLocalStorage<FunctionUse>();
  readonly #watchers = new Set<(state: SolverState) => void>();
  #current: Partial<NativeAddon> = {};
  #state: SolverState = { stage: 'none', progress: null, failed: null };

  /** `load` loads the newest addon. `version` is reported as the program's version until an addon is loaded. */
  constructor(load: () => NativeAddon, version: string) {
    this.#load = load;
    const answers: Partial<NativeAddon> = placeholderFunctions(version);
    const forward = (name: FunctionName) => {
      return (...args: readonly unknown[]): unknown => {
        const present = this.#current[name];
        const call = this.#calls.getStore();
        if (present === undefined && call !== undefined && this.#state.stage !== 'whole') call.missing = true;
        const used = (present ?? answers[name]) as ((...args: readonly unknown[]) => unknown) | undefined;
        if (used === undefined) throw new BraggError('unsupported', 'The solver is being compiled.');
        return used(...args);
      };
    };
    const forwarded = Object.fromEntries(
      (Object.keys(functionNames) as FunctionName[]).map((name) => [name, forward(name)]),
    );
    this.addon = forwarded as unknown as NativeAddon;
  }

  get state(): SolverState {
    return this.#state;
  }

  /** Handles a report from the compiling process. If it announces a new stage, loads the addon of that stage. */
  report(state: SolverState): void {
    if (state.stage !== this.#state.stage) this.#current = { ...this.#load() };
    this.#state = state;
    for (const watcher of [...this.#watchers]) watcher(state);
  }

  /** Calls `changed` after each change of the state. Returns a function that unsubscribes. */
  watch(changed: (state: SolverState) => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** Resolves when the given stage is compiled. Rejects with `unsupported` if compiling fails. */
  async waitForStage(stage: SolverStage, signal?: AbortSignal): Promise<void> {
    const reached = (): boolean => STAGE_ORDER.indexOf(this.#state.stage) >= STAGE_ORDER.indexOf(stage);
    while (!reached()) {
      signal?.throwIfAborted();
      if (this.#state.failed !== null) throw new BraggError('unsupported', this.#state.failed);
      await new Promise<void>((resolve) => {
        const settle = (): void => {
          stop();
          signal?.removeEventListener('abort', settle);
          resolve();
        };
        const stop = this.watch(settle);
        signal?.addEventListener('abort', settle);
      });
    }
  }

  /**
   * Makes a call once the first stage is compiled. If the call needs a function of the complete solver, it is repeated
   * when that solver is compiled.
   */
  async callWhenCompiled<T>(call: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
    await this.waitForStage('first', signal);
    for (;;) {
      const needs: FunctionUse = { missing: false };
      try {
        const value = await this.#calls.run(needs, call);
        if (!needs.missing) return value;
      } catch (error) {
        if (!needs.missing) throw error;
      }
      await this.waitForStage('whole', signal);
    }
  }
}

/** Creates a staged solver; null if the parent process does not compile the solver in the background. */
export function createStagedSolver(load: () => NativeAddon = loadAddon): StagedSolver | null {
  const version = process.env[BUILD_VARIABLE];
  if (version === undefined || process.send === undefined) return null;
  const solver = new StagedSolver(load, version);
  const received = (message: unknown): void => {
    const { success, data } = messageSchema.safeParse(message);
    if (!success) return;
    const { kind: _, ...state } = data;
    solver.report(state);
    // An open channel would prevent this process from exiting.
    if (state.stage === 'whole' || state.failed !== null) process.off('message', received).disconnect();
  };
  process.on('message', received);
  process.on('disconnect', () => {
    const { state } = solver;
    if (state.stage === 'whole' || state.failed !== null) return;
    solver.report({ ...state, failed: 'The process that compiled the solver has ended. Start the program again.' });
  });
  return solver;
}
