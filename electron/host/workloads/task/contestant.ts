/** One variant of a task at work: prepared when it is needed, timed as often as asked. */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import { type DeviceTrace, fromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type { NativeTask, TaskPreparation, TaskSample, TaskSampling, TaskVerdict } from '../../io/addon/task.ts';
import type { Series } from '../../model/bench/comparison.ts';
import type { Clocked } from '../../model/bench/flags.ts';
import type { Where } from '../../model/bench/rounds.ts';
import type { Recording } from '../../model/recording/recording.ts';
import type { TaskCandidate } from './candidates.ts';

/** A sample before the session knows its highest clock. */
export interface RawTaskSample extends Pick<TaskSample, 'repetitions' | 'time_s' | 'device_s' | 'wall_s'>, Where {
  readonly clocks: Clocked;
}

/** What was found of a contestant before the rounds. */
export interface TaskContestant {
  readonly candidate: TaskCandidate;
  readonly worker: TaskWorker;
  readonly estimate_bytes: number;
  readonly preparation: TaskPreparation;
  readonly verdict: TaskVerdict;
  readonly first: RawTaskSample;
  readonly warm: Series<RawTaskSample>;
  /** Cold and replayed, where they were asked for. */
  readonly others: readonly Series<RawTaskSample>[];
}

export function rawTaskSample(sample: TaskSample, where: Where): RawTaskSample {
  const { repetitions, time_s, device_s, wall_s, clocks } = sample;
  return { repetitions, time_s, device_s, wall_s, clocks, ...where };
}

/** Every call gives null once the signal is aborted. Throws BraggErrors. */
export class TaskWorker {
  private readonly task: NativeTask;
  private readonly signal: AbortSignal | undefined;
  private prepared = false;
  private last: Pick<TaskSample, 'spans' | 'origin_ns'> | null = null;
  private trace: DeviceTrace | null = null;

  constructor(addon: NativeAddon, { problem }: TaskCandidate, signal?: AbortSignal) {
    try {
      this.task = addon.createTask(problem);
    } catch (error) {
      throw fromNative(error);
    }
    this.signal = signal;
  }

  get plan(): NativeTask['plan'] {
    return this.task.plan;
  }

  prepare(): Promise<TaskPreparation | null> {
    return this.call(async () => {
      const made = await this.task.prepare();
      this.prepared = made !== null;
      return made;
    });
  }

  check(runs: number): Promise<TaskVerdict | null> {
    return this.ready(() => this.task.check(runs));
  }

  sample(mode: Mode, at_least_s: number): Promise<TaskSample | null> {
    return this.take({ mode, at_least_s, clocks: true });
  }

  /** One sample of which every repetition is recorded and, on a GPU, all that it does; slows launches from then on. */
  traced(at_least_s: number): Promise<TaskSample | null> {
    return this.take({ mode: 'warm', at_least_s, trace: true });
  }

  /** Recording of everything up to the last sample; null before the first. `origin_ns` is its zero on the machine's clock. */
  get recording(): (Recording & { readonly origin_ns: number }) | null {
    const { last, trace } = this;
    return last === null ? null : { spans: last.spans, trace, origin_ns: last.origin_ns };
  }

  private take(options: TaskSampling): Promise<TaskSample | null> {
    return this.ready(async () => {
      const sample = await this.task.sample(options);
      this.last = sample ?? this.last;
      this.trace = sample?.trace ?? this.trace;
      return sample;
    });
  }

  /** Frees its memory and prepares it again, wherever that then lies; false when it was cancelled. */
  async prepareAnew(): Promise<boolean> {
    await this.close();
    return (await this.prepare()) !== null;
  }

  /** Frees its memory; the next sample prepares anew. */
  async close(): Promise<void> {
    if (!this.prepared) return;
    this.prepared = false;
    await this.task.close();
  }

  private ready<T>(work: () => Promise<T | null>): Promise<T | null> {
    return this.call(async () => {
      if (!this.prepared && (await this.task.prepare()) === null) return null;
      this.prepared = true;
      return work();
    });
  }

  private async call<T>(work: () => Promise<T | null>): Promise<T | null> {
    if (this.signal?.aborted === true) return null;
    const cancel = (): void => this.task.cancel();
    this.signal?.addEventListener('abort', cancel);
    try {
      return await work();
    } catch (error) {
      throw fromNative(error);
    } finally {
      this.signal?.removeEventListener('abort', cancel);
    }
  }
}
