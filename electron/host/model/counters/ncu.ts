/** Counters of a run from the CSV of Nsight Compute, either page, summed over all kernels. */
import type { Quantity } from '../../../contract/bench/bench-session.ts';
import { BraggError } from '../../../contract/errors.ts';

const STALLED = /^smsp__average_warps_issue_stalled_(\w+)_per_issue_active(?:\.ratio)?$/;

const OCCUPANCY = 'sm__warps_active.avg.pct_of_peak_sustained_active';
const TIME = 'gpu__time_duration.sum';
/** Lookups of sectors in a cache; sums of them add up over launches, which their rates do not. */
const lookups = (cache: string) =>
  [`${cache}__t_sectors_lookup_hit.sum`, `${cache}__t_sectors_lookup_miss.sum`] as const;
const [L1, L2] = [lookups('l1tex'), lookups('lts')];

/** Metrics requested from `ncu`; others in a CSV are ignored. */
export const ncuMetrics = [
  'dram__bytes_read.sum',
  'dram__bytes_write.sum',
  'lts__t_bytes.sum',
  'smsp__inst_executed.sum',
  TIME,
  OCCUPANCY,
  ...L1,
  ...L2,
  'regex:smsp__average_warps_issue_stalled_.*_per_issue_active',
] as const;

export interface Counters {
  readonly launches: number;
  /** Null if the CSV lacks it for a launch. */
  readonly dram_bytes: number | null;
  readonly l2_bytes: number | null;
  /** Each of a whole warp. */
  readonly instructions: number | null;
  /** Warps on a multiprocessor over the most that it holds, in the mean over the time of the kernels. */
  readonly occupancy: number | null;
  /** Share of the sectors looked up that each cache had. */
  readonly l1_hits: number | null;
  readonly l2_hits: number | null;
  /** Under ncu, which serialises kernels and may lower the clock. */
  readonly time_s: number | null;
  /** Share of the cycles that warps waited, the longest first; without those that were issued. */
  readonly stalls: readonly { readonly reason: string; readonly share: number }[];
}

const powers: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

const TIMES: Readonly<Record<string, number>> = { n: 1e-9, u: 1e-6, µ: 1e-6, μ: 1e-6, m: 1e-3, '': 1 };
const COUNTED = /^(k|m|g|t|)(i?)(bytes?|b|inst|sectors?)$/i;

/** Units that each metric may have: a number in another unit would be misread. */
const unitsOf: readonly (readonly [RegExp, RegExp])[] = [
  [/^(dram|lts)__(t_)?bytes/, /^(bytes?|b)$/i],
  [/__inst_executed\.sum$/, /^inst$/i],
  [/_t_sectors_/, /^sectors?$/i],
];

/** In bytes, seconds or counts, whatever prefix ncu chose; null for a unit that the metric cannot have. */
function perUnit(metric: string, unit: string): number | null {
  const time = /^([nuµμm]|)s(?:ec(?:ond)?)?s?$/.exec(unit)?.[1];
  if (metric === TIME) return time === undefined ? null : (TIMES[time] ?? null);
  const counted = unitsOf.find(([of]) => of.test(metric))?.[1];
  if (counted === undefined) return 1;
  const [, prefix = '', binary = '', what = ''] = COUNTED.exec(unit) ?? [];
  // Counts without a unit are printed by old versions.
  if (!counted.test(what)) return unit === '' ? 1 : null;
  return (binary === '' ? 1000 : 1024) ** (powers[prefix.toLowerCase()] ?? 0);
}

const allowedUnits = (metric: string): string =>
  metric === TIME
    ? 'ns, us, ms, s'
    : metric.includes('bytes')
      ? 'byte, with a prefix'
      : 'inst or sector, with a prefix';

/** Every field is quoted, as ncu writes it. */
function fields(line: string): readonly string[] {
  return [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, text = '']) => text.replaceAll('""', '"'));
}

interface NcuValue {
  /** Number of the launch in its process, and the process. */
  readonly launch: string;
  readonly metric: string;
  /** Null if ncu has no number: nan, n/a or nothing. */
  readonly value: number | null;
}

const isMetric = (name: string): boolean => name.includes('__');

/** Launches are counted for each process, of which several may be profiled at once. */
function launchOf(head: readonly string[], row: readonly string[]): string {
  const names = ['ID', 'Process ID', 'Host Name'];
  return names.map((name) => row[head.indexOf(name)] ?? '').join(' ');
}

interface Cell {
  readonly launch: string;
  readonly metric: string;
  readonly unit: string;
  readonly text: string;
}

/** A row a launch, a column a metric; the row below the head has the units. */
function wide(head: readonly string[], rows: readonly (readonly string[])[]): readonly Cell[] {
  const [units = [], ...launches] = rows;
  return launches.flatMap((row) =>
    head.flatMap((metric, i) =>
      isMetric(metric) ? [{ launch: launchOf(head, row), metric, unit: units[i] ?? '', text: row[i] ?? '' }] : [],
    ),
  );
}

/** A row a metric of a launch. */
function long(head: readonly string[], rows: readonly (readonly string[])[]): readonly Cell[] {
  const at = (name: string): number => head.indexOf(name);
  const [name, unit, number] = [at('Metric Name'), at('Metric Unit'), at('Metric Value')];
  return rows.map((row) => ({
    launch: launchOf(head, row),
    metric: row[name] ?? '',
    unit: row[unit] ?? '',
    text: row[number] ?? '',
  }));
}

/** Separators of thousands that are no sign of a decimal: spaces and apostrophes. */
const SPACES = /[\s\u00a0\u202f'’]/g;

/** A comma or a point in a number that no grouping of thousands puts there. */
function decimalIn(text: string): ',' | '.' | null {
  const plain = text.replaceAll(SPACES, '');
  const marks = plain.replaceAll(/[^.,]/g, '');
  if (!/^-?[\d.,]+(e[+-]?\d+)?$/i.test(plain) || marks === '') return null;
  const [first, last] = [marks[0], marks.at(-1)] as readonly [',' | '.', ',' | '.'];
  if (first !== last) return last;
  // One mark several times separates thousands, and so the other one decimals.
  if (marks.length > 1) return last === ',' ? '.' : ',';
  return /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(plain) ? null : last;
}

const WHOLE_UNIT = /^(bytes?|b|inst|sectors?)$/i;

/** The decimal mark of a whole file: ncu follows the locale. Throws where its numbers have both. */
function decimalOf(name: string, cells: readonly Cell[]): ',' | '.' {
  const signs = new Map<',' | '.', string>();
  for (const { text, unit } of cells) {
    // Whole bytes and instructions have no decimals: what looks like one parts thousands.
    const parted = WHOLE_UNIT.test(unit)
      ? /^-?[1-9]\d{0,2}([.,])\d{3}$/.exec(text.replaceAll(SPACES, ''))?.[1]
      : undefined;
    const sign = parted === undefined ? decimalIn(text) : parted === '.' ? ',' : '.';
    if (sign !== null && !signs.has(sign)) signs.set(sign, text);
  }
  if (signs.size > 1) {
    const both = [...signs.values()].join(' and ');
    throw new BraggError('invalid', `${name}: its numbers have both decimal points and commas (${both}); allowed: one`);
  }
  return [...signs.keys()][0] ?? '.';
}

function numberOf(text: string, decimal: ',' | '.'): number | null {
  const plain = text
    .replaceAll(SPACES, '')
    .replaceAll(decimal === '.' ? ',' : '.', '')
    .replace(decimal, '.');
  const value = plain === '' ? Number.NaN : Number(plain);
  return Number.isFinite(value) ? value : null;
}

/** None where a launch lacks a number: shares of the others would not be those of the run. */
function stallsOf(values: readonly NcuValue[], launches: number): Counters['stalls'] {
  const issued = new Map(
    values.filter(({ metric }) => metric === 'smsp__inst_executed.sum').map(({ launch, value }) => [launch, value]),
  );
  const waited = new Map<string, number>();
  const counted = new Map<string, number>();
  for (const { launch, metric, value } of values) {
    const reason = STALLED.exec(metric)?.[1];
    // Warps that are chosen wait for nothing.
    if (reason === undefined || reason === 'selected' || reason.endsWith('_not_issued')) continue;
    const weight = issued.size === 0 && launches === 1 ? 1 : issued.get(launch);
    if (value === null || weight === null || weight === undefined) return [];
    waited.set(reason, (waited.get(reason) ?? 0) + value * weight);
    counted.set(reason, (counted.get(reason) ?? 0) + 1);
  }
  if ([...counted.values()].some((count) => count !== launches)) return [];
  const all = [...waited.values()].reduce((sum, one) => sum + one, 0);
  return all === 0
    ? []
    : [...waited]
        .map(([reason, one]) => ({ reason: reason.replaceAll('_', ' '), share: one / all }))
        .sort((a, b) => b.share - a.share);
}

/** Null if a launch lacks its occupancy, or if its weight among several is unknown. */
function occupancyOf(values: readonly NcuValue[], launches: number): number | null {
  const of = (wanted: string): ReadonlyMap<string, number> =>
    new Map(
      values.flatMap(({ launch, metric, value }) => (metric === wanted && value !== null ? [[launch, value]] : [])),
    );
  const [active, times] = [of(OCCUPANCY), of(TIME)];
  if (active.size === 0 || active.size !== launches) return null;
  const weights = launches === 1 ? new Map([...active.keys()].map((launch) => [launch, 1])) : times;
  if (weights.size !== launches) return null;
  const whole = [...weights.values()].reduce((all, one) => all + one, 0);
  const sum = [...active].reduce((all, [launch, percent]) => all + percent * (weights.get(launch) ?? 0), 0);
  return whole === 0 ? null : sum / whole / 100;
}

/** Metrics of all kernels, each once for a launch: sections of a report repeat them. Throws BraggError `invalid`. */
export function ncuValues(text: string, name: string): readonly NcuValue[] {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.startsWith('"ID",'));
  const head = fields(lines[first] ?? '');
  const rows = first < 0 ? [] : lines.slice(first + 1).flatMap((line) => (line.startsWith('"') ? [fields(line)] : []));
  const cells = head.includes('Metric Name') ? long(head, rows) : wide(head, rows);
  const decimal = decimalOf(name, cells);
  const values = new Map<string, NcuValue>();
  for (const { launch, metric, unit, text: number } of cells) {
    const value = numberOf(number, decimal);
    const factor = perUnit(metric, unit);
    if (factor === null) {
      throw new BraggError('invalid', `${name}: ${metric} is in "${unit}"; allowed: ${allowedUnits(metric)}`);
    }
    values.set(`${launch}\0${metric}`, { launch, metric, value: value === null ? null : value * factor });
  }
  return [...values.values()];
}

/** `name` is how messages call it. Throws BraggError `invalid` for what is no such CSV. */
export function readNcuCsv(text: string, name: string): Counters {
  const values = ncuValues(text, name);
  const launches = new Set(values.map(({ launch }) => launch)).size;
  /** Null if any launch lacks a number: a partial sum is not the run's total. */
  const sum = (wanted: string): number | null => {
    const found = values.flatMap(({ metric, value }) => (metric === wanted && value !== null ? [value] : []));
    return found.length === 0 || found.length !== launches ? null : found.reduce((all, value) => all + value, 0);
  };
  const share = ([hit, miss]: readonly [string, string]): number | null => {
    const [hits, misses] = [sum(hit), sum(miss)];
    return hits === null || misses === null || hits + misses === 0 ? null : hits / (hits + misses);
  };
  const [read, written] = [sum('dram__bytes_read.sum'), sum('dram__bytes_write.sum')];
  const counters = {
    launches,
    // One way alone is not what a run moved.
    dram_bytes: read === null || written === null ? sum('dram__bytes.sum') : read + written,
    l2_bytes: sum('lts__t_bytes.sum'),
    instructions: sum('smsp__inst_executed.sum') ?? sum('sm__inst_executed.sum'),
    occupancy: occupancyOf(values, launches),
    l1_hits: share(L1),
    l2_hits: share(L2),
    time_s: sum(TIME),
    stalls: stallsOf(values, launches),
  };
  const { dram_bytes, l2_bytes, instructions, occupancy, l1_hits, l2_hits, stalls } = counters;
  const numbers = [dram_bytes, l2_bytes, instructions, occupancy, l1_hits, l2_hits];
  if (numbers.every((value) => value === null) && stalls.length === 0) {
    const lacking = values.find(({ value }) => value === null)?.metric;
    if (lacking !== undefined) {
      const there = values.filter(({ metric, value }) => metric === lacking && value !== null).length;
      throw new BraggError(
        'invalid',
        `${name}: ${lacking} has a number in ${there} of ${launches} launches; allowed: in all, as their sum is the run's`,
      );
    }
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
export function counterQuantities(counters: Counters): Quantity[] {
  const { launches, dram_bytes, l2_bytes, instructions, occupancy, l1_hits, l2_hits, stalls } = counters;
  const percent = (value: number | null): number | null => (value === null ? null : 100 * value);
  const all: readonly Quantity[] = [
    { id: 'ncu_launches', title: 'Kernels counted', value: launches, unit: '' },
    { id: 'ncu_dram_bytes', title: 'DRAM of a run, counted', value: dram_bytes, unit: 'B' },
    { id: 'ncu_l2_bytes', title: 'L2 of a run, counted', value: l2_bytes, unit: 'B' },
    { id: 'ncu_instructions', title: 'Warp instructions', value: instructions, unit: '' },
    { id: 'ncu_occupancy', title: 'Achieved occupancy', value: percent(occupancy), unit: '%' },
    { id: 'ncu_l1_hits', title: 'Hits in L1', value: percent(l1_hits), unit: '%' },
    { id: 'ncu_l2_hits', title: 'Hits in L2', value: percent(l2_hits), unit: '%' },
    ...stalls.slice(0, toldStalls).map(({ reason, share }) => ({
      ...{ id: `ncu_stall_${reason.replaceAll(' ', '_')}`, title: `Waits: ${reason}`, value: 100 * share, unit: '%' },
    })),
  ];
  return all.filter(({ value }) => value !== null);
}
