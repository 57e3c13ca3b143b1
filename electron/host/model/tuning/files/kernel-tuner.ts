/** The cache file of Kernel Tuner: appended to line by line, with times in milliseconds. */
import { z } from 'zod';
import { BraggError } from '../../../../contract/errors.ts';
import { parseBroken } from '../../../io/files/loose-json.ts';
import {
  isTime,
  type Outcome,
  type ParameterValue,
  parametersOf,
  type TunedConfiguration,
  type TuningResults,
} from './results.ts';

const value = z.union([z.number(), z.string(), z.boolean()]);
const entrySchema = z.looseObject({
  /** A text where it failed; null for NaN and Infinity too. Spreadsheets turn numbers into text. */
  time: z
    .union([
      z.number(),
      z.string().transform((text) => (/^\s*[\d.]+(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : text)),
    ])
    .nullable()
    .optional(),
  times: z.array(z.number().nullable()).nullable().optional(),
  compile_time: z.number().nullable().optional(),
  timestamp: z.string().optional(),
  correctness: z.number().nullable().optional(),
  __error__: z.string().nullish(),
});
const cacheSchema = z.looseObject({
  device_name: z.string().default(''),
  kernel_name: z.string().default(''),
  problem_size: z.unknown().optional(),
  tune_params_keys: z.array(z.string()).min(1),
  cache: z.record(z.string(), entrySchema).default({}),
});

const MS = 1000;
/** Head, and within it `cache` with its entries. */
const ENTRIES = 2;
const failures: Readonly<Record<string, Outcome>> = {
  InvalidConfig: 'constraints',
  CompilationFailedConfig: 'compile',
  RuntimeFailedConfig: 'runtime',
};

function outcomeOf({ time, __error__: error, correctness }: z.infer<typeof entrySchema>): Outcome {
  if (typeof correctness === 'number' && correctness < 1) return 'wrong';
  const says = error ?? (typeof time === 'string' ? time : null);
  if (says !== null) return failures[says] ?? 'runtime';
  return isTime(time) ? 'right' : 'runtime';
}

function configured(keys: readonly string[], entry: z.infer<typeof entrySchema>, name: string): TunedConfiguration {
  const configuration = Object.fromEntries(
    keys.map((key) => {
      const own = value.safeParse(entry[key]);
      if (own.success) return [key, own.data];
      const has =
        key in entry
          ? `has ${key} = ${JSON.stringify(entry[key]).slice(0, 40)}`
          : `has no ${key}, which tune_params_keys names`;
      throw new BraggError(
        'foreign-file',
        `${name}: an entry of its cache ${has}; allowed: a number, text, true or false.`,
      );
    }),
  );
  const outcome = outcomeOf(entry);
  const ran = outcome === 'right' || outcome === 'wrong';
  const samples = (entry.times ?? []).filter(isTime);
  return {
    configuration,
    outcome,
    time_s: ran && isTime(entry.time) ? entry.time / MS : null,
    samples_s: ran ? samples.map((one) => one / MS) : [],
    compile_s: typeof entry.compile_time === 'number' ? entry.compile_time / MS : null,
    correctness: entry.correctness ?? null,
    timestamp: entry.timestamp ?? '',
  };
}

export const isKernelTunerCache = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'tune_params_keys' in document;

/** `name` is for messages. One that breaks off has the entries that are whole. Throws BraggError `foreign-file`. */
export function readKernelTuner(text: string, name: string): TuningResults {
  let document: unknown;
  const notes: string[] = [];
  try {
    const parsed = parseBroken(text, ENTRIES);
    document = parsed.value;
    // An open cache ends in a comma after its last entry, which Kernel Tuner closes when it is done.
    if (parsed.broken && !/[,}]\s*$/.test(text))
      notes.push(`${name} breaks off within an entry: the whole ones are read.`);
  } catch (error) {
    throw new BraggError('foreign-file', `${name} is no JSON: ${(error as Error).message}`);
  }
  const read = cacheSchema.safeParse(document);
  if (!read.success) {
    const [first] = read.error.issues;
    throw new BraggError(
      'foreign-file',
      `${name}, ${first?.path.join('.') ?? ''}: ${first?.message ?? 'is no cache file'}`,
    );
  }
  const { device_name, kernel_name, problem_size, tune_params_keys, cache } = read.data;
  return {
    device: device_name,
    kernel: kernel_name,
    problem:
      problem_size === undefined ? '' : typeof problem_size === 'string' ? problem_size : JSON.stringify(problem_size),
    configurations: Object.values(cache).map((entry) => configured(tune_params_keys, entry, name)),
    notes,
  };
}

const errorOf: Readonly<Record<Exclude<Outcome, 'right'>, string>> = {
  // It has no word for an answer that is wrong: the value of correctness says it.
  wrong: 'RuntimeFailedConfig',
  runtime: 'RuntimeFailedConfig',
  timeout: 'RuntimeFailedConfig',
  compile: 'CompilationFailedConfig',
  constraints: 'InvalidConfig',
};

/** A size that came as a list goes as one: Kernel Tuner goes on with a cache only where its sizes are alike. */
function sizeOf(problem: string): string | readonly number[] {
  const numbers = /^\[[\d,. ]*\]$/.test(problem) ? problem.slice(1, -1).split(',').map(Number) : [];
  return numbers.length > 0 && numbers.every(Number.isFinite) ? numbers : problem;
}

/** One entry a line, as Kernel Tuner itself writes it. */
export function kernelTunerText(results: TuningResults): string {
  const parameters = parametersOf(results);
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
