/** Columns of the comparison: what each shows and sorts by. No React. */
import type { ComparedRow } from '../../../electron/contract/comparison.ts';
import { gainOf, measuredTime, timesText } from '../../base/measured.ts';
import { compact, errorSize, fixed, NO_VALUE, percent } from '../../base/numbers.ts';

export interface Column {
  readonly id: string;
  readonly title: string;
  /** What it is, where the title is short. */
  readonly tip: string;
  readonly align: 'left' | 'right';
  readonly text: (row: ComparedRow) => string;
  /** Of the number that it sorts by. */
  readonly unit?: string;
  /** Null sorts last. */
  readonly by: (row: ComparedRow) => number | string | null;
}

function modeText(row: ComparedRow, mode: 'cold' | 'graph'): string {
  const found = row.modes.find((one) => one.mode === mode);
  if (found === undefined) return NO_VALUE;
  return found.time_s === null ? 'not possible' : measuredTime(found.time_s);
}

export function modeReason(row: ComparedRow, mode: 'cold' | 'graph'): string | null {
  return row.modes.find((one) => one.mode === mode)?.reason ?? null;
}

function intervalText({ time_interval }: ComparedRow): string {
  if (time_interval === null) return '';
  return ` (${measuredTime(time_interval.low)}–${measuredTime(time_interval.high)})`;
}

/** Faster and wrong is told as what it is. */
export function verdictText({ verdict, ratio }: ComparedRow): string {
  if (verdict !== 'wrong') return verdict;
  return ratio.value < 1 ? 'wrong, though faster' : 'wrong';
}

const number = (of: (row: ComparedRow) => number | null): Column['by'] => of;

export const columns: readonly Column[] = [
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
    text: ({ precision }) => precision,
    by: ({ precision }) => precision,
  },
  {
    id: 'time',
    unit: 's',
    title: 'Steps',
    tip: 'Median time of the steps with its 95 % interval: by the device’s clock on a GPU, by the host’s on the CPU',
    align: 'right',
    text: (row) => `${measuredTime(row.time_s)}${intervalText(row)}`,
    by: number(({ time_s }) => time_s),
  },
  {
    id: 'gain',
    title: 'Times faster',
    tip: 'Than the reference: ratio of medians with its 95 % bootstrap interval',
    align: 'right',
    text: (row) => (row.verdict === 'reference' ? '1' : timesText(gainOf(row.ratio))),
    by: number(({ ratio }) => 1 / ratio.value),
  },
  {
    id: 'verdict',
    title: 'Verdict',
    tip: 'Faster or slower only where the whole interval lies outside of the noise floor; wrong where the dose is',
    align: 'left',
    text: verdictText,
    by: ({ verdict }) => verdict,
  },
  {
    id: 'cold',
    unit: 's',
    title: 'Cold',
    tip: 'With the caches emptied just before',
    align: 'right',
    text: (row) => modeText(row, 'cold'),
    by: number((row) => row.modes.find(({ mode }) => mode === 'cold')?.time_s ?? null),
  },
  {
    id: 'graph',
    unit: 's',
    title: 'As a graph',
    tip: 'With the launches of a batch of steps replayed as one graph',
    align: 'right',
    text: (row) => modeText(row, 'graph'),
    by: number((row) => row.modes.find(({ mode }) => mode === 'graph')?.time_s ?? null),
  },
  {
    id: 'setup',
    unit: 's',
    title: 'Set-up',
    tip: 'Tables, device, kernels, upload and start state: median of the rounds',
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
  {
    id: 'wall',
    unit: 's',
    title: 'Whole run',
    tip: 'From the problem to the result',
    align: 'right',
    text: ({ wall_s }) => measuredTime(wall_s),
    by: number(({ wall_s }) => wall_s),
  },
  {
    id: 'rate',
    unit: '1/s',
    title: 'Cell-steps',
    tip: 'Cells of phase space times steps, per second',
    align: 'right',
    text: ({ cell_steps_per_s }) => `${compact(cell_steps_per_s)}/s`,
    by: number(({ cell_steps_per_s }) => cell_steps_per_s),
  },
  {
    id: 'parity',
    title: 'Dose error',
    tip: 'Relative L2 difference of the dose from the FP64 reference; of a stored run from the reference row',
    align: 'right',
    text: ({ rel_l2 }) => errorSize(rel_l2),
    by: number(({ rel_l2 }) => rel_l2),
  },
  {
    id: 'ledger',
    title: 'Ledger',
    tip: 'Larger of the relative errors of the number and the energy balance',
    align: 'right',
    text: ({ ledger_error }) => errorSize(ledger_error),
    by: number(({ ledger_error }) => ledger_error),
  },
  {
    id: 'determinism',
    title: 'Repeats',
    tip: 'Whether every run gave the same bits, else the largest difference over the largest dose',
    align: 'left',
    text: ({ determinism: d }) => (d === null ? NO_VALUE : d.bitwise ? 'same bits' : `±${errorSize(d.spread)}`),
    by: number(({ determinism }) => determinism?.spread ?? null),
  },
  {
    id: 'flagged',
    title: 'Throttled',
    tip: 'Samples under a throttled or dropped clock: kept, and flagged',
    align: 'right',
    text: ({ flagged, samples }) => (flagged === 0 ? 'none' : `${flagged} of ${samples.length}`),
    by: number(({ flagged }) => flagged),
  },
  {
    id: 'spread',
    title: 'Spread',
    tip: 'Median absolute deviation over the median',
    align: 'right',
    text: ({ spread }) => percent(spread),
    by: number(({ spread }) => spread),
  },
  {
    id: 'r80',
    unit: 'mm',
    title: 'R80',
    tip: 'Distal 80 % depth, of stored runs',
    align: 'right',
    text: ({ r80_mm }) => (r80_mm === null ? NO_VALUE : `${fixed(r80_mm, 2)} mm`),
    by: number(({ r80_mm }) => r80_mm),
  },
];

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** A copy in the order of a column; what has no value last, equals as they were. */
export function sorted(rows: readonly ComparedRow[], sort: Sort | null): readonly ComparedRow[] {
  const by = columns.find(({ id }) => id === sort?.column)?.by;
  if (sort === null || by === undefined) return rows;
  const direction = sort.descending ? -1 : 1;
  return [...rows].sort((a, b) => {
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
