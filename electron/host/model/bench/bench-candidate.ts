/**
 * Interface through which a session measures a variant of any workload, and the data recorded for its samples. Also
 * checks whether a variant's answers are correct and equal in every run. A workload supplies its candidates, the
 * reference answer, and the facts and claims for the report.
 */
import { createHash } from 'node:crypto';
import type { Mode, Quantity } from '../../../contract/bench/bench-session.ts';
import type { TaskClaimResult } from '../../../contract/bench/claims.ts';
import type { Accuracy, AuditCost, SessionEntry, SessionReport } from '../../../contract/bench/session.ts';
import type { SavedRecording } from '../../../contract/recording.ts';
import type { Precision } from '../../../contract/run.ts';
import type { ColdStart } from './cold/processes.ts';
import type { SampleMarks } from './comparison.ts';
import type { SamplePosition } from './rounds.ts';

/** Largest relative L2 difference of the dose from the FP64 reference; beyond it a variant is wrong. */
export const parityLimit: Readonly<Record<Precision, number>> = { fp32: 1e-5, fp64: 1e-12 };

export type Values = Float32Array | Float64Array;

/** |a − b|₂ / |b|₂. */
export function relativeL2(values: Values, reference: Values): number {
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
 * `bitwise`: every run gave the same bits. Otherwise `spread` is the largest difference relative to the largest value,
 * if known.
 */
export interface Repeats {
  readonly runs: number;
  readonly bitwise: boolean;
  readonly spread: number | null;
  readonly hash: string;
}

/** Compares the answers of repeated runs. */
export class Determinism {
  private first: Values | null = null;
  private hash = '';
  private count = 0;
  private spread = 0;

  add(dose: Values): void {
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

  report(): Repeats & { readonly spread: number } {
    return { runs: this.count, bitwise: this.spread === 0, spread: this.spread, hash: this.hash };
  }
}

function largestDifference(values: Values, reference: Values): number {
  let [difference, peak] = [0, 0];
  for (let i = 0; i < reference.length; i += 1) {
    difference = Math.max(difference, Math.abs((values[i] ?? 0) - (reference[i] ?? 0)));
    peak = Math.max(peak, Math.abs(reference[i] ?? 0));
  }
  return peak === 0 ? difference : difference / peak;
}

type RefusedEntry = Extract<SessionEntry, { status: 'refused' }>;
/** Identity of a candidate: its variant, device and precision. */
export type EntryHead = Readonly<Omit<RefusedEntry, 'status' | 'reason'>>;

/** Identity of a candidate whose variant has a single precision. */
export function headOf({
  label,
  variant,
  gpu,
}: {
  readonly label: string;
  readonly variant: Pick<EntryHead, 'title' | 'device' | 'precision'> & {
    readonly id: string;
    readonly buildsOn: string | null;
  };
  readonly gpu: number | null;
}): EntryHead {
  const { id, title, buildsOn, device, precision } = variant;
  return { label, variant: id, title, builds_on: buildsOn, device, precision, note: null, gpu };
}

/** One timed measurement. Times in seconds. */
export interface TimedRun extends Pick<SampleMarks, 'clocks'> {
  /** Time of one repetition, by the clock that verdicts use. */
  readonly time_s: number;
  readonly repetitions: number;
  /** Time of one repetition by the device's clock, and by the host's; null if not read. */
  readonly device_s: number | null;
  readonly host_s: number | null;
  /** Set-up before the sample; null if the state stayed prepared. */
  readonly setup_s: number | null;
  /** Time from the problem to its answer in memory; null if not timed. */
  readonly wall_s: number | null;
  /** Seconds of each part of the set-up, by name. */
  readonly parts: ReadonlyMap<string, number>;
  /** Computed answer; null if it stays in the engine. */
  readonly values: Values | null;
  /** Quantities that the variant reported for these repetitions; absent if all of them follow from the time. */
  readonly told?: readonly Quantity[];
}

/** Declared work of a variant for one repetition; null for quantities that have no meaning. */
export interface DeclaredWork {
  readonly bytes: number | null;
  readonly fp32_flops: number | null;
  readonly fp64_flops: number | null;
  /** Operations in an arithmetic whose ceiling is not measured. */
  readonly other_flops: number | null;
}

/** Properties of a candidate, available after its first run. */
export interface CandidateFacts {
  /** Number of threads; null if not reported. */
  readonly threads: number | null;
  readonly isa: string;
  readonly state_bytes: number;
  /** Size of the problem in the workload's unit; null if sizes have no meaning. */
  readonly size: number | null;
  readonly work: DeclaredWork;
  /** Agreement of repeated runs, if the engine compared them itself. */
  readonly repeats: Repeats | null;
  /** Note for the candidate's row; null if there is none. */
  readonly note: string | null;
  /** Reference used by the engine's own check of the answer; null if the engine did not check it. */
  readonly compared: string | null;
}

/**
 * Calls return null after the session's signal is aborted. They throw a BraggError if the candidate has to be excluded.
 */
export interface BenchCandidate {
  /** Prepares the candidate and runs it once, as its first run in this process. */
  first(): Promise<TimedRun | null>;
  /** Takes a sample, with the inputs of an instance if the candidate draws inputs. */
  take(mode: Mode, instance?: number): Promise<TimedRun | null>;
  /** Prepares the state for an instance; false if cancelled. Absent if every sample prepares its own state. */
  readonly prepare?: (instance: number) => Promise<boolean>;
  /** Computed answer, after `first`. Null values stay in the engine, which checked them against its own reference. */
  answer(): Promise<{ readonly values: Values | null } | null>;
  /** Completes checks that audits left open, after the rounds, within about this many seconds. */
  settle?(seconds: number): Promise<void>;
  /** Accuracy of the answer. Recomputed for every report, because audits within the rounds add to it. */
  accuracy(oracle: Values | null): readonly Accuracy[];
  /** Facts about its audits, for the report. */
  facts?(): readonly (readonly [string, string])[];
  /** Further quantities: derived from the time of a repetition, or reported by the check of the answer. */
  quantities(time_s: number): readonly Quantity[];
  known(): CandidateFacts;
  /** Records one complete sample; slows launches from then on. Returns why the device's work is missing, or null. */
  readonly trace?: () => Promise<string | null>;
  /** Recording of its engine; `origin_ns` is on the machine's clock. Null if there is none. */
  readonly recording?: () => { readonly kept: (shift_ns: number) => SavedRecording; readonly origin_ns: number } | null;
  /** Frees the candidate's memory. */
  close(): Promise<void>;
}

/** A requested variant. */
export interface BenchEntry {
  readonly head: EntryHead;
  /**
   * Creates a new candidate with its own state on each call. Throws a BraggError. Aborting `end` cancels its work;
   * without `end` only the session's signal does.
   */
  readonly enter: (end?: AbortSignal) => BenchCandidate;
  /** True if starting may need minutes: the candidate is excluded if its start would use up the session's time. */
  readonly startsSlowly?: true;
  /** End-to-end run in a separate process. Null if it cannot be started that way; absent if it takes no part. */
  readonly cold?: ColdStart | null;
}

/** Sample as recorded, before the session knows its highest clock. */
export interface RawSample extends Omit<TimedRun, 'values'>, SampleMarks, SamplePosition {}

/** Position of a first run, which belongs to no round. */
export const firstRunPosition: SamplePosition = { instance: 0, round: 0, position: 0 };

/** Significant digits of times: 1 ps in a second, far finer than clocks, so that nothing computed from them changes. */
const CLOCK_DIGITS = 12;
const asRead = <T extends number | null>(time_s: T): T =>
  time_s === null ? time_s : (Number(time_s.toPrecision(CLOCK_DIGITS)) as T);

export function rawSample({ values: _, ...taken }: TimedRun, where: SamplePosition): RawSample {
  const { time_s, device_s, host_s, setup_s, wall_s } = taken;
  const times = {
    ...{ time_s: asRead(time_s), device_s: asRead(device_s), host_s: asRead(host_s) },
    ...{ setup_s: asRead(setup_s), wall_s: asRead(wall_s) },
  };
  return { ...taken, ...times, ...where };
}

export const secondsOf = ({ time_s }: RawSample): number => time_s;
export const endToEndSecondsOf = ({ wall_s }: RawSample): number => wall_s ?? Number.NaN;

export interface Oracle {
  readonly values: Values | null;
  /** Description for a reader: `path: reference in fp64`, or why there is no reference. */
  readonly told: string;
}

export interface BenchSetup {
  /** Benchmark of a workload that has several; empty otherwise. */
  readonly bench: string;
  readonly title: string;
  /** The first entry that can run is the reference. */
  readonly benchEntries: readonly BenchEntry[];
  /** Rounds served by one prepared state. */
  readonly roundsPerInstance: number;
  /** Reference for answers of `head`'s kind; null if the engine checks them itself. */
  readonly oracle: (head: EntryHead) => Promise<Oracle | null>;
  readonly facts: () => readonly (readonly [string, string])[];
  /** Cost of the audits so far; null if there were none. */
  readonly audits?: () => AuditCost | null;
  readonly claims: (report: Omit<SessionReport, 'claims'>) => TaskClaimResult[];
}
