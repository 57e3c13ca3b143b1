/** Benchmarks as the page asks for them: starting, following, opening stored sessions. Times in seconds. */
import { z } from 'zod';
import { wireErrorSchema } from '../errors.ts';
import { fileRefSchema, namedFileSchema } from '../files.ts';
import { kernelResourcesSchema } from '../resources.ts';
import { type Precision, runIdSchema } from '../run.ts';
import { scenarioDraftSchema } from '../scenario/draft.ts';
import { workloadSchema } from '../workload.ts';
import { modeSchema, ratioSchema } from './bench-session.ts';
import { sessionSchema } from './session.ts';

const nothing = z.strictObject({});
const seconds = z.number().nonnegative();

/** A random word for a session of this program's run; for a stored one its folder and file name, the same every time. */
export const benchIdSchema = z.string().min(1).max(255);
export type BenchId = z.infer<typeof benchIdSchema>;

/** `stored`: read from a file. `cancelled` keeps the rounds that were whole. */
const benchStateSchema = z.enum(['queued', 'running', 'done', 'cancelled', 'failed', 'stored']);
export type BenchState = z.infer<typeof benchStateSchema>;

/** Subject of a comparison: a session's variant, a session's external program, or a run. */
export const subjectSchema = z.discriminatedUnion('kind', [
  /** A variant of a session: which of its reports, and the variant's label there. */
  z.strictObject({
    kind: z.literal('entry'),
    bench: benchIdSchema,
    report: z.number().int().min(0),
    label: z.string(),
  }),
  /** Another program that a session timed. */
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
  /** Which benchmark of a workload that has several; empty otherwise. */
  bench: z.string(),
  name: z.string(),
  state: benchStateSchema,
  /** Position in the queue, 1 is next; null unless queued. */
  queuePosition: z.number().int().positive().nullable(),
  /** ISO 8601. */
  created: z.string(),
  /** Came with the program. */
  recorded: z.boolean(),
  /** File of the session; null if it was not saved. */
  file: namedFileSchema.nullable(),
  scenario: z.string(),
  /** The GPU, else the CPU. */
  machine: z.string(),
  /** Value of the scenario that a sweep changes; null for a plain session. */
  sweep: z.string().nullable(),
  /** In the order of the session; those that could not run are left out. */
  subjects: z.array(z.strictObject({ subject: subjectSchema, title: z.string() })),
  /** Those, and why. */
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
  /** Whole rounds, and the most that will be taken. */
  round: z.number().int().nonnegative(),
  rounds: z.number().int().nonnegative(),
  elapsed_s: seconds,
  /**
   * Upper bound; the session ends earlier once every ratio has the requested precision. Null before the first round.
   */
  left_s: seconds.nullable(),
  /** After each round: the medians so far, and the time over the first one's. */
  latest: z.array(z.strictObject({ label: z.string(), time_s: seconds, ratio: ratioSchema.nullable() })),
});
export type BenchProgress = Readonly<z.infer<typeof benchProgressSchema>>;

/** Most variants of one session: more than there are, in both precisions, on some GPUs. */
const mostLabels = 128;

const benchStartSchema = z.strictObject({
  scenario: scenarioDraftSchema,
  /** The file that the draft belongs to. */
  file: fileRefSchema.nullable().default(null),
  /** Name shown when the scenario has none. */
  name: z.string().max(255),
  /**
   * `gather`, `cuda-fused@fp64`, and where there are several GPUs
   * `cuda-fused:1` or `cuda-fused@fp64:1`. The first is what the others are compared with.
   */
  variants: z.array(z.string().min(1).max(128)).min(1).max(mostLabels),
  /**
   * External candidates, checked against the same reference: ids of registered programs, or id=FILE for a user program.
   */
  external: z.array(z.string().min(1).max(4096)).max(32).default([]),
  /** Modes measured in addition to warm. */
  modes: z.array(modeSchema).default([]),
  /** Null if unlimited. */
  rounds: z.number().int().min(1).max(100_000).nullable().default(null),
  /** The session ends within this, references and cold processes included; one round is always taken. */
  time_s: z.number().min(0).max(86_400).default(60),
  /** Cold processes of each variant, started after the rounds; null for the workload's default. */
  processes: z.number().int().min(0).max(100).nullable().default(null),
  /** Most separately prepared states of each variant; null: no limit. */
  instances: z.number().int().min(3).max(100_000).nullable().default(null),
  /** Keep the GPU's clock there for the session; null: it is left alone. */
  lock_MHz: z.number().int().min(1).max(10_000).nullable().default(null),
  /** Begin no round while the GPU is hotter; null: whatever it is. */
  cool_C: z.number().min(20).max(120).nullable().default(null),
  /** After the rounds, the energy of each variant's runs, where it can be read. */
  energy: z.boolean().default(false),
  /**
   * Half width of every interval that ends the session, as a ratio less 1; null: it ends when every verdict is settled.
   */
  precision: z.number().min(1e-4).max(0.5).nullable().default(null),
  /** `same` lies inside this, as a ratio less 1. */
  margin: z.number().min(1e-4).max(0.5).default(0.01),
  seed: z
    .number()
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1),
  /** Measures at each of these values of the scenario, and fits fixed cost and slope. */
  sweep: z
    .strictObject({ path: z.string().min(1).max(255), values: z.array(z.number()).min(1).max(100) })
    .nullable()
    .default(null),
});

const sourceFileSchema = z.strictObject({
  /** From the repository's root. */
  path: z.string(),
  text: z.string(),
});

/** A program outside that solves the same scenarios. */
const externalProgramSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  language: z.string(),
  device: z.enum(['cpu', 'cuda']),
  /** Why it cannot run here; null when it can. */
  reason: z.string().nullable(),
  /** A program of the user's: what its file is, and which one is named already. Null of the others. */
  file: z.strictObject({ what: z.string(), named: z.string().nullable() }).nullable(),
});
export type ExternalProgram = Readonly<z.infer<typeof externalProgramSchema>>;

const whichVariantSchema = z.strictObject({
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
  /** The machine of the session that it is known from, where that is another; null otherwise. */
  like: z.string().nullable(),
  /** False where a session found its answer wrong. */
  right: z.boolean(),
  /** False where this machine cannot run it on the problem. */
  able: z.boolean(),
});
export type ExpectedTime = Readonly<z.infer<typeof expectedTimeSchema>>;

/** Variants that have a benchmark's optimisations one by one and together, as far as they run here. */
const factorialChoiceSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** The first is the plain one. */
  labels: z.array(z.string()),
});
export type FactorialChoice = Readonly<z.infer<typeof factorialChoiceSchema>>;

const ofBench = z.strictObject({ bench: benchIdSchema });

export const benchMethods = {
  /** Those that solve scenarios of a benchmark. Asks each whether it can run, which takes seconds the first time. */
  'bench.external': {
    params: z.strictObject({ workload: workloadSchema, bench: z.string().max(64).default('') }),
    result: z.strictObject({ programs: z.array(externalProgramSchema) }),
  },
  /** Expected time of one run of each available variant of the scenario, from recorded sessions if there are any. */
  'bench.expected': {
    params: z.strictObject({ scenario: scenarioDraftSchema, file: fileRefSchema.nullable().default(null) }),
    result: z.strictObject({ times: z.array(expectedTimeSchema), factorials: z.array(factorialChoiceSchema) }),
  },
  /** Queues a benchmark: it waits for the runs before it, and those after it wait for its end. */
  'bench.start': { params: benchStartSchema, result: benchInfoSchema },
  /** Ends the session after the current run; complete rounds are retained. */
  'bench.cancel': { params: ofBench, result: benchInfoSchema },
  /** This program's sessions, newest first, then those of the library and those that came with the program. */
  'bench.list': { params: nothing, result: z.strictObject({ benches: z.array(benchInfoSchema) }) },
  'bench.session': { params: ofBench, result: z.strictObject({ session: sessionSchema }) },
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
  /** Drops a session of this program's run that has ended; files stay. */
  'bench.forget': { params: ofBench, result: nothing },
  /** The files that a variant is written in, its own first. */
  'variant.sources': {
    params: whichVariantSchema,
    result: z.strictObject({ files: z.array(sourceFileSchema) }),
  },
  /** Resources of the kernels that a variant launches, for every architecture they were compiled for. */
  'variant.resources': {
    params: z.strictObject({
      ...whichVariantSchema.shape,
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
      /** Whose they are: the session's, or this build's; null where there are none. */
      origin: z.string().nullable(),
    }),
  },
} as const;

export const benchStreams = {
  /** The sessions of this program's run, whenever one changes its state; the present ones at once. */
  benches: {
    params: nothing,
    frame: z.strictObject({ benches: z.array(benchInfoSchema) }),
    policy: 'latest',
  },
  /** Ends after the frame with the final state. */
  'bench.progress': { params: ofBench, frame: benchProgressSchema, policy: 'latest' },
} as const;

/** The label of a variant in a session; null leaves the choice to scenario and machine. */
export function labelOf(variant: string, precision: Precision | null, device: number | null): string {
  return `${variant}${precision === null ? '' : `@${precision}`}${device === null ? '' : `:${device}`}`;
}
