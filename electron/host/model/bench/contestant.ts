/** What a workload offers of a variant so that a session can measure it, and what a session knows of its samples. */
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

/** What was timed at once. Seconds. */
export interface Taken extends Pick<Marked, 'clocks'> {
  /** One repetition's, by the clock that counts. */
  readonly time_s: number;
  readonly repetitions: number;
  /** The same by the device's clock, and by the host's; null where it was not read. */
  readonly device_s: number | null;
  readonly host_s: number | null;
  /** What came before it; null where the state stayed prepared. */
  readonly setup_s: number | null;
  /** From the problem to its answer in memory; null where that was not timed. */
  readonly wall_s: number | null;
  /** What the set-up went into, seconds by name. */
  readonly parts: ReadonlyMap<string, number>;
  /** Null where it stays in the engine. */
  readonly values: Values | null;
  /** What the variant told of these repetitions. Absent: nothing that does not follow from the time. */
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

/** What is known of a contestant after its first run. */
export interface Known {
  /** Null where it was not told. */
  readonly threads: number | null;
  readonly isa: string;
  readonly state_bytes: number;
  /** In the workload's words; null where sizes have no meaning. */
  readonly size: number | null;
  readonly work: Work;
  /** Whether repeats agree, where the engine compared them itself. */
  readonly repeats: Repeats | null;
  /** What its row says of it; null for nothing. */
  readonly note: string | null;
  /** What its answer was compared with, where the engine did it itself. */
  readonly compared: string | null;
}

/** Calls give null once the session's signal is aborted. They throw BraggErrors for what costs a contestant its place. */
export interface Contestant {
  /** Prepares it and runs it once, as the first of this process. */
  first(): Promise<Taken | null>;
  /** Samples with the inputs of an instance, where it draws inputs. */
  take(mode: Mode, instance?: number): Promise<Taken | null>;
  /** Prepares its state for an instance; false when that was cancelled. Absent where every sample prepares its own. */
  readonly prepare?: (instance: number) => Promise<boolean>;
  /** What it computed, after `first`; null values stay in the engine, which held them to its own reference. */
  answer(): Promise<{ readonly values: Values | null } | null>;
  /** How right that is. Asked again for every report: audits within the rounds add to it. */
  accuracy(oracle: Values | null): readonly Accuracy[];
  /** What a report says of its audits. */
  facts?(): readonly (readonly [string, string])[];
  /** Further numbers: what follows from the time of a repetition, and what was told when it was checked. */
  quantities(time_s: number): readonly Quantity[];
  known(): Known;
  /** Records one sample whole; slows launches from then on. Why the device's work is not in it, or null. */
  readonly trace?: () => Promise<string | null>;
  /** What its engine recorded; `origin_ns` on the machine's clock. */
  readonly recording?: () => { readonly kept: (shift_ns: number) => KeptRecording; readonly origin_ns: number } | null;
  /** Frees its memory. */
  close(): Promise<void>;
}

/** A variant as it was asked for. */
export interface Entrant {
  readonly head: EntryHead;
  /** Another contestant each time, with a state of its own. Throws a BraggError. */
  readonly enter: () => Contestant;
  /** Its whole run in a process of its own; null where it is not started so, absent where nobody would. */
  readonly cold?: ColdStart | null;
}

/** A sample before the session knows its highest clock. */
export interface RawSample extends Omit<Taken, 'values'>, Marked, Where {}

/** Where a first run stands, which is of no round. */
export const beforeRounds: Where = { instance: 0, round: 0, position: 0 };

export function rawSample({ values: _, ...taken }: Taken, where: Where): RawSample {
  return { ...taken, ...where };
}

export const secondsOf = ({ time_s }: RawSample): number => time_s;
export const wholeSecondsOf = ({ wall_s }: RawSample): number => wall_s ?? Number.NaN;
