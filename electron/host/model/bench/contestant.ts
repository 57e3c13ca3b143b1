/** Interface through which a session measures a variant of any workload, and the data recorded for its samples. */
import type { Mode, Quantity } from '../../../contract/bench/bench-session.ts';
import type { Accuracy, SessionEntry } from '../../../contract/bench/session.ts';
import type { KeptRecording } from '../../../contract/recording.ts';
import type { ColdStart } from './cold/process.ts';
import type { Marked } from './comparison.ts';
import type { Repeats, Values } from './parity.ts';
import type { Where } from './rounds.ts';

type Refused = Extract<SessionEntry, { status: 'refused' }>;
/** Which variant it is. */
export type EntryHead = Readonly<Omit<Refused, 'status' | 'reason'>>;

/** The head of a candidate whose variant has one precision. */
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
export interface Taken extends Pick<Marked, 'clocks'> {
  /** One repetition's, by the clock that counts. */
  readonly time_s: number;
  readonly repetitions: number;
  /** The same by the device's clock, and by the host's; null where it was not read. */
  readonly device_s: number | null;
  readonly host_s: number | null;
  /** Set-up before the sample; null if the state stayed prepared. */
  readonly setup_s: number | null;
  /** From the problem to its answer in memory; null where that was not timed. */
  readonly wall_s: number | null;
  /** Seconds of each part of the set-up, by name. */
  readonly parts: ReadonlyMap<string, number>;
  /** Null if the answer stays in the engine. */
  readonly values: Values | null;
  /** Quantities that the variant reported for these repetitions; absent if all of them follow from the time. */
  readonly told?: readonly Quantity[];
}

/** Work that a variant declares, of one repetition; null where that has no meaning. */
export interface Work {
  readonly bytes: number | null;
  readonly fp32_flops: number | null;
  readonly fp64_flops: number | null;
  /** In an arithmetic whose ceiling is not measured. */
  readonly other_flops: number | null;
}

/** Properties of a candidate, available after its first run. */
export interface Known {
  /** Null if not reported. */
  readonly threads: number | null;
  readonly isa: string;
  readonly state_bytes: number;
  /** In the workload's words; null where sizes have no meaning. */
  readonly size: number | null;
  readonly work: Work;
  /** Whether repeats agree, where the engine compared them itself. */
  readonly repeats: Repeats | null;
  /** Note for the candidate's row; null if there is none. */
  readonly note: string | null;
  /** Reference used by the engine's own check of the answer; null if the engine did not check it. */
  readonly compared: string | null;
}

/**
 * Calls return null after the session's signal is aborted. They throw a BraggError if the candidate has to be excluded.
 */
export interface Contestant {
  /** Prepares it and runs it once, as the first of this process. */
  first(): Promise<Taken | null>;
  /** Samples with the inputs of an instance, where it draws inputs. */
  take(mode: Mode, instance?: number): Promise<Taken | null>;
  /** Prepares its state for an instance; false when that was cancelled. Absent where every sample prepares its own. */
  readonly prepare?: (instance: number) => Promise<boolean>;
  /** Computed answer, after `first`. Null values stay in the engine, which checked them against its own reference. */
  answer(): Promise<{ readonly values: Values | null } | null>;
  /** Accuracy of the answer. Recomputed for every report, because audits within the rounds add to it. */
  accuracy(oracle: Values | null): readonly Accuracy[];
  /** Facts about its audits, for the report. */
  facts?(): readonly (readonly [string, string])[];
  /** Further quantities: derived from the time of a repetition, or reported when the answer was checked. */
  quantities(time_s: number): readonly Quantity[];
  known(): Known;
  /** Records one sample whole; slows launches from then on. Why the device's work is not in it, or null. */
  readonly trace?: () => Promise<string | null>;
  /** Recording of its engine; `origin_ns` is on the machine's clock. Null if there is none. */
  readonly recording?: () => { readonly kept: (shift_ns: number) => KeptRecording; readonly origin_ns: number } | null;
  /** Frees its memory. */
  close(): Promise<void>;
}

/** A requested variant. */
export interface Entrant {
  readonly head: EntryHead;
  /** Creates a new candidate with its own state on each call. Throws a BraggError. */
  readonly enter: () => Contestant;
  /** End-to-end run in a separate process. Null if it cannot be started that way; absent if it takes no part. */
  readonly cold?: ColdStart | null;
}

/** A sample before the session knows its highest clock. */
export interface RawSample extends Omit<Taken, 'values'>, Marked, Where {}

/** Position of a first run, which belongs to no round. */
export const beforeRounds: Where = { instance: 0, round: 0, position: 0 };

export function rawSample({ values: _, ...taken }: Taken, where: Where): RawSample {
  return { ...taken, ...where };
}

export const secondsOf = ({ time_s }: RawSample): number => time_s;
export const wholeSecondsOf = ({ wall_s }: RawSample): number => wall_s ?? Number.NaN;
