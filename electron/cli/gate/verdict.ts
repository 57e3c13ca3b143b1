/** The verdict of `gate` on one variant: what several sessions, and an A/A session of the same runner, say together. */
import { percent } from '../../../renderer/base/numbers.ts';
import type { Ratio } from '../../contract/bench/bench-session.ts';
import {
  correctnessOf,
  isIncorrect,
  type MeasuredSessionEntry,
  reasonOf,
  type SessionEntry,
} from '../../contract/bench/session.ts';
import { UsageError } from '../arguments.ts';

/** Those in `failing` end the command with code 1. */
export type GateVerdict =
  | 'slower'
  | 'wrong'
  | 'impossible'
  | 'not checked'
  | 'not measured'
  | 'undecided'
  | 'not slower';

export const failing: ReadonlySet<GateVerdict> = new Set([
  ...(['slower', 'wrong', 'impossible', 'not checked', 'not measured'] as const),
]);

/** One session: both times, and the later over the earlier. */
export interface Evidence {
  readonly before_s: number;
  readonly after_s: number;
  readonly ratio: Ratio;
}

export interface Gated {
  readonly variant: string;
  readonly verdict: GateVerdict;
  /** Why, unless the numbers say it. */
  readonly reason: string | null;
  /** Sessions in the order of time. */
  readonly sessions: readonly Evidence[];
  /** Measured difference between equal code on this runner, as a ratio less 1; null for too few samples. */
  readonly floor: number | null;
}

/** `2%`, `2 %` or `2`, as a share. Throws a UsageError. */
export function allowedSlowdown(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim());
  const value = Number(found?.[1]);
  if (value >= 0 && value <= 1000) return value / 100;
  throw new UsageError(`--allow: ${JSON.stringify(text)} is not a percentage from 0% to 1000%, such as 2%`);
}

/**
 * The end of the A/A interval that is further from 1: equal code may differ by as much. Null without an interval, for
 * then nothing is known about the runner.
 */
export function floorOf({ interval }: Ratio): number | null {
  return interval === null ? null : Math.max(interval.high, 1 / interval.low) - 1;
}

/** Sessions confirm each other: one of them is too few for "slower". */
export const fewestSessions = 2;

const above = ({ ratio: { interval } }: Evidence, bound: number): boolean => interval !== null && interval.low > bound;

/** Whether another session is worth its time: everything so far says slower, and no second session has confirmed it. */
export function needsConfirmation(sessions: readonly Evidence[], floor: number | null, allowed: number): boolean {
  const bound = 1 + Math.max(allowed, floor ?? Number.POSITIVE_INFINITY);
  return sessions.length < fewestSessions && sessions.every((one) => above(one, bound));
}

/** The verdict from times alone, of a correct answer. */
export function timeVerdict(
  sessions: readonly Evidence[],
  floor: number | null,
  allowed: number,
): Pick<Gated, 'verdict' | 'reason'> {
  const [first] = sessions;
  const last = sessions.at(-1);
  if (first === undefined || last === undefined) return { verdict: 'undecided', reason: 'no session was measured' };
  if (sessions.some(({ ratio }) => ratio.interval === null))
    return { verdict: 'undecided', reason: 'too few samples for an interval: --time gives more' };
  if (floor === null)
    return { verdict: 'undecided', reason: 'too few samples to calibrate this runner: --time gives more' };
  if ((first.ratio.interval?.high ?? Number.POSITIVE_INFINITY) <= 1 + allowed)
    return { verdict: 'not slower', reason: null };
  const bound = 1 + Math.max(allowed, floor);
  if (sessions.every((one) => above(one, bound))) {
    if (sessions.length >= fewestSessions) return { verdict: 'slower', reason: null };
    return { verdict: 'undecided', reason: 'one session says slower, and no second session was measured' };
  }
  if (sessions.length > 1 && above(first, bound))
    return { verdict: 'undecided', reason: 'the second session does not confirm the first' };
  return floor > allowed && above(first, 1 + allowed)
    ? { verdict: 'undecided', reason: `equal code differs by up to ${percent(floor)} on this runner` }
    : { verdict: 'undecided', reason: `the interval contains the allowed ${percent(allowed)}: --time narrows it` };
}

/** A verdict that needs no times: the answer is wrong, impossible or not checked, or there is none. Null for a correct one. */
export function answerVerdict(entry: SessionEntry | undefined): Pick<Gated, 'verdict' | 'reason'> | null {
  if (entry === undefined) return { verdict: 'not measured', reason: 'the session does not contain it' };
  if (entry.status === 'refused') return { verdict: 'not measured', reason: entry.reason };
  const found = correctnessOf(entry.accuracy);
  const verdict = isIncorrect(entry.verdict) ? entry.verdict : found;
  if (verdict === 'correct') return null;
  const reason = verdict === 'not checked' ? 'nothing was compared with its answer' : 'its answer is beyond parity';
  return { verdict, reason: reasonOf(entry.accuracy) ?? reason };
}

/** Whether its times say anything: a wrong baseline may leave out work. */
export const isUsable = (entry: SessionEntry | undefined): entry is MeasuredSessionEntry =>
  entry?.status === 'measured' && answerVerdict(entry) === null;

export const hasFailed = (all: readonly Gated[]): boolean => all.some(({ verdict }) => failing.has(verdict));
