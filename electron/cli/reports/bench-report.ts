/** Report of a benchmark of any workload: one row per variant, with the answer's error next to every speed. */
import { advice, leastWhole, paysFrom, rightnessText } from '../../../renderer/base/advice.ts';
import { toldText } from '../../../renderer/base/compare-columns.ts';
import { intervalsText, timeAndSpread, timesText } from '../../../renderer/base/measured.ts';
import { percent } from '../../../renderer/base/numbers.ts';
import { reportProvenance } from '../../../renderer/base/provenance.ts';
import { headVerdict, isUnproven, type Ratio } from '../../contract/bench/bench-session.ts';
import type {
  Accuracy,
  MeasuredSessionEntry,
  Session,
  SessionExternal,
  SessionReport,
} from '../../contract/bench/session.ts';
import { thisMachine } from '../../host/io/files/this-machine.ts';
import { median, unpairedRatioInterval } from '../../host/model/bench/statistics.ts';
import { endedText } from '../ended.ts';
import { duration, metric, smallError, speedup } from '../numbers.ts';
import { type Column, displayWidth, table, wrap } from '../table.ts';
import {
  claimsReport,
  coldStartReport,
  flaggedReport,
  modesReport,
  processReport,
  rooflineReport,
} from './bench-parts.ts';
import { factorialReport } from './factorial-report.ts';
import { measuredOn, measuredUnder } from './measured-on.ts';

/** Session fields that a report needs. */
type Kept = Pick<Session, 'created' | 'words'>;

type Style = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

/** The verdict of end-to-end runs where they were judged, unless it is about the answer. */
function verdictText(entry: MeasuredSessionEntry, style: Style): string {
  const verdict = headVerdict(entry);
  const tone = { wrong: 'red', impossible: 'red', 'not checked': 'yellow', faster: 'green', slower: 'yellow' } as const;
  return verdict in tone ? style(tone[verdict as keyof typeof tone], verdict) : verdict;
}

function repeatsText({ determinism }: MeasuredSessionEntry): string {
  if (determinism === null) return '–';
  if (determinism.bitwise) return 'same bits';
  return determinism.spread === null ? 'other bits' : smallError(determinism.spread);
}

const ratioText = (ratio: Ratio | null): string => (ratio === null ? '–' : speedup(ratio));

/** Contents of a report other than times; each decides on columns. */
interface Told {
  readonly report: SessionReport;
  readonly words: Session['words'];
  readonly measured: readonly MeasuredSessionEntry[];
  /** End-to-end runs were judged; older sessions compare steps alone. */
  readonly whole: boolean;
  /** Times from the problem to its answer; of older small workloads it is a repetition by the host's clock. */
  readonly wall: 'End to end' | 'Wall' | null;
  readonly rate: boolean;
  readonly ladder: boolean;
  /** By id, in the order of the entries. */
  readonly accuracy: readonly Accuracy[];
}

function toldOf(report: SessionReport, words: Session['words']): Told {
  const measured = report.entries.filter((entry) => entry.status === 'measured');
  const walls = measured.some(({ wall_s }) => wall_s !== null);
  const ofRuns = measured.some(
    (one) => one.whole !== undefined || one.samples.some(({ wall_s }) => wall_s !== undefined),
  );
  const results = report.external.flatMap(({ result }) => result ?? []);
  return {
    ...{ report, words, measured },
    whole: measured.some(({ whole }) => whole !== undefined),
    wall: walls ? (ofRuns ? 'End to end' : 'Wall') : null,
    rate: words.rate !== null,
    ladder: measured.some(({ rung }) => rung !== null),
    accuracy: [
      ...new Map([...measured, ...results].flatMap((one) => one.accuracy.map((each) => [each.id, each]))).values(),
    ],
  };
}

function columns({ report, words, whole, wall, rate, ladder, accuracy }: Told): readonly Column[] {
  const { reference } = report;
  const against = reference === null ? 'Speed-up' : `vs ${reference}`;
  const right = (title: string): Column => ({ title, align: 'right' });
  return [
    { title: 'Variant' },
    { title: 'Verdict' },
    // A user waits for these, so they are first.
    ...(wall === 'End to end' ? [right(wall)] : []),
    ...(whole ? [right(against)] : []),
    right(words.time),
    right(whole ? `${words.time} ${against}` : against),
    ...accuracy.slice(0, 1).map(({ title }) => right(title)),
    right('Set-up'),
    ...(wall === 'End to end' ? [right(`${words.time} of it`), right('Pays from')] : []),
    ...(wall === 'Wall' ? [right(wall)] : []),
    ...(ladder ? [right('vs one below'), right('Cumulative')] : []),
    ...(rate ? [right(words.rate ?? '')] : []),
    ...accuracy.slice(1).map(({ title }) => right(title)),
    right('Repeats'),
  ];
}

function rateText(quantities: MeasuredSessionEntry['quantities'], size: number | null, time_s: number): string {
  const rate = quantities.find(({ id }) => id === 'rate')?.value ?? (size === null ? null : size / time_s);
  return rate === null ? '–' : `${metric(rate)}/s`;
}

function accuracyCells(own: readonly Accuracy[], all: readonly Accuracy[], style: Style): readonly string[] {
  return all.map(({ id }) => {
    const found = own.find((one) => one.id === id);
    if (found === undefined) return '–';
    const text = found.value === null ? (found.holds ? '–' : 'NaN') : smallError(found.value);
    return found.holds ? text : style('red', text);
  });
}

function wholeText({ label, whole }: MeasuredSessionEntry, reference: string | null): string {
  if (whole === undefined) return '–';
  return label === reference ? '1' : speedup(whole.ratio);
}

/** With a verdict of its own where the row's verdict is of end-to-end runs. */
function stepsText({ label, ratio, verdict }: MeasuredSessionEntry, { report, whole }: Told): string {
  if (label === report.reference) return '1';
  return whole && !isUnproven(verdict) ? `${speedup(ratio)} ${verdict}` : speedup(ratio);
}

const shareText = ({ time_s, wall_s }: MeasuredSessionEntry): string =>
  wall_s === null || wall_s === 0 ? '–' : percent(time_s / wall_s);

/** Number of runs with one set-up from which this variant is faster than the one with the fastest end-to-end run. */
function paysText(entry: MeasuredSessionEntry, { measured }: Told): string {
  const all = measured.flatMap((own) =>
    own.wall_s === null ? [] : [{ ...own, own, wall_s: own.wall_s, right: !isUnproven(own.verdict) }],
  );
  const best = leastWhole(all);
  if (best === null || entry.wall_s === null || isUnproven(entry.verdict)) return '–';
  if (best.own === entry) return 'one run';
  const from = paysFrom(best, { ...entry, wall_s: entry.wall_s });
  return from === null ? 'never' : `${from} runs`;
}

function row(entry: MeasuredSessionEntry, told: Told, style: Style, wide: boolean): readonly string[] {
  const { label, note, time_s, spread, samples, wall_s, setup_s, rung, cumulative, quantities, size } = entry;
  const { report, whole, wall, rate, ladder, accuracy } = told;
  const wallText = wall_s === null ? '–' : duration(wall_s);
  const [first, ...others] = accuracyCells(entry.accuracy, accuracy, style);
  return [
    note === null ? label : `${label} (${note})`,
    verdictText(entry, style),
    ...(wall === 'End to end' ? [wallText] : []),
    ...(whole ? [wholeText(entry, report.reference)] : []),
    wide ? timeAndSpread(time_s, spread, samples.length) : duration(time_s),
    stepsText(entry, told),
    ...(first === undefined ? [] : [first]),
    duration(setup_s),
    ...(wall === 'End to end' ? [shareText(entry), paysText(entry, told)] : []),
    ...(wall === 'Wall' ? [wallText] : []),
    ...(ladder ? [ratioText(rung), ratioText(cumulative)] : []),
    ...(rate ? [rateText(quantities, size, time_s)] : []),
    ...others,
    repeatsText(entry),
  ];
}

type Result = NonNullable<SessionExternal['result']>;

/** Timed after the rounds: both are drawn on their own. */
function overOwn({ times }: Result, own: MeasuredSessionEntry, seed: number): Ratio {
  const references = own.samples.map(({ time_s }) => time_s);
  const value = median(times) / (references.length === 0 ? own.time_s : median(references));
  return { value, interval: unpairedRatioInterval(times, references, seed) };
}

const fastestRight = (measured: readonly MeasuredSessionEntry[]): MeasuredSessionEntry | null =>
  measured
    .filter(({ verdict }) => !isUnproven(verdict))
    .reduce<MeasuredSessionEntry | null>((best, one) => (best === null || one.time_s < best.time_s ? one : best), null);

function externalRow({ title, result }: SessionExternal, told: Told, style: Style, wide: boolean): readonly string[] {
  if (result === null) return [];
  const { report, measured, whole, wall, rate, ladder, accuracy } = told;
  const reference = measured.find(({ label }) => label === report.reference);
  const { time_s, spread, times, setup_s, quantities } = result;
  const [first, ...others] = accuracyCells(result.accuracy, accuracy, style);
  return [
    title,
    result.wrong ? style('red', 'wrong') : 'other program',
    // Only its steps are timed: starting it and reading its output are not.
    ...(wall === 'End to end' ? ['–'] : []),
    ...(whole ? ['–'] : []),
    wide ? timeAndSpread(time_s, spread, times.length) : duration(time_s),
    reference === undefined ? '–' : speedup(overOwn(result, reference, report.seed)),
    ...(first === undefined ? [] : [first]),
    duration(setup_s),
    ...(wall === 'End to end' ? ['–', '–'] : []),
    ...(wall === 'Wall' ? ['–'] : []),
    ...(ladder ? ['–', '–'] : []),
    ...(rate ? [rateText(quantities, null, time_s)] : []),
    ...others,
    '–',
  ];
}

const stepsOf = (quantities: MeasuredSessionEntry['quantities']): number | null =>
  quantities.find(({ id }) => id === 'steps')?.value ?? null;

/** An external program may end later: it checks less often whether any fluence is left. */
function laterText(own: MeasuredSessionEntry, result: Result): string {
  const [mine, theirs] = [stepsOf(own.quantities), stepsOf(result.quantities)];
  return mine === null || theirs === null || mine === theirs ? '' : `, which takes ${theirs} steps to its ${mine}`;
}

function rivalText({ report, measured }: Told): readonly string[] {
  const fastest = fastestRight(measured);
  return report.external.flatMap(({ title, result, reason }) => {
    if (result === null) return [`${title}: not run, ${reason ?? 'no reason known'}`];
    if (fastest === null || result.wrong) return [];
    const times = timesText(overOwn(result, fastest, report.seed));
    return [`${fastest.label} is ${times} as fast as ${title}${laterText(fastest, result)}`];
  });
}

/** `here` on the machine that measured it. */
function whereOf(report: SessionReport, created: string): string {
  const { id } = report.machine;
  if (id !== undefined && id === thisMachine().id) return 'here';
  return `on ${reportProvenance(report, created).machine}`;
}

function adviceLines(
  { report, measured, wall }: Told,
  created: string,
  bold: (text: string) => string,
): readonly string[] {
  const found = advice(
    measured.map((entry) => {
      const { label, wall_s, setup_s, time_s, verdict, ratio, accuracy, whole = null } = entry;
      return {
        ...{ name: label, wall_s: wall === 'End to end' ? wall_s : null, setup_s, time_s, whole },
        steps: { ratio, verdict: isUnproven(verdict) ? 'undecided' : verdict },
        ...{ right: !isUnproven(verdict), error: rightnessText(accuracy), isReference: label === report.reference },
      };
    }),
    {
      where: whereOf(report, created),
      noise: report.noise,
      instances: report.judged?.instances ?? null,
      longer: report.stopped === 'time' ? ' (--time)' : '',
    },
  );
  if (found === null) return [];
  const [first = '', ...others] = found;
  return [...wrap(first, WIDTH).map(bold), ...others.flatMap((line) => wrap(line, WIDTH)), ''];
}

/** Columns of a page of text. */
const WIDTH = 120;

/** As many of the columns, the first ones, as fit into the width; how many are left out. */
function fitted(heads: readonly Column[], rows: readonly (readonly string[])[], width: number) {
  let [count, used] = [0, 0];
  for (const [i, { title }] of heads.entries()) {
    used += (i === 0 ? 0 : 2) + Math.max(...[title, ...rows.map((row) => row[i] ?? '')].map(displayWidth));
    if (used > width && count > 2) break;
    count += 1;
  }
  return {
    heads: heads.slice(0, count),
    rows: rows.map((row) => row.slice(0, count)),
    left: heads.slice(count).map(({ title }) => title),
  };
}

function toDecideLines(measured: readonly MeasuredSessionEntry[]): readonly string[] {
  const open = measured.flatMap(({ label, verdict, instances_to_decide: more = null }) =>
    verdict === 'undecided' && more !== null ? [`${label} after about ${more}`] : [],
  );
  return open.length === 0 ? [] : [`Instances of each that would decide: ${open.join(', ')}.`];
}

/** Quantities that already have a column. */
const inColumns = new Set(['rate']);

function quantityLines(entries: readonly MeasuredSessionEntry[], bold: (text: string) => string): readonly string[] {
  const all = entries.map(({ label, quantities }) => ({
    label,
    quantities: quantities.filter(({ id }) => !inColumns.has(id)),
  }));
  const told = all.filter(({ quantities }) => quantities.length > 0);
  if (told.length === 0) return [];
  const ids = [...new Map(told.flatMap(({ quantities }) => quantities.map((q) => [q.id, q] as const))).values()];
  const interval = told.some(({ quantities }) => quantities.some((one) => one.interval != null));
  const heads: readonly Column[] = [
    { title: interval ? 'Further (95 % interval)' : 'Further' },
    ...ids.map(({ title, unit }) => ({ title: unit === '' ? title : `${title}, ${unit}`, align: 'right' as const })),
  ];
  const rows = told.map(({ label, quantities }) => [
    label,
    ...ids.map(({ id }) =>
      toldText(
        quantities.find((one) => one.id === id),
        '',
      ),
    ),
  ]);
  return ['', ...table(heads, rows, { styleTitle: bold })];
}

function headLines(report: SessionReport, created: string): readonly string[] {
  const { machine, program, title, environment, facts } = report;
  const { logical_cores } = machine;
  return [
    ...(title === undefined ? [] : [title]),
    measuredOn(reportProvenance(report, created), machine),
    `${logical_cores} logical cores; ${program.compiler ?? 'compiler not recorded'}, ${program.build}`,
    ...measuredUnder(environment, logical_cores),
    ...facts.filter(([, value]) => value !== title).map(([name, value]) => `${name}: ${value}`),
  ];
}

interface ReportLook {
  readonly style: Style;
  /** All columns, however long the lines. */
  readonly wide?: boolean;
}

export function benchReport(
  report: SessionReport,
  { style, wide = false }: ReportLook,
  { created, words }: Kept,
): readonly string[] {
  const told = toldOf(report, words);
  const { measured } = told;
  const refused = report.entries.filter((entry) => entry.status === 'refused');
  const rows = [
    ...measured.map((entry) => row(entry, told, style, wide)),
    ...report.external.filter(({ result }) => result !== null).map((entry) => externalRow(entry, told, style, wide)),
  ];
  const bold = (text: string): string => style('bold', text);
  const shown = fitted(columns(told), rows, wide ? Number.POSITIVE_INFINITY : WIDTH);
  return [
    bold(report.scenario),
    ...headLines(report, created),
    '',
    ...adviceLines(told, created, bold),
    ...(rows.length === 0 ? [] : table(shown.heads, shown.rows, { styleTitle: bold })),
    ...(rows.length === 0 || shown.left.length === 0
      ? []
      : [style('dim', `With --wide also: ${shown.left.join(', ')}.`)]),
    ...refused.flatMap(({ label, reason }) => wrap(`${label}: not run, ${reason}`, WIDTH)),
    ...toDecideLines(measured),
    ...rivalText(told),
    ...flaggedReport(report, measured),
    ...processReport(measured, report.reference, bold),
    ...modesReport(measured, bold),
    ...quantityLines(measured, bold),
    ...(wide ? coldStartReport(measured, bold) : []),
    ...rooflineReport(report, measured, bold),
    ...factorialReport(report.factorials ?? [], bold),
    ...claimsReport(report.claims, bold),
    '',
    ...wrap(endedText(report), WIDTH),
    ...wrap(
      `${words.time}: ${words.timeTip}, by the device's clock (events) where it counts, else by the host's; medians${wide ? ' ± median absolute deviation' : ''}. Above 1× is faster than ${report.reference ?? 'nothing'}, with ${intervalsText(report.judged)}.`,
      WIDTH,
    ).map((line) => style('dim', line)),
  ];
}
