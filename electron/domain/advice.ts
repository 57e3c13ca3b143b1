/**
 * Recommends a variant from a comparison. It compares end-to-end times if they were measured, because a user waits for
 * those.
 */
import type { EndToEnd, NoiseEstimate, Ratio } from '../contract/bench/bench-session.ts';
import type { Accuracy } from '../contract/bench/session.ts';
import { measuredTime, noiseWarning, speedupOf } from './measured.ts';
import { formatError, percent, significant } from './numbers.ts';

interface AdvisedVariant {
  readonly ratio: Ratio;
  readonly verdict: EndToEnd['verdict'];
}

/** Measured times of a variant in seconds, and its comparison with the reference. */
export interface VariantTimes {
  readonly name: string;
  /** Time from the problem to the answer in memory; null if it was not measured. */
  readonly wall_s: number | null;
  readonly setup_s: number;
  /** Time of all steps; for workloads without steps, time of one repetition. */
  readonly time_s: number;
  readonly right: boolean;
  /** Accuracy of its answer as text; empty if it was not checked. */
  readonly error: string;
  readonly isReference: boolean;
  /** Device, such as `on NVIDIA H200`; absent if `AdviceContext.where` names one device for all variants. */
  readonly on?: string;
  /** Ratios to the reference: `steps` compares the times of the steps, `whole` the end-to-end times. */
  readonly steps: AdvisedVariant;
  readonly whole: AdvisedVariant | null;
}

interface RunCosts {
  readonly wall_s: number;
  readonly setup_s: number;
  readonly time_s: number;
}

/**
 * Time of each run after the first if runs share one set-up, in seconds. It consists of the steps and reading back the
 * answer.
 */
const furtherRunDuration_s = ({ wall_s, setup_s, time_s }: RunCosts): number => Math.max(time_s, wall_s - setup_s);

/**
 * Smallest number of runs with a shared set-up for which `other` needs less total time than `best`; null if it never
 * does.
 */
export function breakEvenRuns(best: RunCosts, other: RunCosts): number | null {
  const saved = furtherRunDuration_s(best) - furtherRunDuration_s(other);
  if (!(saved > 0)) return null;
  return Math.max(2, Math.ceil((other.setup_s - best.setup_s) / saved));
}

/** Correct variant with the shortest end-to-end time; null if none is correct. */
export function fastestEndToEnd<A extends { readonly wall_s: number; readonly right: boolean }>(
  all: readonly A[],
): A | null {
  return minBy(
    all.filter(({ right }) => right),
    ({ wall_s }) => wall_s,
  );
}

const minBy = <A>(all: readonly A[], of: (one: A) => number): A | null =>
  all.reduce<A | null>((least, one) => (least === null || of(one) < of(least) ? one : least), null);

/**
 * Time by which variants are compared: the end-to-end time if all variants have one, otherwise the time of their steps.
 */
interface ComparisonQuantity {
  readonly unit: 'run' | 'repetition';
  readonly time: (one: VariantTimes) => number;
  readonly standing: (one: VariantTimes) => AdvisedVariant | null;
}

const endToEndQuantity: ComparisonQuantity = {
  unit: 'run',
  time: ({ wall_s, time_s }) => wall_s ?? time_s,
  standing: ({ whole }) => whole,
};
const stepTimeQuantity: ComparisonQuantity = {
  unit: 'repetition',
  time: ({ time_s }) => time_s,
  standing: ({ steps }) => steps,
};

/** Lead of one variant over another: the speed-up and its verdict. */
interface VariantLead {
  readonly over: VariantTimes;
  readonly gain: Ratio;
  /** Verdict on the lead; null if there are only medians. */
  readonly verdict: EndToEnd['verdict'] | null;
}

/**
 * Lead of the fastest variant over the reference. If it is the reference, its lead over the second fastest variant.
 */
function leadOverReference(
  best: VariantTimes,
  right: readonly VariantTimes[],
  all: readonly VariantTimes[],
  by: ComparisonQuantity,
): VariantLead | null {
  const reference = all.find(({ isReference }) => isReference);
  if (reference === undefined) return null;
  const other = best.isReference
    ? minBy(
        right.filter((one) => one !== best),
        by.time,
      )
    : reference;
  if (other === null) return null;
  const standing = by.standing(best.isReference ? other : best);
  const times = by.time(other) / by.time(best);
  if (standing === null) return { over: other, gain: { value: times, interval: null }, verdict: null };
  const { ratio, verdict } = standing;
  return { over: other, gain: best.isReference ? ratio : speedupOf(ratio), verdict };
}

const formatRatio = (value: number): string => significant(value, value < 10 ? 2 : 3);

/** Formats a lead as `1.3 times cuda-window (1.2–1.4)`. */
function leadText({ gain: { value, interval }, over }: VariantLead): string {
  const times = `${formatRatio(value)} times ${over.name}`;
  return interval === null ? times : `${times} (${formatRatio(interval.low)}–${formatRatio(interval.high)})`;
}

function firstSentence(
  best: VariantTimes,
  lead: VariantLead | null,
  alone: boolean,
  where: string,
  by: ComparisonQuantity,
): string {
  const time = `${measuredTime(by.time(best))} a ${by.unit}`;
  if (lead === null) return `${best.name} is the only correct variant ${where}: ${time}`;
  const { gain, over, verdict } = lead;
  if (verdict === 'same') return `${best.name} and ${over.name} are equally fast ${where}: ${time}`;
  if (verdict === null) return `${best.name} is the fastest ${where} by medians alone: ${time}, ${leadText(lead)}`;
  if (gain.interval === null) {
    return `${best.name} looks fastest ${where}: ${time}, ${leadText(lead)}, with too few rounds for an interval`;
  }
  if (verdict === 'undecided') {
    return `${best.name} looks fastest ${where} (${time}), but its lead over ${over.name} is not yet certain: ${leadText(lead)}`;
  }
  return `${best.name} is ${alone ? 'the fastest' : 'among the fastest'} ${where}: ${time}, ${leadText(lead)}`;
}

/** Correct variants whose interval overlaps that of the fastest one, so that it is not certain which is faster. */
function variantsCloseTo(
  best: VariantTimes,
  lead: VariantLead | null,
  right: readonly VariantTimes[],
  by: ComparisonQuantity,
): readonly VariantTimes[] {
  if (lead === null || best.isReference) return [];
  const own = by.standing(best)?.ratio.interval ?? null;
  return right.filter((one) => {
    const interval = by.standing(one)?.ratio.interval ?? null;
    return one !== best && !one.isReference && own !== null && interval !== null && interval.low <= own.high;
  });
}

function closeVariantsText(close: readonly VariantTimes[]): string {
  const names = close.map(({ name }) => name).join(', ');
  return names === '' ? '' : ` ${names} may be equally fast: the intervals overlap.`;
}

/** Sentence that explains the lead by comparing the parts of both runs. */
function reasonText(best: VariantTimes, lead: VariantLead | null): string | null {
  if (lead === null || best.wall_s === null || lead.over.wall_s === null) return null;
  const rest = ({ wall_s, time_s }: VariantTimes): number => Math.max(0, (wall_s ?? 0) - time_s);
  const parts = [
    `steps ${measuredTime(best.time_s)} compared with ${measuredTime(lead.over.time_s)}`,
    `set-up and reading back ${measuredTime(rest(best))} compared with ${measuredTime(rest(lead.over))}`,
  ];
  return `Why: ${parts.join('; ')}. Steps are ${percent(best.time_s / best.wall_s)} of its run.`;
}

function certaintyText(lead: VariantLead | null, { instances, noise }: AdviceContext): string | null {
  if (lead === null || lead.gain.interval === null) return null;
  const from = instances === null ? '' : ` from ${instances} instances of each`;
  const { ratio } = noise;
  const control = ratio === null ? '' : `; the reference against itself gives ${significant(ratio.value, 3)}`;
  const known = `${from}${control}`;
  return known === '' ? null : `How certain: 95 % interval${known}.`;
}

/** Correct variants (`right`), and those among them that may be as fast as the fastest (`close`). */
interface CloseVariants {
  readonly right: readonly VariantTimes[];
  readonly close: readonly VariantTimes[];
}

/** A variant with faster runs after the set-up is mentioned only if they need at most this fraction of the time. */
const MAX_MENTIONED_RATIO = 0.95;

function changeText(
  best: VariantTimes,
  lead: VariantLead | null,
  { right, close }: CloseVariants,
  by: ComparisonQuantity,
  more: string,
): string | null {
  const open = lead !== null && lead.verdict !== null && (lead.verdict === 'undecided' || lead.gain.interval === null);
  if (open || close.length > 0) {
    return `How this could change: a longer session${more}.`;
  }
  if (by.unit === 'repetition' || best.wall_s === null) return null;
  const own = { ...best, wall_s: best.wall_s };
  const others = right.flatMap((one) => (one === best || one.wall_s === null ? [] : [{ ...one, wall_s: one.wall_s }]));
  const quicker = minBy(
    others.filter((one) => furtherRunDuration_s(one) < MAX_MENTIONED_RATIO * furtherRunDuration_s(own)),
    furtherRunDuration_s,
  );
  const from = quicker === null ? null : breakEvenRuns(own, quicker);
  return from === null
    ? null
    : `How this could change: if at least ${from} runs share one set-up, ${quicker?.name} is faster.`;
}

interface AdviceContext {
  /** Machine that was measured, as text: `here` or `on NVIDIA H200`. */
  readonly where: string;
  readonly noise: NoiseEstimate;
  /** True if the session was measured earlier or on another machine. */
  readonly isRecorded?: boolean;
  /** Number of instances per variant; null for a session without instances. */
  readonly instances: number | null;
  /** Text on how to make the session longer, such as ` (--time 120)`; empty if a form offers this. */
  readonly longer: string;
}

/**
 * Sentences with the recommendation, its reason, its certainty, and circumstances that would change it. Null if no
 * variant is correct, or if there is only one variant.
 */
export function advice(all: readonly VariantTimes[], context: AdviceContext): readonly string[] | null {
  const by = all.every(({ wall_s }) => wall_s !== null) ? endToEndQuantity : stepTimeQuantity;
  const right = all.filter((one) => one.right);
  const best = minBy(right, by.time);
  if (best === null || all.length < 2) return null;
  const lead = leadOverReference(best, right, all, by);
  const answer = best.error === '' ? 'Its answer was not checked.' : `Its answer is correct (${best.error}).`;
  const close = variantsCloseTo(best, lead, right, by);
  const first = `${firstSentence(best, lead, close.length === 0, best.on ?? context.where, by)}. ${answer}`;
  const change = changeText(best, lead, { right, close }, by, context.longer);
  return [
    `${noiseWarning(context.noise, context.isRecorded === true)}${first}${closeVariantsText(close)}`,
    ...[reasonText(best, lead), certaintyText(lead, context), change].flatMap((line) => line ?? []),
  ];
}

/** Summary of an answer's accuracy: its first error measure, and whether energy is conserved. */
export function correctnessText(accuracy: readonly Accuracy[]): string {
  const [measure] = accuracy.filter(({ id, value }) => id !== 'ledger' && value !== null);
  const closed = accuracy.some(({ id, holds }) => id === 'ledger' && holds);
  const parts = measure === undefined ? [] : [`${measure.title} ${formatError(measure.value ?? 0)}${measure.unit}`];
  const text = [...parts, ...(closed ? ['ledger closes'] : [])].join(', ');
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
