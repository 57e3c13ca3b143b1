/** Reads hardware counters from the CSV output of Nsight Compute (either page), summed over all kernels of a run. */
import type { Quantity } from '../../../contract/bench/bench-session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { type FieldRules, forbiddenField, honoured, ignoredField, mayBeAbsent } from '../../../domain/header-fields.ts';

const STALL_METRIC = /^smsp__average_warps_issue_stalled_(\w+)_per_issue_active(?:\.ratio)?$/;

/**
 * Largest accepted percentage. Values above 100 occur, because short kernels run only a few cycles and percentages are
 * rounded.
 */
const MAX_PERCENT = 101;
const OCCUPANCY_METRIC = 'sm__warps_active.avg.pct_of_peak_sustained_active';
const TIME_METRIC = 'gpu__time_duration.sum';
const ISSUED_METRIC = 'smsp__inst_executed.sum';
/** Metrics with the sector lookups of a cache. Hits and misses can be summed over launches, unlike hit rates. */
const lookupMetrics = (cache: string) =>
  [`${cache}__t_sectors_lookup_hit.sum`, `${cache}__t_sectors_lookup_miss.sum`] as const;
const [L1, L2] = [lookupMetrics('l1tex'), lookupMetrics('lts')];

/** Metrics to request from `ncu`. Other metrics in a CSV file are ignored. */
export const ncuMetrics = [
  'dram__bytes_read.sum',
  'dram__bytes_write.sum',
  'lts__t_bytes.sum',
  ISSUED_METRIC,
  TIME_METRIC,
  OCCUPANCY_METRIC,
  ...L1,
  ...L2,
  'regex:smsp__average_warps_issue_stalled_.*_per_issue_active',
] as const;

const perKernelField = ignoredField('counters are summed over all kernels of the run');
const summary = forbiddenField('one value per launch, so omit --print-summary');

/**
 * Rules for the columns of `ncu --csv` on either page, by the documentation of its command line. All other columns are
 * metrics.
 */
export const ncuColumns: FieldRules = {
  id: honoured,
  'process id': honoured,
  'host name': honoured,
  'metric name': honoured,
  'metric unit': honoured,
  'metric value': honoured,
  minimum: summary,
  maximum: summary,
  average: summary,
  'standard deviation': summary,
  invocations: summary,
  'process name': perKernelField,
  'kernel name': perKernelField,
  'kernel time': perKernelField,
  context: perKernelField,
  stream: perKernelField,
  'block size': perKernelField,
  'grid size': perKernelField,
  device: honoured,
  cc: perKernelField,
  'section name': perKernelField,
  'rule name': ignoredField('rules restate metrics in words'),
  'rule type': ignoredField('rules restate metrics in words'),
  'rule description': ignoredField('rules restate metrics in words'),
};

export interface Counters {
  readonly launches: number;
  /**
   * DRAM traffic of the run; null if the CSV file lacks it for a launch. `l2_bytes` is the traffic of the L2 cache.
   */
  readonly dram_bytes: number | null;
  readonly l2_bytes: number | null;
  /** Instructions issued by warps; one for all threads of a warp. */
  readonly instructions: number | null;
  /** Active warps per multiprocessor, as a fraction of the maximum, averaged over the time of the kernels. */
  readonly occupancy: number | null;
  /** Hit rate of the L1 cache, 0 to 1: found sectors divided by looked-up sectors. `l2_hits` is that of L2. */
  readonly l1_hits: number | null;
  readonly l2_hits: number | null;
  /** Time of the kernels under ncu, which serializes them and may lower the clock. */
  readonly time_s: number | null;
  /**
   * Reasons for which warps waited, each with its fraction of the waiting cycles, largest first. Cycles in which a warp
   * issued are not counted.
   */
  readonly stalls: readonly { readonly reason: string; readonly share: number }[];
  /** Counters for which the CSV file gives no total of the run, each with the reason. */
  readonly notes: readonly string[];
}

const prefixPowers: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

const TIME_UNITS_S: Readonly<Record<string, number>> = { n: 1e-9, u: 1e-6, µ: 1e-6, μ: 1e-6, m: 1e-3, '': 1 };
const COUNT_UNIT = /^(k|m|g|t|)(i?)(bytes?|b|inst|sectors?)$/i;

/** Allowed units of each metric. A number in another unit would be misinterpreted. */
const allowedUnitPatterns: readonly (readonly [RegExp, RegExp])[] = [
  [/^(dram__bytes(_read|_write)?|lts__t_bytes)\.sum$/, /^(bytes?|b)$/i],
  [/__inst_executed\.sum$/, /^inst$/i],
  [/_t_sectors_lookup_(hit|miss)\.sum$/, /^sectors?$/i],
];

/** Factor from a unit of ncu to bytes, seconds or counts; null if the metric cannot have this unit. */
function unitFactor(metric: string, unit: string): number | null {
  const time = /^([nuµμm]|)s(?:ec(?:ond)?)?s?$/.exec(unit)?.[1];
  if (metric === TIME_METRIC) return time === undefined ? null : (TIME_UNITS_S[time] ?? null);
  if (metric === OCCUPANCY_METRIC) return unit === '%' ? 1 : null;
  const counted = allowedUnitPatterns.find(([of]) => of.test(metric))?.[1];
  if (counted === undefined) return 1;
  const [, prefix = '', binary = '', what = ''] = COUNT_UNIT.exec(unit) ?? [];
  // Old versions of ncu print counts without a unit. For bytes a missing unit would hide the prefix, so it is an error.
  if (!counted.test(what)) return unit === '' && !metric.includes('bytes') ? 1 : null;
  return (binary === '' ? 1000 : 1024) ** (prefixPowers[prefix.toLowerCase()] ?? 0);
}

const allowedUnits = (metric: string): string =>
  metric === TIME_METRIC
    ? 'ns, us, ms, s'
    : metric === OCCUPANCY_METRIC
      ? '%'
      : metric.includes('bytes')
        ? 'byte, with a prefix'
        : 'inst or sector, with a prefix';

/** Dialect of a CSV file: ncu quotes every field; spreadsheets quote few fields, and may use semicolons or tabs. */
interface CsvDialect {
  readonly quoted: boolean;
  readonly separator: string;
}

function splitFields(line: string, { quoted, separator }: CsvDialect): readonly string[] {
  const whole = quoted
    ? /"((?:[^"]|"")*)"(?:[,;\t]|$)/g
    : new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}]*))(?:${separator}|$)`, 'g');
  const found = [...line.matchAll(whole)];
  // Without quotes, fields may be empty. The pattern therefore also matches an empty field at the end of the line,
  // which is removed.
  const cells = quoted || found.at(-1)?.[0] !== '' || line.endsWith(separator) ? found : found.slice(0, -1);
  return cells.map(([, text, bare = '']) => text?.replaceAll('""', '"') ?? bare.trim());
}

interface NcuValue {
  /** Identity of the launch: its process, and its number within that process. */
  readonly launch: string;
  readonly metric: string;
  /** Value of the metric; null if ncu printed `nan`, `n/a` or nothing. */
  readonly value: number | null;
  /** Value as written in the file. */
  readonly text: string;
}

const isMetricName = (name: string): boolean => name.includes('__');

/** Identity of a launch. Launches are numbered within each process, and several processes may be profiled together. */
function launchId(head: readonly string[], row: readonly string[]): string {
  const names = ['ID', 'Process ID', 'Host Name', 'Device'];
  return names.map((name) => row[head.indexOf(name)] ?? '').join(' ');
}

interface MetricCell {
  readonly launch: string;
  readonly metric: string;
  readonly unit: string;
  readonly text: string;
}

/** Reads a table with one row per launch and one column per metric. The row below the head states the units. */
function readWideTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly MetricCell[] {
  const [units = [], ...launches] = rows;
  return launches.flatMap((row) =>
    head.flatMap((metric, i) =>
      isMetricName(metric) ? [{ launch: launchId(head, row), metric, unit: units[i] ?? '', text: row[i] ?? '' }] : [],
    ),
  );
}

/** Reads a table with one row per metric of each launch. */
function readLongTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly MetricCell[] {
  const at = (name: string): number => head.indexOf(name);
  const [name, unit, number] = [at('Metric Name'), at('Metric Unit'), at('Metric Value')];
  return rows.map((row) => ({
    launch: launchId(head, row),
    metric: row[name] ?? '',
    unit: row[unit] ?? '',
    text: row[number] ?? '',
  }));
}

/** Thousands separators that are never decimal marks: spaces and apostrophes. */
const SPACES = /[\s\u00a0\u202f'’]/g;

/** Decimal mark of a number (comma or point), if the number shows which of them it is; otherwise null. */
function decimalMarkIn(text: string): ',' | '.' | null {
  const plain = text.replaceAll(SPACES, '');
  const marks = plain.replaceAll(/[^.,]/g, '');
  if (!/^-?[\d.,]+(e[+-]?\d+)?$/i.test(plain) || marks === '') return null;
  const [first, last] = [marks[0], marks.at(-1)] as readonly [',' | '.', ',' | '.'];
  if (first !== last) return last;
  // A mark that occurs several times separates thousands, so the other one is the decimal mark.
  if (marks.length > 1) return last === ',' ? '.' : ',';
  return /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(plain) ? null : last;
}

const WHOLE_UNIT = /^(bytes?|b|inst|sectors?)$/i;

/** Decimal mark of a file, which depends on the locale in which ncu ran. Throws if the file uses both. */
function fileDecimalMark(name: string, cells: readonly MetricCell[]): ',' | '.' {
  const signs = new Map<',' | '.', string>();
  for (const { text, unit } of cells) {
    // Numbers of bytes and instructions are whole, so a single mark in them separates thousands.
    const parted = WHOLE_UNIT.test(unit)
      ? /^-?[1-9]\d{0,2}([.,])\d{3}$/.exec(text.replaceAll(SPACES, ''))?.[1]
      : undefined;
    const sign = parted === undefined ? decimalMarkIn(text) : parted === '.' ? ',' : '.';
    if (sign !== null && !signs.has(sign)) signs.set(sign, text);
  }
  if (signs.size > 1) {
    const both = [...signs.values()].join(' and ');
    throw new BraggError('invalid', `${name}: its numbers have both decimal points and commas (${both}); allowed: one`);
  }
  const unclear = cells.find(({ text, unit }) => !WHOLE_UNIT.test(unit) && /^-?[1-9]\d{0,2},\d{3}$/.test(text.trim()));
  if (signs.size === 0 && unclear !== undefined) {
    throw new BraggError(
      'invalid',
      `${name}: ${unclear.metric} is ${unclear.text} ${unclear.unit}, where the mark may separate thousands or decimals; allowed: a file in which another number shows the decimal mark, or ncu --print-units base`,
    );
  }
  return [...signs.keys()][0] ?? '.';
}

function parseNumber(text: string, decimal: ',' | '.'): number | null {
  const plain = text
    .replaceAll(SPACES, '')
    .replaceAll(decimal === '.' ? ',' : '.', '')
    .replace(decimal, '.');
  const value = plain === '' ? Number.NaN : Number(plain);
  return Number.isFinite(value) ? value : null;
}

/** Stall reasons of the run. Empty if a launch lacks a number, because the others alone do not represent the run. */
function stallShares(values: readonly NcuValue[], launches: number): Counters['stalls'] {
  const issued = new Map(
    values.filter(({ metric }) => metric === ISSUED_METRIC).map(({ launch, value }) => [launch, value]),
  );
  const waited = new Map<string, number>();
  const counted = new Map<string, number>();
  for (const { launch, metric, value } of values) {
    const reason = STALL_METRIC.exec(metric)?.[1];
    // A selected warp issues an instruction, so it does not wait.
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

type MissingCounters = Pick<Counters, 'occupancy' | 'stalls'>;

/** Metrics, besides stalls, from which the counters of a run are computed. */
const SUMMED_METRICS: ReadonlySet<string> = new Set([
  ...['dram__bytes_read.sum', 'dram__bytes_write.sum', 'dram__bytes.sum', 'lts__t_bytes.sum'],
  ...[ISSUED_METRIC, 'sm__inst_executed.sum', TIME_METRIC, OCCUPANCY_METRIC, ...L1, ...L2],
]);

const isCounter = (metric: string): boolean => SUMMED_METRICS.has(metric) || STALL_METRIC.test(metric);

/**
 * Mean occupancy of a run, weighted by the times of the launches. Null if a launch lacks its occupancy or its time.
 */
function meanOccupancy(values: readonly NcuValue[], launches: number): number | null {
  const of = (wanted: string): ReadonlyMap<string, number> =>
    new Map(
      values.flatMap(({ launch, metric, value }) => (metric === wanted && value !== null ? [[launch, value]] : [])),
    );
  const [active, times] = [of(OCCUPANCY_METRIC), of(TIME_METRIC)];
  if (active.size === 0 || active.size !== launches) return null;
  const weights = launches === 1 ? new Map([...active.keys()].map((launch) => [launch, 1])) : times;
  if (weights.size !== launches) return null;
  const whole = [...weights.values()].reduce((all, one) => all + one, 0);
  const sum = [...active].reduce((all, [launch, percent]) => all + percent * (weights.get(launch) ?? 0), 0);
  return whole === 0 ? null : sum / whole / 100;
}

/** Pattern for the texts that ncu prints in place of a value that it did not count. */
const UNCOUNTED_VALUE = /^[\s()<>-]*(?:nan|n\/a|inf|)[\s()<>-]*$/i;

/** Note that quotes the first value of a metric that is not a number; empty if all values are numbers. */
function unreadableValueText(values: readonly NcuValue[], wanted: string): string {
  const found = values.find(
    ({ metric, value, text }) => metric === wanted && value === null && !UNCOUNTED_VALUE.test(text),
  );
  return found === undefined ? '' : ` ("${found.text.slice(0, 40)}" is not one number in the digits 0 to 9)`;
}

/** Notes on counters that the CSV file contains, but from which no value of the run can be computed. */
function counterNotes(
  values: readonly NcuValue[],
  launches: number,
  { occupancy, stalls }: MissingCounters,
): readonly string[] {
  const numbers = new Map<string, number>();
  for (const { metric, value } of values) numbers.set(metric, (numbers.get(metric) ?? 0) + (value === null ? 0 : 1));
  const partial = [...numbers].filter(([metric, count]) => isCounter(metric) && count < launches);
  const notes = partial.map(
    ([metric, count]) =>
      `${metric} has a number in only ${count} of ${launches} launches${unreadableValueText(values, metric)}, so the value of the run is unknown`,
  );
  const whole = (metric: string): boolean => numbers.get(metric) === launches;
  if (occupancy === null && whole(OCCUPANCY_METRIC) && !numbers.has(TIME_METRIC)) {
    notes.push(`${OCCUPANCY_METRIC} of ${launches} launches cannot be averaged without the weight ${TIME_METRIC}`);
  }
  const stalled = [...numbers.keys()].some((metric) => STALL_METRIC.test(metric) && whole(metric));
  if (stalls.length === 0 && stalled && launches > 1 && !numbers.has(ISSUED_METRIC)) {
    notes.push(`stalls of ${launches} launches cannot be averaged without the weight ${ISSUED_METRIC}`);
  }
  return notes;
}

/**
 * Metrics of all launches. Each is listed once per launch, although the sections of a report repeat some. Throws
 * BraggError `invalid`, for example if two rows of one launch disagree.
 */
export function parseNcuValues(text: string, name: string): readonly NcuValue[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const begins = /^("?)ID\1([,;\t])/;
  const isHead = (line: string): boolean => begins.test(line) || /^"?\w.*[,;\t]"?Metric Name"?[,;\t]/.test(line);
  const first = lines.findIndex(isHead);
  const heading = lines[first] ?? '';
  const form = { quoted: heading.startsWith('"'), separator: /[,;\t]/.exec(heading)?.[0] ?? ',' };
  const head = splitFields(heading, form);
  if (lines.slice(first + 1).some((line) => first >= 0 && begins.test(line))) {
    throw new BraggError('invalid', `${name}: it has several CSV tables; allowed: one, from one call of ncu`);
  }
  const summed = head.find((column) => {
    const rule = ncuColumns[column.toLowerCase()];
    return rule !== undefined && mayBeAbsent(rule);
  });
  if (summed !== undefined) {
    throw new BraggError(
      'invalid',
      `${name}: it has the column ${summed}; allowed: one value per launch, so omit --print-summary`,
    );
  }
  const failed = lines.find((line) => line.startsWith('==ERROR=='));
  if (failed !== undefined && first >= 0) {
    throw new BraggError(
      'invalid',
      `${name}: ncu failed (${failed.slice(0, 80)}); allowed: the CSV of a completed run`,
    );
  }
  const isRow = (line: string): boolean =>
    form.quoted ? line.startsWith('"') : line.trim() !== '' && !line.startsWith('==');
  const rows =
    first < 0
      ? []
      : lines
          .slice(first + 1)
          .filter(isRow)
          .map((line) => splitFields(line, form));
  const cells = head.includes('Metric Name') ? readLongTable(head, rows) : readWideTable(head, rows);
  const decimal = fileDecimalMark(name, cells);
  const values = new Map<string, NcuValue>();
  for (const { launch, metric, unit, text: number } of cells) {
    const value = parseNumber(number, decimal);
    const factor = unitFactor(metric, unit);
    // ncu may omit the unit of a value that it did not count.
    if (factor === null && (value !== null || unit !== '')) {
      throw new BraggError('invalid', `${name}: ${metric} is in "${unit}"; allowed: ${allowedUnits(metric)}`);
    }
    // Attributes such as launch__ and device__ are -1 if a GPU lacks them. A counter cannot be negative.
    if (value !== null && value < 0 && isCounter(metric)) {
      throw new BraggError('invalid', `${name}: ${metric} is ${number}; allowed: at least 0`);
    }
    if (metric === OCCUPANCY_METRIC && value !== null && value > MAX_PERCENT) {
      throw new BraggError('invalid', `${name}: ${metric} is ${number}; allowed: 0 to 100`);
    }
    const key = `${launch}\0${metric}`;
    const scaled = value === null || factor === null ? null : value * factor;
    const before = values.get(key)?.value ?? null;
    if (isMetricName(metric) && before !== null && scaled !== null && before !== scaled) {
      throw new BraggError(
        'invalid',
        `${name}: ${metric} of the launch with the ID ${launch.split(' ')[0]} is both ${before} and ${scaled}; allowed: one value, from one call of ncu`,
      );
    }
    values.set(key, { launch, metric, value: scaled ?? before, text: number });
  }
  return [...values.values()];
}

/**
 * Reads the counters of a run from a CSV file. `name` is used in messages. Throws BraggError `invalid` for any other
 * text.
 */
export function readNcuCsv(text: string, name: string): Counters {
  const values = parseNcuValues(text, name);
  const launches = new Set(values.map(({ launch }) => launch)).size;
  /** Sum over all launches; null if a launch lacks a number, because a partial sum is not the total of the run. */
  const sum = (wanted: string): number | null => {
    const found = values.flatMap(({ metric, value }) => (metric === wanted && value !== null ? [value] : []));
    return found.length === 0 || found.length !== launches ? null : found.reduce((all, value) => all + value, 0);
  };
  const share = ([hit, miss]: readonly [string, string]): number | null => {
    const [hits, misses] = [sum(hit), sum(miss)];
    return hits === null || misses === null || hits + misses === 0 ? null : hits / (hits + misses);
  };
  const [read, written] = [sum('dram__bytes_read.sum'), sum('dram__bytes_write.sum')];
  const weighed = { occupancy: meanOccupancy(values, launches), stalls: stallShares(values, launches) };
  const counters = {
    launches,
    // The traffic is reads plus writes; one of them alone is not reported.
    dram_bytes: read === null || written === null ? sum('dram__bytes.sum') : read + written,
    l2_bytes: sum('lts__t_bytes.sum'),
    instructions: sum(ISSUED_METRIC) ?? sum('sm__inst_executed.sum'),
    ...weighed,
    l1_hits: share(L1),
    l2_hits: share(L2),
    time_s: sum(TIME_METRIC),
    notes: counterNotes(values, launches, weighed),
  };
  const { dram_bytes, l2_bytes, instructions, occupancy, l1_hits, l2_hits, stalls } = counters;
  const numbers = [dram_bytes, l2_bytes, instructions, occupancy, l1_hits, l2_hits];
  if (numbers.every((value) => value === null) && stalls.length === 0) {
    const lacking = values.find(({ value }) => value === null)?.metric;
    if (lacking !== undefined) {
      const there = values.filter(({ metric, value }) => metric === lacking && value !== null).length;
      throw new BraggError(
        'invalid',
        `${name}: ${lacking} has a number in ${there} of ${launches} launches${unreadableValueText(values, lacking)}; allowed: in all launches, because the run's value is their sum`,
      );
    }
    throw new BraggError(
      'invalid',
      `${name}: it has no kernel counters; allowed: the CSV of ncu --csv --metrics ${ncuMetrics.join(',')}`,
    );
  }
  return counters;
}

/** Number of stall reasons to report. Rarer ones do not help to improve a kernel. */
const MAX_STALL_REASONS = 3;

/** Converts counters to quantities for the row of a variant in a session. */
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
    ...stalls.slice(0, MAX_STALL_REASONS).map(({ reason, share }) => ({
      ...{ id: `ncu_stall_${reason.replaceAll(' ', '_')}`, title: `Waits: ${reason}`, value: 100 * share, unit: '%' },
    })),
  ];
  return all.filter(({ value }) => value !== null);
}
