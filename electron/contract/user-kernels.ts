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

/** Name of the kernel file. It is the variant's id, in scenarios too, and lies beside the scenario. */
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

/** What a kernel may begin as. */
export const beginningSchema = z.strictObject({ id: z.string(), title: z.string(), says: z.string() });
export type Beginning = Readonly<z.infer<typeof beginningSchema>>;

/** The JSON file of the same name beside it. */
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
  /** What it changes, one sentence. */
  changes: z.string().max(500).default(''),
  /** Program beside it that gives the expected answer, of a kernel that was made from nothing; empty: none. */
  answer: answerNameSchema.or(z.literal('')).default(''),
  /** How it is compiled, where otherwise than ours. */
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

/** What a kernel's process wrote to its output: `printf` of the host and of the device. */
const printedSchema = z.strictObject({
  first: z.string(),
  last: z.string(),
  left_out: z.number().int(),
});
export type Printed = Readonly<z.infer<typeof printedSchema>>;

/** One that cannot be used, with why. */
const userKernelTroubleSchema = z.strictObject({ id: userKernelIdSchema, message: z.string() });

/** The scenario beside which they lie; null: one that is not saved, whose user kernels lie in the library. */
const beside = fileRefSchema.nullable();
const named = { beside, id: userKernelIdSchema };

export const userKernelMethods = {
  /** Those beside a scenario, and what is wrong with those that cannot be used. */
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
  /** What a kernel made from nothing may begin as. */
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
  /** What it has printed since its last run began: `left_out` characters are missing after the first ones. */
  'userKernels.printed': {
    params: z.strictObject(named),
    result: printedSchema,
  },
  /** Runs it on a scenario under compute-sanitizer. Minutes; refused where that is not installed. */
  'userKernels.sanitize': {
    params: z.strictObject({ ...named, tool: sanitizerToolSchema, scenario: scenarioDraftSchema }),
    result: sanitizedSchema,
  },
  /** Writes a folder beside it with all that it takes to build and run it on a scenario outside of the workbench. */
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
