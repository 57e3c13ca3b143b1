/** A variant of a small measured workload as a session measures it: prepared when it is needed, timed as often as asked. */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import { type DeviceTrace, fromNative, type NativeAddon } from '../../io/addon/addon.ts';
import { findGpu, usedGpu } from '../../io/addon/gpu.ts';
import type {
  NativeTask,
  TaskPreparation,
  TaskQuantity,
  TaskSample,
  TaskSampling,
  TaskVerdict,
} from '../../io/addon/task.ts';
import type { ColdRun } from '../../model/bench/cold/process.ts';
import type { Contestant, Known, Taken } from '../../model/bench/contestant.ts';
import { keptRecording } from '../../model/recording/kept.ts';
import { taskAccuracy } from './accuracy.ts';
import type { TaskCandidate } from './candidates.ts';

/** Long against a clock's steps and a launch, short against a change of the GPU's clock. */
export const usualSample_s = 0.01;

/** Repetitions of a traced sample: few, because a trace is looked at. */
const traced_s = 1e-3;

/** With equal inputs, before the rounds: whether the result is the same every time. */
const checkedRuns = 3;

/** Set-up and one repetition; null for a user kernel. */
export function coldRunOf({ variant, problem }: TaskCandidate): ColdRun | null {
  if (isUserKernelId(variant.id)) return null;
  const sample = { method: 'sample', args: [{ mode: 'warm', at_least_s: 0 }], reports: false };
  return { factory: 'createTask', problem, calls: [{ method: 'prepare', args: [], reports: false }, sample] };
}

function takenOf(
  { time_s, repetitions, device_s, wall_s, clocks }: TaskSample,
  prepared: TaskPreparation | null,
  told?: readonly TaskQuantity[],
): Taken {
  return {
    ...{ time_s, repetitions, device_s, clocks },
    host_s: wall_s,
    setup_s: prepared?.setup_s ?? null,
    wall_s: null,
    parts: new Map((prepared?.setup_parts ?? []).map(({ name, seconds }) => [name, seconds])),
    values: null,
    ...(told !== undefined && { told }),
  };
}

export interface TaskMeasuring {
  readonly sample_s: number;
  /** Stays prepared between samples; otherwise every sample is of a state made for it. */
  readonly keep: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface Sampled {
  readonly mode: Mode;
  /** Whether it tells of itself behind the time. */
  readonly tell: boolean;
  readonly keep: boolean;
}

/** Every call gives null once the signal is aborted. Throws BraggErrors. */
export class TaskContestant implements Contestant {
  readonly prepare?: () => Promise<boolean>;
  readonly #task: NativeTask;
  readonly #addon: NativeAddon;
  readonly #candidate: TaskCandidate;
  readonly #measuring: TaskMeasuring;
  #prepared: TaskPreparation | null = null;
  /** From the last preparation to the next sample, which tells of it. */
  #untold: TaskPreparation | null = null;
  #isa = '';
  #verdict: TaskVerdict | null = null;
  #last: Pick<TaskSample, 'spans' | 'origin_ns'> | null = null;
  #trace: DeviceTrace | null = null;

  constructor(addon: NativeAddon, candidate: TaskCandidate, measuring: TaskMeasuring) {
    try {
      this.#task = addon.createTask(candidate.problem);
    } catch (error) {
      throw fromNative(error);
    }
    this.#addon = addon;
    this.#candidate = candidate;
    this.#measuring = measuring;
    if (measuring.keep) this.prepare = () => this.#prepareAnew();
  }

  first(): Promise<Taken | null> {
    return this.#sampled({ mode: 'warm', tell: false, keep: true });
  }

  take(mode: Mode): Promise<Taken | null> {
    // What it tells is kept of warm samples alone.
    return this.#sampled({ mode, tell: mode === 'warm', keep: this.#measuring.keep });
  }

  async answer() {
    this.#verdict = await this.#ready(() => this.#task.check(checkedRuns));
    if (!this.#measuring.keep) await this.close();
    // Its result stays in the engine, which holds it to an FP64 reference of its own.
    return this.#verdict && { values: null };
  }

  accuracy() {
    return taskAccuracy(this.#checked);
  }

  quantities() {
    return this.#checked.quantities.map((quantity) => ({ ...quantity }));
  }

  known(): Known {
    const { runs, bitwise, hash, work } = this.#checked;
    const { precision } = this.#candidate.variant;
    const flops = (of: string | null): number | null =>
      precision === of || (of === null && precision !== 'fp32' && precision !== 'fp64') ? work.flops : null;
    return {
      threads: null,
      isa: this.#isa,
      state_bytes: this.#task.plan.estimate_bytes,
      size: null,
      work: {
        bytes: work.bytes,
        fp32_flops: flops('fp32'),
        fp64_flops: flops('fp64'),
        other_flops: flops(null),
      },
      repeats: { runs, bitwise, spread: bitwise ? 0 : null, hash },
      note: null,
      compared: this.#checked.compared,
    };
  }

  async trace(): Promise<string | null> {
    const sample = await this.#sample({ mode: 'warm', at_least_s: traced_s, trace: true });
    if (!this.#measuring.keep) await this.close();
    return sample?.traceReason ?? null;
  }

  recording() {
    const last = this.#last;
    if (last === null) return null;
    const head = { label: this.#candidate.label, device: this.#deviceName };
    const recorded = { spans: last.spans, trace: this.#trace };
    return { origin_ns: last.origin_ns, kept: (shift_ns: number) => keptRecording(head, recorded, shift_ns) };
  }

  /** Frees its memory; the next sample prepares anew. */
  async close(): Promise<void> {
    if (this.#prepared === null) return;
    this.#prepared = null;
    await this.#task.close();
  }

  get #deviceName(): string | null {
    const { gpu, variant } = this.#candidate;
    if (variant.device === 'cpu') return null;
    const report = this.#addon.devices();
    const used = gpu === null ? usedGpu(report) : findGpu(report.cuda.devices, String(gpu));
    return used?.name ?? 'GPU';
  }

  get #checked(): TaskVerdict {
    if (this.#verdict === null) throw new Error(`${this.#candidate.label} was asked before it was checked`);
    return this.#verdict;
  }

  /** Frees its memory and prepares it again, wherever that then lies; false when it was cancelled. */
  async #prepareAnew(): Promise<boolean> {
    await this.close();
    return (await this.#ready(async () => true)) === true;
  }

  async #sampled({ mode, tell, keep }: Sampled): Promise<Taken | null> {
    const sample = await this.#sample({ mode, clocks: true, at_least_s: this.#measuring.sample_s });
    // After the time: some repeat their work to tell of it.
    const told = sample === null || !tell ? undefined : await this.#ready(() => this.#task.told());
    const prepared = this.#untold;
    this.#untold = null;
    if (!keep) await this.close();
    return sample === null || told === null ? null : takenOf(sample, prepared, told);
  }

  #sample(options: TaskSampling): Promise<TaskSample | null> {
    return this.#ready(async () => {
      const sample = await this.#task.sample(options);
      this.#last = sample ?? this.#last;
      this.#trace = sample?.trace ?? this.#trace;
      return sample;
    });
  }

  #ready<T>(work: () => Promise<T | null>): Promise<T | null> {
    return this.#call(async () => {
      if (this.#prepared === null) {
        this.#prepared = await this.#task.prepare();
        if (this.#prepared === null) return null;
        this.#untold = this.#prepared;
        this.#isa = this.#prepared.isa;
      }
      return work();
    });
  }

  async #call<T>(work: () => Promise<T | null>): Promise<T | null> {
    const { signal } = this.#measuring;
    if (signal?.aborted === true) return null;
    const cancel = (): void => this.#task.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      return await work();
    } catch (error) {
      throw fromNative(error);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }
}
