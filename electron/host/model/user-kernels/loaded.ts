/**
 * A loaded user kernel: built once, with a process that serves one run after the other until one fails. Live frames are
 * requested from its process one at a time, and only on demand. The host lists the user kernels that it knows next to
 * the shipped variants.
 */
import type { TaskProblem } from '../../io/addon/task.ts';
import type { StartChild } from '../../io/processes/link.ts';
import type { UserKernel } from './file.ts';
import type { UserKernelBase } from './problem-folder.ts';
import type { Factory, UserKernelCode } from './process/relay.ts';
import { UserKernelProcess } from './process/user-kernel-process.ts';

/** Idle time before an unused process ends: the rounds of a benchmark follow each other closely. */
const KEEP_IDLE_MS = 5_000;
/** Memory allowed above the estimate of the base variant. */
const HEADROOM_BYTES = 2 ** 30;
/** Further memory that a GPU's driver maps into a process. */
const DRIVER_BYTES = 4 * 2 ** 30;
/** Memory limits are multiples of this, so that one process can serve problems of similar sizes. */
const STEP_BYTES = 2 ** 28;

export interface Lease {
  readonly process: UserKernelProcess;
  /** Calls a method within the time limit of a run. */
  run(method: string, args: readonly unknown[], onReport?: (value: unknown) => void): Promise<unknown>;
  /** Returns the process, which may serve the next run. */
  release(): void;
  /** Ends the process, whose state is unknown. */
  discard(): void;
}

interface LoadedUserKernelOptions {
  readonly startChild: StartChild;
  /**
   * Builds the kernel, or returns the cached build of the same text. Throws a BraggError with the compiler's messages.
   */
  readonly build: (kernel: UserKernel) => Promise<UserKernelCode>;
  readonly onOutput: (text: string) => void;
  /** Time limit of a run in seconds. */
  readonly limit_s: number;
  /** Path of the file with the answer of the user's program; null if there is none. */
  readonly answer: (kernel: UserKernel, problem: TaskProblem) => Promise<string | null>;
  /** Throws a BraggError `untrusted` unless the user has confirmed that they trust the file. */
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

  /** Path of the file with the expected answer to a problem; null if there is none. */
  answer(problem: TaskProblem): Promise<string | null> {
    this.#options.requireTrust(this.kernel);
    return this.#options.answer(this.kernel, problem);
  }

  async lease(factory: Factory, problem: unknown, estimate_bytes: number): Promise<Lease> {
    this.#options.requireTrust(this.kernel);
    const onGpu = this.kernel.base.device === 'cuda';
    const wanted_bytes = onGpu ? estimate_bytes + DRIVER_BYTES : 2 * estimate_bytes + HEADROOM_BYTES;
    const memory_bytes = STEP_BYTES * Math.ceil(wanted_bytes / STEP_BYTES);
    const process = this.#takeIdle(memory_bytes) ?? (await this.#open(memory_bytes));
    this.#busy.add(process);
    const limit_ms = 1000 * this.#options.limit_s;
    try {
      await process.within(limit_ms, 'was not ready', process.create(factory, problem));
    } catch (error) {
      this.#drop(process);
      throw error;
    }
    return {
      process,
      run: (method, args, onReport) => process.within(limit_ms, 'did not finish', process.call(method, args, onReport)),
      release: () => this.#keep(process, memory_bytes),
      discard: () => this.#drop(process),
    };
  }

  /** Called when another version replaces the kernel. Current runs continue to their end, then their processes end. */
  retire(): void {
    this.#retired = true;
    this.#dropIdle();
  }

  /** Ends all processes of the kernel. */
  close(): void {
    this.#dropIdle();
    for (const process of this.#busy) this.#drop(process);
  }

  async #open(memory_bytes: number): Promise<UserKernelProcess> {
    const code = await this.#options.build(this.kernel);
    const { startChild, onOutput } = this.#options;
    const process = await UserKernelProcess.start(this.kernel.id, startChild, onOutput);
    await process.within(1000 * this.#options.limit_s, 'was not loaded', process.load(code, memory_bytes));
    return process;
  }

  #takeIdle(memory_bytes: number): UserKernelProcess | null {
    const idle = this.#idle;
    if (idle === null) return null;
    clearTimeout(idle.timer);
    this.#idle = null;
    // A process has a fixed memory limit, so it is reused only for an equal limit.
    if (idle.process.usable && idle.memory_bytes === memory_bytes) return idle.process;
    idle.process.close();
    return null;
  }

  #keep(process: UserKernelProcess, memory_bytes: number): void {
    if (this.#retired) {
      this.#drop(process);
      return;
    }
    this.#busy.delete(process);
    this.#dropIdle();
    const timer = setTimeout(() => this.#dropIdle(), KEEP_IDLE_MS);
    timer.unref();
    this.#idle = { process, memory_bytes, timer };
  }

  #dropIdle(): void {
    if (this.#idle === null) return;
    clearTimeout(this.#idle.timer);
    this.#idle.process.close();
    this.#idle = null;
  }

  #drop(process: UserKernelProcess): void {
    this.#busy.delete(process);
    process.close();
  }
}

export class LiveFrames<Frame> {
  #newest: Frame | null = null;
  #wanted = false;
  #asking = false;

  /** Latest frame since the last call, or null; also requests another one. */
  take(): Frame | null {
    const newest = this.#newest;
    this.#newest = null;
    this.#wanted = true;
    return newest;
  }

  keep(frame: Frame): void {
    this.#newest = frame;
  }

  askFor({ process }: Lease): void {
    if (!this.#wanted || this.#asking) return;
    this.#asking = true;
    process.call('live', []).then(
      (frame) => {
        this.#asking = false;
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
  /** Returns the loaded kernel with its processes. */
  loaded(kernel: UserKernel): LoadedUserKernel;
}

/** Appends user kernels to their `shipped` base variants; entries differ only in their names. */
export function withUserKernels<V extends UserKernelBase>(shipped: readonly V[], kernel: readonly UserKernel[]): V[] {
  const mine = kernel.flatMap(({ id, description, base }) => {
    const from = shipped.find((one) => one.id === base.id && one.bench === base.bench);
    if (from === undefined) return [];
    const { title, changes, replaces } = description;
    return [{ ...from, id, title, changes: changes || `User code for ${replaces}`, buildsOn: base.id, source: id }];
  });
  return [...shipped, ...mine];
}
