/**
 * Interface through which a session measures a variant of any workload, and the data recorded for each sample. Also
 * checks whether a variant's answers are correct, and bitwise equal in repeated runs. A workload supplies its
 * candidates, the reference answer, and the facts and claims for the report.
 */
import { createHash } from 'node:crypto';
import type { Mode, Quantity } from '../../../contract/bench/bench-session.ts';
import type { TaskClaimResult } from '../../../contract/bench/claims.ts';
import type { Accuracy, AuditCost, SessionEntry, SessionReport } from '../../../contract/bench/session.ts';
import type { SavedRecording } from '../../../contract/recording.ts';
import type { Precision } from '../../../contract/run.ts';
import type { ColdStart } from './cold/processes.ts';
import type { SampleMetadata } from './comparison.ts';
import type { SamplePosition } from './rounds.ts';

/**
 * Maximum relative L2 difference between a variant's dose and the FP64 reference. A variant that exceeds it is wrong.
 */
export const parityLimit: Readonly<Record<Precision, number>> = { fp32: 1e-5, fp64: 1e-12 };

export type AnswerValues = Float32Array | Float64Array;

/** |a − b|₂ / |b|₂. */
export function relativeL2(values: AnswerValues, reference: AnswerValues): number {
  if (values.length !== reference.length) return Number.POSITIVE_INFINITY;
  let [difference, norm] = [0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const b = reference[i] ?? 0;
    difference += ((values[i] ?? 0) - b) ** 2;
    norm += b * b;
  }
  return norm === 0 ? (difference === 0 ? 0 : Number.POSITIVE_INFINITY) : Math.sqrt(difference / norm);
}

/**
 * Comparison of repeated runs with the same inputs. `bitwise`: all results have the same bits. Otherwise `spread` is
 * the largest difference, relative to the largest value, if known.
 */
export interface RepeatComparison {
  readonly runs: number;
  readonly bitwise: boolean;
  readonly spread: number | null;
  readonly hash: string;
}

/** Collects the answers of repeated runs and compares them. */
export class DeterminismCheck {
  private first: AnswerValues | null = null;
  private hash = '';
  private count = 0;
  private spread = 0;

  add(dose: AnswerValues): void {
    const bytes = new Uint8Array(dose.buffer, dose.byteOffset, dose.byteLength);
    const hash = createHash('sha256').update(bytes).digest('hex');
    this.count += 1;
    if (this.first === null) {
      this.first = dose;
      this.hash = hash;
    } else if (hash !== this.hash) {
      this.spread = Math.max(this.spread, largestDifference(dose, this.first), Number.EPSILON);
    }
  }

  report(): RepeatComparison & { readonly spread: number } {
    return { runs: this.count, bitwise: this.spread === 0, spread: this.spread, hash: this.hash };
  }
}

function largestDifference(values: AnswerValues, reference: AnswerValues): number {
  let [difference, peak] = [0, 0];
  for (let i = 0; i < reference.length; i += 1) {
    difference = Math.max(difference, Math.abs((values[i] ?? 0) - (reference[i] ?? 0)));
    peak = Math.max(peak, Math.abs(reference[i] ?? 0));
  }
  return peak === 0 ? difference : difference / peak;
}

type RefusedEntry = Extract<SessionEntry, { status: 'refused' }>;
/** Identifies a candidate in reports: label, variant, device and precision. */
export type CandidateIdentity = Readonly<Omit<RefusedEntry, 'status' | 'reason'>>;

/** Identity of a candidate whose variant supports only one precision. */
export function candidateIdentity({
  label,
  variant,
  gpu,
}: {
  readonly label: string;
  readonly variant: Pick<CandidateIdentity, 'title' | 'device' | 'precision'> & {
    readonly id: string;
    readonly buildsOn: string | null;
  };
  readonly gpu: number | null;
}): CandidateIdentity {
  const { id, title, buildsOn, device, precision } = variant;
  return { label, variant: id, title, builds_on: buildsOn, device, precision, note: null, gpu };
}

/** Times of one sample, in seconds. */
export interface TimedRun extends Pick<SampleMetadata, 'clocks'> {
  /** Time of one repetition, by the clock that verdicts are based on. */
  readonly time_s: number;
  readonly repetitions: number;
  /** Time of one repetition by the device's clock, and by the host's; null if that clock was not read. */
  readonly device_s: number | null;
  readonly host_s: number | null;
  /** Time for setting up the state before the sample; null if an already prepared state was used. */
  readonly setup_s: number | null;
  /** Time of an end-to-end run, from the problem to its answer in host memory; null if not timed. */
  readonly wall_s: number | null;
  /** Time of each part of the set-up, by name. */
  readonly parts: ReadonlyMap<string, number>;
  /** Answer of the run; null if it stays in the engine. */
  readonly values: AnswerValues | null;
  /**
   * Quantities that the variant measured itself during these repetitions; absent if all quantities are computed from
   * the time.
   */
  readonly reportedQuantities?: readonly Quantity[];
}

/** Work that a variant declares for one repetition; null for a quantity that has no meaning. */
export interface DeclaredWork {
  readonly bytes: number | null;
  readonly fp32_flops: number | null;
  readonly fp64_flops: number | null;
  /** Operations in other arithmetic, for which no ceiling is measured. */
  readonly other_flops: number | null;
}

/** Properties of a candidate that are known after its first run. */
export interface CandidateFacts {
  /** Number of threads; null if not reported. */
  readonly threads: number | null;
  readonly isa: string;
  readonly state_bytes: number;
  /** Size of the problem in the workload's unit; null if sizes have no meaning. */
  readonly size: number | null;
  readonly work: DeclaredWork;
  /** Comparison of repeated runs, if the engine itself made it. */
  readonly repeats: RepeatComparison | null;
  /** Note that is shown in the candidate's row; null if there is none. */
  readonly note: string | null;
  /** Reference with which the engine itself checked the answer; null if it did not. */
  readonly compared: string | null;
}

/**
 * A variant in a session. Calls return null after the session's signal was aborted. They throw a BraggError if the
 * session has to exclude the candidate.
 */
export interface BenchCandidate {
  /** Prepares the candidate and runs it for the first time in this process. */
  first(): Promise<TimedRun | null>;
  /** Takes a timed sample. A candidate that draws random inputs uses those of the given instance (prepared state). */
  takeSample(mode: Mode, instance?: number): Promise<TimedRun | null>;
  /**
   * Prepares a new state, called an instance; false if cancelled. Absent if every sample prepares its state itself.
   */
  readonly prepare?: (instance: number) => Promise<boolean>;
  /**
   * Answer of the first run. `values` is null if the answer stays in the engine, which compared it with its own
   * reference.
   */
  answer(): Promise<{ readonly values: AnswerValues | null } | null>;
  /** Completes checks that audits could not finish during the rounds, in about `seconds` seconds. */
  completeChecks?(seconds: number): Promise<void>;
  /** Errors of the answer. Computed again for each report, because audits during the rounds add to it. */
  accuracy(oracle: AnswerValues | null): readonly Accuracy[];
  /** Facts about the candidate's audits, for the report. */
  facts?(): readonly (readonly [string, string])[];
  /** Quantities besides the time: derived from the time of a repetition, or reported by the check of the answer. */
  quantities(time_s: number): readonly Quantity[];
  properties(): CandidateFacts;
  /**
   * Records a device trace of one sample, after which launches are slower. Returns null, or the reason why the trace
   * lacks the device's work.
   */
  readonly trace?: () => Promise<string | null>;
  /**
   * Spans and device trace recorded by the engine of the candidate; null if there is none. `origin_ns` is their time 0
   * on the machine's clock.
   */
  readonly recording?: () => {
    readonly toSaved: (shift_ns: number) => SavedRecording;
    readonly origin_ns: number;
  } | null;
  /** Frees the candidate's memory. */
  close(): Promise<void>;
}

/** A variant that was requested for a session. */
export interface BenchEntry {
  readonly head: CandidateIdentity;
  /**
   * Creates a candidate with a separate state on each call. Throws a BraggError. The work of the candidate is
   * cancelled by `end`, or by the session's signal if `end` is absent.
   */
  readonly createCandidate: (end?: AbortSignal) => BenchCandidate;
  /**
   * True if starting may need minutes. The candidate is excluded if its start exceeds its share of the session's time.
   */
  readonly startsSlowly?: true;
  /** Times an end-to-end run in a separate process. Null if it cannot run in one; absent if it needs no such run. */
  readonly cold?: ColdStart | null;
}

/** A sample as it was taken, without the flags that are set at the end of a session. */
export interface RawSample extends Omit<TimedRun, 'values'>, SampleMetadata, SamplePosition {}

/** Placeholder position for first runs, which belong to no round. */
export const firstRunPosition: SamplePosition = { instance: 0, round: 0, position: 0 };

/**
 * Number of significant digits to which times are rounded for storage: 10 ps for a time of one second. Clocks are
 * coarser, so rounding loses nothing.
 */
const CLOCK_DIGITS = 12;
const roundToClockDigits = <T extends number | null>(time_s: T): T =>
  time_s === null ? time_s : (Number(time_s.toPrecision(CLOCK_DIGITS)) as T);

export function toRawSample({ values: _, ...taken }: TimedRun, where: SamplePosition): RawSample {
  const { time_s, device_s, host_s, setup_s, wall_s } = taken;
  const times = {
    ...{
      time_s: roundToClockDigits(time_s),
      device_s: roundToClockDigits(device_s),
      host_s: roundToClockDigits(host_s),
    },
    ...{ setup_s: roundToClockDigits(setup_s), wall_s: roundToClockDigits(wall_s) },
  };
  return { ...taken, ...times, ...where };
}

export const sampleTime_s = ({ time_s }: RawSample): number => time_s;
export const endToEndTime_s = ({ wall_s }: RawSample): number => wall_s ?? Number.NaN;

export interface Oracle {
  readonly values: AnswerValues | null;
  /** Description for the report, such as `path: reference in fp64`, or the reason why there is no reference. */
  readonly description: string;
}

export interface BenchSetup {
  /** Name of the benchmark, for a workload that has several; empty otherwise. */
  readonly bench: string;
  readonly title: string;
  /** Requested variants. The first one that can run is the reference for all times. */
  readonly benchEntries: readonly BenchEntry[];
  /** Number of rounds that use the same prepared state. */
  readonly roundsPerInstance: number;
  /** Reference answer for candidates like `head`; null if the engine itself checks their answers. */
  readonly oracle: (head: CandidateIdentity) => Promise<Oracle | null>;
  readonly facts: () => readonly (readonly [string, string])[];
  /** Time that audits have used so far; null if there were none. */
  readonly audits?: () => AuditCost | null;
  readonly claims: (report: Omit<SessionReport, 'claims'>) => TaskClaimResult[];
}
