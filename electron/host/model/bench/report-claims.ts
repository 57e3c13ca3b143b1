/** Collects the measurements in a session's report to which claims refer, and judges the claims. */

import { isUnproven, type Quantity } from '../../../contract/bench/bench-session.ts';
import type { TaskClaimResult } from '../../../contract/bench/claims.ts';
import {
  correctnessOf,
  isIncorrect,
  type MeasuredSessionEntry,
  type SessionReport,
} from '../../../contract/bench/session.ts';
import {
  judgeTaskClaims,
  NO_TIMES,
  type ReportedNumber,
  type ReportMeasurements,
  recordedInstances,
  relativeTimeInterval,
  type TimesLookup,
} from './claim-results.ts';
import type { Claim, ClaimSide } from './claims.ts';
import { median } from './statistics.ts';

type JudgedReport = Pick<SessionReport, 'entries' | 'external' | 'machine' | 'seed'>;

function findMeasuredEntry({ entries }: JudgedReport, label: string): MeasuredSessionEntry | null {
  // Claims omit the precision fp32 in labels, but factorial sessions always state it.
  const entry = [label, `${label}@fp32`].flatMap((name) => entries.find((one) => one.label === name) ?? [])[0];
  return entry?.status === 'measured' ? entry : null;
}

/**
 * Whether an answer that exceeds our tolerance is within the tolerance of the claim's source. Impossibly short times
 * are never accepted.
 */
const isWithinSourceTolerance = ({ verdict, accuracy }: MeasuredSessionEntry, within: ClaimSide['within']): boolean => {
  const error = accuracy.find(({ id }) => id === within?.error)?.value ?? null;
  return verdict === 'wrong' && within !== undefined && error !== null && error <= within.most;
};

/** Returns a function that looks up times, by labels of entries or ids of other programs. */
function createTimesLookup(report: JudgedReport): TimesLookup {
  return ({ variant, mode, clock, within }) => {
    const program = report.external.find(({ id }) => id === variant)?.result ?? null;
    if (program !== null) {
      const counted = mode === 'warm' && clock === 'counted';
      const unchecked = correctnessOf(program.accuracy) === 'not checked';
      return counted ? { times: [program.times], wrong: program.wrong, unchecked, afterRounds: true } : NO_TIMES;
    }
    const entry = findMeasuredEntry(report, variant);
    if (entry === null) return NO_TIMES;
    const wrong = isIncorrect(entry.verdict) && !isWithinSourceTolerance(entry, within);
    const unchecked = entry.verdict === 'not checked';
    const cold = entry.process?.samples ?? [];
    const first = entry.first?.wall_s ?? null;
    if (clock === 'first') return first === null ? NO_TIMES : { times: [[first]], wrong, unchecked };
    // Runs in separate processes are timed after the rounds, so they cannot be paired with warm runs.
    if (clock === 'cold-whole' || clock === 'cold-run') {
      const times = cold.flatMap(({ wall_s, setup_s }) =>
        wall_s === undefined ? [] : [[clock === 'cold-run' ? wall_s - (setup_s ?? 0) : wall_s]],
      );
      return { times, wrong, unchecked, afterRounds: true };
    }
    if (clock === 'process') return { times: cold.map(({ time_s }) => [time_s]), wrong, unchecked, afterRounds: true };
    const samples = mode === 'warm' ? entry.samples : (entry.modes.find((one) => one.mode === mode)?.samples ?? []);
    if (clock === 'counted') return { times: recordedInstances(samples, ({ time_s }) => time_s), wrong, unchecked };
    const whole = samples.flatMap(({ wall_s, ...sample }) => (wall_s === undefined ? [] : [{ ...sample, wall_s }]));
    return { times: recordedInstances(whole, ({ wall_s }) => wall_s), wrong, unchecked };
  };
}

interface DeclaredRates {
  readonly time_s: number;
  readonly bytes_per_s: number | null;
  readonly flops_per_s: number | null;
  readonly share_of_copy: number | null;
}
const NO_ROOFLINE = { bytes_per_s: null, flops_per_s: null, share_of_copy: null };

/**
 * Quantity that is derived from a variant's time and its declared operations and bytes; undefined for other quantities.
 */
function derivedQuantity(
  { time_s, bytes_per_s, flops_per_s, share_of_copy }: DeclaredRates,
  quantity: string,
): ReturnType<ReportMeasurements['numberOf']> | undefined {
  const shown = (value: number | null, unit: string) => (value === null ? null : { value, unit });
  const giga = (value: number | null) => (value === null ? null : value / 1e9);
  switch (quantity) {
    case 'time':
      return { value: time_s, unit: 's' };
    case 'traffic':
      return shown(giga(bytes_per_s), 'GB/s');
    case 'rate':
      return shown(giga(flops_per_s), 'GFLOP/s');
    case 'operations':
      return shown(giga(flops_per_s === null ? null : flops_per_s * time_s), 'GFLOP');
    // Percentage of the time that moving every byte once would need, at the copy bandwidth measured on this GPU.
    case 'memory-share':
      return shown(share_of_copy === null ? null : 100 * share_of_copy, '%');
    default:
      return undefined;
  }
}

/**
 * Quantity by id. The value that the variant reports is preferred to a derived one, because it counts actual bytes
 * rather than declared ones.
 */
function findQuantity(
  quantities: readonly Quantity[],
  declared: DeclaredRates,
  quantity: string,
): ReturnType<ReportMeasurements['numberOf']> {
  const reported = quantities.find(({ id }) => id === quantity);
  if (reported === undefined) return derivedQuantity(declared, quantity) ?? null;
  const { value, unit, interval = null } = reported;
  return value === null ? null : { value, unit, interval };
}

/** Error of an answer. If the answer is bitwise reproducible the error is exact, so its interval has zero width. */
function answerError({ accuracy, determinism }: MeasuredSessionEntry, id: string): ReportedNumber | null {
  const value = accuracy.find((one) => one.id === id)?.value ?? null;
  if (value === null) return null;
  return { value, unit: '', interval: determinism?.bitwise === false ? null : { low: value, high: value } };
}

/** Percentage of the set-up in the first run of a process; null if the set-up is not timed. */
function setupShare({ process }: MeasuredSessionEntry, seed: number): ReportedNumber | null {
  const shares = (process?.samples ?? []).flatMap(({ setup_s, wall_s }) =>
    setup_s == null || wall_s === undefined || wall_s === 0 ? [] : [(100 * setup_s) / wall_s],
  );
  if (shares.length === 0) return null;
  const value = median(shares);
  const by = relativeTimeInterval({ times: shares.map((share) => [share]), wrong: false }, seed);
  return { value, unit: '%', interval: by && { low: value * by.low, high: value * by.high } };
}

/** Measurements of a report in the form that judging claims needs. */
export function collectMeasurements(report: JudgedReport): ReportMeasurements {
  return {
    gpu: report.machine.gpu?.name ?? null,
    seed: report.seed,
    timesFor: createTimesLookup(report),
    numberOf: (variant, quantity) => {
      const entry = findMeasuredEntry(report, variant);
      if (entry === null) return null;
      const error = /^error\.(.+)$/.exec(quantity)?.[1];
      // The error of an answer is known even if the answer is wrong.
      if (error !== undefined) return answerError(entry, error);
      if (isUnproven(entry.verdict)) return null;
      if (quantity === 'setup-share') return setupShare(entry, report.seed);
      return findQuantity(entry.quantities, { time_s: entry.time_s, ...(entry.roofline ?? NO_ROOFLINE) }, quantity);
    },
  };
}

export const judgeSessionClaims = (claims: readonly Claim[], report: JudgedReport): TaskClaimResult[] =>
  judgeTaskClaims(claims, collectMeasurements(report));
