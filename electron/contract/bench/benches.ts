/**
 * Benchmarks as the page requests them: starting, following, opening stored sessions. Times are in seconds. The default
 * selection of variants fits into a time budget.
 */
import { z } from 'zod';
import { wireErrorSchema } from '../errors.ts';
import { fileRefSchema, namedFileSchema } from '../files.ts';
import { kernelResourcesSchema } from '../launches.ts';
import { type Precision, runIdSchema } from '../run.ts';
import { scenarioDraftSchema } from '../scenario/workload.ts';
import { isUserKernelId } from '../user-kernels.ts';
import { workloadSchema } from '../workload.ts';
import { modeSchema, ratioSchema } from './bench-session.ts';
import { benchOptionShape } from './options.ts';
import { sessionSchema } from './session.ts';

const emptyRequestSchema = z.strictObject({});
const seconds = z.number().nonnegative();

/**
 * Id of a session. It is random for a session measured by this process. For a stored session it is derived from the
 * folder and the file name, and therefore stable.
 */
export const benchIdSchema = z.string().min(1).max(255);
export type BenchId = z.infer<typeof benchIdSchema>;

/** `stored`: read from a file. `cancelled`: the complete rounds are retained. */
const benchStateSchema = z.enum(['queued', 'running', 'done', 'cancelled', 'failed', 'stored']);
export type BenchState = z.infer<typeof benchStateSchema>;

/** Subject of a comparison: a session's variant, a session's external program, or a run. */
export const subjectSchema = z.discriminatedUnion('kind', [
  /** Variant of a session: index of the report, and the variant's label in it. */
  z.strictObject({
    kind: z.literal('entry'),
    bench: benchIdSchema,
    report: z.number().int().min(0),
    label: z.string(),
  }),
  /** Other program that a session timed. */
  z.strictObject({
    kind: z.literal('external'),
    bench: benchIdSchema,
    report: z.number().int().min(0),
    label: z.string(),
  }),
  z.strictObject({ kind: z.literal('run'), run: runIdSchema }),
]);
export type Subject = Readonly<z.infer<typeof subjectSchema>>;

export const benchInfoSchema = z.strictObject({
  id: benchIdSchema,
  workload: workloadSchema,
  /** Name of the benchmark if the workload has several; otherwise empty. */
  bench: z.string(),
  name: z.string(),
  state: benchStateSchema,
  /** Position in the queue, 1 is next; null unless queued. */
  queuePosition: z.number().int().positive().nullable(),
  /** Time of creation, ISO 8601. */
  created: z.string(),
  /** Whether the session was supplied with the program. */
  recorded: z.boolean(),
  /** File of the session; null if it was not saved. */
  file: namedFileSchema.nullable(),
  scenario: z.string(),
  /** Name of the GPU, or of the CPU if there is no GPU. */
  machine: z.string(),
  /** Value of the scenario that a sweep changes; null for a plain session. */
  sweep: z.string().nullable(),
  /** Subjects in the order of the session, without those that could not run. */
  subjects: z.array(z.strictObject({ subject: subjectSchema, title: z.string() })),
  /** Subjects that could not run, with the reason. */
  refused: z.array(z.strictObject({ title: z.string(), reason: z.string() })),
  error: wireErrorSchema.nullable(),
});
export type BenchInfo = Readonly<z.infer<typeof benchInfoSchema>>;

const benchProgressSchema = z.strictObject({
  bench: benchIdSchema,
  state: benchStateSchema,
  /** Current phase, such as first runs, FP64 reference or rounds. */
  phase: z.string(),
  /** Label of the variant or program being measured; `fp64` for the reference. */
  variant: z.string(),
  /** Number of complete rounds, and the largest number of rounds. */
  round: z.number().int().nonnegative(),
  rounds: z.number().int().nonnegative(),
  elapsed_s: seconds,
  /**
   * Upper bound; the session ends earlier once every ratio has the requested precision. Null before the first round.
   */
  left_s: seconds.nullable(),
  /** Median times so far and their ratios to the first one, updated after each round. */
  latest: z.array(z.strictObject({ label: z.string(), time_s: seconds, ratio: ratioSchema.nullable() })),
});
export type BenchProgress = Readonly<z.infer<typeof benchProgressSchema>>;

/** Limit on the variants of one session, above the number of all variants in both precisions on several GPUs. */
const maxLabels = 128;

const benchStartSchema = z.strictObject({
  scenario: scenarioDraftSchema,
  /** Scenario file that the draft belongs to. */
  file: fileRefSchema.nullable().default(null),
  /** Name to show if the scenario has none. */
  name: z.string().max(255),
  /**
   * Labels such as `gather`, `cuda-fused@fp64`, or with several GPUs `cuda-fused:1` and `cuda-fused@fp64:1`. The others
   * are compared with the first.
   */
  variants: z.array(z.string().min(1).max(128)).min(1).max(maxLabels),
  /**
   * External candidates, checked against the same reference: ids of registered programs, or id=FILE for a user program.
   */
  external: z.array(z.string().min(1).max(4096)).max(32).default([]),
  /** Modes measured in addition to warm. */
  modes: z.array(modeSchema).default([]),
  ...benchOptionShape,
  /** Sweep: measures at each of these values of the scenario, and fits fixed cost and slope. */
  sweep: z
    .strictObject({ path: z.string().min(1).max(255), values: z.array(z.number()).min(1).max(100) })
    .nullable()
    .default(null),
});

const sourceFileSchema = z.strictObject({
  /** Path in the repository. */
  path: z.string(),
  text: z.string(),
});

/** External program that solves the same scenarios. */
const externalProgramSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  language: z.string(),
  device: z.enum(['cpu', 'cuda']),
  /** Reason why it cannot run on this machine; null if it can. */
  reason: z.string().nullable(),
  /**
   * For a user's program: description of its file, and the path that is already configured. Null for other programs.
   */
  file: z.strictObject({ what: z.string(), named: z.string().nullable() }).nullable(),
});
export type ExternalProgram = Readonly<z.infer<typeof externalProgramSchema>>;

const variantRequestSchema = z.strictObject({
  variant: z.string().min(1).max(64),
  /** Needed only if the id is ambiguous; by default the first variant with the id is used. */
  workload: z.string().max(64).optional(),
  bench: z.string().max(64).optional(),
});

/** Expected time of one run of a variant on the scenario. */
const expectedTimeSchema = z.strictObject({
  variant: z.string(),
  /** Null if the variant cannot run the scenario or no measurement is available. */
  run_s: seconds.nullable(),
  /** Machine of the session that the time comes from, if it is not this machine; otherwise null. */
  like: z.string().nullable(),
  /** False if a session found its answer wrong. */
  right: z.boolean(),
  /** False if this machine cannot run it on the problem. */
  able: z.boolean(),
  /** Reason from the engine if it cannot run: `needs about 19.7 GiB, the limit is 17.7 GiB`. */
  reason: z.string().optional(),
});
export type ExpectedTime = Readonly<z.infer<typeof expectedTimeSchema>>;

/** Variants with a benchmark's optimisations, one at a time and combined, as far as they run on this machine. */
const factorialChoiceSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Labels of the variants; the first has no optimisation. */
  labels: z.array(z.string()),
});
export type FactorialChoice = Readonly<z.infer<typeof factorialChoiceSchema>>;

const benchRequestSchema = z.strictObject({ bench: benchIdSchema });

export const benchMethods = {
  /**
   * Programs that can solve scenarios of a benchmark. Checks whether each can run, which takes seconds the first time.
   */
  'bench.external': {
    params: z.strictObject({ workload: workloadSchema, bench: z.string().max(64).default('') }),
    result: z.strictObject({ programs: z.array(externalProgramSchema) }),
  },
  /** Expected time of one run of each available variant of the scenario, from recorded sessions if there are any. */
  'bench.expected': {
    params: z.strictObject({ scenario: scenarioDraftSchema, file: fileRefSchema.nullable().default(null) }),
    result: z.strictObject({ times: z.array(expectedTimeSchema), factorials: z.array(factorialChoiceSchema) }),
  },
  /** Queues a benchmark. Runs queued earlier finish first; runs queued later wait until it ends. */
  'bench.start': { params: benchStartSchema, result: benchInfoSchema },
  /** Ends the session after the current run; complete rounds are retained. */
  'bench.cancel': { params: benchRequestSchema, result: benchInfoSchema },
  /** Sessions of this program's run, newest first, then those of the library and those supplied with the program. */
  'bench.list': { params: emptyRequestSchema, result: z.strictObject({ benches: z.array(benchInfoSchema) }) },
  'bench.session': { params: benchRequestSchema, result: z.strictObject({ session: sessionSchema }) },
  'bench.open': {
    params: z.strictObject({
      source: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('file'), file: fileRefSchema }),
        z.strictObject({ kind: z.literal('text'), name: z.string().max(255), text: z.string().max(64 * 2 ** 20) }),
      ]),
    }),
    result: benchInfoSchema,
  },
  /** Session files of the library end in `.session.json`. */
  'bench.save': {
    params: z.strictObject({ bench: benchIdSchema, file: fileRefSchema, ifExists: z.enum(['replace', 'refuse']) }),
    result: namedFileSchema,
  },
  /** Removes an ended session of this program's run from the list; its files remain. */
  'bench.forget': { params: benchRequestSchema, result: emptyRequestSchema },
  /** Source files of a variant, its main file first. */
  'variant.sources': {
    params: variantRequestSchema,
    result: z.strictObject({ files: z.array(sourceFileSchema) }),
  },
  /** Resources of the kernels that a variant launches, for every architecture they were compiled for. */
  'variant.resources': {
    params: z.strictObject({
      ...variantRequestSchema.shape,
      /**
       * Report whose kernels are requested: the resources saved in it, else those of this build if its commit is the
       * same. Null for this build.
       */
      session: z
        .strictObject({ bench: benchIdSchema, report: z.number().int().min(0) })
        .nullable()
        .default(null),
    }),
    result: z.strictObject({
      /** Null if the kernels were not compiled on this machine; `reason` explains why. */
      resources: kernelResourcesSchema.nullable(),
      reason: z.string().nullable(),
      /** Source of the resources: the session or this build; null if there are none. */
      origin: z.string().nullable(),
    }),
  },
} as const;

export const benchStreams = {
  /** Sends the sessions of this program's run at once, and again whenever one changes its state. */
  benches: {
    params: emptyRequestSchema,
    frame: z.strictObject({ benches: z.array(benchInfoSchema) }),
    policy: 'latest',
  },
  /** Ends after the frame with the final state. */
  'bench.progress': { params: benchRequestSchema, frame: benchProgressSchema, policy: 'latest' },
} as const;

/** Label of a variant in a session; null precision and GPU are chosen by scenario and machine. */
export function labelOf(variant: string, precision: Precision | null, device: number | null): string {
  return `${variant}${precision === null ? '' : `@${precision}`}${device === null ? '' : `:${device}`}`;
}

/** Runs of each variant: the first run, the smallest number of rounds that gives a verdict, and as many processes. */
const RUNS_OF_EACH = 1 + 5 + 5;
/** Additional runs of the reference: the A/A controls of rounds and processes. */
const FURTHER_OF_REFERENCE = 5 + 5;

/** Shortest duration in seconds of a session of these variants; the reference comes first. */
export function leastSession_s(runs_s: readonly number[]): number {
  const [reference = 0] = runs_s;
  return RUNS_OF_EACH * runs_s.reduce((sum, one) => sum + one, 0) + FURTHER_OF_REFERENCE * reference;
}

/**
 * Correct variants with known times, in the given order; the fastest ones are included first, as far as all fit into
 * `budget_s`. For a user's problem all candidates, because there are no expected times.
 */
export function suggestedVariants(
  variants: readonly { readonly id: string; readonly available: boolean }[],
  times: ReadonlyMap<string, ExpectedTime>,
  budget_s: number,
): readonly string[] {
  const known = variants.flatMap(({ id, available }) => {
    const time = times.get(id);
    return available && time?.right === true && time.run_s !== null ? [{ id, run_s: time.run_s }] : [];
  });
  const able = variants.filter(({ available }) => available).map(({ id }) => id);
  if (able.every(isUserKernelId)) return able;
  const inOrder = (ids: ReadonlySet<string>) => known.filter(({ id }) => ids.has(id));
  const chosen = new Set<string>();
  for (const { id } of [...known].sort((a, b) => a.run_s - b.run_s)) {
    const further = inOrder(new Set([...chosen, id])).map(({ run_s }) => run_s);
    if (leastSession_s(further) <= budget_s) chosen.add(id);
  }
  return inOrder(chosen).map(({ id }) => id);
}
