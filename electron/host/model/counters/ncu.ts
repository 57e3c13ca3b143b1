/** What Nsight Compute counted of a run: its CSV, either page, summed over all kernels. */
import type { Quantity } from '../../../contract/bench/bench-session.ts';
import { BraggError } from '../../../contract/errors.ts';

const STALLED = /^smsp__average_warps_issue_stalled_(\w+)_per_issue_active(?:\.ratio)?$/;

/** Metrics that `ncu` is asked for; of a CSV with others, those of these that it has are taken. */
export const ncuMetrics = [
  'dram__bytes_read.sum',
  'dram__bytes_write.sum',
  'lts__t_bytes.sum',
  'smsp__inst_executed.sum',
  'gpu__time_duration.sum',
  'regex:smsp__average_warps_issue_stalled_.*_per_issue_active',
] as const;

export interface Counters {
  readonly launches: number;
  /** Null is what the CSV does not have. */
  readonly dram_bytes: number | null;
  readonly l2_bytes: number | null;
  /** Each of a whole warp. */
  readonly instructions: number | null;
  /** Under ncu, which serialises kernels and may lower the clock. */
  readonly time_s: number | null;
  /** Share of the cycles that warps waited, the longest first; without those that were issued. */
  readonly stalls: readonly { readonly reason: string; readonly share: number }[];
}

const powers: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

/** In bytes, seconds or counts, whatever prefix ncu chose. */
function inUnit(value: number, unit: string): number {
  const time = /^(n|u|m|)s(?:ec(?:ond)?)?$/.exec(unit)?.[1];
  if (time !== undefined) return value * ({ n: 1e-9, u: 1e-6, m: 1e-3 }[time] ?? 1);
  const [, prefix, binary] = /^(k|m|g|t|)(i?)(?:bytes?|b|inst)$/i.exec(unit) ?? [];
  if (prefix === undefined) return value;
  return value * (binary === '' ? 1000 : 1024) ** (powers[prefix.toLowerCase()] ?? 0);
}

/** Every field is quoted, as ncu writes it. */
function fields(line: string): readonly string[] {
  return [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, text = '']) => text.replaceAll('""', '"'));
}

interface NcuValue {
  readonly launch: string;
  readonly metric: string;
  readonly value: number;
}

/** A row a launch, a column a metric; the row below the head has the units. */
function wide(head: readonly string[], rows: readonly (readonly string[])[]): readonly NcuValue[] {
  const [units = [], ...launches] = rows;
  return launches.flatMap((row) =>
    head.flatMap((metric, i) => {
      const value = numberOf(row[i]);
      return !metric.includes('__') || value === null
        ? []
        : [{ launch: row[0] ?? '', metric, value: inUnit(value, units[i] ?? '') }];
    }),
  );
}

/** A row a metric of a launch. */
function long(head: readonly string[], rows: readonly (readonly string[])[]): readonly NcuValue[] {
  const at = (name: string): number => head.indexOf(name);
  const [name, unit, number] = [at('Metric Name'), at('Metric Unit'), at('Metric Value')];
  return rows.flatMap((row) => {
    const value = numberOf(row[number]);
    return value === null
      ? []
      : [{ launch: row[0] ?? '', metric: row[name] ?? '', value: inUnit(value, row[unit] ?? '') }];
  });
}

/** ncu writes thousands apart. */
function numberOf(text: string | undefined): number | null {
  const value = text === undefined || text === '' ? Number.NaN : Number(text.replaceAll(',', ''));
  return Number.isFinite(value) ? value : null;
}

function stallsOf(values: readonly NcuValue[]): Counters['stalls'] {
  const issued = new Map(
    values.filter(({ metric }) => metric === 'smsp__inst_executed.sum').map(({ launch, value }) => [launch, value]),
  );
  const waited = new Map<string, number>();
  for (const { launch, metric, value } of values) {
    const reason = STALLED.exec(metric)?.[1];
    // Warps that are chosen wait for nothing.
    if (reason === undefined || reason === 'selected' || reason.endsWith('_not_issued')) continue;
    waited.set(reason, (waited.get(reason) ?? 0) + value * (issued.get(launch) ?? 1));
  }
  const all = [...waited.values()].reduce((sum, one) => sum + one, 0);
  return all === 0
    ? []
    : [...waited]
        .map(([reason, one]) => ({ reason: reason.replaceAll('_', ' '), share: one / all }))
        .sort((a, b) => b.share - a.share);
}

/** All that a CSV has of all kernels. */
export function ncuValues(text: string): readonly NcuValue[] {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.startsWith('"ID",'));
  const head = fields(lines[first] ?? '');
  const rows = first < 0 ? [] : lines.slice(first + 1).flatMap((line) => (line.startsWith('"') ? [fields(line)] : []));
  return head.includes('Metric Name') ? long(head, rows) : wide(head, rows);
}

/** `name` is how messages call it. Throws BraggError `invalid` for what is no such CSV. */
export function readNcuCsv(text: string, name: string): Counters {
  const values = ncuValues(text);
  const sum = (wanted: string): number | null => {
    const found = values.filter(({ metric }) => metric === wanted);
    return found.length === 0 ? null : found.reduce((all, { value }) => all + value, 0);
  };
  const [read, written] = [sum('dram__bytes_read.sum'), sum('dram__bytes_write.sum')];
  const counters = {
    launches: new Set(values.map(({ launch }) => launch)).size,
    // One way alone is not what a run moved.
    dram_bytes: read === null || written === null ? sum('dram__bytes.sum') : read + written,
    l2_bytes: sum('lts__t_bytes.sum'),
    instructions: sum('smsp__inst_executed.sum') ?? sum('sm__inst_executed.sum'),
    time_s: sum('gpu__time_duration.sum'),
    stalls: stallsOf(values),
  };
  const { dram_bytes, l2_bytes, instructions, stalls } = counters;
  if (dram_bytes === null && l2_bytes === null && instructions === null && stalls.length === 0) {
    throw new BraggError(
      'invalid',
      `${name}: has no counters of kernels; allowed: the CSV of ncu --csv --metrics ${ncuMetrics.join(',')}`,
    );
  }
  return counters;
}

/** More reasons than these say nothing of what to mend. */
const toldStalls = 3;

/** As rows of a session have them. */
export function counterQuantities({ launches, dram_bytes, l2_bytes, instructions, stalls }: Counters): Quantity[] {
  const all: readonly Quantity[] = [
    { id: 'ncu_launches', title: 'Kernels counted', value: launches, unit: '' },
    { id: 'ncu_dram_bytes', title: 'DRAM of a run, counted', value: dram_bytes, unit: 'B' },
    { id: 'ncu_l2_bytes', title: 'L2 of a run, counted', value: l2_bytes, unit: 'B' },
    { id: 'ncu_instructions', title: 'Warp instructions', value: instructions, unit: '' },
    ...stalls.slice(0, toldStalls).map(({ reason, share }) => ({
      ...{ id: `ncu_stall_${reason.replaceAll(' ', '_')}`, title: `Waits: ${reason}`, value: 100 * share, unit: '%' },
    })),
  ];
  return all.filter(({ value }) => value !== null);
}
