/** A benchmark of any workload for a person: one row per variant, the answer's error beside every speed. */
import { advice, leastWhole, paysFrom, rightnessText } from '../../../renderer/base/advice.ts';
import { toldText } from '../../../renderer/base/compare-columns.ts';
import { intervalsText, timeAndSpread, timesText, toDecideText } from '../../../renderer/base/measured.ts';
import { percent } from '../../../renderer/base/numbers.ts';
import { reportProvenance } from '../../../renderer/base/provenance.ts';
import type { Ratio } from '../../contract/bench/bench-session.ts';
import type {
  Accuracy,
  MeasuredSessionEntry,
  Session,
  SessionExternal,
  SessionReport,
} from '../../contract/bench/session.ts';
import { median, unpairedRatioInterval } from '../../host/model/bench/statistics.ts';
import {
  claimsReport,
  coldStartReport,
  flaggedReport,
  modesReport,
  processReport,
  rooflineReport,
  toldClaims,
} from '../bench-parts.ts';
import { endedText } from '../ended.ts';
import { duration, metric, smallError, speedup } from '../numbers.ts';
import { type Column, table } from '../table.ts';
import { factorialReport } from './factorial-report.ts';
import { measuredOn, measuredUnder } from './measured-on.ts';

/** What a report needs of its session. */
type Kept = Pick<Session, 'created' | 'words'>;

type Style = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

function verdictText({ verdict, instances_to_decide = null, flagged }: MeasuredSessionEntry, style: Style): string {
  const tone = { wrong: 'red', faster: 'green', slower: 'yellow' } as const;
  const text =
    verdict === 'wrong' || verdict === 'faster' || verdict === 'slower'
      ? style(tone[verdict], verdict)
      : verdict + toDecideText(instances_to_decide);
  return (flagged ?? 0) === 0 ? text : text + style('yellow', ` (${flagged} flagged)`);
}

function repeatsText({ determinism }: MeasuredSessionEntry): string {
  if (determinism === null) return '–';
  if (determinism.bitwise) return 'same bits';
  return determinism.spread === null ? 'other bits' : smallError(determinism.spread);
}

const ratioText = (ratio: Ratio | null): string => (ratio === null ? '–' : speedup(ratio));

/** What a report says beside times; each decides on columns. */
interface Told {
  readonly report: SessionReport;
  readonly words: Session['words'];
  readonly measured: readonly MeasuredSessionEntry[];
  /** Whole runs were judged; older sessions compare steps alone. */
  readonly whole: boolean;
  /** Times from the problem to its answer; of older small workloads it is a repetition by the host's clock. */
  readonly wall: 'Whole run' | 'Wall' | null;
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
    wall: walls ? (ofRuns ? 'Whole run' : 'Wall') : null,
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
    // What a user waits for, first.
    ...(wall === 'Whole run' ? [right(wall)] : []),
    ...(whole ? [right(`Whole ${against}`)] : []),
    ...(wall === 'Whole run' ? [right(`${words.time} of it`), right('Pays from')] : []),
    right(words.time),
    ...(wall === 'Wall' ? [right(wall)] : []),
    right(`${words.time} ${against}`),
    { title: 'Verdict' },
    ...(ladder ? [right('vs one below'), right('Cumulative')] : []),
    right('Set-up'),
    ...(rate ? [right(words.rate ?? '')] : []),
    ...accuracy.map(({ title }) => right(title)),
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
  return label === reference ? '1' : `${speedup(whole.ratio)} ${whole.verdict}`;
}

const shareText = ({ time_s, wall_s }: MeasuredSessionEntry): string =>
  wall_s === null || wall_s === 0 ? '–' : percent(time_s / wall_s);

/** From how many runs of one set-up on it takes less than what has the quickest whole run. */
function paysText(entry: MeasuredSessionEntry, { measured }: Told): string {
  const all = measured.flatMap((own) =>
    own.wall_s === null ? [] : [{ ...own, own, wall_s: own.wall_s, right: own.verdict !== 'wrong' }],
  );
  const best = leastWhole(all);
  if (best === null || entry.wall_s === null || entry.verdict === 'wrong') return '–';
  if (best.own === entry) return 'one run';
  const from = paysFrom(best, { ...entry, wall_s: entry.wall_s });
  return from === null ? 'never' : `${from} runs`;
}

function row(entry: MeasuredSessionEntry, told: Told, style: Style): readonly string[] {
  const { label, note, time_s, spread, samples, wall_s, setup_s, ratio, rung, cumulative, quantities, size } = entry;
  const { report, whole, wall, rate, ladder, accuracy } = told;
  const wallText = wall_s === null ? '–' : duration(wall_s);
  return [
    note === null ? label : `${label} (${note})`,
    ...(wall === 'Whole run' ? [wallText] : []),
    ...(whole ? [wholeText(entry, report.reference)] : []),
    ...(wall === 'Whole run' ? [shareText(entry), paysText(entry, told)] : []),
    timeAndSpread(time_s, spread, samples.length),
    ...(wall === 'Wall' ? [wallText] : []),
    label === report.reference ? '1' : speedup(ratio),
    verdictText(entry, style),
    ...(ladder ? [ratioText(rung), ratioText(cumulative)] : []),
    duration(setup_s),
    ...(rate ? [rateText(quantities, size, time_s)] : []),
    ...accuracyCells(entry.accuracy, accuracy, style),
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
    .filter(({ verdict }) => verdict !== 'wrong')
    .reduce<MeasuredSessionEntry | null>((best, one) => (best === null || one.time_s < best.time_s ? one : best), null);

function externalRow({ title, result }: SessionExternal, told: Told, style: Style): readonly string[] {
  if (result === null) return [];
  const { report, measured, whole, wall, rate, ladder, accuracy } = told;
  const reference = measured.find(({ label }) => label === report.reference);
  return [
    title,
    // Only its steps are timed: starting it, and what it says of them, are not.
    ...(wall === 'Whole run' ? ['–', ...(whole ? ['–'] : []), '–', '–'] : []),
    timeAndSpread(result.time_s, result.spread, result.times.length),
    ...(wall === 'Wall' ? ['–'] : []),
    reference === undefined ? '–' : speedup(overOwn(result, reference, report.seed)),
    result.wrong ? style('red', 'wrong') : 'other program',
    ...(ladder ? ['–', '–'] : []),
    duration(result.setup_s),
    ...(rate ? [rateText(result.quantities, null, result.time_s)] : []),
    ...accuracyCells(result.accuracy, accuracy, style),
    '–',
  ];
}

const stepsOf = (quantities: MeasuredSessionEntry['quantities']): number | null =>
  quantities.find(({ id }) => id === 'steps')?.value ?? null;

/** A rival may end later: it looks less often whether anything is left. */
function stepsText(own: MeasuredSessionEntry, result: Result): string {
  const [mine, theirs] = [stepsOf(own.quantities), stepsOf(result.quantities)];
  return mine === null || theirs === null || mine === theirs ? '' : `, which takes ${theirs} steps to its ${mine}`;
}

function rivalText({ report, measured }: Told): readonly string[] {
  const fastest = fastestRight(measured);
  return report.external.flatMap(({ title, result, reason }) => {
    if (result === null) return [`${title}: not run, ${reason ?? 'no reason known'}`];
    if (fastest === null || result.wrong) return [];
    const times = timesText(overOwn(result, fastest, report.seed));
    return [`${fastest.label} is ${times} as fast as ${title}${stepsText(fastest, result)}`];
  });
}

function adviceLines({ report, measured, wall }: Told, created: string): readonly string[] {
  if (wall !== 'Whole run') return [];
  const found = advice(
    measured.flatMap((entry) => {
      const { label, wall_s, setup_s, time_s, verdict, accuracy, whole = null } = entry;
      if (wall_s === null) return [];
      const { machine: device } = reportProvenance({ ...report, entries: [entry] }, created);
      const costs = { name: label, device, wall_s, setup_s, time_s, whole };
      const right = { right: verdict !== 'wrong', error: rightnessText(accuracy) };
      return [{ ...costs, ...right, isReference: label === report.reference }];
    }),
    report.scenario,
  );
  return found === null ? [] : [found];
}

/** What has a column of its own already. */
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

export function benchReport(report: SessionReport, style: Style, { created, words }: Kept): readonly string[] {
  const told = toldOf(report, words);
  const { measured } = told;
  const refused = report.entries.filter((entry) => entry.status === 'refused');
  const rows = [
    ...measured.map((entry) => row(entry, told, style)),
    ...report.external.filter(({ result }) => result !== null).map((entry) => externalRow(entry, told, style)),
  ];
  const bold = (text: string): string => style('bold', text);
  return [
    bold(report.scenario),
    ...headLines(report, created),
    '',
    ...adviceLines(told, created),
    ...(rows.length === 0 ? [] : table(columns(told), rows, { styleTitle: bold })),
    ...refused.map(({ label, reason }) => `${label}: not run, ${reason}`),
    ...rivalText(told),
    ...flaggedReport(report, measured),
    ...processReport(measured, report.reference, bold),
    ...modesReport(measured, bold),
    ...quantityLines(measured, bold),
    ...coldStartReport(measured, bold),
    ...rooflineReport(report, measured, bold),
    ...factorialReport(report.factorials ?? [], bold),
    ...claimsReport(words.rate === null ? report.claims : toldClaims(report.claims), bold),
    '',
    endedText(report),
    style(
      'dim',
      `${words.time}: ${words.timeTip}, by the device's clock (events) where it counts, else by the host's; medians ± median absolute deviation. Above 1× is faster than ${report.reference ?? 'nothing'}, with ${intervalsText(report.judged)}.`,
    ),
  ];
}
