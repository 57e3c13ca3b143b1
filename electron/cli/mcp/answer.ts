/** A session of one attempt as the answer that an agent gets. */
import { timesText } from '../../../renderer/base/measured.ts';
import { percent } from '../../../renderer/base/numbers.ts';
import type { Ratio } from '../../contract/bench/bench-session.ts';
import {
  type Accuracy,
  aboveCeilings,
  correctnessOf,
  isIncorrect,
  LEAST_TIME,
  type MeasuredSessionEntry,
  reasonOf,
  type Session,
} from '../../contract/bench/session.ts';
import type { Issue } from '../../contract/errors.ts';
import { instancesOf, ratioOf } from '../../host/model/bench/comparison.ts';
import type { Attempt, Speed } from './results.ts';

/** As fast as this share of a ceiling, a kernel is limited by it. */
const NEAR = 0.6;
const USUAL_TEXT = 2000;

const shortened = (text: string): string => (text.length > USUAL_TEXT ? `${text.slice(0, USUAL_TEXT)} …` : text);

const gain = ({ value, interval }: Ratio): Speed => ({
  value: 1 / value,
  interval: interval === null ? null : { low: 1 / interval.high, high: 1 / interval.low },
});

/** First value of the answer beyond its limit, from the message of the check. */
export function firstWrong(accuracy: readonly Accuracy[]): Attempt['first_wrong'] {
  for (const { holds, tip } of accuracy) {
    const [, place, got, expected] = /\b(\w+ \d+|\w+\[[\d, ]+\]\S*) is (\S+), expected ([^\s;,]+)/.exec(tip) ?? [];
    if (holds || place === undefined || got === undefined || expected === undefined) continue;
    // An array of several dimensions has no single index.
    const [, index] = /^\w+ (\d+)$|^\w+\[(\d+)\]/.exec(place)?.filter((one) => one !== undefined) ?? [];
    return { place, index: index === undefined ? null : Number(index), got, expected };
  }
  return null;
}

/** Main limit on a kernel's speed, one sentence, from declared traffic and arithmetic. */
export function limiterOf({ roofline, accuracy }: Pick<MeasuredSessionEntry, 'roofline' | 'accuracy'>): string {
  if (correctnessOf(accuracy) === 'wrong') return 'Not known: the answer is wrong, so its time says nothing.';
  const [copy, flops] = [roofline?.share_of_copy ?? null, roofline?.share_of_flops ?? null];
  const parts = [
    ...(copy === null ? [] : [{ what: 'memory traffic', share: copy, of: 'of the measured copy rate' }]),
    ...(flops === null ? [] : [{ what: 'arithmetic', share: flops, of: 'of the measured rate of operations' }]),
  ].toSorted((a, b) => b.share - a.share);
  const [first] = parts;
  if (first === undefined)
    return 'Not known: this machine has no measured ceilings for it, or the kernel declares no traffic and no operations.';
  if (first.share >= NEAR) {
    const above = roofline === null ? [] : aboveCeilings(roofline).map((reason) => ` ${reason}.`);
    return `Limited by ${first.what}: ${percent(first.share)} ${first.of}.${above.join('')}`;
  }
  const shares = parts.map(({ what, share }) => `${what} at ${percent(share)}`).join(', ');
  return `Limited by latency or too little parallelism: ${shares} of its ceiling.`;
}

const timesOf = ({ samples }: MeasuredSessionEntry) =>
  instancesOf(
    samples.map(({ instance = 0, time_s }) => ({ instance, time_s })),
    ({ time_s }) => time_s,
  );

export interface Measured {
  readonly session: Session;
  readonly label: string;
  readonly best: { readonly label: string; readonly attempt: number } | null;
}

const unknown = {
  ...{ errors: [], first_wrong: null, time_s: null, vs_reference: null, vs_best: null, speed: null },
  ...{ roofline: null, limiter: 'Not known: it was not measured.', resources: null, to_decide: null },
} as const;

export function compilerLines(issues: readonly Issue[]): Attempt['compiler'] {
  return issues
    .slice(0, 50)
    .map(({ severity, line, column, message }) => ({ severity, line, column, message: shortened(message) }));
}

/** An attempt without a session: it does not compile. */
export function uncompiled(compiler: Attempt['compiler']) {
  const first = compiler.find(({ severity }) => severity === 'error');
  const reason = first === undefined ? 'the compiler gave no code' : `line ${first.line ?? '?'}: ${first.message}`;
  return { ...unknown, verdict: 'not compiled', reason, compiler, session: null } as const;
}

function toDecide(entry: MeasuredSessionEntry): string | null {
  if (entry.verdict !== 'undecided') return null;
  const more = entry.instances_to_decide ?? null;
  if (entry.ratio.interval === null) return 'Too few rounds for an interval: submit again with more seconds.';
  return more === null
    ? `The interval ${timesText(gain(entry.ratio))} contains 1: more seconds narrow it.`
    : `About ${more} instances would decide at the present spread: submit again with more seconds.`;
}

/** The attempt in its session. The first entry is the reference; the best attempt before may be among them. */
export function measuredAttempt({ session, label, best }: Measured) {
  const [report] = session.reports;
  const entry = report?.entries.find((one) => one.label === label);
  if (report === undefined || entry === undefined || entry.status === 'refused') {
    const reason = entry?.status === 'refused' ? entry.reason : 'the session ended before it was measured';
    return { ...unknown, verdict: 'crashed', reason: shortened(reason) } as const;
  }
  const { accuracy, roofline } = entry;
  const found = isIncorrect(entry.verdict) ? entry.verdict : correctnessOf(accuracy);
  const counts = found === 'correct' || found === 'not checked';
  const before = best === null ? undefined : report.entries.find((one) => one.label === best.label);
  const vsBest =
    !counts || best === null || before?.status !== 'measured'
      ? null
      : { ...gain(ratioOf(timesOf(entry), timesOf(before), 2)), attempt: best.attempt };
  const { verdict } = entry;
  return {
    verdict: found,
    reason: reasonOf(accuracy),
    // An infinite error has no number in JSON.
    errors: accuracy.map(({ title, value, bound, holds }) => ({
      ...{ title, value: value !== null && Number.isFinite(value) ? value : null, limit: bound, holds },
    })),
    first_wrong: firstWrong(accuracy),
    time_s: entry.time_s,
    vs_reference: counts ? gain(entry.ratio) : null,
    vs_best: vsBest,
    speed:
      verdict === 'faster' || verdict === 'slower' || verdict === 'same' || verdict === 'undecided' ? verdict : null,
    roofline:
      roofline === null
        ? null
        : {
            share_of_memory: roofline.share_of_copy,
            share_of_arithmetic: roofline.share_of_flops,
            least_s: accuracy.find(({ id }) => id === LEAST_TIME)?.bound ?? null,
          },
    limiter: limiterOf(entry),
    resources:
      report.resources === undefined
        ? null
        : report.resources.kernels.map(({ name, registers, spill_store_bytes, shared_bytes }) => ({
            ...{ kernel: name, registers, spill_bytes: spill_store_bytes, shared_bytes },
          })),
    to_decide: counts ? toDecide(entry) : null,
  };
}
