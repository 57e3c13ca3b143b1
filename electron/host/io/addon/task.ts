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
}

/** Means over the repetitions; null where that clock does not tell. */
export interface TaskSample {
  readonly repetitions: number;
  readonly device_s: number | null;
  readonly wall_s: number | null;
  /** Time by the clock that counts: the device's, unless the task is about the host's part. */
  readonly time_s: number;
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

interface TaskCheck {
  readonly id: string;
  readonly title: string;
  /** Null is not a number, which holds never. */
  readonly value: number | null;
  readonly limit: number;
  readonly holds: boolean;
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
  /** What was compared with what. */
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
}

/** One call at a time. After `cancel` every call gives null. Rejects like `createTransport` throws. */
export interface NativeTask {
  readonly plan: TaskPlan;
  prepare(): Promise<TaskPreparation | null>;
  sample(options: TaskSampling): Promise<TaskSample | null>;
  check(runs: number): Promise<TaskVerdict | null>;
  /** What it knows of its repetitions so far; may repeat them. */
  told(): Promise<readonly TaskQuantity[] | null>;
  /** What another program left of the same problem, held to the same reference; needs no preparation. */
  compare(results: readonly Float64Array[]): Promise<Pick<TaskVerdict, 'checks' | 'compared'> | null>;
  /** Frees what was prepared. */
  close(): Promise<void>;
  /** Effective between two repetitions; in long CPU work within one. */
  cancel(): void;
}
