/** Columns of the comparison: what each shows and sorts by. Those every workload has, and its own. No React. */
import { headVerdict, isUnproven, type Quantity, type Whole } from '../../electron/contract/bench/bench-session.ts';
import type { ComparedRow } from '../../electron/contract/bench/comparison.ts';
import { type Accuracy, isIncorrect, type Words } from '../../electron/contract/bench/session.ts';
import { leastWhole, paysFrom } from './advice.ts';
import { gainOf, measuredTime, rateText, spreadText, timesText } from './measured.ts';
import { compact, errorSize, NO_VALUE, percent, significant } from './numbers.ts';

export interface Column {
  readonly id: string;
  readonly title: string;
  /** Explanation of a short title. */
  readonly tip: string;
  readonly align: 'left' | 'right';
  readonly text: (row: ComparedRow) => string;
  /** The cell is red: what it says makes the answer wrong. */
  readonly wrong?: (row: ComparedRow) => boolean;
  /** Unit of the number that it sorts by. */
  readonly unit?: string;
  /** If null, the row sorts last. */
  readonly by: (row: ComparedRow) => number | string | null;
}

function modeText(row: ComparedRow, mode: 'cold' | 'graph'): string {
  const found = row.modes.find((one) => one.mode === mode);
  if (found === undefined) return NO_VALUE;
  return found.time_s === null ? 'not possible' : measuredTime(found.time_s);
}

/** Why a cell has no time; null where it has, or where nothing is known. */
export function modeReason(row: ComparedRow, mode: 'cold' | 'graph' | 'process'): string | null {
  if (mode === 'process') return row.process?.reason ?? null;
  return row.modes.find((one) => one.mode === mode)?.reason ?? null;
}

function intervalText({ time_interval }: ComparedRow): string {
  if (time_interval === null) return '';
  return ` (${measuredTime(time_interval.low)}–${measuredTime(time_interval.high)})`;
}

/** The row's verdict; wrong and faster is both. */
export function verdictText(row: Pick<ComparedRow, 'verdict' | 'ratio' | 'whole'>): string {
  const verdict = headVerdict(row);
  if (!isIncorrect(verdict)) return verdict;
  return row.ratio.value < 1 ? `${verdict}, though faster` : verdict;
}

export function accuracyText(measure: Accuracy | undefined): string {
  if (measure === undefined) return NO_VALUE;
  if (measure.value === null) return measure.holds ? NO_VALUE : 'not a number';
  return `${errorSize(measure.value)}${measure.unit}`;
}

function repeatsText({ determinism: d }: Pick<ComparedRow, 'determinism'>): string {
  if (d === null) return NO_VALUE;
  if (d.bitwise) return 'same bits';
  return d.spread === null ? 'bits differ' : `±${errorSize(d.spread)}`;
}

function flaggedText({ flagged, samples }: Pick<ComparedRow, 'flagged' | 'samples'>): string {
  if (flagged === null) return NO_VALUE;
  return flagged === 0 ? 'none' : `${flagged} of ${samples.length}`;
}

/** Whole numbers as they are, times in their unit, the rest with four digits. */
function quantityText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return NO_VALUE;
  if (unit === 's') return measuredTime(value);
  if (unit === '1/s') return `${compact(value)}/s`;
  const number =
    Math.abs(value) >= 1e5 ? compact(value) : Number.isInteger(value) ? String(value) : significant(value, 4);
  return unit === '' ? number : `${number} ${unit}`;
}

/** The same with its 95 % interval, if the session reports one wider than a point. */
export function toldText(quantity: Quantity | undefined, unit: string): string {
  const text = quantityText(quantity?.value, unit);
  const { low, high } = quantity?.interval ?? { low: 0, high: 0 };
  return low === high ? text : `${text} (${quantityText(low, unit)}–${quantityText(high, unit)})`;
}

const number = (of: (row: ComparedRow) => number | null): Column['by'] => of;

const first: readonly Column[] = [
  {
    id: 'verdict',
    title: 'Verdict',
    tip: 'Of end-to-end runs where they were judged, else of steps. Faster or slower only where the whole interval lies outside of the noise floor; wrong where the answer is',
    align: 'left',
    text: verdictText,
    by: headVerdict,
  },
  {
    id: 'device',
    title: 'Device',
    tip: 'What it ran on',
    align: 'left',
    text: ({ device }) => device,
    by: ({ device }) => device,
  },
  {
    id: 'precision',
    title: 'Precision',
    tip: 'Of the computation',
    align: 'left',
    text: ({ precision }) => precision || NO_VALUE,
    by: ({ precision }) => precision,
  },
];

/** A ratio of times with what may be said of it; 1 of the reference. */
function standingText(standing: Pick<Whole, 'verdict'> & { readonly ratio: Whole['ratio'] | null }): string {
  if (standing.verdict === 'reference') return '1';
  return standing.ratio === null ? NO_VALUE : `${timesText(gainOf(standing.ratio))} ${standing.verdict}`;
}

/** Older small workloads keep a repetition by the host's clock there. */
export const hasWholeRun = ({ wall_s, whole, samples, subject }: ComparedRow): boolean =>
  wall_s !== null &&
  (whole !== null || subject.kind === 'run' || samples.some((sample) => sample.wall_s !== undefined));

/** End-to-end runs of rows measured in the same rounds as the reference; only these are comparable. */
function weighed(rows: readonly ComparedRow[]) {
  return rows.flatMap((row) =>
    row.wall_s === null || !hasWholeRun(row) || !(row.paired || row.verdict === 'reference')
      ? []
      : [{ row, wall_s: row.wall_s, setup_s: row.setup_s, time_s: row.time_s, right: !isUnproven(row.verdict) }],
  );
}

/** End-to-end columns: the time that a user waits for, before the time of the steps. */
function wholeColumns(rows: readonly ComparedRow[]): readonly Column[] {
  const all = weighed(rows);
  const groups = Map.groupBy(all, ({ row }) => row.group);
  const bestFor = ({ group }: ComparedRow) => leastWhole(groups.get(group) ?? []);
  const share = (row: ComparedRow): number | null =>
    hasWholeRun(row) && row.wall_s !== null && row.wall_s > 0 ? row.time_s / row.wall_s : null;
  const pays = (row: ComparedRow): number | null => {
    const own = all.find((one) => one.row === row);
    const best = bestFor(row);
    if (own === undefined || best === null || !own.right || own === best) return null;
    return paysFrom(best, own);
  };
  return [
    {
      id: 'wall',
      unit: 's',
      title: 'End to end',
      tip: 'Warm, by the host’s clock, from the problem to its answer in memory: what a user waits for',
      align: 'right',
      text: ({ wall_s }) => measuredTime(wall_s),
      by: number(({ wall_s }) => wall_s),
    },
    {
      id: 'whole',
      title: 'End to end, times faster',
      tip: 'Than the reference’s end-to-end run, with its 95 % interval',
      align: 'right',
      text: ({ whole }) =>
        whole === null ? NO_VALUE : whole.verdict === 'reference' ? '1' : timesText(gainOf(whole.ratio)),
      by: number(({ whole }) => (whole === null ? null : 1 / whole.ratio.value)),
    },
    {
      id: 'share',
      title: 'Share of steps',
      tip: 'What is measured as its time, of the whole run; the rest is set-up and reading back',
      align: 'right',
      text: (row) => percent(share(row)),
      by: share,
    },
    {
      id: 'pays',
      title: 'Pays from',
      tip: 'Runs that share one set-up, each to its answer in memory, from which on it takes less in all than the row with the quickest whole run',
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

const timeColumn = ({ time, timeTip }: Words): Column => ({
  id: 'time',
  unit: 's',
  title: time,
  tip: `Median time ${timeTip} with its 95 % interval: by the device’s clock on a GPU, by the host’s on the CPU`,
  align: 'right',
  text: (row) => `${measuredTime(row.time_s)}${intervalText(row)}`,
  by: number(({ time_s }) => time_s),
});

/** With a verdict of its own where the row's is of end-to-end runs. */
function gainText({ verdict, ratio, whole }: ComparedRow): string {
  if (verdict === 'reference') return '1';
  const times = timesText(gainOf(ratio));
  return whole === null || isUnproven(verdict) ? times : `${times} ${verdict}`;
}

const middle: readonly Column[] = [
  {
    id: 'gain',
    title: 'Times faster',
    tip: 'Than the reference, with its 95 % interval',
    align: 'right',
    text: gainText,
    by: number(({ ratio }) => 1 / ratio.value),
  },
  {
    id: 'process',
    unit: 's',
    title: 'Cold process',
    tip: 'From starting a process of its own to the answer in its memory, and times faster than the reference’s',
    align: 'right',
    text: ({ process }) => {
      if (process === null) return NO_VALUE;
      if (process.time_s === null) return 'not possible';
      const time = measuredTime(process.time_s);
      return process.verdict === 'reference' ? time : `${time}, ${standingText(process)}`;
    },
    by: number(({ process }) => process?.time_s ?? null),
  },
  {
    id: 'cold',
    unit: 's',
    title: 'Cold caches',
    tip: 'With the caches emptied just before',
    align: 'right',
    text: (row) => modeText(row, 'cold'),
    by: number((row) => row.modes.find(({ mode }) => mode === 'cold')?.time_s ?? null),
  },
  {
    id: 'graph',
    unit: 's',
    title: 'As a graph',
    tip: 'With its launches captured and replayed as one graph',
    align: 'right',
    text: (row) => modeText(row, 'graph'),
    by: number((row) => row.modes.find(({ mode }) => mode === 'graph')?.time_s ?? null),
  },
  {
    id: 'setup',
    unit: 's',
    title: 'Set-up',
    tip: 'Tables, device, kernels, upload and start state: median of the rounds, or once where it is done once',
    align: 'right',
    text: ({ setup_s }) => measuredTime(setup_s),
    by: number(({ setup_s }) => setup_s),
  },
  {
    id: 'first_setup',
    unit: 's',
    title: 'First set-up',
    tip: 'Of the first run of the process, which opens the device and loads the kernels',
    align: 'right',
    text: ({ first_setup_s }) => measuredTime(first_setup_s),
    by: number(({ first_setup_s }) => first_setup_s),
  },
];

const last: readonly Column[] = [
  {
    id: 'determinism',
    title: 'Repeats',
    tip: 'Whether every run gave the same bits, else the largest difference over the largest value',
    align: 'left',
    text: repeatsText,
    by: number(({ determinism: d }) => (d === null ? null : d.bitwise ? 0 : (d.spread ?? 1))),
  },
  {
    id: 'flagged',
    title: 'Flagged',
    tip: 'Samples under a throttled or dropped clock, or far from the others: kept. Without a number clocks were not recorded',
    align: 'right',
    text: flaggedText,
    by: number(({ flagged }) => flagged),
  },
  {
    id: 'spread',
    title: 'Spread',
    tip: 'Median absolute deviation over the median',
    align: 'right',
    text: ({ spread, samples }) => spreadText(spread, samples.length),
    by: number(({ spread, samples }) => (samples.length < 2 ? null : spread)),
  },
  {
    id: 'traffic',
    unit: 'byte/s',
    title: 'Traffic',
    tip: 'Declared bytes over the time, and their share of the measured copy bandwidth',
    align: 'right',
    text: ({ roofline }) => rateText(roofline?.bytes_per_s, roofline?.share_of_copy, 'copy'),
    by: number(({ roofline }) => roofline?.bytes_per_s ?? null),
  },
  {
    id: 'arithmetic',
    unit: 'FLOP/s',
    title: 'Arithmetic',
    tip: 'Declared operations over the time, and their share of the measured ceiling',
    align: 'right',
    text: ({ roofline }) => rateText(roofline?.flops_per_s, roofline?.share_of_flops, 'flops'),
    by: number(({ roofline }) => roofline?.flops_per_s ?? null),
  },
];

/** The first of each id, in the order that the rows have them. */
function each<T extends { readonly id: string }>(all: readonly T[]): readonly T[] {
  return [...new Map([...all].reverse().map((one) => [one.id, one])).values()].reverse();
}

function accuracyColumns(rows: readonly ComparedRow[]): readonly Column[] {
  return each(rows.flatMap(({ accuracy }) => accuracy)).map(({ id, title, tip, unit, bound }) => {
    const own = ({ accuracy }: ComparedRow): Accuracy | undefined => accuracy.find((one) => one.id === id);
    return {
      ...{ id, title, unit },
      tip: bound === null ? tip : `${tip}. At most ${errorSize(bound)} is right`,
      align: 'right',
      text: (row) => accuracyText(own(row)),
      wrong: (row) => own(row)?.holds === false,
      by: number((row) => own(row)?.value ?? null),
    };
  });
}

function quantityColumns(rows: readonly ComparedRow[]): readonly Column[] {
  return each(rows.flatMap(({ quantities }) => quantities)).map(({ id, title, unit }) => {
    const own = ({ quantities }: ComparedRow) => quantities.find((one) => one.id === id);
    return {
      ...{ id, title, unit },
      tip: `${title}: a number of this workload's own, with its 95 % interval where the session tells it`,
      align: 'right',
      text: (row) => toldText(own(row), unit),
      by: number((row) => own(row)?.value ?? null),
    };
  });
}

/** Before there are rows. */
const noWords: Words = { time: 'Time', timeTip: 'that is measured', size: '', rate: null };

export function columnsOf(rows: readonly ComparedRow[], words: Words | null): readonly Column[] {
  return [
    ...first,
    // Workloads that are prepared once and repeated have no end-to-end run.
    ...(rows.some(hasWholeRun) ? wholeColumns(rows) : []),
    timeColumn(words ?? noWords),
    ...middle,
    ...accuracyColumns(rows),
    ...last,
    ...quantityColumns(rows),
  ];
}

interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** A copy in the order of a column within each group; rows without a value last, equal ones in their own order. */
export function sorted(
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

/** Rising, falling, the rows' own order. */
export function nextSort(column: string, sort: Sort | null): Sort | null {
  if (sort?.column !== column) return { column, descending: false };
  return sort.descending ? null : { column, descending: true };
}
