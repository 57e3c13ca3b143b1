/**
 * Reads and writes tuning results in T4, an open format for them (schema 1.0.0). Files are parsed on a worker thread,
 * because a complete search space with all samples needs tens of megabytes.
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
} from '../../../../domain/header-fields.ts';
import { parseDecimal } from '../../../../domain/values/csv.ts';
import { findDuplicateKey, parseTruncatedJson } from '../../../io/files/loose-json.ts';
import { defineThreadTask } from '../../../io/threads/task.ts';
import {
  checkTime,
  failedSamples,
  invalidFieldError,
  isKernelTunerCache,
  isValidTime,
  readKernelTuner,
  sampleNotes,
  type TunedConfiguration,
  type TuningOutcome,
  type TuningResults,
  timeUnit,
  timeUnits,
  unitsPerSecond,
} from './kernel-tuner.ts';

/** Rules for the keys of a T4 file, of its results and of their times, by schema 1.0.0. */
export const t4Fields: FieldRules = {
  schema_version: allowOnly('1.0.0 to 1.x', (version) => /^1(\.\d+)*$/.test(version)),
  metadata: honoured,
  results: honoured,
  time_unit: honoured,
};
export const t4ResultFields = {
  timestamp: honoured,
  configuration: honoured,
  invalidity: honoured,
  correctness: honoured,
  measurements: honoured,
  times: honoured,
  objectives: ignoredField('the time of each result is used, whatever the objective was'),
} satisfies FieldRules;

/** Schema for the unit of times in its common spellings; timeUnits() also accepts others. */
const unit = z.string().optional();
const unitFields = { timeunit: unit, time_unit: unit, timeUnit: unit, time_units: unit, unit, units: unit };

const resultSchema = z.looseObject({
  timestamp: z.string().default(''),
  configuration: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  times: z.looseObject({
    // The schema defines one of these two names, but programs also write the other.
    compilation_time: z.number().optional(),
    compilation: z.number().optional(),
    runtimes: z.array(z.number().nullable()).default([]),
    ...unitFields,
  }),
  invalidity: z.enum(['timeout', 'compile', 'runtime', 'correctness', 'constraints', 'correct'], {
    error: 'timeout, compile, runtime, correctness, constraints, correct',
  }),
  correctness: z.number().nullable().optional(),
  measurements: z
    .array(
      z.looseObject({
        name: z.string(),
        value: z.union([z.number(), z.string(), z.array(z.unknown())]).nullable(),
        unit: z.string().default(''),
      }),
    )
    .default([]),
} satisfies Record<HonouredFieldName<typeof t4ResultFields>, z.ZodType>);
const documentSchema = z.looseObject({
  metadata: z.looseObject(unitFields).default({}),
  time_unit: z.string().optional(),
  results: z.array(resultSchema),
});

const outcomes: Readonly<Record<z.infer<typeof resultSchema>['invalidity'], TuningOutcome>> = {
  correct: 'right',
  correctness: 'wrong',
  ...{ compile: 'compile', runtime: 'runtime', timeout: 'timeout', constraints: 'constraints' },
};
const invalidities = Object.fromEntries(Object.entries(outcomes).map(([word, outcome]) => [outcome, word]));

/**
 * Samples of a measurement, in its own unit. A text is a number or the name of a failure. Throws BraggError for other
 * values.
 */
function timesOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => timesOf(one, name));
  if (value === null || typeof value === 'number') return [value];
  const number = typeof value === 'string' ? parseDecimal(value.trim()) : Number.NaN;
  if (Number.isFinite(number)) return [number];
  // A text with digits is a number in an unknown notation, not the name of a failure.
  if (typeof value === 'string' && !/\d/.test(value)) return [value];
  throw new BraggError(
    'foreign-file',
    `${name}: time = ${JSON.stringify(value).slice(0, 40)}; allowed: a number, a list of numbers, or the name of a failure.`,
  );
}

const meanOf = (times: readonly number[]): number => times.reduce((sum, each) => sum + each, 0) / times.length;

const isT4 = (document: unknown): boolean => typeof document === 'object' && document !== null && 'results' in document;

/** Reads a T4 file. `name` is used in messages. Throws BraggError `foreign-file`. */
export function readT4(text: string, name: string): TuningResults {
  let document: unknown;
  const notes: string[] = [];
  try {
    const parsed = parseTruncatedJson(text, 2);
    document = parsed.value;
    if (parsed.broken) notes.push(`${name} is truncated: complete results are read.`);
  } catch (error) {
    throw new BraggError('foreign-file', `${name} is not JSON: ${(error as Error).message}`);
  }
  const read = documentSchema.safeParse(document);
  if (!read.success) throw invalidFieldError(name, document, read.error);
  const { metadata, results } = read.data;
  const stated = Object.entries(read.data).map(([key, own]) => ({ name: key, value: String(own) }));
  checkFields(name, stated, t4Fields, 'ignored');
  const fileUnits = { ...timeUnits('metadata.', metadata), time_unit: read.data.time_unit };
  unitsPerSecond(timeUnit(name, fileUnits), `${name}, metadata.timeunit`);
  const lost: number[] = [];
  const configurations = results.map((one, i): TunedConfiguration => {
    const { configuration, times, invalidity, correctness, measurements, timestamp } = one;
    const unit = timeUnit(`${name}, results[${i}]`, { ...fileUnits, ...timeUnits('times.', times) });
    const usual = unitsPerSecond(unit, `${name}, results[${i}].times`);
    const [time, second] = measurements.filter((measured) => measured.name.trim().toLowerCase() === 'time');
    if (second !== undefined) {
      throw new BraggError(
        'foreign-file',
        `${name}, results[${i}]: it measures time twice (${[time, second].map((each) => JSON.stringify(each?.value).slice(0, 40)).join(' and ')}); allowed: once.`,
      );
    }
    const compile = times.compilation_time ?? times.compilation;
    const ran = invalidity === 'correct' || invalidity === 'correctness';
    const samples = times.runtimes.filter(isValidTime);
    const measured = measurements.filter((each) => each !== time).map((each) => each.name);
    if (ran && time === undefined && samples.length === 0 && measured.length > 0) {
      const what = measured.join(', ');
      throw new BraggError(
        'foreign-file',
        `${name}, results[${i}]: it measures ${what}, but no time; allowed: results with a time.`,
      );
    }
    if (ran && time === undefined && times.runtimes.length === 0) {
      const has =
        Object.keys(times)
          .filter((key) => key !== 'runtimes')
          .join(', ') || 'nothing';
      throw new BraggError(
        'foreign-file',
        `${name}, results[${i}]: it has no time (its times have ${has}); allowed: times.runtimes, or time among its measurements.`,
      );
    }
    // Samples in the measurement named `time`, if the configuration ran.
    const own = ran && time !== undefined ? timesOf(time.value, `${name}, results[${i}]`) : [];
    const ownTimes = own.filter(isValidTime);
    // A failed sample invalidates a mean over all samples. A correct result without any time is treated as a failed
    // run.
    const whole = time === undefined ? samples.length === times.runtimes.length : ownTimes.length === own.length;
    const failed = ran && (!whole || (time === undefined ? samples : ownTimes).length === 0);
    const scale = unitsPerSecond(time?.unit ?? '', `${name}, results[${i}]`, unit);
    const inOwnUnit = samples.length === 0 && own.length > 1;
    if (ran && !failed) lost.push(failedSamples(times.runtimes));
    const time_s = !ran || failed ? null : time === undefined ? meanOf(samples) / usual : meanOf(ownTimes) / scale;
    const samples_s =
      !ran || failed ? [] : inOwnUnit ? ownTimes.map((each) => each / scale) : samples.map((each) => each / usual);
    checkTime(time_s, samples_s, `${name}, results[${i}]`);
    return {
      ...{ configuration, timestamp },
      outcome: failed ? 'runtime' : invalidity === 'correct' && (correctness ?? 1) < 1 ? 'wrong' : outcomes[invalidity],
      time_s,
      samples_s,
      compile_s: compile === undefined ? null : compile / usual,
      correctness: correctness ?? null,
    };
  });
  notes.push(...sampleNotes(lost));
  return { device: '', kernel: '', problem: '', configurations, notes };
}

export function t4Text({ configurations, device, kernel, problem }: TuningResults): string {
  const perS = unitsPerSecond('milliseconds', 'milliseconds');
  const document = {
    schema_version: '1.0.0',
    metadata: { timeunit: 'milliseconds', device, kernel, problem },
    results: configurations.map(({ configuration, outcome, time_s, samples_s, compile_s, correctness, timestamp }) => ({
      timestamp,
      configuration,
      objectives: ['time'],
      times: {
        compilation_time: (compile_s ?? 0) * perS,
        ...{ framework: 0, search_algorithm: 0, validation: 0 },
        runtimes: samples_s.map((each) => each * perS),
      },
      invalidity: invalidities[outcome],
      correctness: correctness ?? (outcome === 'right' ? 1 : 0),
      measurements: time_s === null ? [] : [{ name: 'time', value: time_s * perS, unit: 'milliseconds' }],
    })),
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

interface TunerFile {
  readonly text: string;
  /** Name of the file, used in messages. */
  readonly name: string;
}

const TUNERS = 'the cache file of Kernel Tuner, and T4 results';

/** Parses a file of another tuner, in one of the supported formats. Throws BraggError `foreign-file`. */
export function parseTuning({ text, name }: TunerFile): TuningResults {
  let document: unknown;
  try {
    document = parseTruncatedJson(text, 2).value;
  } catch (error) {
    throw new BraggError('foreign-file', `${name} is not JSON (${(error as Error).message}); allowed: ${TUNERS}`);
  }
  const key = findDuplicateKey(text);
  if (key !== null) throw new BraggError('foreign-file', `${name} has "${key}" twice in one object; allowed: once.`);
  if (isKernelTunerCache(document)) return readKernelTuner(text, name);
  if (isT4(document)) return readT4(text, name);
  throw new BraggError('foreign-file', `${name} is not a known tuning file; allowed: ${TUNERS}`);
}

export const readTuning = defineThreadTask('read a tuning file', parseTuning);
