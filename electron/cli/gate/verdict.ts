/**
 * Verdict of `gate` on one variant, from several sessions and an A/A session on the same runner. Each session has its
 * own host and processes, so sessions have only the machine in common.
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
import { createLimits, maxRounds } from '../../host/api/benches.ts';
import { benchKindOf } from '../../host/api/kernels.ts';
import { flagValue, UsageError } from '../arguments.ts';
import { measureWithProgress, parseSeed } from '../benching.ts';
import { readScenario } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import { openUserKernels } from '../user-kernels.ts';
import type { VerbContext } from '../verb.ts';
import { workloadFor } from '../workloads/index.ts';

/** Verdict on a variant. Those in `failingVerdicts` end the command with code 1. */
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

/** Result of one session: both times, and the current time divided by that of the baseline. */
export interface Evidence {
  readonly before_s: number;
  readonly after_s: number;
  readonly ratio: Ratio;
}

export interface JudgedVariant {
  readonly variant: string;
  readonly verdict: GateVerdict;
  /** Reason for the verdict; null if the numbers explain it. */
  readonly reason: string | null;
  /** Sessions in chronological order. */
  readonly sessions: readonly Evidence[];
  /**
   * Noise floor: measured difference between identical code on this runner, as a ratio minus 1. Null for too few
   * samples.
   */
  readonly floor: number | null;
}

/** Parses an allowed slowdown to a fraction: `2%`, `2 %` and `2` become 0.02. Throws UsageError. */
export function allowedSlowdown(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim());
  const value = Number(found?.[1]);
  if (value >= 0 && value <= 1000) return value / 100;
  throw new UsageError(`--allow: ${JSON.stringify(text)} is not a percentage from 0% to 1000%, such as 2%`);
}

/**
 * Noise floor from an A/A comparison: distance from 1 of the interval's farther end, because identical code may differ
 * by as much. Null without an interval, because the runner's noise is then unknown.
 */
export function noiseFloorOf({ interval }: Ratio): number | null {
  return interval === null ? null : Math.max(interval.high, 1 / interval.low) - 1;
}

/** Number of slower sessions required for the verdict "slower". */
export const MIN_SLOWER_SESSIONS = 2;

const isIntervalAbove = ({ ratio: { interval } }: Evidence, bound: number): boolean =>
  interval !== null && interval.low > bound;

/** Whether another session is needed to confirm that the variant is slower. */
export function needsConfirmation(sessions: readonly Evidence[], floor: number | null, allowed: number): boolean {
  const bound = 1 + Math.max(allowed, floor ?? Number.POSITIVE_INFINITY);
  return sessions.length < MIN_SLOWER_SESSIONS && sessions.every((one) => isIntervalAbove(one, bound));
}

/** Verdict of a variant with a correct answer, from its times. */
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
  if (sessions.every((one) => isIntervalAbove(one, bound))) {
    if (sessions.length >= MIN_SLOWER_SESSIONS) return { verdict: 'slower', reason: null };
    return { verdict: 'undecided', reason: 'slower in one session, but no second session was measured to confirm it' };
  }
  if (sessions.length > 1 && isIntervalAbove(first, bound))
    return { verdict: 'undecided', reason: 'the second session does not confirm the first' };
  return floor > allowed && isIntervalAbove(first, 1 + allowed)
    ? { verdict: 'undecided', reason: `times of identical code differ by up to ${percent(floor)} on this runner` }
    : {
        verdict: 'undecided',
        reason: `the interval includes the allowed limit of ${percent(allowed)}; increase --time to narrow it`,
      };
}

/** Verdict of a variant whose answer is wrong, impossible, not checked or missing. Null for a correct answer. */
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

/** Whether an entry can be used as a baseline. One with a wrong answer cannot, because it may omit work. */
export const isUsableBaseline = (entry: SessionEntry | undefined): entry is MeasuredSessionEntry =>
  entry?.status === 'measured' && answerVerdict(entry) === null;

export const hasFailed = (all: readonly JudgedVariant[]): boolean =>
  all.some(({ verdict }) => failingVerdicts.has(verdict));

/** Thrown after the first Ctrl+C, because an incomplete measurement has no verdict. */
export class GateCancelledError extends Error {
  override readonly name = 'GateCancelledError';
}

export interface GateRequest {
  /** Allowed slowdown as a fraction: 0.02 is 2 %. */
  readonly allowed: number;
  /** Time limit for all sessions together, s. */
  readonly seconds: number;
  /** Variants as typed by the user; null for the default variants. */
  readonly variants: readonly string[] | null;
}

export interface GateResult {
  readonly variants: readonly JudgedVariant[];
  /** Sentences that the report prints. */
  readonly facts: readonly string[];
}

/**
 * Smallest half width of intervals that is requested, because narrower ones would not change the verdict. Halving the
 * width needs four times the time.
 */
const MIN_HALF_WIDTH = 0.0025;

/**
 * Runs a session; `number` is its index within this gate. Throws GateCancelledError, or BraggError if a kernel does not
 * compile.
 */
export async function gateSession(
  context: VerbContext,
  names: readonly string[],
  { allowed }: GateRequest,
  { seconds, number }: { readonly seconds: number; readonly number: number },
): Promise<Session> {
  const { parsed } = context;
  return withHost(
    async (host) => {
      const reading = await readScenario(context, host, (kind) => workloadFor(kind).adapt);
      const place = benchKindOf(reading.scenario ?? { kind: reading.kind });
      const session = await measureWithProgress(context, host, {
        verb: 'gate',
        ...{ readings: [reading], modes: [], sweep: null, processes: 0, seed: parseSeed(parsed) + number },
        variants: await openUserKernels(context, host, names, place),
        // With half of the allowed slowdown as half width, an interval can be entirely below or above the limit.
        limits: createLimits(maxRounds, seconds, { precision: Math.max(MIN_HALF_WIDTH, allowed / 2) }),
      });
      if (session.reports.some(({ stopped }) => stopped === 'cancelled')) throw new GateCancelledError();
      return session;
    },
    flagValue(parsed, 'gpu'),
  );
}
