/** Results of tuning as files of other tuners keep them. Times in seconds. */

/** `wrong`: it ran, and its answer is not right. */
export type Outcome = 'right' | 'wrong' | 'compile' | 'runtime' | 'timeout' | 'constraints';

export type ParameterValue = number | string | boolean;

export interface TunedConfiguration {
  readonly configuration: Readonly<Record<string, ParameterValue>>;
  readonly outcome: Outcome;
  /** Null if it did not run to completion. */
  readonly time_s: number | null;
  readonly samples_s: readonly number[];
  readonly compile_s: number | null;
  /** 1 if the answer is within the allowed error. Below 1: allowed error over actual error. Null if not compared. */
  readonly correctness: number | null;
  /** As its writer has it; empty where it has none. */
  readonly timestamp: string;
}

export interface TuningResults {
  /** Empty where the file does not say. */
  readonly device: string;
  readonly kernel: string;
  /** As text; empty where the file does not say. */
  readonly problem: string;
  readonly configurations: readonly TunedConfiguration[];
  /** Facts about the file that a user must know. */
  readonly notes?: readonly string[];
}

/** Older versions of Kernel Tuner write this for a configuration that failed. */
const FAILED = 1e20;

/** Whether a number is a time, and not a sign of failure: NaN, Infinity, 1e20, null, 0 or less. */
export const isTime = (time: unknown): time is number =>
  typeof time === 'number' && Number.isFinite(time) && time > 0 && time < FAILED;

/** Values of each parameter that occur, in the order of its first use. */
export function parametersOf({ configurations }: TuningResults): ReadonlyMap<string, readonly ParameterValue[]> {
  const values = new Map<string, Set<ParameterValue>>();
  for (const { configuration } of configurations) {
    for (const [name, value] of Object.entries(configuration)) {
      const own = values.get(name) ?? new Set();
      values.set(name, own.add(value));
    }
  }
  return new Map([...values].map(([name, own]) => [name, [...own]]));
}
