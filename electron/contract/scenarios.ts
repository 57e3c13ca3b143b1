/** Scenario documents for the page: parsed text, issues, and resolved scenario. */
import { z } from 'zod';
import { issueSchema } from './errors.ts';
import { fileRefSchema, namedFileSchema } from './files.ts';
import { propertyOfWorkloads } from './scenario/kinds.ts';
import { scenarioDraftSchema } from './scenario/workload.ts';

export const parsedScenarioSchema = z.strictObject({
  /** Parsed document, which may contain invalid values; null if the text cannot be parsed. */
  draft: scenarioDraftSchema.nullable(),
  issues: z.array(issueSchema),
});
export type ParsedScenario = Readonly<z.infer<typeof parsedScenarioSchema>>;

export const scenarioFileSchema = z.strictObject({
  ...parsedScenarioSchema.shape,
  file: namedFileSchema,
  /** True if the file came with the program. Saving then asks for a different name. */
  readOnly: z.boolean(),
  /** Version stamp, which changes whenever the file changes. */
  stamp: z.string(),
});

export const libraryEntrySchema = z.strictObject({
  file: fileRefSchema,
  fileName: z.string(),
  /** Name and notes in the document; empty if absent or unreadable. */
  name: z.string(),
  notes: z.string(),
  readOnly: z.boolean(),
  modified: z.string(),
});
export type LibraryEntry = Readonly<z.infer<typeof libraryEntrySchema>>;

/** Resolved scenario of any kind. */
export const resolvedSchema = z.discriminatedUnion('kind', propertyOfWorkloads('resolved'));
export type ResolvedScenario = Readonly<z.infer<typeof resolvedSchema>>;
export type ResolvedScenarioOfKind<K extends ResolvedScenario['kind']> = Extract<ResolvedScenario, { kind: K }>;

/** Narrows a resolved scenario to `kind`; null if it is of another kind. */
export function narrowResolvedScenario<K extends ResolvedScenario['kind']>(
  kind: K,
  resolved: ResolvedScenario | null,
): ResolvedScenarioOfKind<K> | null {
  return resolved?.kind === kind ? (resolved as ResolvedScenarioOfKind<K>) : null;
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
