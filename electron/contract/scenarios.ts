/** Scenario documents as the page asks for them: what was read, what is wrong with it, what it resolves to. */
import { z } from 'zod';
import { issueSchema } from './errors.ts';
import { fileRefSchema, namedFileSchema } from './files.ts';
import { gridSizeSchema } from './run.ts';
import { eachTaskSchema, type TaskKind } from './task.ts';

/**
 * A scenario as the user wrote it: defaults not filled in, possibly with
 * faults. The host checks it against the scenario schema whenever it is used.
 */
export const scenarioDraftSchema = z.record(z.string(), z.unknown());
export type ScenarioDraft = Readonly<z.infer<typeof scenarioDraftSchema>>;

export const readScenarioSchema = z.strictObject({
  /** The document, also when values in it are at fault; null when the text is no document at all. */
  draft: scenarioDraftSchema.nullable(),
  issues: z.array(issueSchema),
});
export type ReadScenario = Readonly<z.infer<typeof readScenarioSchema>>;

export const scenarioFileSchema = z.strictObject({
  ...readScenarioSchema.shape,
  file: namedFileSchema,
  /** Shipped with the program: Save asks for another name. */
  readOnly: z.boolean(),
  /** Changes whenever the file does. */
  stamp: z.string(),
});

export const libraryEntrySchema = z.strictObject({
  file: fileRefSchema,
  fileName: z.string(),
  /** `name` and `notes` in the document; empty when it has none or cannot be read. */
  name: z.string(),
  notes: z.string(),
  readOnly: z.boolean(),
  modified: z.string(),
});
export type LibraryEntry = Readonly<z.infer<typeof libraryEntrySchema>>;

/** What every scenario without errors resolves to. */
const resolvedShape = {
  /** Every field filled in; the form shows these as placeholders. */
  scenario: scenarioDraftSchema,
  estimate: z.strictObject({ total_bytes: z.number(), limit_bytes: z.number() }),
  /** What `auto` picks, and for every variant why it cannot run this scenario (null: it can). */
  variant: z.string(),
  variants: z.array(z.strictObject({ id: z.string(), refusal: z.string().nullable() })),
};

const transportResolvedSchema = z.strictObject({
  kind: z.literal('transport'),
  ...resolvedShape,
  grid: gridSizeSchema,
  cells: z.number(),
  state_bytes: z.number(),
  steps_max: z.number().int(),
  /** CSDA range along the beam's axis from the entrance, through the regions on it. */
  range_mm: z.number(),
  /** CSDA range in water from the table in use. */
  waterRange_mm: z.number(),
  /** Name of the stopping-power table, for captions. */
  table: z.string(),
});
export type TransportResolved = Readonly<z.infer<typeof transportResolvedSchema>>;

const diffractionResolvedSchema = z.strictObject({
  kind: z.literal('diffraction'),
  ...resolvedShape,
  width: z.number().int(),
  height: z.number().int(),
  /** Sub-pixels along each side of a pixel. */
  oversample: z.number().int(),
  sources: z.number().int(),
  orientations: z.number().int(),
  layers: z.number().int(),
  /** Lattice factors in the image. */
  terms: z.number(),
  /** In the list that the scenario names; 0 without one. */
  reflections: z.number().int(),
});
export type DiffractionResolved = Readonly<z.infer<typeof diffractionResolvedSchema>>;

function taskResolvedSchema<K extends TaskKind>(kind: K) {
  return z.strictObject({
    kind: z.literal(kind),
    ...resolvedShape,
    /** Which benchmark of a kind that has several, and what it is about. */
    bench: z.string(),
    title: z.string(),
    /** Variants that this machine can run. */
    available: z.number().int(),
  });
}
export type TaskResolved<K extends TaskKind = TaskKind> = Readonly<z.infer<ReturnType<typeof taskResolvedSchema<K>>>>;

/** By the scenario's kind; a further workload is one entry here. */
export const resolvedSchema = z.discriminatedUnion('kind', [
  transportResolvedSchema,
  diffractionResolvedSchema,
  ...eachTaskSchema<{ [K in TaskKind]: ReturnType<typeof taskResolvedSchema<K>> }>(taskResolvedSchema),
]);
export type Resolved = Readonly<z.infer<typeof resolvedSchema>>;

/** What a scenario of one kind resolves to; null for one of another kind. */
export function resolvedOf<K extends Resolved['kind']>(
  kind: K,
  resolved: Resolved | null,
): Extract<Resolved, { kind: K }> | null {
  return resolved?.kind === kind ? (resolved as Extract<Resolved, { kind: K }>) : null;
}

export const materialSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  density_g_cm3: z.number().positive(),
  /** Mean excitation energy. */
  i_eV: z.number().positive().nullable(),
  zOverA: z.number().positive(),
  x0_g_cm2: z.number().positive(),
  xs_g_cm2: z.number().positive(),
  source: z.string(),
});
export type Material = Readonly<z.infer<typeof materialSchema>>;
