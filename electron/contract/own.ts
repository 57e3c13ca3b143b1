/** Own variants: a shipped variant with one of its files replaced by the user's, and what the page asks about them. */
import { z } from 'zod';
import { variantKeySchema } from './capabilities.ts';
import { issueSchema } from './errors.ts';
import { fileRefSchema } from './files.ts';
import { workloadSchema } from './workload.ts';

/** Name of the kernel file. It is the variant's id, in scenarios too, and lies beside the scenario. */
export const ownIdSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][\w.-]*\.(cu|cpp)$/);

export const isOwnId = (id: string): boolean => ownIdSchema.safeParse(id).success;

/** The JSON file of the same name beside it. */
export const ownDescriptionSchema = z.strictObject({
  kind: z.literal('variant'),
  version: z.literal(1),
  workload: workloadSchema.default('transport'),
  /** Which benchmark of a workload that has several, such as `reduction` of micro. */
  bench: z.string().max(64).default(''),
  /** Id of the variant that it was made from. */
  base: z.string().min(1).max(64),
  /** Which of that variant's files it takes the place of, such as `kernels/transport/cpu/gather.cpp`. */
  replaces: z.string().min(1).max(200),
  title: z.string().min(1).max(100),
  /** What it changes, one sentence. */
  changes: z.string().max(500).default(''),
});
export type OwnDescription = Readonly<z.infer<typeof ownDescriptionSchema>>;

/** Kernels that people write have thousands of lines at most. */
export const OWN_TEXT_MOST = 2 ** 20;
const text = z.string().max(OWN_TEXT_MOST);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const ownVariantInfoSchema = z.strictObject({
  id: ownIdSchema,
  /** Full path, for the user to read. */
  place: z.string(),
  description: ownDescriptionSchema,
  device: z.enum(['cpu', 'cuda']),
  /** Of both files together, and of what the code includes from its folder; trust is in it. */
  sha256,
  trusted: z.boolean(),
});
export type OwnVariantInfo = Readonly<z.infer<typeof ownVariantInfoSchema>>;

/** One that cannot be used, with why. */
export const ownTroubleSchema = z.strictObject({ id: ownIdSchema, message: z.string() });

/** The scenario beside which they lie; null: one that is not saved, whose own variants lie in the library. */
const beside = fileRefSchema.nullable();
const named = { beside, id: ownIdSchema };

export const ownMethods = {
  /** Those beside a scenario, and what is wrong with those that cannot be used. */
  'own.list': {
    params: z.strictObject({ beside }),
    result: z.strictObject({ variants: z.array(ownVariantInfoSchema), troubles: z.array(ownTroubleSchema) }),
  },
  /** The files of a shipped variant that an own one may replace; empty where own code cannot run here, with why. */
  'own.templates': {
    params: z.strictObject({ base: variantKeySchema }),
    result: z.strictObject({ files: z.array(z.string()), reason: z.string().nullable() }),
  },
  /** Saves a copy of one of a shipped variant's files as a new own variant. */
  'own.create': {
    params: z.strictObject({ ...named, base: variantKeySchema, replaces: z.string().max(200) }),
    result: ownVariantInfoSchema,
  },
  'own.read': { params: z.strictObject(named), result: z.strictObject({ info: ownVariantInfoSchema, text }) },
  /** `sha256`: of the version that was edited; `exists` where the files have another by now. Null: whatever is there. */
  'own.save': {
    params: z.strictObject({ ...named, text, sha256: sha256.nullable().default(null) }),
    result: ownVariantInfoSchema,
  },
  /** Compiles it and runs nothing of it. Issues carry the lines of the file. */
  'own.build': {
    params: z.strictObject(named),
    result: z.strictObject({ issues: z.array(issueSchema), built: z.boolean(), seconds: z.number() }),
  },
  /** The user says that they trust the file with this content. */
  'own.trust': { params: z.strictObject({ ...named, sha256 }), result: ownVariantInfoSchema },
} as const;
