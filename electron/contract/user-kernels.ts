/** User kernels: a built-in variant in which the user replaces one file. Also the page's calls for them. */
import { z } from 'zod';
import { attemptFileSchema } from './bench/history.ts';
import { variantKeySchema, variantSchema } from './capabilities.ts';
import { issueSchema } from './errors.ts';
import { fileRefSchema } from './files.ts';
import { defaultKind } from './scenario/index.ts';
import { scenarioDraftSchema } from './scenario/workload.ts';
import { parseConfigured, searchSpaceShape } from './tuning/configured.ts';
import { sanitizerReportSchema, sanitizerToolSchema } from './user-kernels/checks.ts';
import { compileOptionsSchema } from './user-kernels/options.ts';
import { workloadSchema } from './workload.ts';

/**
 * File name of the kernel, which is in the scenario's folder. It is also the id of the variant, and scenarios may
 * select it.
 */
export const userKernelIdSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][\w.-]*\.(cu|cpp|py)$/);

export const isUserKernelFile = (name: string): boolean => userKernelIdSchema.safeParse(name).success;

/** Whether running the variant compiles code: a user's file, or a built-in variant with changed constants. */
export const isUserKernelId = (id: string): boolean => isUserKernelFile(id) || parseConfigured(id) !== null;

export const answerLanguages = ['python', 'typescript'] as const;
const answerLanguageSchema = z.enum(answerLanguages);
export type AnswerLanguage = z.infer<typeof answerLanguageSchema>;

/** Template for a new kernel. */
const kernelTemplateSchema = z.strictObject({ id: z.string(), title: z.string(), says: z.string() });
export type KernelTemplate = Readonly<z.infer<typeof kernelTemplateSchema>>;

/** Description of a user kernel, stored in a JSON file of the same name in the same folder. */
export const userKernelDescriptionSchema = z.strictObject({
  kind: z.literal('variant'),
  version: z.literal(1),
  workload: workloadSchema.default(defaultKind),
  /** Name of the benchmark if the workload has several, such as `reduction` in `micro`. */
  bench: z.string().max(64).default(''),
  /** Id of the built-in variant that the kernel is based on. */
  base: z.string().min(1).max(64),
  /** File of that variant that the kernel replaces, such as `kernels/transport/cpu/gather.cpp`. */
  replaces: z.string().min(1).max(200),
  title: z.string().min(1).max(100),
  /** Differences from the built-in variant, in one sentence. */
  changes: z.string().max(500).default(''),
  /** Compiler options that differ from those of built-in kernels. */
  compile: compileOptionsSchema.default({}),
  /** Constants in the file that tuning may vary. */
  tunables: searchSpaceShape.tunables.default([]),
  conditions: searchSpaceShape.conditions,
});
export type UserKernelDescription = Readonly<z.infer<typeof userKernelDescriptionSchema>>;

/** Size limit of a kernel's text, bytes. Hand-written kernels have a few thousand lines at most. */
export const USER_KERNEL_TEXT_MAX = 2 ** 20;
const kernelTextSchema = z.string().max(USER_KERNEL_TEXT_MAX);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const userKernelInfoSchema = z.strictObject({
  id: userKernelIdSchema,
  /** Full path, for display. */
  place: z.string(),
  description: userKernelDescriptionSchema,
  /**
   * Program that computes the expected answer, if the kernel is a candidate in a problem folder; null for other
   * kernels.
   */
  answer: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  /**
   * Hash of the kernel, its description, and the files in their folder that the code includes. The user trusts code by
   * this hash.
   */
  sha256,
  trusted: z.boolean(),
});
export type UserKernelInfo = Readonly<z.infer<typeof userKernelInfoSchema>>;

/** Output that a kernel's process printed, on the host or on the device. */
const printedSchema = z.strictObject({
  first: z.string(),
  last: z.string(),
  left_out: z.number().int(),
});
export type PrintedOutput = Readonly<z.infer<typeof printedSchema>>;

/** Kernel that cannot be used, with an error message. */
const unusableKernelSchema = z.strictObject({ id: userKernelIdSchema, message: z.string() });

/** Scenario in whose folder the kernels are. Kernels of an unsaved scenario (null) are in the library. */
const scenarioFileSchema = fileRefSchema.nullable();
const kernelRequest = { beside: scenarioFileSchema, id: userKernelIdSchema };

export const userKernelMethods = {
  /** Lists the kernels in a scenario's folder, with error messages for those that cannot be used. */
  'userKernels.list': {
    params: z.strictObject({ beside: scenarioFileSchema }),
    result: z.strictObject({
      variants: z.array(userKernelInfoSchema),
      /** User kernels as variants of their benchmark, in the form of built-in ones. */
      listed: z.array(variantSchema),
      troubles: z.array(unusableKernelSchema),
    }),
  },
  /**
   * Lists the files of a built-in variant that a user kernel may replace. If user code cannot run, the list is empty
   * and has a reason.
   */
  'userKernels.templates': {
    params: z.strictObject({ base: variantKeySchema }),
    result: z.strictObject({ files: z.array(z.string()), reason: z.string().nullable() }),
  },
  /** Creates a user kernel as a copy of one file of a built-in variant. */
  'userKernels.create': {
    params: z.strictObject({ ...kernelRequest, base: variantKeySchema, replaces: z.string().max(200) }),
    result: userKernelInfoSchema,
  },
  /** Lists templates for kernels that are written from scratch. */
  'userKernels.beginnings': {
    params: z.strictObject({}),
    result: z.strictObject({ beginnings: z.array(kernelTemplateSchema) }),
  },
  /**
   * Creates a problem folder with a first kernel, and with the program that computes the expected answer. `scenario` is
   * the document of the problem.
   */
  'userKernels.begin': {
    params: z.strictObject({ ...kernelRequest, beginning: z.string().max(64), answer: answerLanguageSchema }),
    result: z.strictObject({ info: userKernelInfoSchema, scenario: fileRefSchema }),
  },
  /** Copies an agent's attempt from the library into the problem folder, as a candidate. Does not run the code. */
  'userKernels.replay': {
    params: z.strictObject({ beside: kernelRequest.beside, attempt: attemptFileSchema }),
    result: userKernelInfoSchema,
  },
  'userKernels.read': {
    params: z.strictObject(kernelRequest),
    result: z.strictObject({ info: userKernelInfoSchema, text: kernelTextSchema }),
  },
  /**
   * Saves the text of a kernel. `sha256` is the hash of the edited version; if the files have changed since then, the
   * call fails with `exists`. Null overwrites them.
   */
  'userKernels.save': {
    params: z.strictObject({ ...kernelRequest, text: kernelTextSchema, sha256: sha256.nullable().default(null) }),
    result: userKernelInfoSchema,
  },
  /** Saves compiler options in the kernel's description. `sha256` has the same meaning as when saving text. */
  'userKernels.options': {
    params: z.strictObject({
      ...kernelRequest,
      compile: compileOptionsSchema,
      sha256: sha256.nullable().default(null),
    }),
    result: userKernelInfoSchema,
  },
  /**
   * Returns the output of the kernel's last run. If it is too long, `left_out` characters after `first` are omitted.
   */
  'userKernels.printed': {
    params: z.strictObject(kernelRequest),
    result: printedSchema,
  },
  /** Runs the kernel under compute-sanitizer, which needs minutes. Fails if the tool is not installed. */
  'userKernels.sanitize': {
    params: z.strictObject({ ...kernelRequest, tool: sanitizerToolSchema, scenario: scenarioDraftSchema }),
    result: sanitizerReportSchema,
  },
  /** Writes a folder with everything that is needed to build and run the kernel on a scenario outside this program. */
  'userKernels.reproduce': {
    params: z.strictObject({ ...kernelRequest, scenario: scenarioDraftSchema }),
    result: z.strictObject({ folder: z.string(), files: z.number().int() }),
  },
  /** Compiles the kernel without running it. Issues contain line numbers of the file. */
  'userKernels.build': {
    params: z.strictObject(kernelRequest),
    result: z.strictObject({ issues: z.array(issueSchema), built: z.boolean(), seconds: z.number() }),
  },
  /** Records that the user trusts the file with this hash. */
  'userKernels.trust': { params: z.strictObject({ ...kernelRequest, sha256 }), result: userKernelInfoSchema },
  /**
   * Records that the user trusts all candidates in a problem folder. `submissions`: whether agents may submit further
   * candidates to it.
   */
  'userKernels.trustFolder': {
    params: z.strictObject({
      beside: scenarioFileSchema,
      kernels: z
        .array(z.strictObject({ id: userKernelIdSchema, sha256 }))
        .min(1)
        .max(1000),
      submissions: z.boolean(),
    }),
    result: z.strictObject({}),
  },
} as const;
