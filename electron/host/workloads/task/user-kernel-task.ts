/** A task of a user kernel, as the host sees every task: the engine's object in the variant's process. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type {
  NativeTask,
  TaskPreparation,
  TaskProblem,
  TaskQuantity,
  TaskSample,
  TaskSampling,
  TaskVerdict,
} from '../../io/addon/task.ts';
import type { Lease, LoadedUserKernel } from '../../model/user-kernels/loaded.ts';

export class UserKernelTask implements NativeTask {
  readonly plan: NativeTask['plan'];
  readonly #engine: NativeAddon;
  readonly #session: LoadedUserKernel;
  readonly #problem: TaskProblem;
  #lease: Lease | null = null;
  #cancelled = false;

  /** Throws what the engine throws of a problem that it refuses. Runs no code of the variant. */
  constructor(engine: NativeAddon, session: LoadedUserKernel, problem: TaskProblem) {
    const { kernel } = session;
    this.#engine = engine;
    this.#session = session;
    this.#problem = { ...problem, variant: kernel.base.id };
    this.plan = { ...engine.createTask(this.#problem).plan, variant: kernel.id };
  }

  async prepare(): Promise<TaskPreparation | null> {
    if (this.#cancelled) return null;
    this.#lease?.discard();
    const answer = await this.#session.answer(this.#problem);
    const words = answer === null ? this.#problem.words : { ...this.#problem.words, answer };
    this.#lease = await this.#session.lease('createTask', { ...this.#problem, words }, this.plan.estimate_bytes);
    return this.#call('prepare', []);
  }

  sample(options: TaskSampling): Promise<TaskSample | null> {
    return this.#call('sample', [options]);
  }

  check(runs: number): Promise<TaskVerdict | null> {
    return this.#call('check', [runs]);
  }

  told(): Promise<readonly TaskQuantity[] | null> {
    return this.#call('told', []);
  }

  /** By what it was made from. */
  compare(results: readonly Float64Array[]) {
    return this.#engine.createTask(this.#problem).compare(results);
  }

  async close(): Promise<void> {
    const lease = this.#lease;
    this.#lease = null;
    if (lease === null) return;
    if (!lease.process.usable) return lease.discard();
    await lease.process.call('close', []);
    lease.release();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#lease?.process.cancel();
  }

  /** Each within the time limit. After one that failed nothing is known of the process. */
  async #call<T>(method: string, args: readonly unknown[]): Promise<T | null> {
    const lease = this.#lease;
    if (this.#cancelled || lease === null) return null;
    try {
      return (await lease.run(method, args)) as T | null;
    } catch (error) {
      this.#lease = null;
      lease.discard();
      throw error;
    }
  }
}
