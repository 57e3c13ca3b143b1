/** Derives one answer to a published claim from the measurements in recorded sessions. */
import type { ClaimAnswer, ClaimFinding, ClaimMap } from '../../../contract/bench/claim-table.ts';
import { claimedRangeText } from '../../../contract/bench/claims.ts';
import { readableUnit, unitOfKey, unitSymbols } from '../../../domain/values/units.ts';
import type { Claim } from '../../model/bench/claims.ts';

const UNITS = ['', 'k', 'M', 'G'] as const;

/** Formats a value of a sweep, for example `4`, `64 kB` or `1 M`. Values in bytes get a unit with a factor of 1000. */
export function valueText(value: number, path: string): string {
  const bytes = /bytes/.test(path);
  const step = Math.abs(value) < 1e4 && !bytes ? 0 : Math.min(3, Math.floor(Math.log10(Math.abs(value) || 1) / 3));
  const number = Number((value / 1000 ** step).toPrecision(4));
  const unit = `${UNITS[step]}${bytes ? 'B' : ''}`;
  return unit === '' ? String(number) : `${number} ${unit}`;
}

interface SweepPoint {
  readonly at: number;
  readonly verdict: string;
}

interface VerdictRange {
  readonly verdict: string;
  readonly from: number;
  readonly to: number;
}

/** Merges adjacent points with equal verdict into ranges, by ascending value. */
function verdictRanges(points: readonly SweepPoint[]): readonly VerdictRange[] {
  const runs: VerdictRange[] = [];
  for (const { at, verdict } of [...points].sort((a, b) => a.at - b.at)) {
    const last = runs.at(-1);
    if (last?.verdict === verdict) runs[runs.length - 1] = { ...last, to: at };
    else runs.push({ verdict, from: at, to: at });
  }
  return runs;
}

const spanText = ({ from, to }: VerdictRange, path: string): string =>
  from === to ? valueText(from, path) : `${valueText(from, path)} to ${valueText(to, path)}`;

/** Describes the verdicts of a sweep, for example `less at 1; as claimed from 4 to 8; more from 16 to 32`. */
export const verdictRangesText = (points: readonly SweepPoint[], path: string): string =>
  verdictRanges(points)
    .map((run) => `${run.verdict} ${run.from === run.to ? 'at' : 'from'} ${spanText(run, path)}`)
    .join('; ');

/** Splits the last key of a path: `grid.dx_mm` becomes `dx` and ` mm`. Values in bytes already contain their unit. */
function nameAndUnit(path: string): { readonly name: string; readonly unit: string } {
  const key = path.split('.').at(-1) ?? path;
  const unit = unitOfKey(key);
  const name = key.replace(new RegExp(`_(${unit}|bytes)$`), '').replaceAll('_', ' ');
  return { name, unit: unitSymbols[unit] === '' ? '' : ` ${unitSymbols[unit]}` };
}

export type AnsweredClaim = Pick<Claim, 'reason' | 'kind' | 'from' | 'to' | 'tolerance'> & {
  readonly needs?: string | undefined;
  readonly findings: readonly ClaimFinding[];
  readonly maps: readonly ClaimMap[];
  /** Command that measures the claim here, or on the machine that it requires. */
  readonly command: string | null;
  /**
   * Command stated by the claim itself. It is offered if the variant that measures the claim gives a wrong result on
   * the shipped examples.
   */
  readonly remedy?: string | null;
};

const number = (value: number): string => String(Number(value.toPrecision(3)));

/** Range of the values, for example `2.9–3.1×`. Values in another unit than the first one are ignored. */
export function rangeOf(findings: readonly Pick<ClaimFinding, 'value' | 'unit'>[]): string {
  const [first] = findings;
  const values = findings.flatMap(({ value, unit }) => (value !== null && unit === first?.unit ? [value] : []));
  if (first === undefined || values.length === 0) return '';
  const read = readableUnit(first.unit, values);
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => number(read.factor * value));
  const unit = read.unit === '×' || read.unit === '' ? read.unit : ` ${read.unit}`;
  return low === high ? `${low}${unit}` : `${low}–${high}${unit}`;
}

/** Wording for values below and above the claimed range. More is better for a gain but worse for a cost. */
const DEVIATION_TEXTS: Readonly<Record<Claim['kind'], Readonly<Record<'less' | 'more', string>>>> = {
  gain: { less: 'a smaller gain', more: 'a larger gain' },
  cost: { less: 'a smaller cost', more: 'a larger cost' },
  bound: { less: 'less than claimed', more: 'more than claimed' },
  'yes-no': { less: 'the claim does not hold', more: 'the claim does not hold' },
};

type DecidedFinding = ClaimFinding & { readonly verdict: 'as claimed' | 'less' | 'more' };
const isDecided = (finding: ClaimFinding): finding is DecidedFinding =>
  ['as claimed', 'less', 'more'].includes(finding.verdict);

/** Whether every measurement contradicts the claimed gain: its complete interval lies below 1×. */
const isReversed = ({ kind, from }: Pick<Claim, 'kind' | 'from'>, decided: readonly DecidedFinding[]): boolean =>
  kind !== 'yes-no' &&
  from >= 1 &&
  decided.every(({ value, interval, unit }) => unit === '×' && (interval?.high ?? value ?? 1) < 1);

/**
 * Lists the sweep values at which the claim holds, by the claim maps (one verdict per sweep value). Names the variant
 * pair and the machine only if they differ between maps.
 */
function conditionsFromMaps(maps: readonly ClaimMap[], counts: ReadonlySet<string>): readonly string[] {
  const all = maps.flatMap(({ path, machine, series }) =>
    series.flatMap(({ by, points }) => {
      const spans = verdictRanges(points).filter(({ verdict }) => verdict === 'as claimed');
      if (!counts.has(by) || spans.length === 0) return [];
      const { name, unit } = nameAndUnit(path);
      const values = spans.map((one) => spanText(one, path)).join(' or ');
      return [{ by, machine, text: `${name} is ${values}${unit}` }];
    }),
  );
  const machines = new Set(maps.map(({ machine }) => machine)).size;
  const pairs = new Set(all.map(({ by }) => by)).size > 1;
  return [...Map.groupBy(all, ({ by, text }) => `${text} ${by}`).values()].map((same) => {
    const on = [...new Set(same.map(({ machine }) => machine))];
    const named = [...(pairs ? [same[0]?.by] : []), ...(on.length < machines ? [`on ${on.join(' and ')}`] : [])];
    return `${same[0]?.text}${named.length === 0 ? '' : ` (${named.join(', ')})`}`;
  });
}

/** Names a variant pair or a single variant in a condition, for example `the pair is a → b` or `the variant is a`. */
const agreementText = (by: string): string => `${by.includes(' → ') ? 'the pair' : 'the variant'} is ${by}`;

/**
 * Names the variant pair, scenario or machine by which the findings that agree with the claim differ from the others.
 */
function conditionFromFindings(decided: readonly DecidedFinding[]): string {
  const ways: readonly {
    readonly of: (one: DecidedFinding) => string;
    readonly text: (name: string) => string;
  }[] = [
    { of: ({ by }) => by, text: agreementText },
    { of: ({ scenario }) => scenario, text: (name) => `the problem is ${name}` },
    { of: ({ machine }) => machine, text: (name) => `measured on ${name}` },
    { of: ({ by, scenario }) => `${agreementText(by)} on ${scenario}`, text: (name) => name },
    {
      of: ({ by, scenario, machine }) => `${agreementText(by)}, the problem ${scenario}, on ${machine}`,
      text: (name) => name,
    },
    { of: ({ file }) => file, text: (name) => `recorded in ${name}` },
  ];
  for (const { of, text } of ways) {
    const pure = [...Map.groupBy(decided, of)].filter(([, own]) =>
      own.every(({ verdict }) => verdict === 'as claimed'),
    );
    const [first, ...others] = pure.map(([name]) => name);
    if (first !== undefined) return conditionText([text(first), ...others], ' or ');
  }
  const good = decided.filter(({ verdict }) => verdict === 'as claimed');
  return conditionText([`recorded in ${good[0]?.file ?? ''}`, ...good.slice(1).map(({ file }) => file)], ' or ');
}

/** Maximum number of conditions that fit on one line. */
const MAX_CONDITIONS = 2;

function conditionText(conditions: readonly string[], or: string): string {
  const unique = [...new Set(conditions)];
  const more = unique.length - MAX_CONDITIONS;
  return [...unique.slice(0, MAX_CONDITIONS), ...(more > 0 ? [`${more} more`] : [])].join(or);
}

/**
 * Answers a claim by this rule:
 *
 * If the claim states conditions and findings under these conditions exist, only those findings count. For a claim
 * about another program or GPU, only findings with that program or GPU count. Wrong results never count.
 *
 * The claim is true if all findings agree, true under conditions if some agree, and not true if none agrees. Findings
 * whose interval crosses a limit of the claimed range are undecided.
 */
export function answerOf(claim: AnsweredClaim): ClaimAnswer {
  const { reason, needs, findings, maps, command, kind, remedy = null } = claim;
  const all = findings.filter(({ value, rival }) => value !== null && (needs === undefined || rival === true));
  const own = all.filter(({ verdict }) => !/wrong result/.test(verdict));
  const atNote = own.filter((one) => one.atNote === true);
  const counted = atNote.length > 0 ? atNote : own;
  const decided = counted.filter(isDecided);
  const found = rangeOf(decided.length > 0 ? decided : counted);
  const answer = (word: ClaimAnswer['word'], sentence: string, how: string | null = null): ClaimAnswer => ({
    ...{ word, sentence, number: found, command: how },
  });
  if (reason !== null) return answer('cannot-judge', `cannot be judged here: ${reason}`);
  if (counted.length === 0 && all.length > 0) {
    return answer(
      'cannot-judge',
      'cannot be judged here: the variant that tests this claim gives a wrong result',
      remedy,
    );
  }
  if (counted.length === 0) {
    if (needs !== undefined) return answer('cannot-judge', `cannot be judged here: needs ${needs}`, command);
    return answer('not-measured', 'not measured yet', command);
  }
  if (decided.length === 0) {
    const band = claimedRangeText(claim, counted[0]?.unit);
    return answer('not-measured', `not measured precisely enough yet: ${found} measured, ${band} claimed`, command);
  }
  const good = decided.filter(({ verdict }) => verdict === 'as claimed');
  if (good.length === decided.length) return answer('true', `true: ${found}`);
  if (good.length === 0) {
    const off = [...new Set(decided.map(({ verdict }) => verdict))];
    const words = new Set(off.map((way) => (way === 'as claimed' ? '' : DEVIATION_TEXTS[kind][way])));
    const text = isReversed(claim, decided) ? 'the opposite' : [...words].join(' or ');
    return answer('not-true', `not true: ${found} instead, ${text}`);
  }
  const swept = atNote.length > 0 ? [] : conditionsFromMaps(maps, new Set(good.map(({ by }) => by)));
  const when = swept.length > 0 ? conditionText(swept, '; or ') : conditionFromFindings(decided);
  return { ...answer('true-when', `true when ${when}; ${found} overall`), number: rangeOf(good) };
}
