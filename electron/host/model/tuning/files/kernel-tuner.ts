/**
 * Common form of tuning results from other programs, with times in seconds. Also reads and writes cache files of Kernel
 * Tuner. These grow line by line during tuning, and have times in milliseconds.
 */
import { z } from 'zod';
import { BraggError } from '../../../../contract/errors.ts';
import {
  allowOnly,
  checkFields,
  type FieldRules,
  type HonouredFieldName,
  honoured,
  ignoredField,
  oneOf,
} from '../../../../domain/header-fields.ts';
import { parseDecimal } from '../../../../domain/values/csv.ts';
import { parseTruncatedJson } from '../../../io/files/loose-json.ts';

/**
 * Outcome of a configuration. `right`: correct answer; `wrong`: it ran, but the answer is wrong. The others name the
 * step that failed.
 */
export type TuningOutcome = 'right' | 'wrong' | 'compile' | 'runtime' | 'timeout' | 'constraints';

type ParameterValue = number | string | boolean;

export interface TunedConfiguration {
  readonly configuration: Readonly<Record<string, ParameterValue>>;
  readonly outcome: TuningOutcome;
  /** Time in seconds; null if the configuration did not run to the end. */
  readonly time_s: number | null;
  readonly samples_s: readonly number[];
  readonly compile_s: number | null;
  /**
   * 1 if the error of the answer is allowed, otherwise the allowed error divided by the actual error. Null if the
   * answer was not checked.
   */
  readonly correctness: number | null;
  /** Time stamp of the measurement as written in the file; empty if there is none. */
  readonly timestamp: string;
}

export interface TuningResults {
  /** Name of the device; empty if unknown. */
  readonly device: string;
  readonly kernel: string;
  /** Problem size as text; empty if unknown. */
  readonly problem: string;
  readonly configurations: readonly TunedConfiguration[];
  /** Notes on the file that the user must know. */
  readonly notes?: readonly string[];
}

/** Time that older versions of Kernel Tuner write for a configuration that failed. */
const FAILED_TIME = 1e20;

/** Whether a value is a valid time. NaN, Infinity, 1e20, null, 0 and negative numbers mark a failure. */
export const isValidTime = (time: unknown): time is number =>
  typeof time === 'number' && Number.isFinite(time) && time > 0 && time < FAILED_TIME;

/**
 * Units per second, by common spellings of the unit, including wrong ones. A missing unit means milliseconds, as in
 * Kernel Tuner.
 */
const units: Readonly<Record<string, number>> = {
  '': 1e3,
  s: 1,
  sec: 1,
  second: 1,
  seconds: 1,
  ms: 1e3,
  msec: 1e3,
  millisecond: 1e3,
  milliseconds: 1e3,
  miliseconds: 1e3,
  us: 1e6,
  µs: 1e6,
  usec: 1e6,
  microsecond: 1e6,
  microseconds: 1e6,
  ns: 1e9,
  nsec: 1e9,
  nanosecond: 1e9,
  nanoseconds: 1e9,
};

/** Number of time units in one second. `usual` is the unit to assume if the file states none. */
export function unitsPerSecond(unit: string, name: string, usual = ''): number {
  const found = units[(unit === '' ? usual : unit).toLowerCase().replace('μ', 'µ')];
  if (found !== undefined) return found;
  throw new BraggError(
    'foreign-file',
    `${name}: ${JSON.stringify(unit)} is not a unit of time; allowed: s, ms, us, ns, or their names`,
  );
}

/** Unit of times, from a field that files spell differently. Throws if several spellings contradict each other. */
export function timeUnit(name: string, stated: Readonly<Record<string, string | undefined>>): string {
  const all = Object.entries(stated).flatMap(([field, unit]) =>
    unit === undefined || unit === '' ? [] : [{ field, unit }],
  );
  const [first] = all;
  const other = all.find(({ unit }) => unitsPerSecond(unit, name) !== unitsPerSecond(first?.unit ?? '', name));
  if (first === undefined || other === undefined) return first?.unit ?? '';
  throw new BraggError(
    'foreign-file',
    `${name}: ${first.field} is ${first.unit} but ${other.field} is ${other.unit}; allowed: one unit of time`,
  );
}

type Issue = z.core.$ZodIssue;

const allowedBy = (issue: Issue): readonly string[] =>
  issue.code === 'invalid_type'
    ? [issue.expected]
    : issue.code === 'invalid_union'
      ? issue.errors.flat().flatMap(allowedBy)
      : [issue.message];

/** Error for the first invalid field of a file, which states its value and the allowed values. */
export function invalidFieldError(name: string, document: unknown, { issues }: z.ZodError): BraggError {
  const [issue] = issues;
  const path = issue?.path ?? [];
  const value = path.reduce<unknown>((of, step) => (of as Record<PropertyKey, unknown> | undefined)?.[step], document);
  const has = value === undefined ? 'is absent' : `= ${JSON.stringify(value).slice(0, 40)}`;
  const allowed = issue === undefined ? [] : [...new Set(allowedBy(issue))];
  return new BraggError('foreign-file', `${name}: ${path.join('.') || 'it'} ${has}; allowed: ${allowed.join(', ')}`);
}

/** Tolerance for the rounding of times, as a ratio. */
const ROUNDING = 0.01;

/**
 * Throws BraggError `foreign-file` if a time is outside of the range of its samples, all in seconds. `where` is used in
 * the message.
 */
export function checkTime(time_s: number | null, samples_s: readonly number[], where: string): void {
  if (time_s === null || samples_s.length === 0) return;
  const [least, most] = samples_s.reduce(([a, b], one) => [Math.min(a, one), Math.max(b, one)], [Infinity, 0]);
  if (time_s >= least * (1 - ROUNDING) && time_s <= most * (1 + ROUNDING)) return;
  const ms = (one: number): string => `${Number((one * 1000).toPrecision(6))}`;
  const range = least === most ? ms(least) : `${ms(least)} to ${ms(most)}`;
  throw new BraggError(
    'foreign-file',
    `${where}: its time is ${ms(time_s)} ms, but its samples are ${range} ms; allowed: a time within its samples.`,
  );
}

/** Number of samples that mark a failure, such as 1e20; 0 if no sample is a time. */
export function failedSamples(all: readonly unknown[]): number {
  const times = all.filter(isValidTime).length;
  return times === 0 ? 0 : all.length - times;
}

/** Note on failed samples. `counts` has their number for each configuration whose other samples give a time. */
export function sampleNotes(counts: readonly number[]): readonly string[] {
  const some = counts.filter((count) => count > 0);
  const all = some.reduce((sum, count) => sum + count, 0);
  return all === 0
    ? []
    : [`${all} samples of ${some.length} configurations are not times, such as 1e20, and were omitted.`];
}

/** All values of each parameter in the results, in the order of their first use. */
export function parameterValues({ configurations }: TuningResults): ReadonlyMap<string, readonly ParameterValue[]> {
  const values = new Map<string, Set<ParameterValue>>();
  for (const { configuration } of configurations) {
    for (const [name, value] of Object.entries(configuration)) {
      const own = values.get(name) ?? new Set();
      values.set(name, own.add(value));
    }
  }
  return new Map([...values].map(([name, own]) => [name, [...own]]));
}

const duration = ignoredField('is not a kernel time');

/**
 * Rules for the keys of a cache file and its entries, by Kernel Tuner's schema. All other keys of an entry are
 * parameters or metrics.
 */
export const kernelTunerFields: FieldRules = {
  schema_version: allowOnly('1.0.0 to 1.x', (version) => /^1(\.\d+)*$/.test(version)),
  device_name: honoured,
  kernel_name: honoured,
  problem_size: honoured,
  tune_params_keys: honoured,
  cache: honoured,
  tune_params: ignoredField('lists values that occur in entries'),
  objective: ignoredField('the time of each entry is used, whatever the objective was'),
  ...{ time_unit: honoured, time_units: honoured, timeunit: honoured, unit: honoured, units: honoured },
};
export const kernelTunerEntryFields = {
  time: honoured,
  times: honoured,
  compile_time: honoured,
  timestamp: honoured,
  correctness: honoured,
  __error__: honoured,
  // Kernel Tuner writes no units, but other programs that write its format do.
  ...{ time_unit: honoured, time_units: honoured, times_unit: honoured, timeunit: honoured },
  ...{ unit: honoured, units: honoured },
  // Keys by which other programs mark correct answers. Kernel Tuner itself writes the name of a failure in place of the
  // time.
  ...{ correct: oneOf('true'), valid: oneOf('true'), verified: oneOf('true'), verification: oneOf('true') },
  ...{ invalidity: oneOf('correct'), status: oneOf('ok', 'correct', 'success', 'valid') },
  verification_time: duration,
  benchmark_time: duration,
  strategy_time: duration,
  framework_time: duration,
} satisfies FieldRules;

/** Replaces numbers that are not finite, such as 1e400, by null, which marks a failure in Kernel Tuner's files. */
const nonFiniteToNull = (number: unknown): unknown =>
  typeof number === 'number' && !Number.isFinite(number) ? null : number;

const value = z.union([z.number(), z.string(), z.boolean()]);

/** Pattern for keys that state the unit of times. */
const UNIT_KEY = /^(times?_?units?|units?)$/i;

/**
 * Units of time that an object states, by their keys, which are prefixed with `path`. Keys in `parameters` have another
 * meaning.
 */
export const timeUnits = (
  path: string,
  of: object,
  parameters: readonly string[] = [],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(of).flatMap(([key, unit]) =>
      UNIT_KEY.test(key) && !parameters.includes(key) && unit !== null && unit !== undefined
        ? [[`${path}${key}`, String(unit)]]
        : [],
    ),
  );
const anyValueSchema = z.unknown().optional();
const entrySchema = z.looseObject({
  /**
   * Time of a configuration: a number, the name of a failure, or null in place of NaN and Infinity. Spreadsheets
   * convert numbers to text.
   */
  time: z
    .preprocess(
      nonFiniteToNull,
      z
        .union([
          z.number(),
          z.string().transform((text) => (/^\s*[\d.]+(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : text)),
        ])
        .nullable(),
    )
    .optional(),
  times: z.array(z.preprocess(nonFiniteToNull, z.number().nullable())).nullable().optional(),
  compile_time: z.preprocess(nonFiniteToNull, z.number().nullable()).optional(),
  timestamp: z.string().optional(),
  correctness: z.number().nullable().optional(),
  __error__: z.string().nullish(),
  ...{ time_unit: anyValueSchema, time_units: anyValueSchema, times_unit: anyValueSchema, timeunit: anyValueSchema },
  ...{ unit: anyValueSchema, units: anyValueSchema },
} satisfies Record<HonouredFieldName<typeof kernelTunerEntryFields>, z.ZodType>);
const cacheSchema = z.looseObject({
  device_name: z.string().default(''),
  kernel_name: z.string().default(''),
  problem_size: z.unknown().optional(),
  tune_params_keys: z.array(z.string()).min(1),
  cache: z.record(z.string(), entrySchema).default({}),
});

const MS = 1000;
/** Depth of brackets at which entries are complete, for truncated files: within the outer object and its `cache`. */
const ENTRIES = 2;
const failures: Readonly<Record<string, TuningOutcome>> = {
  InvalidConfig: 'constraints',
  CompilationFailedConfig: 'compile',
  RuntimeFailedConfig: 'runtime',
};

/** Time of an entry. If it states none, the mean of its samples. */
function timeOf({ time, times }: z.infer<typeof entrySchema>) {
  const samples = times ?? [];
  if (time !== undefined || samples.length === 0 || !samples.every(isValidTime)) return time;
  return samples.reduce((sum, one) => sum + one, 0) / samples.length;
}

function outcomeOf(entry: z.infer<typeof entrySchema>): TuningOutcome {
  const time = timeOf(entry);
  const { __error__: error, correctness } = entry;
  if (typeof correctness === 'number' && correctness < 1) return 'wrong';
  const says = error ?? (typeof time === 'string' ? time : null);
  if (says !== null) return failures[says] ?? 'runtime';
  return isValidTime(time) ? 'right' : 'runtime';
}

/**
 * Whether a part of the key of an entry differs from the value of its parameter. Python writes `True`, and `1.0` for a
 * number that JSON reads as 1.
 */
function contradicts(part: string, own: ParameterValue, alone: boolean): boolean {
  const text = part.trim();
  if (typeof own === 'number') return Number.isFinite(parseDecimal(text)) && parseDecimal(text) !== own;
  if (typeof own === 'boolean') return /^(true|false)$/i.test(text) && text.toLowerCase() !== String(own);
  // If there is only one parameter and it is a text, the key may be an arbitrary name of the entry.
  return !alone && text !== own.trim();
}

/**
 * Throws BraggError `foreign-file` if the key of an entry, which lists the values of its parameters, contradicts them.
 */
function checkKey(id: string, configuration: TunedConfiguration['configuration'], name: string): void {
  const values = Object.entries(configuration);
  const parts = id.split(',');
  // If values contain commas, the parts of the key cannot be assigned to parameters.
  if (parts.length !== values.length) return;
  const at = values.findIndex(([, own], i) => contradicts(parts[i] ?? '', own, values.length === 1));
  const [key, own] = values[at] ?? [];
  if (key === undefined) return;
  throw new BraggError(
    'foreign-file',
    `${name}: the cache entry ${JSON.stringify(id)} has ${key} = ${JSON.stringify(own)}, but its key says ${parts[at]}; allowed: a key that matches its values.`,
  );
}

function readConfiguration(
  keys: readonly string[],
  id: string,
  entry: z.infer<typeof entrySchema>,
  name: string,
  fileUnits: Readonly<Record<string, string>>,
): TunedConfiguration {
  const configuration = Object.fromEntries(
    keys.map((key) => {
      const own = value.safeParse(entry[key]);
      if (own.success) return [key, own.data];
      const has =
        key in entry
          ? `has ${key} = ${JSON.stringify(entry[key]).slice(0, 40)}`
          : `has no ${key}, which is in tune_params_keys`;
      throw new BraggError(
        'foreign-file',
        `${name}: an entry of its cache ${has}; allowed: a number, text, true or false.`,
      );
    }),
  );
  checkKey(id, configuration, name);
  const stated = Object.entries(entry).flatMap(([key, value]) =>
    keys.includes(key) || value === null ? [] : [{ name: key, value: String(value) }],
  );
  checkFields(`${name}, cache entry ${JSON.stringify(id)}`, stated, kernelTunerEntryFields, 'ignored');
  // A text with digits is a number in an unknown notation, not the name of a failure.
  if (typeof entry.time === 'string' && /\d/.test(entry.time)) {
    throw new BraggError(
      'foreign-file',
      `${name}: an entry of its cache has time = ${JSON.stringify(entry.time.slice(0, 40))}; allowed: a number of milliseconds, or the name of a failure.`,
    );
  }
  if (entry.time === undefined && (entry.times ?? []).length === 0 && (entry.__error__ ?? null) === null) {
    throw new BraggError(
      'foreign-file',
      `${name}: an entry of its cache has no time (it has: ${Object.keys(entry).join(', ').slice(0, 80)}); allowed: a time, or the name of a failure.`,
    );
  }
  const outcome = outcomeOf(entry);
  const ran = outcome === 'right' || outcome === 'wrong';
  const samples = (entry.times ?? []).filter(isValidTime);
  const time = timeOf(entry);
  const own = timeUnits("an entry's ", entry, keys);
  const perS = unitsPerSecond(timeUnit(name, { ...fileUnits, ...own }), name);
  const time_s = ran && isValidTime(time) ? time / perS : null;
  const samples_s = ran ? samples.map((one) => one / perS) : [];
  checkTime(time_s, samples_s, `${name}, cache entry ${JSON.stringify(id)}`);
  return {
    configuration,
    outcome,
    time_s,
    samples_s,
    compile_s: typeof entry.compile_time === 'number' ? entry.compile_time / perS : null,
    correctness: entry.correctness ?? null,
    timestamp: entry.timestamp ?? '',
  };
}

export const isKernelTunerCache = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'tune_params_keys' in document;

/**
 * Reads a cache file. Of a truncated file, the complete entries are read. `name` is used in messages. Throws BraggError
 * `foreign-file`.
 */
export function readKernelTuner(text: string, name: string): TuningResults {
  let document: unknown;
  const notes: string[] = [];
  try {
    const parsed = parseTruncatedJson(text, ENTRIES);
    document = parsed.value;
    // While tuning runs, the file ends with a comma after its last entry; that is not an error.
    if (parsed.broken && !/[,}]\s*$/.test(text))
      notes.push(`${name} is truncated within an entry: complete entries are read.`);
  } catch (error) {
    throw new BraggError('foreign-file', `${name} is not JSON: ${(error as Error).message}`);
  }
  const read = cacheSchema.safeParse(document);
  if (!read.success) throw invalidFieldError(name, document, read.error);
  const { device_name, kernel_name, problem_size, tune_params_keys, cache } = read.data;
  const fileUnits = timeUnits('', read.data);
  const configurations = Object.entries(cache).map(([id, entry]) =>
    readConfiguration(tune_params_keys, id, entry, name, fileUnits),
  );
  const ran = Object.values(cache).filter((_, i) => configurations[i]?.time_s != null);
  notes.push(...sampleNotes(ran.map(({ times }) => failedSamples(times ?? []))));
  const stated = Object.entries(read.data).map(([key, own]) => ({ name: key, value: String(own) }));
  checkFields(name, stated, kernelTunerFields, 'ignored');
  return {
    device: device_name,
    kernel: kernel_name,
    problem:
      problem_size === undefined ? '' : typeof problem_size === 'string' ? problem_size : JSON.stringify(problem_size),
    configurations,
    notes,
  };
}

const errorOf: Readonly<Record<Exclude<TuningOutcome, 'right'>, string>> = {
  // The format has no name for a wrong answer; the key `correctness` marks it.
  wrong: 'RuntimeFailedConfig',
  runtime: 'RuntimeFailedConfig',
  timeout: 'RuntimeFailedConfig',
  compile: 'CompilationFailedConfig',
  constraints: 'InvalidConfig',
};

/**
 * Problem size as written in the file. Lists are written as lists, because Kernel Tuner resumes a cache only if the
 * size is the same.
 */
function sizeOf(problem: string): string | readonly number[] {
  const numbers = /^\[[\d,. ]*\]$/.test(problem) ? problem.slice(1, -1).split(',').map(Number) : [];
  return numbers.length > 0 && numbers.every(Number.isFinite) ? numbers : problem;
}

/** Text of a cache file, with one entry per line as Kernel Tuner writes it. */
export function kernelTunerText(results: TuningResults): string {
  const parameters = parameterValues(results);
  const keys = [...parameters.keys()];
  const head = {
    device_name: results.device,
    kernel_name: results.kernel,
    problem_size: sizeOf(results.problem),
    tune_params_keys: keys,
    tune_params: Object.fromEntries(parameters),
    objective: 'time',
  };
  const entries = results.configurations.map((one) => {
    const { configuration, outcome, time_s, samples_s, compile_s, correctness, timestamp } = one;
    const entry = {
      ...configuration,
      time: outcome === 'right' && time_s !== null ? time_s * MS : errorOf[outcome === 'right' ? 'runtime' : outcome],
      times: samples_s.map((each) => each * MS),
      compile_time: (compile_s ?? 0) * MS,
      ...{ verification_time: 0, benchmark_time: samples_s.reduce((sum, each) => sum + each, 0) * MS },
      ...{ strategy_time: 0, framework_time: 0, timestamp },
      ...(correctness === null ? {} : { correctness }),
    };
    const name = keys.map((key) => String(configuration[key] satisfies ParameterValue | undefined)).join(',');
    return `${JSON.stringify(name)}: ${JSON.stringify(entry)}`;
  });
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "cache": {\n${entries.join(',\n')}\n  }\n}\n`;
}
