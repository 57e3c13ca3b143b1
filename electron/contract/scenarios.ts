/** Scenario documents for the page: the parsed text, its issues, and the resolved scenario. */
import { z } from 'zod';
import { issueSchema } from './errors.ts';
import { fileRefSchema, namedFileSchema } from './files.ts';
import { propertyOfWorkloads } from './scenario/kinds.ts';
import { scenarioDraftSchema } from './scenario/workload.ts';

export const readScenarioSchema = z.strictObject({
  /** The document, even if values in it are invalid; null if the text is not a document. */
  draft: scenarioDraftSchema.nullable(),
  issues: z.array(issueSchema),
});
export type ReadScenario = Readonly<z.infer<typeof readScenarioSchema>>;

export const scenarioFileSchema = z.strictObject({
  ...readScenarioSchema.shape,
  file: namedFileSchema,
  /** True if supplied with the program, so that Save prompts for another name. */
  readOnly: z.boolean(),
  /** Version stamp that changes whenever the file does. */
  stamp: z.string(),
});

export const libraryEntrySchema = z.strictObject({
  file: fileRefSchema,
  fileName: z.string(),
  /** `name` and `notes` in the document; empty if absent or unreadable. */
  name: z.string(),
  notes: z.string(),
  readOnly: z.boolean(),
  modified: z.string(),
});
export type LibraryEntry = Readonly<z.infer<typeof libraryEntrySchema>>;

/** Resolved scenario, by kind. */
export const resolvedSchema = z.discriminatedUnion('kind', propertyOfWorkloads('resolved'));
export type Resolved = Readonly<z.infer<typeof resolvedSchema>>;
export type ResolvedKind<K extends Resolved['kind']> = Extract<Resolved, { kind: K }>;

/** Returns the resolved scenario if it is of this kind; otherwise null. */
export function resolvedOf<K extends Resolved['kind']>(kind: K, resolved: Resolved | null): ResolvedKind<K> | null {
  return resolved?.kind === kind ? (resolved as ResolvedKind<K>) : null;
}

export const materialSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  density_g_cm3: z.number().positive(),
  /** Mean excitation energy, eV. */
  i_eV: z.number().positive().nullable(),
  zOverA: z.number().positive(),
  x0_g_cm2: z.number().positive(),
  xs_g_cm2: z.number().positive(),
  source: z.string(),
});
export type Material = Readonly<z.infer<typeof materialSchema>>;
