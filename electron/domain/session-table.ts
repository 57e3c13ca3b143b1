/**
 * Table of a session: its columns with titles and order, for `bench`, `compare`, the page and the HTML report.
 * Important columns come first, because a terminal shows only as many as fit.
 */
import { type EndToEnd, isUnproven, type Mode, type Quantity, rowVerdict } from '../contract/bench/bench-session.ts';
import type { ComparedGroup, ComparedRow } from '../contract/bench/comparison.ts';
import { type Accuracy, isIncorrect, type SessionTerms } from '../contract/bench/session.ts';
import { breakEvenRuns, correctnessText, fastestEndToEnd, type VariantTimes } from './advice.ts';
import { factorText, measuredTime, noiseText, rateText, speedupOf, spreadText } from './measured.ts';
import { compactCount, formatError, NO_VALUE, percent, significant } from './numbers.ts';

export interface Column {
  readonly id: string;
  readonly title: string;
  /** Explanation of the title, shown as a tooltip. */
  readonly tip: string;
  readonly align: 'left' | 'right';
  readonly text: (row: ComparedRow) => string;
  /** Whether to show the cell in red, because its value makes the answer wrong. */
  readonly wrong?: (row: ComparedRow) => boolean;
  /** Unit of the numbers by which the column is sorted. */
  readonly unit?: string;
  /** Sort key; rows with null are last. */
  readonly by: (row: ComparedRow) => number | string | null;
}

function modeText(row: ComparedRow, mode: Mode): string {
  const found = row.modes.find((one) => one.mode === mode);
  if (found === undefined) return NO_VALUE;
  return found.time_s === null ? 'not possible' : measuredTime(found.time_s);
}

/** Reason why a cell has no time; null if it has a time, or if the reason was not recorded. */
export function modeReason(row: ComparedRow, mode: Mode | 'process'): string | null {
  if (mode === 'process') return row.process?.reason ?? null;
  return row.modes.find((one) => one.mode === mode)?.reason ?? null;
}

/**
 * Formats an interval after a value: ` (5.10–5.14)`. The unit is repeated only if it differs from that of the value.
 */
function rangeText(value: string, low: string, high: string): string {
  const [unit = ''] = / \S+$/.exec(value) ?? [];
  const alike = unit !== '' && low.endsWith(unit) && high.endsWith(unit);
  const [from, to] = alike ? [low, high].map((text) => text.slice(0, -unit.length)) : [low, high];
  return ` (${from}–${to})`;
}

function timeText({ time_s, time_interval }: ComparedRow): string {
  const time = measuredTime(time_s);
  if (time_interval === null) return time;
  return time + rangeText(time, measuredTime(time_interval.low), measuredTime(time_interval.high));
}

/** Verdict of a row as text. If a wrong answer is faster, the text states both. */
export function verdictText(row: Pick<ComparedRow, 'verdict' | 'ratio' | 'whole'>): string {
  const verdict = rowVerdict(row);
  if (!isIncorrect(verdict)) return verdict;
  return row.ratio.value < 1 ? `${verdict}, though faster` : verdict;
}

export function accuracyText(measure: Accuracy | undefined): string {
  if (measure === undefined) return NO_VALUE;
  if (measure.value === null) return measure.holds ? NO_VALUE : 'not finite';
  return `${formatError(measure.value)}${measure.unit}`;
}

function repeatsText({ determinism: d }: Pick<ComparedRow, 'determinism'>): string {
  if (d === null) return NO_VALUE;
  if (d.bitwise) return 'same bits';
  return d.spread === null ? 'bits differ' : `±${formatError(d.spread)}`;
}

function flaggedText({ flagged, samples }: Pick<ComparedRow, 'flagged' | 'samples'>): string {
  if (flagged === null) return NO_VALUE;
  return flagged === 0 ? 'none' : `${flagged} of ${samples.length}`;
}

/** Formats integers with all digits, times with a suitable unit, other numbers with four digits. */
function quantityText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return NO_VALUE;
  if (unit === 's') return measuredTime(value);
  if (unit === '1/s') return `${compactCount(value)}/s`;
  const number =
    Math.abs(value) >= 1e5 ? compactCount(value) : Number.isInteger(value) ? String(value) : significant(value, 4);
  return unit === '' ? number : `${number} ${unit}`;
}

/** Formats a quantity with its 95 % interval, if the session has one of non-zero width. */
function quantityWithIntervalText(quantity: Quantity | undefined, unit: string): string {
  const text = quantityText(quantity?.value, unit);
  const { low, high } = quantity?.interval ?? { low: 0, high: 0 };
  return low === high ? text : text + rangeText(text, quantityText(low, unit), quantityText(high, unit));
}

const verdictColumn: readonly Column[] = [
  {
    id: 'verdict',
    title: 'Verdict',
    tip: 'Verdict on end-to-end runs if they were judged, otherwise on steps. Faster or slower only if the whole interval is outside the noise floor; wrong if the result is wrong',
    align: 'left',
    text: verdictText,
    by: rowVerdict,
  },
];

/** Formats the speedup over the reference with its verdict; 1 for the reference itself. */
function speedVerdictText(standing: Pick<EndToEnd, 'verdict'> & { readonly ratio: EndToEnd['ratio'] | null }): string {
  if (standing.verdict === 'reference') return '1';
  return standing.ratio === null ? NO_VALUE : `${factorText(speedupOf(standing.ratio))} ${standing.verdict}`;
}

/**
 * Whether the row has an end-to-end time. In older sessions of small workloads, `wall_s` is the time of a repetition by
 * the host's clock instead.
 */
const hasEndToEndRun = ({ wall_s, whole, samples, subject }: ComparedRow): boolean =>
  wall_s !== null &&
  (whole !== null || subject.kind === 'run' || samples.some((sample) => sample.wall_s !== undefined));

/** End-to-end times of the reference and of the rows measured in the same rounds; only these are comparable. */
function comparableRuns(rows: readonly ComparedRow[]) {
  return rows.flatMap((row) =>
    row.wall_s === null || !hasEndToEndRun(row) || !(row.paired || row.verdict === 'reference')
      ? []
      : [{ row, wall_s: row.wall_s, setup_s: row.setup_s, time_s: row.time_s, right: !isUnproven(row.verdict) }],
  );
}

/**
 * Columns about end-to-end times. They precede the time of the steps, because a user waits for the end-to-end time.
 */
const endToEndColumns: readonly Column[] = [
  {
    id: 'wall',
    unit: 's',
    title: 'End to end',
    tip: 'Warm, by the host’s clock, from the problem to its result in memory: the time that a user waits',
    align: 'right',
    text: ({ wall_s }) => measuredTime(wall_s),
    by: ({ wall_s }) => wall_s,
  },
  {
    id: 'whole',
    title: 'End to end, times faster',
    tip: 'Compared with the reference’s end-to-end run, with its 95 % interval',
    align: 'right',
    text: ({ whole }) =>
      whole === null ? NO_VALUE : whole.verdict === 'reference' ? '1' : factorText(speedupOf(whole.ratio)),
    by: ({ whole }) => (whole === null ? null : 1 / whole.ratio.value),
  },
];

/** Columns for those parts of the end-to-end time that are not steps. */
function shareColumns(rows: readonly ComparedRow[]): readonly Column[] {
  const all = comparableRuns(rows);
  const groups = Map.groupBy(all, ({ row }) => row.group);
  const bestFor = ({ group }: ComparedRow) => fastestEndToEnd(groups.get(group) ?? []);
  const share = (row: ComparedRow): number | null =>
    hasEndToEndRun(row) && row.wall_s !== null && row.wall_s > 0 ? row.time_s / row.wall_s : null;
  const pays = (row: ComparedRow): number | null => {
    const own = all.find((one) => one.row === row);
    const best = bestFor(row);
    if (own === undefined || best === null || !own.right || own === best) return null;
    return breakEvenRuns(best, own);
  };
  return [
    {
      id: 'share',
      title: 'Share of steps',
      tip: 'Share of the steps in the end-to-end run; the rest is set-up and copying results back',
      align: 'right',
      text: (row) => percent(share(row)),
      by: share,
    },
    {
      id: 'pays',
      title: 'Pays from',
      tip: 'If at least this number of runs share one set-up, this row needs less total time than the row with the fastest end-to-end run. Each run includes copying its result to memory',
      align: 'right',
      text: (row) => {
        if (row === bestFor(row)?.row) return 'one run';
        const from = pays(row);
        return from === null ? (all.some((one) => one.row === row && one.right) ? 'never' : NO_VALUE) : `${from} runs`;
      },
      by: (row) => (row === bestFor(row)?.row ? 1 : pays(row)),
    },
  ];
}

const timeColumn = ({ time, timeTip }: SessionTerms): Column => ({
  id: 'time',
  unit: 's',
  title: time,
  tip: `Median time ${timeTip} with its 95 % interval: by the device’s clock on a GPU, by the host’s on the CPU`,
  align: 'right',
  text: timeText,
  by: ({ time_s }) => time_s,
});

/** Formats the speedup of the steps. It has its own verdict if the verdict of the row concerns end-to-end times. */
function speedupText({ verdict, ratio, whole }: ComparedRow): string {
  if (verdict === 'reference') return '1';
  const times = factorText(speedupOf(ratio));
  return whole === null || isUnproven(verdict) ? times : `${times} ${verdict}`;
}

const speedupColumn: readonly Column[] = [
  {
    id: 'gain',
    title: 'Times faster',
    tip: 'Compared with the reference, with its 95 % interval',
    align: 'right',
    text: speedupText,
    by: ({ ratio }) => 1 / ratio.value,
  },
];

const modeColumn = (mode: Mode, title: string, tip: string): Column => ({
  ...{ id: mode, unit: 's', title, tip, align: 'right' },
  text: (row) => modeText(row, mode),
  by: (row) => row.modes.find((one) => one.mode === mode)?.time_s ?? null,
});

const modeColumns: readonly Column[] = [
  modeColumn('cold', 'Cold caches', 'With the caches emptied before each repetition'),
  modeColumn('graph', 'As a graph', 'With its launches captured and replayed as one graph'),
  modeColumn('cold-graph', 'Graph, cold', 'As a graph, with the caches emptied before each replay'),
  {
    id: 'process',
    unit: 's',
    title: 'Cold process',
    tip: 'Time from the start of a separate process to the result in its memory, and times faster than the reference',
    align: 'right',
    text: ({ process }) => {
      if (process === null) return NO_VALUE;
      if (process.time_s === null) return 'not possible';
      const time = measuredTime(process.time_s);
      return process.verdict === 'reference' ? time : `${time}, ${speedVerdictText(process)}`;
    },
    by: ({ process }) => process?.time_s ?? null,
  },
];

const setupColumns: readonly Column[] = [
  {
    id: 'setup',
    unit: 's',
    title: 'Set-up',
    tip: 'Tables, device, kernels, upload and initial state: median of the rounds, or the single time if done once',
    align: 'right',
    text: ({ setup_s }) => measuredTime(setup_s),
    by: ({ setup_s }) => setup_s,
  },
];

/** Columns about ladders, in which each variant adds one optimisation to the previous one. */
const ladderColumns: readonly Column[] = [
  {
    id: 'rung',
    title: 'Compared with the one below',
    tip: 'Times faster than the variant that it is based on, with its 95 % interval',
    align: 'right',
    text: ({ rung }) => (rung === null ? NO_VALUE : factorText(speedupOf(rung))),
    by: ({ rung }) => (rung === null ? null : 1 / rung.value),
  },
  {
    id: 'cumulative',
    title: 'Compared with the lowest',
    tip: 'Times faster than the lowest variant of its ladder, with its 95 % interval',
    align: 'right',
    text: ({ cumulative }) => (cumulative === null ? NO_VALUE : factorText(speedupOf(cumulative))),
    by: ({ cumulative }) => (cumulative === null ? null : 1 / cumulative.value),
  },
];

const rateId = 'rate';

/** Column for the work of a repetition divided by its time, if the workload defines a unit of work. */
function rateColumn({ rate: title }: SessionTerms): readonly Column[] {
  if (title === null) return [];
  const rateOf = ({ quantities, size, time_s }: ComparedRow): number | null =>
    quantities.find(({ id }) => id === rateId)?.value ?? (size === null ? null : size / time_s);
  return [
    {
      id: rateId,
      unit: '1/s',
      title,
      tip: 'Work of a repetition divided by its median time',
      align: 'right',
      text: (row) => {
        const rate = rateOf(row);
        return rate === null ? NO_VALUE : `${compactCount(rate)}/s`;
      },
      by: rateOf,
    },
  ];
}

const lastColumns: readonly Column[] = [
  {
    id: 'determinism',
    title: 'Repeats',
    tip: 'Whether every run gave bitwise identical results, otherwise the largest difference divided by the largest value',
    align: 'left',
    text: repeatsText,
    by: ({ determinism: d }) => (d === null ? null : d.bitwise ? 0 : (d.spread ?? 1)),
  },
  {
    id: 'flagged',
    title: 'Flagged',
    tip: 'Samples under a throttled or reduced clock, and outliers; they are included. Empty if clocks were not recorded',
    align: 'right',
    text: flaggedText,
    by: ({ flagged }) => flagged,
  },
  {
    id: 'spread',
    title: 'Spread',
    tip: 'Median absolute deviation divided by the median',
    align: 'right',
    text: ({ spread, samples }) => spreadText(spread, samples.length),
    by: ({ spread, samples }) => (samples.length < 2 ? null : spread),
  },
  {
    id: 'traffic',
    unit: 'byte/s',
    title: 'Traffic',
    tip: 'Declared bytes divided by the time, and their share of the measured copy bandwidth',
    align: 'right',
    text: ({ roofline }) => rateText(roofline?.bytes_per_s, roofline?.share_of_copy, 'copy'),
    by: ({ roofline }) => roofline?.bytes_per_s ?? null,
  },
  {
    id: 'arithmetic',
    unit: 'FLOP/s',
    title: 'Arithmetic',
    tip: 'Declared operations divided by the time, and their share of the measured limit',
    align: 'right',
    text: ({ roofline }) => rateText(roofline?.flops_per_s, roofline?.share_of_flops, 'flops'),
    by: ({ roofline }) => roofline?.flops_per_s ?? null,
  },
  {
    id: 'first_setup',
    unit: 's',
    title: 'First set-up',
    tip: 'Set-up of the first run in the process, which opens the device and loads the kernels',
    align: 'right',
    text: ({ first_setup_s }) => measuredTime(first_setup_s),
    by: ({ first_setup_s }) => first_setup_s,
  },
  {
    id: 'device',
    title: 'Device',
    tip: 'Processor or GPU that it ran on',
    align: 'left',
    text: ({ device }) => device,
    by: ({ device }) => device,
  },
  {
    id: 'precision',
    title: 'Precision',
    tip: 'Precision of the computation',
    align: 'left',
    text: ({ precision }) => precision || NO_VALUE,
    by: ({ precision }) => precision,
  },
];

/** Removes items with an id that occurred earlier. */
function uniqueById<T extends { readonly id: string }>(all: readonly T[]): readonly T[] {
  const found = new Map<string, T>();
  for (const one of all) if (!found.has(one.id)) found.set(one.id, one);
  return [...found.values()];
}

function accuracyColumns(rows: readonly ComparedRow[]): readonly Column[] {
  return uniqueById(rows.flatMap(({ accuracy }) => accuracy)).map(({ id, title, tip, unit, bound }) => {
    const own = ({ accuracy }: ComparedRow): Accuracy | undefined => accuracy.find((one) => one.id === id);
    return {
      ...{ id, title, unit },
      tip: bound === null ? tip : `${tip}. Correct if at most ${formatError(bound)}`,
      align: 'right',
      text: (row) => accuracyText(own(row)),
      wrong: (row) => own(row)?.holds === false,
      by: (row) => own(row)?.value ?? null,
    };
  });
}

function quantityColumns(rows: readonly ComparedRow[]): readonly Column[] {
  const all = uniqueById(rows.flatMap(({ quantities }) => quantities)).filter(({ id }) => id !== rateId);
  return all.map(({ id, title, unit }) => {
    const own = ({ quantities }: ComparedRow) => quantities.find((one) => one.id === id);
    return {
      ...{ id, title, unit },
      tip: `${title}: a metric of this workload, with its 95 % interval if the session has one`,
      align: 'right',
      text: (row) => quantityWithIntervalText(own(row), unit),
      by: (row) => own(row)?.value ?? null,
    };
  });
}

/** Titles used if the table has no rows. */
const defaultTerms: SessionTerms = { time: 'Time', timeTip: 'that is measured', size: '', rate: null };

/** Columns that have a value in at least one row. Columns about the answer's error precede those about times. */
export function sessionColumns(rows: readonly ComparedRow[], words: SessionTerms | null): readonly Column[] {
  const [correct = [], ...accuracy] = accuracyColumns(rows).map((column) => [column]);
  // Workloads that prepare once and then repeat have no end-to-end time.
  const whole = rows.some(hasEndToEndRun);
  const all = [
    ...verdictColumn,
    ...(whole ? endToEndColumns : []),
    ...correct,
    timeColumn(words ?? defaultTerms),
    ...speedupColumn,
    ...modeColumns,
    ...setupColumns,
    ...(whole ? shareColumns(rows) : []),
    ...rateColumn(words ?? defaultTerms),
    ...quantityColumns(rows),
    ...accuracy.flat(),
    ...ladderColumns,
    ...lastColumns,
  ];
  return all.filter(({ text }) => rows.some((row) => text(row) !== NO_VALUE));
}

/** Title of a row, followed by its session or run if several rows have the same title. */
export const nameOf = (row: ComparedRow, rows: readonly ComparedRow[]): string =>
  rows.filter(({ title }) => title === row.title).length > 1 ? `${row.title}, ${row.origin}` : row.title;

interface SessionCell {
  readonly text: string;
  readonly align: Column['align'];
  /**
   * Colour of the cell: the verdict of the row in the verdict column, `wrong` in a cell that makes the answer wrong,
   * otherwise null.
   */
  readonly tone: ComparedRow['verdict'] | null;
}

export interface SessionTable {
  /** Title of the group; empty if there is only one. */
  readonly title: string;
  readonly columns: readonly Pick<Column, 'title' | 'align'>[];
  readonly rows: readonly (readonly SessionCell[])[];
  readonly noise: string | null;
}

/** Title of the first column, which contains the names of the rows. */
const VARIANT_TITLE = 'Variant';

export const groupsText =
  'Compare times only within a table: each table contains one benchmark, one size and one machine.';

/**
 * Creates a table for each group, because only times within a group are comparable. All tables have the same columns.
 */
export function sessionTables(
  rows: readonly ComparedRow[],
  words: SessionTerms | null,
  groups: readonly ComparedGroup[],
): readonly SessionTable[] {
  const columns = sessionColumns(rows, words);
  return groups.map(({ title, noise, reference }, group) => {
    const against = rows[reference];
    const name = against === undefined ? 'the reference' : nameOf(against, rows);
    return {
      title,
      columns: [{ title: VARIANT_TITLE, align: 'left' }, ...columns],
      rows: rows
        .filter((row) => row.group === group)
        .map((row) => [
          { text: nameOf(row, rows), align: 'left', tone: null },
          ...columns.map(({ id, text, align, wrong }): SessionCell => {
            const bad = wrong?.(row) === true ? 'wrong' : null;
            return { text: text(row), align, tone: id === 'verdict' ? rowVerdict(row) : bad };
          }),
        ]),
      noise: noise.ratio === null && noise.floor === null ? null : `Noise of ${name}: ${noiseText(noise)}`,
    };
  });
}

/** Converts rows of one group that were measured together to the input of `advice`. */
export function adviceInput(rows: readonly ComparedRow[], reference: ComparedRow): readonly VariantTimes[] {
  return rows.flatMap((row): readonly VariantTimes[] => {
    const { group, title, wall_s, setup_s, time_s, whole, verdict, ratio, accuracy, paired, device } = row;
    const leads = row === reference;
    if (group !== reference.group || !(paired || leads)) return [];
    return [
      {
        ...{ name: title, wall_s: hasEndToEndRun(row) ? wall_s : null, setup_s, time_s, whole },
        on: `on ${device}`,
        steps: { ratio, verdict: isUnproven(verdict) ? 'undecided' : verdict },
        ...{ right: !isUnproven(verdict), error: correctnessText(accuracy), isReference: leads },
      },
    ];
  });
}

interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/**
 * Sorts a copy of the rows by a column, within each group. Rows without a value come last; equal rows stay in order.
 */
export function sortRows(
  rows: readonly ComparedRow[],
  sort: Sort | null,
  columns: readonly Column[],
): readonly ComparedRow[] {
  const by = columns.find(({ id }) => id === sort?.column)?.by;
  const direction = sort?.descending === true ? -1 : 1;
  return [...rows].sort((a, b) => {
    if (a.group !== b.group || by === undefined) return a.group - b.group;
    const [x, y] = [by(a), by(b)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    return direction * (typeof x === 'string' || typeof y === 'string' ? String(x).localeCompare(String(y)) : x - y);
  });
}

/** Sort order after a click on a column: ascending, then descending, then the original order. */
export function nextSort(column: string, sort: Sort | null): Sort | null {
  if (sort?.column !== column) return { column, descending: false };
  return sort.descending ? null : { column, descending: true };
}
