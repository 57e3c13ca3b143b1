/** The addon's interface for small measured workloads; native/binding/runs/task_run.cpp implements it. */
import type { Variant } from '../../../contract/capabilities.ts';
import type { ClockState } from '../../../contract/devices.ts';
import type { DeviceTrace, Spans } from './recorded.ts';

/** A flat list of values by name, checked against the scenario's schema. */
export interface TaskProblem {
  /** The scenario's kind. */
  readonly workload: string;
  /** Which benchmark of a kind that has several; empty otherwise. */
  readonly bench: string;
  readonly variant: string;
  /** Index or UUID of the GPU; absent: the usual one. */
  readonly device?: string;
  readonly threads: number;
  readonly memory_limit_bytes: number;
  readonly seed: number;
  readonly numbers: Readonly<Record<string, number>>;
  readonly words: Readonly<Record<string, string>>;
  readonly switches: Readonly<Record<string, boolean>>;
}

export interface TaskVariant extends Omit<Variant, 'precisions'> {
  readonly benchTitle: string;
  /** Precision of its arithmetic: fp32, tf32, bf16, … */
  readonly precision: string;
  /** Whose kernels do the work, such as `cuBLAS`; null where they are ours. */
  readonly library: string | null;
}

interface TaskPlan {
  readonly variant: string;
  readonly precision: string;
  readonly device: 'cpu' | 'cuda';
  readonly estimate_bytes: number;
}

export interface TaskPreparation {
  readonly setup_s: number;
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  readonly isa: string;
}

export interface TaskSampling {
  readonly mode: 'warm' | 'cold' | 'graph';
  /** As many repetitions as this takes. */
  readonly at_least_s: number;
  readonly clocks?: boolean;
  readonly trace?: boolean;
  /** One repetition at a place that the engine draws is audited: judged there, or its results are handed over. */
  readonly audit?: 'judged' | 'handed-over';
  /** The sample ends with a probe of whether the task remembers its inputs. */
  readonly probe?: boolean;
  /** Some inputs change at unpredictable repetitions, on a CPU. */
  readonly hide?: boolean;
  /** Times nothing but `swapped_s`; the task must not have run since it was prepared. */
  readonly swapped?: boolean;
}

export interface MemoryProbe {
  readonly fresh_s: number;
  readonly again_s: number;
  /** NaN where it was not timed. */
  readonly usual_s: number;
}

/** An audit outside of the timed part of a sample. */
export interface TaskAudit {
  /** Empty where the results were handed over. */
  readonly checks: readonly TaskCheck[];
  readonly compared: string;
  readonly results: readonly Float64Array[];
  readonly outputs: number;
  /** Results that the audited repetition did not write, and the first of them. */
  readonly unwritten: number;
  readonly first_unwritten: number;
  readonly inputs_changed: boolean;
  /** Times of a repetition with new inputs, with the same once more, and with those of the sample. */
  readonly probes: readonly MemoryProbe[];
  readonly seconds: number;
}

/** Changes at unpredictable repetitions of a sample; none on a GPU. */
export interface HiddenChanges {
  /** Times of a repetition at once before which a few inputs and results were changed, and of the one before. */
  readonly probes: readonly { readonly changed_s: number; readonly before_s: number }[];
  /** Results that were poisoned then and not written, and the first of them. */
  readonly unwritten: number;
  readonly first_unwritten: number;
}

/** Means over the repetitions; null where that clock does not tell. */
export interface TaskSample {
  readonly repetitions: number;
  readonly device_s: number | null;
  readonly wall_s: number | null;
  /** Time by the clock that counts: the device's, unless the task is about the host's part. */
  readonly time_s: number;
  /** All repetitions together, by the host's clock. */
  readonly timed_s: number;
  /** End of the call on the machine's steady clock, as the process that answered read it. */
  readonly ended_ns: number;
  /** The same as this process read it, where another answered. */
  readonly received_ns?: number;
  readonly audit: TaskAudit | null;
  readonly hidden: HiddenChanges;
  /** One repetition with the prepared inputs after many with others; null unless requested, or without such inputs. */
  readonly swapped_s: number | null;
  /**
   * Spans of all calls so far: preparing, checks and what is timed, with its repetitions as step; of a traced sample also
   * every repetition, and on further threads the parts of each.
   */
  readonly spans: Spans;
  /** Their zero on the machine's steady clock, which all recorders share. */
  readonly origin_ns: number;
  readonly clocks: { readonly before: ClockState | null; readonly after: ClockState | null };
  readonly trace: DeviceTrace | null;
  readonly traceReason: string | null;
}

export interface TaskCheck {
  readonly id: string;
  readonly title: string;
  /** Null if it is not a number (NaN), which never passes. */
  readonly value: number | null;
  readonly limit: number;
  readonly holds: boolean;
  /** The first value beyond the limit, and the reference's; empty where there is none. */
  readonly where: string;
}

/** A number that a variant knows of itself; null is not a number. */
export interface TaskQuantity {
  readonly id: string;
  readonly title: string;
  readonly value: number | null;
  readonly unit: string;
}

export interface TaskVerdict {
  readonly checks: readonly TaskCheck[];
  /** Description of the comparison. */
  readonly compared: string;
  readonly holds: boolean;
  /** With equal inputs; `bitwise`: their results have equal bits. */
  readonly runs: number;
  readonly bitwise: boolean;
  readonly hash: string;
  /** Which clock counts. */
  readonly clock: 'device' | 'wall';
  /** Bytes and operations of one repetition; null where meaningless. */
  readonly work: { readonly bytes: number | null; readonly flops: number | null };
  readonly quantities: readonly TaskQuantity[];
  readonly audit: TaskAudit | null;
  /** Results that were not judged: of the first run, and of each whose bits differ or of a user kernel. */
  readonly unjudged: readonly (readonly Float64Array[])[];
}

/** One call at a time. After `cancel` every call gives null. Rejects like `createTransport` throws. */
export interface NativeTask {
  readonly plan: TaskPlan;
  /** Inputs follow `seed`; without one they follow the problem's. */
  prepare(seed?: number): Promise<TaskPreparation | null>;
  sample(options: TaskSampling): Promise<TaskSample | null>;
  /** Without `judged` the results are left to the caller. */
  check(runs: number, judged?: boolean): Promise<TaskVerdict | null>;
  /** Quantities that the variant reports of its repetitions so far; may repeat them. */
  told(): Promise<readonly TaskQuantity[] | null>;
  /** Inputs of the problem's seed, array after array, for a reference outside of the engine; needs no preparation. */
  inputs(): Promise<readonly Float64Array[] | null>;
  /** Checks another program's results of the same problem against the same reference; needs no preparation. */
  compare(results: readonly Float64Array[]): Promise<Pick<TaskVerdict, 'checks' | 'compared'> | null>;
  /** Frees what was prepared. */
  close(): Promise<void>;
  /** Effective between two repetitions; in long CPU work within one. */
  cancel(): void;
}
