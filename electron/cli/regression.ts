/**
 * Whether the variants of a session became slower than those of an earlier one:
 * what `compare --fail-if-slower` says and ends with. Said only where the
 * measurements can tell: their sessions are two, so drifts of the machine
 * between them do not cancel, and the limit has to be wider than those.
 */
import { measuredTime, timesText } from '../../renderer/base/measured.ts';
import { percent } from '../../renderer/base/numbers.ts';
import type { Ratio } from '../contract/bench/bench-session.ts';
import type { ComparedRow } from '../contract/bench/comparison.ts';
import { isIncorrect, isRight } from '../contract/bench/session.ts';
import { UsageError } from './arguments.ts';
import { table } from './table.ts';

/** Those in `failing` end the command with code 1. */
type RegressionVerdict = 'slower' | 'not slower' | 'undecided' | 'wrong' | 'not measured' | 'not comparable';

const failing: ReadonlySet<RegressionVerdict> = new Set(['slower', 'wrong', 'not measured', 'not comparable']);

export interface Regression {
  readonly variant: string;
  /** The later session. */
  readonly session: string;
  readonly before_s: number | null;
  readonly after_s: number | null;
  /** Time over the earlier time. */
  readonly ratio: Ratio | null;
  readonly verdict: RegressionVerdict;
  /** Why, where the numbers do not say it. */
  readonly reason: string | null;
}

/** `5%`, `5 %` or `5`, as a share. Throws a UsageError. */
export function slowdownLimit(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim());
  const value = Number(found?.[1]);
  if (value >= 0 && value <= 1000) return value / 100;
  throw new UsageError(`--fail-if-slower: ${JSON.stringify(text)} is not allowed; allowed: 0% to 1000%, such as 5%`);
}

/** Why two rows are of different things; null where they are not. */
function unlike(before: ComparedRow, after: ComparedRow): string | null {
  const pairs = [
    ['benchmark', before.bench, after.bench],
    ['scenario', before.scenario, after.scenario],
    ['size', before.size, after.size],
    ['machine', before.provenance.machine, after.provenance.machine],
  ] as const;
  const other = pairs.find(([, a, b]) => a !== b);
  if (other === undefined && before.group !== after.group) return 'another machine of the same name';
  return other === undefined ? null : `another ${other[0]}: ${other[2] ?? 'none'}, before ${other[1] ?? 'none'}`;
}

/**
 * `after` is compared with `before`; `limit` is a share of the earlier time. `between` is its ratio to several sessions
 * before, by what those differ from each other: it decides in place of the two sessions' own interval.
 */
export function regressionOf(
  before: ComparedRow,
  after: ComparedRow,
  limit: number,
  between: Ratio | null = null,
): Regression {
  const ratio = between ?? after.ratio;
  const { time_s: after_s, title: variant, origin: session } = after;
  const common = { variant, session, before_s: before.time_s, after_s, ratio };
  const told = (verdict: RegressionVerdict, reason: string | null = null) => ({ ...common, verdict, reason });
  const different = unlike(before, after);
  if (different !== null) return { ...told('not comparable', different), ratio: null };
  if (!isRight(after.accuracy) || isIncorrect(after.verdict)) return told('wrong', 'its answer is beyond parity');
  const { interval } = ratio;
  if (interval === null) return told('undecided', 'too few samples for an interval');
  if (interval.high <= 1 + limit) return told('not slower');
  if (interval.low <= 1 + limit) {
    const narrower = between === null ? 'more rounds narrow it' : 'sessions differ by so much';
    return told('undecided', `the interval reaches over the limit: ${narrower}`);
  }
  if (between !== null) return told('slower');
  return after.verdict === 'slower' ? told('slower') : told('undecided', 'within the noise floor of the sessions');
}

/** A variant of the earlier session that the later one has not. */
export function notMeasured(before: ComparedRow, session: string, reason: string): Regression {
  return {
    ...{ variant: before.title, session, before_s: before.time_s, after_s: null, ratio: null },
    ...{ verdict: 'not measured', reason },
  };
}

/** Nothing that could be decided is no success either. */
export function hasFailed(all: readonly Regression[]): boolean {
  return all.some(({ verdict }) => failing.has(verdict)) || !all.some(({ verdict }) => verdict === 'not slower');
}

type Style = (style: 'bold' | 'red' | 'yellow' | 'green', text: string) => string;

const tones = {
  slower: 'red',
  wrong: 'red',
  'not measured': 'red',
  'not comparable': 'red',
  undecided: 'yellow',
} as const;

export function regressionTable(all: readonly Regression[], limit: number, style: Style): readonly string[] {
  const columns = [
    { title: 'Variant' },
    { title: 'Before', align: 'right' },
    { title: 'After', align: 'right' },
    { title: 'After over before', align: 'right' },
    { title: 'Verdict' },
  ] as const;
  const rows = all.map(({ variant, before_s, after_s, ratio, verdict, reason }) => [
    variant,
    measuredTime(before_s),
    measuredTime(after_s),
    ratio === null ? '–' : timesText(ratio),
    `${style(verdict === 'not slower' ? 'green' : tones[verdict], verdict)}${reason === null ? '' : `: ${reason}`}`,
  ]);
  const count = (wanted: RegressionVerdict): number => all.filter(({ verdict }) => verdict === wanted).length;
  const words = ['slower', 'wrong', 'not measured', 'not comparable', 'undecided', 'not slower'] as const;
  const counts = words.flatMap((word) => (count(word) === 0 ? [] : [`${count(word)} ${word}`])).join(', ');
  return [
    ...table(columns, rows, { styleTitle: (text) => style('bold', text) }),
    '',
    `${hasFailed(all) ? style('red', 'Failed') : style('green', 'Passed')}: ${counts}; slower is a whole 95 % interval above ${percent(limit)} more time than before.`,
  ];
}
