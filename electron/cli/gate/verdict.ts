/**
 * The verdict of `gate` on one variant, from several sessions and an A/A session of the same runner.
 *
 * One session of `gate`: it uses a separate host and separate processes, so that sessions share only the machine.
 */

import type { Ratio } from '../../contract/bench/bench-session.ts';
import {
  correctnessOf,
  correctnessReason,
  isIncorrect,
  type MeasuredSessionEntry,
  type Session,
  type SessionEntry,
} from '../../contract/bench/session.ts';
import { percent } from '../../domain/numbers.ts';
import { limitsOf, maxRounds } from '../../host/api/benches.ts';
import { placeOf } from '../../host/api/kernels.ts';
import { flagValue, UsageError } from '../arguments.ts';
import { measureWithProgress, seedOf } from '../benching.ts';
import { readScenario } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import { openUserKernels } from '../user-kernels.ts';
import type { VerbContext } from '../verb.ts';
import { workloadFor } from '../workloads/index.ts';

/** Verdicts in `failingVerdicts` end the command with code 1. */
export type GateVerdict =
  | 'slower'
  | 'wrong'
  | 'impossible'
  | 'not checked'
  | 'not measured'
  | 'undecided'
  | 'not slower';

export const failingVerdicts: ReadonlySet<GateVerdict> = new Set([
  ...(['slower', 'wrong', 'impossible', 'not checked', 'not measured'] as const),
]);

/** Result of one session: both times, and the ratio of the later to the earlier. */
export interface Evidence {
  readonly before_s: number;
  readonly after_s: number;
  readonly ratio: Ratio;
}

export interface JudgedVariant {
  readonly variant: string;
  readonly verdict: GateVerdict;
  /** Reason of the verdict. Null if the numbers show it. */
  readonly reason: string | null;
  /** Sessions in chronological order. */
  readonly sessions: readonly Evidence[];
  /** Measured difference between equal code on this runner, as a ratio minus 1. Null if there are too few samples. */
  readonly floor: number | null;
}

/** `2%`, `2 %` or `2`, as a fraction. Throws UsageError. */
export function allowedSlowdown(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim());
  const value = Number(found?.[1]);
  if (value >= 0 && value <= 1000) return value / 100;
  throw new UsageError(`--allow: ${JSON.stringify(text)} is not a percentage from 0% to 1000%, such as 2%`);
}

/**
 * End of the A/A interval that is further from 1, because equal code may differ by as much. Null without an interval,
 * because then the noise of the runner is unknown.
 */
export function floorOf({ interval }: Ratio): number | null {
  return interval === null ? null : Math.max(interval.high, 1 / interval.low) - 1;
}

/** A single session is not enough for the verdict "slower". */
export const minSessions = 2;

const isAbove = ({ ratio: { interval } }: Evidence, bound: number): boolean =>
  interval !== null && interval.low > bound;

/** Whether to run another session: all sessions so far are slower, and a second one has not confirmed it. */
export function needsConfirmation(sessions: readonly Evidence[], floor: number | null, allowed: number): boolean {
  const bound = 1 + Math.max(allowed, floor ?? Number.POSITIVE_INFINITY);
  return sessions.length < minSessions && sessions.every((one) => isAbove(one, bound));
}

/** Verdict from times alone; the answer must be correct. */
export function timeVerdict(
  sessions: readonly Evidence[],
  floor: number | null,
  allowed: number,
): Pick<JudgedVariant, 'verdict' | 'reason'> {
  const [first] = sessions;
  const last = sessions.at(-1);
  if (first === undefined || last === undefined) return { verdict: 'undecided', reason: 'no session was measured' };
  if (sessions.some(({ ratio }) => ratio.interval === null))
    return { verdict: 'undecided', reason: 'too few samples for an interval; increase --time' };
  if (floor === null)
    return { verdict: 'undecided', reason: 'too few samples to calibrate this runner; increase --time' };
  if ((first.ratio.interval?.high ?? Number.POSITIVE_INFINITY) <= 1 + allowed)
    return { verdict: 'not slower', reason: null };
  const bound = 1 + Math.max(allowed, floor);
  if (sessions.every((one) => isAbove(one, bound))) {
    if (sessions.length >= minSessions) return { verdict: 'slower', reason: null };
    return { verdict: 'undecided', reason: 'slower in one session, but no second session was measured to confirm it' };
  }
  if (sessions.length > 1 && isAbove(first, bound))
    return { verdict: 'undecided', reason: 'the second session does not confirm the first' };
  return floor > allowed && isAbove(first, 1 + allowed)
    ? { verdict: 'undecided', reason: `times of identical code differ by up to ${percent(floor)} on this runner` }
    : {
        verdict: 'undecided',
        reason: `the interval includes the allowed limit of ${percent(allowed)}; increase --time to narrow it`,
      };
}

/**
 * Verdict if the answer is wrong, impossible, not checked or missing. Null for a correct answer, which is judged by its
 * time.
 */
export function answerVerdict(entry: SessionEntry | undefined): Pick<JudgedVariant, 'verdict' | 'reason'> | null {
  if (entry === undefined) return { verdict: 'not measured', reason: 'the session does not contain this variant' };
  if (entry.status === 'refused') return { verdict: 'not measured', reason: entry.reason };
  const found = correctnessOf(entry.accuracy);
  const verdict = isIncorrect(entry.verdict) ? entry.verdict : found;
  if (verdict === 'correct') return null;
  const reason =
    verdict === 'not checked'
      ? 'its result was not compared with a reference'
      : 'the error of its result is beyond the parity limit';
  return { verdict, reason: correctnessReason(entry.accuracy) ?? reason };
}

/** Whether the times can be compared: a wrong baseline may leave out work. */
export const isUsable = (entry: SessionEntry | undefined): entry is MeasuredSessionEntry =>
  entry?.status === 'measured' && answerVerdict(entry) === null;

export const hasFailed = (all: readonly JudgedVariant[]): boolean =>
  all.some(({ verdict }) => failingVerdicts.has(verdict));

/** Thrown by the first Ctrl+C: a partial measurement has no verdict. */
export class GateCancelled extends Error {
  override readonly name = 'GateCancelled';
}

export interface GateRequest {
  /** Largest allowed slowdown, as a fraction. */
  readonly allowed: number;
  /** Time limit in seconds for all sessions together. */
  readonly seconds: number;
  /** Names as typed. Null for the default variants. */
  readonly variants: readonly string[] | null;
}

export interface GateResult {
  readonly variants: readonly JudgedVariant[];
  /** Sentences for the report. */
  readonly facts: readonly string[];
}

/** Narrower intervals would not change the verdict, and half the width needs four times the time. */
const minHalfWidth = 0.0025;

/** `number`: index of the session in this gate. Throws GateCancelled, and BraggError if a kernel does not compile. */
export async function gateSession(
  context: VerbContext,
  names: readonly string[],
  { allowed }: GateRequest,
  { seconds, number }: { readonly seconds: number; readonly number: number },
): Promise<Session> {
  const { parsed } = context;
  return withHost(
    async (host) => {
      const reading = await readScenario(context, host, (kind) => workloadFor(kind).fit);
      const place = placeOf(reading.scenario ?? { kind: reading.kind });
      const session = await measureWithProgress(context, host, {
        verb: 'gate',
        ...{ readings: [reading], modes: [], sweep: null, processes: 0, seed: seedOf(parsed) + number },
        variants: await openUserKernels(context, host, names, place),
        // Half of the allowed slowdown: an interval as narrow as that can lie entirely on one side of the limit.
        limits: limitsOf(maxRounds, seconds, { precision: Math.max(minHalfWidth, allowed / 2) }),
      });
      if (session.reports.some(({ stopped }) => stopped === 'cancelled')) throw new GateCancelled();
      return session;
    },
    flagValue(parsed, 'gpu'),
  );
}
