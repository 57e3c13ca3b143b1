/**
 * User kernels: a shipped variant with one of its files replaced by the user's. Also the calls of the page for them.
 */
import { z } from 'zod';
import { attemptFileSchema } from './bench/history.ts';
import { variantKeySchema, variantSchema } from './capabilities.ts';
import { issueSchema } from './errors.ts';
import { fileRefSchema } from './files.ts';
import { defaultKind } from './scenario/index.ts';
import { scenarioDraftSchema } from './scenario/workload.ts';
import { parseConfigured, spaceShape } from './tuning/configured.ts';
import { sanitizedSchema, sanitizerToolSchema } from './user-kernels/checks.ts';
import { compileOptionsSchema } from './user-kernels/options.ts';
import { workloadSchema } from './workload.ts';

/** File name of the kernel, which is next to the scenario. Also the id of the variant, including in scenarios. */
export const userKernelIdSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][\w.-]*\.(cu|cpp|py)$/);

export const isUserKernelFile = (name: string): boolean => userKernelIdSchema.safeParse(name).success;

/** Whether running it compiles code: a user's file, or a variant with other constants. */
export const isUserKernelId = (id: string): boolean => isUserKernelFile(id) || parseConfigured(id) !== null;

export const answerLanguages = ['python', 'typescript'] as const;
const answerLanguageSchema = z.enum(answerLanguages);
export type AnswerLanguage = z.infer<typeof answerLanguageSchema>;

/** Template for a new kernel. */
const kernelTemplateSchema = z.strictObject({ id: z.string(), title: z.string(), says: z.string() });
export type KernelTemplate = Readonly<z.infer<typeof kernelTemplateSchema>>;

/** Description of a user kernel: the JSON file with the same name next to it. */
export const userKernelDescriptionSchema = z.strictObject({
  kind: z.literal('variant'),
  version: z.literal(1),
  workload: workloadSchema.default(defaultKind),
  /** Name of the benchmark if the workload has several, such as `reduction` of micro. */
  bench: z.string().max(64).default(''),
  /** Id of the variant that it is based on. */
  base: z.string().min(1).max(64),
  /** File of that variant that it replaces, such as `kernels/transport/cpu/gather.cpp`. */
  replaces: z.string().min(1).max(200),
  title: z.string().min(1).max(100),
  /** Changes from its base, in one sentence. */
  changes: z.string().max(500).default(''),
  /** Compiler options that differ from those of shipped kernels. */
  compile: compileOptionsSchema.default({}),
  /** Constants of the file that tuning may change. */
  tunables: spaceShape.tunables.default([]),
  conditions: spaceShape.conditions,
});
export type UserKernelDescription = Readonly<z.infer<typeof userKernelDescriptionSchema>>;

/** Size limit; hand-written kernels have thousands of lines at most. */
export const USER_KERNEL_TEXT_MAX = 2 ** 20;
const text = z.string().max(USER_KERNEL_TEXT_MAX);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const userKernelInfoSchema = z.strictObject({
  id: userKernelIdSchema,
  /** Full path, for display. */
  place: z.string(),
  description: userKernelDescriptionSchema,
  /** Program that computes the expected answer, for a candidate of a problem folder; null for other kernels. */
  answer: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  /**
   * Hash of both files and of the files in their folder that the code includes. The user's trust refers to this hash.
   */
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
export type PrintedOutput = Readonly<z.infer<typeof printedSchema>>;

/** Kernel that cannot be used, with the reason. */
const userKernelTroubleSchema = z.strictObject({ id: userKernelIdSchema, message: z.string() });

/**
 * Scenario next to which the kernels are stored; null for an unsaved scenario, whose user kernels are in the library.
 */
const neighbour = fileRefSchema.nullable();
const kernelRequest = { beside: neighbour, id: userKernelIdSchema };

export const userKernelMethods = {
  /** Kernels next to a scenario, and error messages for those that cannot be used. */
  'userKernels.list': {
    params: z.strictObject({ beside: neighbour }),
    result: z.strictObject({
      variants: z.array(userKernelInfoSchema),
      /** User kernels as variants of their benchmark, listed next to the shipped ones. */
      listed: z.array(variantSchema),
      troubles: z.array(userKernelTroubleSchema),
    }),
  },
  /** Files of a shipped variant that a user kernel may replace; empty with a reason if user code cannot run. */
  'userKernels.templates': {
    params: z.strictObject({ base: variantKeySchema }),
    result: z.strictObject({ files: z.array(z.string()), reason: z.string().nullable() }),
  },
  /** Saves a copy of one of a shipped variant's files as a new user kernel. */
  'userKernels.create': {
    params: z.strictObject({ ...kernelRequest, base: variantKeySchema, replaces: z.string().max(200) }),
    result: userKernelInfoSchema,
  },
  /** Templates for a kernel written from scratch. */
  'userKernels.beginnings': {
    params: z.strictObject({}),
    result: z.strictObject({ beginnings: z.array(kernelTemplateSchema) }),
  },
  /**
   * Creates a problem folder with one kernel and the program that computes the expected answer; `scenario` is the
   * problem's document.
   */
  'userKernels.begin': {
    params: z.strictObject({ ...kernelRequest, beginning: z.string().max(64), answer: answerLanguageSchema }),
    result: z.strictObject({ info: userKernelInfoSchema, scenario: fileRefSchema }),
  },
  /** Copies an agent's attempt from the library into the problem's folder as a candidate. Does not run it. */
  'userKernels.replay': {
    params: z.strictObject({ beside: kernelRequest.beside, attempt: attemptFileSchema }),
    result: userKernelInfoSchema,
  },
  'userKernels.read': {
    params: z.strictObject(kernelRequest),
    result: z.strictObject({ info: userKernelInfoSchema, text }),
  },
  /**
   * Saves a kernel's text. `sha256`: version that was edited; `exists` if the files have changed since. Null
   * overwrites.
   */
  'userKernels.save': {
    params: z.strictObject({ ...kernelRequest, text, sha256: sha256.nullable().default(null) }),
    result: userKernelInfoSchema,
  },
  /** Writes compiler options to the kernel's description. `sha256`: as for saving the text. */
  'userKernels.options': {
    params: z.strictObject({
      ...kernelRequest,
      compile: compileOptionsSchema,
      sha256: sha256.nullable().default(null),
    }),
    result: userKernelInfoSchema,
  },
  /** Output since the start of the kernel's last run: `left_out` characters are missing after `first`. */
  'userKernels.printed': {
    params: z.strictObject(kernelRequest),
    result: printedSchema,
  },
  /** Runs the kernel on a scenario under compute-sanitizer, for minutes. Rejected if the tool is not installed. */
  'userKernels.sanitize': {
    params: z.strictObject({ ...kernelRequest, tool: sanitizerToolSchema, scenario: scenarioDraftSchema }),
    result: sanitizedSchema,
  },
  /**
   * Writes a folder next to the kernel with everything needed to build and run it on a scenario outside the workbench.
   */
  'userKernels.reproduce': {
    params: z.strictObject({ ...kernelRequest, scenario: scenarioDraftSchema }),
    result: z.strictObject({ folder: z.string(), files: z.number().int() }),
  },
  /** Compiles the kernel without running it. Issues refer to lines of the file. */
  'userKernels.build': {
    params: z.strictObject(kernelRequest),
    result: z.strictObject({ issues: z.array(issueSchema), built: z.boolean(), seconds: z.number() }),
  },
  /** Records that the user trusts the file with this content. */
  'userKernels.trust': { params: z.strictObject({ ...kernelRequest, sha256 }), result: userKernelInfoSchema },
  /**
   * Records trust for all candidates of one problem folder. `submissions`: whether agents may submit more candidates to
   * it.
   */
  'userKernels.trustFolder': {
    params: z.strictObject({
      beside: neighbour,
      kernels: z
        .array(z.strictObject({ id: userKernelIdSchema, sha256 }))
        .min(1)
        .max(1000),
      submissions: z.boolean(),
    }),
    result: z.strictObject({}),
  },
} as const;
