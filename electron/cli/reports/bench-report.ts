/**
 * Text report on a benchmark of any workload. It has one row per variant, with the answer's error next to the speed.
 */
import { isUnproven, type Ratio } from '../../contract/bench/bench-session.ts';
import {
  type MeasuredSessionEntry,
  type Session,
  type SessionExternal,
  type SessionReport,
  unprovenTexts,
} from '../../contract/bench/session.ts';
import type { Result as MethodResult } from '../../contract/wire/methods.ts';
import { advice } from '../../domain/advice.ts';
import { endedText, factorText, intervalsText } from '../../domain/measured.ts';
import { reportProvenance } from '../../domain/provenance.ts';
import { adviceInput } from '../../domain/session-table.ts';
import { median, unpairedRatioInterval } from '../../host/api/benches.ts';
import { identifyThisMachine } from '../../host/index.ts';
import { wrap } from '../table.ts';
import { WIDTH } from '../terminal.ts';
import {
  claimsReport,
  coldStartReport,
  conditionLines,
  factorialReport,
  flaggedReport,
  hardwareLine,
  rooflineReport,
} from './bench-parts.ts';
import { sessionTableLines, type TableStyle, wrapLines } from './session-table.ts';

/** Compared rows of one report, with groups and labels. */
type ComparedReport = Omit<MethodResult<'compare.rows'>, 'gone'>;

type ExternalResult = NonNullable<SessionExternal['result']>;

/**
 * Ratio of the time of an external program to that of a variant. External programs are timed after the rounds, so both
 * sides are resampled independently.
 */
function ratioToVariant({ times }: ExternalResult, own: MeasuredSessionEntry, seed: number): Ratio {
  const references = own.samples.map(({ time_s }) => time_s);
  const value = median(times) / (references.length === 0 ? own.time_s : median(references));
  return { value, interval: unpairedRatioInterval(times, references, seed) };
}

const fastestCorrect = (measured: readonly MeasuredSessionEntry[]): MeasuredSessionEntry | null =>
  measured
    .filter(({ verdict }) => !isUnproven(verdict))
    .reduce<MeasuredSessionEntry | null>((best, one) => (best === null || one.time_s < best.time_s ? one : best), null);

const stepCount = (quantities: MeasuredSessionEntry['quantities']): number | null =>
  quantities.find(({ id }) => id === 'steps')?.value ?? null;

/**
 * Note if the variant took more steps than the external program. External programs may stop earlier, because they check
 * less often whether fluence is left.
 */
function certaintyText(own: MeasuredSessionEntry, result: ExternalResult): string {
  const [mine, theirs] = [stepCount(own.quantities), stepCount(result.quantities)];
  return mine === null || theirs === null || mine === theirs ? '' : `, which takes ${theirs} steps instead of ${mine}`;
}

function programText(report: SessionReport, measured: readonly MeasuredSessionEntry[]): readonly string[] {
  const fastest = fastestCorrect(measured);
  return report.external.flatMap(({ title, result, reason }) => {
    if (result === null) return [`${title}: not run, ${reason ?? 'no reason known'}`];
    if (fastest === null || result.wrong) return [];
    const times = factorText(ratioToVariant(result, fastest, report.seed));
    return [`${fastest.label} is ${times} as fast as ${title}${certaintyText(fastest, result)}`];
  });
}

/** Machine of a report for display: `here` if it is this one, otherwise its name. */
function machineLabel(report: SessionReport, created: string): string {
  const { id } = report.machine;
  if (id !== undefined && id === identifyThisMachine().id) return 'here';
  return `on ${reportProvenance(report, created).machine}`;
}

function adviceLines(
  report: SessionReport,
  { rows, groups }: ComparedReport,
  created: string,
  bold: (text: string) => string,
): readonly string[] {
  const reference = rows[groups[0]?.reference ?? -1];
  if (reference === undefined) return [];
  // Advice covers only the session's variants, because external programs are timed separately.
  const own = rows.filter(({ subject }) => subject.kind === 'entry');
  const found = advice(adviceInput(own, reference), {
    where: machineLabel(report, created),
    noise: report.noise,
    instances: report.judged?.instances ?? null,
    longer: report.stopped === 'time' ? ' (--time)' : '',
  });
  if (found === null) return [];
  const [first = '', ...others] = found;
  return [...wrap(first, WIDTH).map(bold), ...wrapLines(others), ''];
}

function neededInstancesLines(measured: readonly MeasuredSessionEntry[]): readonly string[] {
  const open = measured.flatMap(({ label, verdict, instances_to_decide: more = null }) =>
    verdict === 'undecided' && more !== null ? [`${label} after about ${more}`] : [],
  );
  return open.length === 0 ? [] : [`Instances per variant needed to decide: ${open.join(', ')}.`];
}

function headerLines(report: SessionReport, created: string): readonly string[] {
  const { machine, program, title, environment, facts } = report;
  const { logical_cores } = machine;
  return [
    ...(title === undefined ? [] : [title]),
    hardwareLine(reportProvenance(report, created), machine),
    `${logical_cores} logical cores; ${program.compiler ?? 'compiler not recorded'}, ${program.build}`,
    ...conditionLines(environment, logical_cores),
    ...facts.filter(([, value]) => value !== title).map(([name, value]) => `${name}: ${value}`),
  ];
}

/** Reasons why some modes or processes were not measured. */
const reasonLines = (entries: readonly MeasuredSessionEntry[]): readonly string[] =>
  entries.flatMap(({ label, modes, process }) => [
    ...modes.flatMap(({ mode, reason }) => (reason === null ? [] : [`${label}, ${mode}: ${reason}`])),
    ...(process?.reason == null ? [] : [`${label}, cold process: ${process.reason}`]),
  ]);

const noteLines = (entries: readonly MeasuredSessionEntry[]): readonly string[] =>
  entries.flatMap(({ label, note }) => (note === null ? [] : [`${label}: ${note}`]));

/**
 * Label of the row that others are compared with. It differs from the session's reference if that has a wrong answer.
 */
const referenceName = ({ rows, groups: [main] }: ComparedReport): string | undefined =>
  rows[main?.reference ?? 0]?.title;

/** Formats a report. `compared` contains the rows returned by `reportRows`. */
export function benchReport(
  report: SessionReport,
  { style, wide }: TableStyle,
  { created, words }: Pick<Session, 'created' | 'words'>,
  compared: ComparedReport,
): readonly string[] {
  const measured = report.entries.filter((entry) => entry.status === 'measured');
  const refused = report.entries.filter((entry) => entry.status === 'refused');
  const bold = (text: string): string => style('bold', text);
  return [
    bold(report.scenario),
    ...wrapLines(headerLines(report, created)),
    '',
    ...adviceLines(report, compared, created, bold),
    ...(compared.rows.length === 0 ? [] : sessionTableLines(compared, { style, wide }, false)),
    ...wrapLines(noteLines(measured)),
    ...wrapLines(unprovenTexts(measured)),
    ...wrapLines(refused.map(({ label, reason }) => `${label}: not run, ${reason}`)),
    ...neededInstancesLines(measured),
    ...programText(report, measured),
    ...flaggedReport(report, measured),
    ...wrapLines(reasonLines(measured)),
    ...(wide ? coldStartReport(measured, bold) : []),
    ...rooflineReport(report, measured, bold),
    ...factorialReport(report.factorials ?? [], bold),
    ...claimsReport(report.claims, bold),
    '',
    ...wrap(endedText(report), WIDTH),
    ...wrap(
      `${words.time}: ${words.timeTip}; medians, by the clock of the device (events) if available, otherwise by that of the host. Above 1× is faster than ${referenceName(compared) ?? 'nothing'}, with ${intervalsText(report.judged)}.`,
      WIDTH,
    ).map((line) => style('dim', line)),
  ];
}
