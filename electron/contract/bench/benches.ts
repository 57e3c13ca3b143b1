/**
 * Methods that the page calls for benchmarks: start, follow, and open stored sessions. Times are in seconds. By
 * default, as many variants are selected as fit into a time budget.
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
 * Session id. A session measured by this process has a random id. The id of a stored session is derived from its folder
 * and file name, so it does not change.
 */
export const benchIdSchema = z.string().min(1).max(255);
export type BenchId = z.infer<typeof benchIdSchema>;

/** `stored`: read from a file. `cancelled`: contains the rounds completed before it was cancelled. */
const benchStateSchema = z.enum(['queued', 'running', 'done', 'cancelled', 'failed', 'stored']);
export type BenchState = z.infer<typeof benchStateSchema>;

/** Item to compare: a variant or an external program of a session, or a run. */
export const subjectSchema = z.discriminatedUnion('kind', [
  /** Variant of a session, given by the index of the report and its label there. */
  z.strictObject({
    kind: z.literal('entry'),
    bench: benchIdSchema,
    report: z.number().int().min(0),
    label: z.string(),
  }),
  /** External program that was timed in a session. */
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
  /** Whether the session came with the program. */
  recorded: z.boolean(),
  /** File of the session; null if it was not saved. */
  file: namedFileSchema.nullable(),
  scenario: z.string(),
  /** Name of the GPU, or of the CPU if there is no GPU. */
  machine: z.string(),
  /** Swept scenario field and its values; null if the session is not a sweep. */
  sweep: z.string().nullable(),
  /** Items that can be compared, in the order of the session. Excludes those that could not run. */
  subjects: z.array(z.strictObject({ subject: subjectSchema, title: z.string() })),
  /** Items that could not run, with the reason. */
  refused: z.array(z.strictObject({ title: z.string(), reason: z.string() })),
  error: wireErrorSchema.nullable(),
});
export type BenchInfo = Readonly<z.infer<typeof benchInfoSchema>>;

const benchProgressSchema = z.strictObject({
  bench: benchIdSchema,
  state: benchStateSchema,
  /** Current phase for display: first runs, FP64 reference, or rounds. */
  phase: z.string(),
  /** Label of the variant or program being measured; `fp64` for the reference. */
  variant: z.string(),
  /** Number of completed rounds, and their upper limit. */
  round: z.number().int().nonnegative(),
  rounds: z.number().int().nonnegative(),
  elapsed_s: seconds,
  /**
   * Upper bound on the remaining time. The session ends earlier once every ratio has the requested precision. Null
   * before the first round.
   */
  left_s: seconds.nullable(),
  /** Median times so far, and their ratios to the first label. Updated after each round. */
  latest: z.array(z.strictObject({ label: z.string(), time_s: seconds, ratio: ratioSchema.nullable() })),
});
export type BenchProgress = Readonly<z.infer<typeof benchProgressSchema>>;

/** Largest number of variants in one session. All variants in both precisions on several GPUs are fewer. */
const MAX_VARIANTS = 128;

const benchStartSchema = z.strictObject({
  scenario: scenarioDraftSchema,
  /** Scenario file in which the draft is edited. */
  file: fileRefSchema.nullable().default(null),
  /** Name shown for a scenario that has none. */
  name: z.string().max(255),
  /**
   * Labels of variants; `:N` selects a GPU. Examples: `gather`, `cuda-fused@fp64`, `cuda-fused@fp64:1`. All others are
   * compared with the first.
   */
  variants: z.array(z.string().min(1).max(128)).min(1).max(MAX_VARIANTS),
  /**
   * External candidates, checked against the same reference. Each is the id of a registered program, or id=FILE for a
   * user's program.
   */
  external: z.array(z.string().min(1).max(4096)).max(32).default([]),
  /** Modes to measure in addition to `warm`. */
  modes: z.array(modeSchema).default([]),
  ...benchOptionShape,
  /** Sweep: repeats the measurement for each value of a scenario field, and fits fixed cost and cost per size. */
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
  /** Reason why it cannot run on this machine; null if it can run. */
  reason: z.string().nullable(),
  /**
   * For a user's program: a description of its file, and the configured path if there is one. Null for other programs.
   */
  file: z.strictObject({ what: z.string(), named: z.string().nullable() }).nullable(),
});
export type ExternalProgram = Readonly<z.infer<typeof externalProgramSchema>>;

const variantRequestSchema = z.strictObject({
  variant: z.string().min(1).max(64),
  /**
   * Workload of the variant, in case variants of several workloads have this id. By default, the first match is used.
   */
  workload: z.string().max(64).optional(),
  bench: z.string().max(64).optional(),
});

/** Expected time of one run of a variant on the given scenario. */
const expectedTimeSchema = z.strictObject({
  variant: z.string(),
  /** Null if the variant cannot run the scenario, or if it was never measured. */
  run_s: seconds.nullable(),
  /** Machine on which the time was measured; null if it was this machine. */
  like: z.string().nullable(),
  /** False if a session found that its answer is wrong. */
  right: z.boolean(),
  /** False if the variant cannot run this problem on this machine. */
  able: z.boolean(),
  /** Reason why it cannot run, as the engine reports it: `needs about 19.7 GiB, the limit is 17.7 GiB`. */
  reason: z.string().optional(),
});
export type ExpectedTime = Readonly<z.infer<typeof expectedTimeSchema>>;

/**
 * Variants that apply a benchmark's optimisations one at a time and combined. Excludes those that this machine cannot
 * run.
 */
const factorialChoiceSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Labels of the variants. The first variant has none of the optimisations. */
  labels: z.array(z.string()),
});
export type FactorialChoice = Readonly<z.infer<typeof factorialChoiceSchema>>;

const benchRequestSchema = z.strictObject({ bench: benchIdSchema });

export const benchMethods = {
  /** Lists the external programs for a benchmark. The first call checks whether each can run, which needs seconds. */
  'bench.external': {
    params: z.strictObject({ workload: workloadSchema, bench: z.string().max(64).default('') }),
    result: z.strictObject({ programs: z.array(externalProgramSchema) }),
  },
  /** Expected time of one run of each available variant, from recorded sessions. */
  'bench.expected': {
    params: z.strictObject({ scenario: scenarioDraftSchema, file: fileRefSchema.nullable().default(null) }),
    result: z.strictObject({ times: z.array(expectedTimeSchema), factorials: z.array(factorialChoiceSchema) }),
  },
  /** Queues a benchmark. It starts after all earlier runs; later runs wait until it has ended. */
  'bench.start': { params: benchStartSchema, result: benchInfoSchema },
  /** Ends the session after the current run. Completed rounds stay in the session. */
  'bench.cancel': { params: benchRequestSchema, result: benchInfoSchema },
  /**
   * Lists sessions measured since the program started, newest first, then those of the library, then those that came
   * with the program.
   */
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
  /** Removes an ended session from the list. Its files remain. */
  'bench.forget': { params: benchRequestSchema, result: emptyRequestSchema },
  /** Source files of a variant, its main file first. */
  'variant.sources': {
    params: variantRequestSchema,
    result: z.strictObject({ files: z.array(sourceFileSchema) }),
  },
  /** Register and memory use of the kernels that a variant launches, for every architecture they were compiled for. */
  'variant.resources': {
    params: z.strictObject({
      ...variantRequestSchema.shape,
      /**
       * Session report whose kernels are listed, with the resources saved in it. A report without saved resources gets
       * those of this build if its commit is the same. Null lists the kernels of this build.
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
      /** Origin of the resources: a session or this build. Null if there are none. */
      origin: z.string().nullable(),
    }),
  },
} as const;

export const benchStreams = {
  /** Sends all sessions measured since the program started, and again after every change of state. */
  benches: {
    params: emptyRequestSchema,
    frame: z.strictObject({ benches: z.array(benchInfoSchema) }),
    policy: 'latest',
  },
  /** Ends after the frame with the final state. */
  'bench.progress': { params: benchRequestSchema, frame: benchProgressSchema, policy: 'latest' },
} as const;

/** Label of a variant in a session. A null precision or GPU is chosen from the scenario and the machine. */
export function variantLabel(variant: string, precision: Precision | null, device: number | null): string {
  return `${variant}${precision === null ? '' : `@${precision}`}${device === null ? '' : `:${device}`}`;
}

/** Runs per variant in the shortest session: the first run, 5 rounds and 5 processes. Fewer rounds give no verdict. */
const MIN_RUNS_PER_VARIANT = 1 + 5 + 5;
/** Additional runs of the reference's second copy in the A/A comparisons: 5 rounds and 5 processes. */
const CONTROL_RUNS = 5 + 5;

/**
 * Shortest possible duration of a session in seconds, from the run time of each variant. The first one is the
 * reference.
 */
export function minSessionDuration_s(runs_s: readonly number[]): number {
  const [reference = 0] = runs_s;
  return MIN_RUNS_PER_VARIANT * runs_s.reduce((sum, one) => sum + one, 0) + CONTROL_RUNS * reference;
}

/**
 * Selects correct variants with known times such that the session fits into `budget_s`, in seconds. Prefers fast
 * variants, and keeps the given order. For a user problem, which has no expected times, selects all candidates.
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
    if (minSessionDuration_s(further) <= budget_s) chosen.add(id);
  }
  return inOrder(chosen).map(({ id }) => id);
}
