/**
 * A user kernel that is built once and loaded in a process. The process serves one run after another, until one fails.
 * Live frames are requested from it one at a time, when the page needs one. Also adds user kernels to the lists of
 * shipped variants.
 */
import type { TaskProblem } from '../../io/addon/task.ts';
import type { StartChild } from '../../io/processes/link.ts';
import type { UserKernel } from './file.ts';
import type { UserKernelBase } from './problem-folder.ts';
import type { AddonFactory, UserKernelCode } from './process/relay.ts';
import { UserKernelProcess } from './process/user-kernel-process.ts';

/** Time in ms after which an idle process is ended. The rounds of a benchmark follow each other faster. */
const KEEP_IDLE_MS = 5_000;
/** Memory that a process may use in addition to the estimate for the base variant. */
const HEADROOM_BYTES = 2 ** 30;
/** Additional memory for a GPU, whose driver maps memory into the process. */
const DRIVER_BYTES = 4 * 2 ** 30;
/** Granularity of memory limits. Problems of similar size thus get the same limit, and can share a process. */
const STEP_BYTES = 2 ** 28;

export interface ProcessLease {
  readonly process: UserKernelProcess;
  /** Calls a method of the run's object. The process is killed if the call exceeds the time limit of a run. */
  run(method: string, args: readonly unknown[], onReport?: (value: unknown) => void): Promise<unknown>;
  /** Returns the process, so that the next run can use it. */
  release(): void;
  /** Kills the process, because its state is unknown after an error. */
  discard(): void;
}

interface LoadedUserKernelOptions {
  readonly startChild: StartChild;
  /** Builds the kernel, or returns a cached build. Throws a BraggError with the compiler's messages. */
  readonly build: (kernel: UserKernel) => Promise<UserKernelCode>;
  readonly onOutput: (text: string) => void;
  /** Time limit of a run, in seconds. */
  readonly limit_s: number;
  /** Path of the file with the reference answer to a problem; null if the kernel has no reference. */
  readonly answer: (kernel: UserKernel, problem: TaskProblem) => Promise<string | null>;
  /** Throws a BraggError `untrusted` unless the user has confirmed that they trust the kernel. */
  readonly requireTrust: (kernel: UserKernel) => void;
}

export class LoadedUserKernel {
  readonly kernel: UserKernel;
  readonly #options: LoadedUserKernelOptions;
  #idle: { readonly process: UserKernelProcess; readonly memory_bytes: number; readonly timer: NodeJS.Timeout } | null =
    null;
  readonly #busy = new Set<UserKernelProcess>();
  #retired = false;

  constructor(kernel: UserKernel, options: LoadedUserKernelOptions) {
    this.kernel = kernel;
    this.#options = options;
  }

  /** Path of the file with the reference answer to a problem; null if the kernel has no reference. */
  answer(problem: TaskProblem): Promise<string | null> {
    this.#options.requireTrust(this.kernel);
    return this.#options.answer(this.kernel, problem);
  }

  async lease(factory: AddonFactory, problem: unknown, estimate_bytes: number): Promise<ProcessLease> {
    this.#options.requireTrust(this.kernel);
    const onGpu = this.kernel.base.device === 'cuda';
    const wanted_bytes = onGpu ? estimate_bytes + DRIVER_BYTES : 2 * estimate_bytes + HEADROOM_BYTES;
    const memory_bytes = STEP_BYTES * Math.ceil(wanted_bytes / STEP_BYTES);
    const process = this.#takeIdle(memory_bytes) ?? (await this.#open(memory_bytes));
    this.#busy.add(process);
    const limit_ms = 1000 * this.#options.limit_s;
    try {
      await process.withTimeLimit(limit_ms, 'was not ready', process.create(factory, problem));
    } catch (error) {
      this.#killProcess(process);
      throw error;
    }
    return {
      process,
      run: (method, args, onReport) =>
        process.withTimeLimit(limit_ms, 'did not finish', process.call(method, args, onReport)),
      release: () => this.#storeIdle(process, memory_bytes),
      discard: () => this.#killProcess(process),
    };
  }

  /** Call when a newer version of the kernel is loaded. Active runs continue; then their processes end. */
  retire(): void {
    this.#retired = true;
    this.#killIdle();
  }

  /** Kills all processes of the kernel. */
  close(): void {
    this.#killIdle();
    for (const process of this.#busy) this.#killProcess(process);
  }

  async #open(memory_bytes: number): Promise<UserKernelProcess> {
    const code = await this.#options.build(this.kernel);
    const { startChild, onOutput } = this.#options;
    const process = await UserKernelProcess.start(this.kernel.id, startChild, onOutput);
    await process.withTimeLimit(1000 * this.#options.limit_s, 'was not loaded', process.load(code, memory_bytes));
    return process;
  }

  #takeIdle(memory_bytes: number): UserKernelProcess | null {
    const idle = this.#idle;
    if (idle === null) return null;
    clearTimeout(idle.timer);
    this.#idle = null;
    // The memory limit of a process cannot be changed, so it is reused only for the same limit.
    if (idle.process.isUsable && idle.memory_bytes === memory_bytes) return idle.process;
    idle.process.close();
    return null;
  }

  #storeIdle(process: UserKernelProcess, memory_bytes: number): void {
    if (this.#retired) {
      this.#killProcess(process);
      return;
    }
    this.#busy.delete(process);
    this.#killIdle();
    const timer = setTimeout(() => this.#killIdle(), KEEP_IDLE_MS);
    timer.unref();
    this.#idle = { process, memory_bytes, timer };
  }

  #killIdle(): void {
    if (this.#idle === null) return;
    clearTimeout(this.#idle.timer);
    this.#idle.process.close();
    this.#idle = null;
  }

  #killProcess(process: UserKernelProcess): void {
    this.#busy.delete(process);
    process.close();
  }
}

export class LiveFrames<Frame> {
  #newest: Frame | null = null;
  #wanted = false;
  #isRequested = false;

  /** Returns the newest frame since the last call, or null. Also requests the next frame. */
  takeNewest(): Frame | null {
    const newest = this.#newest;
    this.#newest = null;
    this.#wanted = true;
    return newest;
  }

  setNewest(frame: Frame): void {
    this.#newest = frame;
  }

  requestNext({ process }: ProcessLease): void {
    if (!this.#wanted || this.#isRequested) return;
    this.#isRequested = true;
    process.call('live', []).then(
      (frame) => {
        this.#isRequested = false;
        if (frame === null) return;
        this.#wanted = false;
        this.#newest = frame as Frame;
      },
      () => undefined,
    );
  }
}

export interface KnownUserKernels {
  list(workload: string): readonly UserKernel[];
  find(workload: string, id: string): UserKernel | null;
  /** Loaded form of a kernel, which owns its processes. */
  loaded(kernel: UserKernel): LoadedUserKernel;
}

/**
 * Adds user kernels to a list of shipped variants. The entry of a user kernel is that of its base variant with other
 * names.
 */
export function addUserKernels<V extends UserKernelBase>(shipped: readonly V[], kernel: readonly UserKernel[]): V[] {
  const mine = kernel.flatMap(({ id, description, base }) => {
    const from = shipped.find((one) => one.id === base.id && one.bench === base.bench);
    if (from === undefined) return [];
    const { title, changes, replaces } = description;
    return [{ ...from, id, title, changes: changes || `User code for ${replaces}`, buildsOn: base.id, source: id }];
  });
  return [...shipped, ...mine];
}
