/** Metadata of a run of any workload. */
import type { ErrorCode } from '../../contract/errors.ts';

interface Machine {
  /** Hashed identifier of the system. Null in files that did not record it. */
  readonly id: string | null;
  readonly cpu: string;
  readonly logicalCores: number;
  readonly memory_bytes: number;
  readonly os: string;
  /** Name of the GPU that computed the run. Null for a run on the CPU. */
  readonly device: string | null;
}

/** Reason why a run ended early. */
export interface RunFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Metadata that every run records: program, machine, times and scenario. */
export interface RunContext {
  readonly program: {
    readonly version: string;
    readonly build: string;
    readonly compiler: string;
    /** Commit of the checkout. Null in a package, and in files that did not record it. */
    readonly commit: string | null;
  };
  readonly machine: Machine;
  readonly name: string;
  /** Start of the run in ISO 8601. */
  readonly created: string;
  readonly finished: string;
  /** Document as the user wrote it. `completeScenario` contains all defaults too. */
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly completeScenario: Readonly<Record<string, unknown>>;
  readonly wall_s: number;
}
