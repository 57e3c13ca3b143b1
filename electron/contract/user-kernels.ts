/** User kernels: a shipped variant with one of its files replaced by the user's, and what the page asks about them. */
import { z } from 'zod';
import { variantKeySchema } from './capabilities.ts';
import { issueSchema } from './errors.ts';
import { fileRefSchema } from './files.ts';
import { scenarioDraftSchema } from './scenario/draft.ts';
import { defaultKind } from './scenario/index.ts';
import { parseConfigured, spaceShape } from './tuning/configured.ts';
import { compileOptionsSchema } from './user-kernels/options.ts';
import { sanitizedSchema, sanitizerToolSchema } from './user-kernels/sanitizer.ts';
import { workloadSchema } from './workload.ts';

/** Name of the kernel file, which is located next to the scenario. It is also the variant's id, in scenarios too. */
export const userKernelIdSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][\w.-]*\.(cu|cpp|py)$/);

export const isUserKernelFile = (name: string): boolean => userKernelIdSchema.safeParse(name).success;

/** Whether code is compiled for it: a user's file, or a variant with other constants. */
export const isUserKernelId = (id: string): boolean => isUserKernelFile(id) || parseConfigured(id) !== null;

/** The benchmark whose kernels are made from nothing. */
export const OWN_BENCH = 'own';

const answerNameSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][\w.-]*\.(py|ts|mts|mjs)$/, 'allowed: a file beside it that ends in .py, .ts, .mts or .mjs');

export const answerLanguages = ['python', 'typescript'] as const;
const answerLanguageSchema = z.enum(answerLanguages);
export type AnswerLanguage = z.infer<typeof answerLanguageSchema>;

/** Template for a new kernel. */
export const beginningSchema = z.strictObject({ id: z.string(), title: z.string(), says: z.string() });
export type Beginning = Readonly<z.infer<typeof beginningSchema>>;

/** Description of a user kernel: the JSON file of the same name next to it. */
export const userKernelDescriptionSchema = z.strictObject({
  kind: z.literal('variant'),
  version: z.literal(1),
  workload: workloadSchema.default(defaultKind),
  /** Which benchmark of a workload that has several, such as `reduction` of micro. */
  bench: z.string().max(64).default(''),
  /** Id of the variant that it was made from. */
  base: z.string().min(1).max(64),
  /** Which of that variant's files it takes the place of, such as `kernels/transport/cpu/gather.cpp`. */
  replaces: z.string().min(1).max(200),
  title: z.string().min(1).max(100),
  /** Changes from its base, in one sentence. */
  changes: z.string().max(500).default(''),
  /**
   * Program next to it that computes the expected answer, for a kernel written from scratch; empty if there is none.
   */
  answer: answerNameSchema.or(z.literal('')).default(''),
  /** Compiler options that differ from those of shipped kernels. */
  compile: compileOptionsSchema.default({}),
  /** Constants of the file that tuning may change. */
  tunables: spaceShape.tunables.default([]),
  conditions: spaceShape.conditions,
});
export type UserKernelDescription = Readonly<z.infer<typeof userKernelDescriptionSchema>>;

/** Kernels that people write have thousands of lines at most. */
export const USER_KERNEL_TEXT_MOST = 2 ** 20;
const text = z.string().max(USER_KERNEL_TEXT_MOST);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const userKernelInfoSchema = z.strictObject({
  id: userKernelIdSchema,
  /** Full path, for the user to read. */
  place: z.string(),
  description: userKernelDescriptionSchema,
  device: z.enum(['cpu', 'cuda']),
  /** Hash of both files together and of what the code includes from its folder: what is trusted. */
  sha256,
  trusted: z.boolean(),
});
export type UserKernelInfo = Readonly<z.infer<typeof userKernelInfoSchema>>;

/** Output of a kernel's process: `printf` on the host and on the device. */
const printedSchema = z.strictObject({
  first: z.string(),
  last: z.string(),
  left_out: z.number().int(),
});
export type Printed = Readonly<z.infer<typeof printedSchema>>;

/** One that cannot be used, with why. */
const userKernelTroubleSchema = z.strictObject({ id: userKernelIdSchema, message: z.string() });

/**
 * Scenario next to which the kernels are stored; null for an unsaved scenario, whose user kernels are in the library.
 */
const beside = fileRefSchema.nullable();
const named = { beside, id: userKernelIdSchema };

export const userKernelMethods = {
  /** Kernels next to a scenario, and error messages for those that cannot be used. */
  'userKernels.list': {
    params: z.strictObject({ beside }),
    result: z.strictObject({ variants: z.array(userKernelInfoSchema), troubles: z.array(userKernelTroubleSchema) }),
  },
  /** The files of a shipped variant that a user kernel may replace; empty where user code cannot run here, with why. */
  'userKernels.templates': {
    params: z.strictObject({ base: variantKeySchema }),
    result: z.strictObject({ files: z.array(z.string()), reason: z.string().nullable() }),
  },
  /** Saves a copy of one of a shipped variant's files as a new user kernel. */
  'userKernels.create': {
    params: z.strictObject({ ...named, base: variantKeySchema, replaces: z.string().max(200) }),
    result: userKernelInfoSchema,
  },
  /** Templates for a kernel written from scratch. */
  'userKernels.beginnings': {
    params: z.strictObject({}),
    result: z.strictObject({ beginnings: z.array(beginningSchema) }),
  },
  /** Makes one with its description, the program of its answer, and a scenario that runs it. */
  'userKernels.begin': {
    params: z.strictObject({ ...named, beginning: z.string().max(64), answer: answerLanguageSchema }),
    result: z.strictObject({ info: userKernelInfoSchema, scenario: fileRefSchema }),
  },
  'userKernels.read': { params: z.strictObject(named), result: z.strictObject({ info: userKernelInfoSchema, text }) },
  /** `sha256`: of the version that was edited; `exists` where the files have another by now. Null: whatever is there. */
  'userKernels.save': {
    params: z.strictObject({ ...named, text, sha256: sha256.nullable().default(null) }),
    result: userKernelInfoSchema,
  },
  /** Writes how it is compiled into its description. `sha256`: as for its text. */
  'userKernels.options': {
    params: z.strictObject({ ...named, compile: compileOptionsSchema, sha256: sha256.nullable().default(null) }),
    result: userKernelInfoSchema,
  },
  /** Output since the start of its last run: `left_out` characters are missing after `first`. */
  'userKernels.printed': {
    params: z.strictObject(named),
    result: printedSchema,
  },
  /** Runs it on a scenario under compute-sanitizer. Minutes; refused where that is not installed. */
  'userKernels.sanitize': {
    params: z.strictObject({ ...named, tool: sanitizerToolSchema, scenario: scenarioDraftSchema }),
    result: sanitizedSchema,
  },
  /** Writes a folder next to it with everything needed to build and run it on a scenario outside the workbench. */
  'userKernels.reproduce': {
    params: z.strictObject({ ...named, scenario: scenarioDraftSchema }),
    result: z.strictObject({ folder: z.string(), files: z.number().int() }),
  },
  /** Compiles it and runs nothing of it. Issues carry the lines of the file. */
  'userKernels.build': {
    params: z.strictObject(named),
    result: z.strictObject({ issues: z.array(issueSchema), built: z.boolean(), seconds: z.number() }),
  },
  /** The user says that they trust the file with this content. */
  'userKernels.trust': { params: z.strictObject({ ...named, sha256 }), result: userKernelInfoSchema },
} as const;
