/** A user kernel at work: it is built once, and its process serves one run after the other until one fails. */

import type { TaskProblem } from '../../io/addon/task.ts';
import type { StartChild } from '../../io/processes/link.ts';
import type { UserKernel } from './file.ts';
import type { Factory, UserKernelCode } from './process/messages.ts';
import { UserKernelProcess } from './process/user-kernel-process.ts';

/** Idle time before an unused process ends: the rounds of a benchmark follow each other closely. */
const KEEP_IDLE_MS = 5_000;
/** Above the estimate of the variant that it was made from. */
const HEADROOM_BYTES = 2 ** 30;
/** A GPU's driver maps that much more into a process. */
const DRIVER_BYTES = 4 * 2 ** 30;
/** Limits are multiples of this, so that one process serves problems of similar sizes one after the other. */
const STEP_BYTES = 2 ** 28;

export interface Lease {
  readonly process: UserKernelProcess;
  /** A call within the time limit of a run. */
  run(method: string, args: readonly unknown[], onReport?: (value: unknown) => void): Promise<unknown>;
  /** The process may serve the next run. */
  release(): void;
  /** It may not: its state is unknown. */
  discard(): void;
}

interface LoadedUserKernelOptions {
  readonly startChild: StartChild;
  /** Builds it, or takes what the same text gave before. Throws a BraggError with its compiler's messages. */
  readonly build: (kernel: UserKernel) => Promise<UserKernelCode>;
  readonly onOutput: (text: string) => void;
  /** Most seconds that one run may take. */
  readonly limit_s: number;
  /** The file with the answer that the user's program gives; null where there is none. */
  readonly answer: (kernel: UserKernel, problem: TaskProblem) => Promise<string | null>;
  /** Throws a BraggError `untrusted` unless the user has said that they trust the file. */
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

  /** The file with the expected answer to a problem; null where nobody has written one. */
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
      run: (method, args, onReport) => process.within(limit_ms, 'did not end', process.call(method, args, onReport)),
      release: () => this.#keep(process, memory_bytes),
      discard: () => this.#drop(process),
    };
  }

  /** Another takes its place: what runs goes on to its end, and its process with it. */
  retire(): void {
    this.#retired = true;
    this.#dropIdle();
  }

  /** Ends its processes. */
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
    // Its limit was set for the rest of its life.
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
