/** Results in T4, the open format of tuning results (schema 1.0.0). */
import { z } from 'zod';
import { BraggError } from '../../../../contract/errors.ts';
import { parseBroken } from '../../../io/files/loose-json.ts';
import { isTime, type Outcome, type TunedConfiguration, type TuningResults } from './results.ts';

const resultSchema = z.looseObject({
  timestamp: z.string().default(''),
  configuration: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  times: z.looseObject({
    // The schema has the one name, and its writers the other.
    compilation_time: z.number().optional(),
    compilation: z.number().optional(),
    runtimes: z.array(z.number().nullable()).default([]),
  }),
  invalidity: z.enum(['timeout', 'compile', 'runtime', 'correctness', 'constraints', 'correct'], {
    error: ({ input }) =>
      `${JSON.stringify(input)} is not known; allowed: timeout, compile, runtime, correctness, constraints, correct`,
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
});
const documentSchema = z.looseObject({
  metadata: z.looseObject({ timeunit: z.string().default('') }).default({ timeunit: '' }),
  results: z.array(resultSchema),
});

/** Units in the second, as they are written and misspelt. Without one it is what Kernel Tuner means. */
const units: Readonly<Record<string, number>> = {
  '': 1e3,
  s: 1,
  second: 1,
  seconds: 1,
  ms: 1e3,
  millisecond: 1e3,
  milliseconds: 1e3,
  miliseconds: 1e3,
  us: 1e6,
  microseconds: 1e6,
  ns: 1e9,
  nanoseconds: 1e9,
};

function perSecond(unit: string, name: string, usual = ''): number {
  const found = units[(unit === '' ? usual : unit).toLowerCase()];
  if (found !== undefined) return found;
  const allowed = Object.keys(units).filter((one) => one !== '');
  throw new BraggError(
    'foreign-file',
    `${name}: ${JSON.stringify(unit)} is no unit of time; allowed: ${allowed.join(', ')}`,
  );
}

const outcomes: Readonly<Record<z.infer<typeof resultSchema>['invalidity'], Outcome>> = {
  correct: 'right',
  correctness: 'wrong',
  ...{ compile: 'compile', runtime: 'runtime', timeout: 'timeout', constraints: 'constraints' },
};
const invalidities = Object.fromEntries(Object.entries(outcomes).map(([word, outcome]) => [outcome, word]));

export const isT4 = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'results' in document;

/** `name` is for messages. Throws BraggError `foreign-file`. */
export function readT4(text: string, name: string): TuningResults {
  let document: unknown;
  const notes: string[] = [];
  try {
    const parsed = parseBroken(text, 2);
    document = parsed.value;
    if (parsed.broken) notes.push(`${name} breaks off: the whole results are read.`);
  } catch (error) {
    throw new BraggError('foreign-file', `${name} is no JSON: ${(error as Error).message}`);
  }
  const read = documentSchema.safeParse(document);
  if (!read.success) {
    const [first] = read.error.issues;
    throw new BraggError('foreign-file', `${name}, ${first?.path.join('.') ?? ''}: ${first?.message ?? 'is no T4'}`);
  }
  const { metadata, results } = read.data;
  const usual = perSecond(metadata.timeunit, `${name}, metadata.timeunit`);
  const configurations = results.map((one, i): TunedConfiguration => {
    const { configuration, times, invalidity, correctness, measurements, timestamp } = one;
    const time = measurements.find((measured) => measured.name === 'time');
    const compile = times.compilation_time ?? times.compilation;
    const ran = invalidity === 'correct' || invalidity === 'correctness';
    const samples = times.runtimes.filter(isTime);
    const measured = measurements.filter((each) => each.name !== 'time').map((each) => each.name);
    if (ran && time === undefined && samples.length === 0 && measured.length > 0) {
      const what = measured.join(', ');
      throw new BraggError('foreign-file', `${name}, results[${i}]: it measures ${what}; allowed: a time among them.`);
    }
    // A correct answer without a time is what a failed run leaves.
    const failed = ran && (time === undefined ? samples.length === 0 : !isTime(time.value));
    const mean = samples.reduce((sum, each) => sum + each, 0) / samples.length;
    const scale = perSecond(time?.unit ?? '', `${name}, results[${i}]`, metadata.timeunit);
    return {
      ...{ configuration, timestamp },
      outcome: failed ? 'runtime' : invalidity === 'correct' && (correctness ?? 1) < 1 ? 'wrong' : outcomes[invalidity],
      time_s: !ran || failed ? null : isTime(time?.value) ? time.value / scale : mean / usual,
      samples_s: ran && !failed ? samples.map((each) => each / usual) : [],
      compile_s: compile === undefined ? null : compile / usual,
      correctness: correctness ?? null,
    };
  });
  return { device: '', kernel: '', problem: '', configurations, notes };
}

export function t4Text({ configurations, device, kernel, problem }: TuningResults): string {
  const perS = units['milliseconds'] ?? 1;
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
