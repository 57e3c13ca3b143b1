/**
 * Contract of a workload: one object in its own folder, listed in kinds.ts. Also a scenario as it is edited, and as
 * runs and sessions store it. The stored form is bounded in size, so that walking it is always fast.
 */
import { z } from 'zod';
import type { Path } from '../../domain/values/path.ts';

/**
 * Scenario as the user wrote it: defaults not filled in, possibly invalid. The host checks it against the scenario
 * schema on every use.
 */
export const scenarioDraftSchema = z.record(z.string(), z.unknown());
export type ScenarioDraft = Readonly<z.infer<typeof scenarioDraftSchema>>;

/** Converts a document of one version to the next. Receives and returns plain JSON; never mutates it. */
export type Migration = (document: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** Export format of a run. */
export interface ExportChoice {
  readonly id: string;
  readonly title: string;
}

export interface ContractWorkload {
  /** Kind of its scenarios, used in files, runs and messages. */
  readonly kind: string;
  readonly title: string;
  /** Outcome of a run: a result, or measurements of several variants. */
  readonly runs: 'results' | 'measurements';
  readonly schema: z.ZodType;
  /** Document version that this program writes. */
  readonly version: number;
  /** `migrations[v]` converts version v to v + 1. */
  readonly migrations: Readonly<Record<number, Migration>>;
  /**
   * Placeholder values for all required keys without a default. They replace invalid values so that unrelated checks
   * can run; never used in computations.
   */
  readonly standIns: readonly { readonly path: Path; readonly value: unknown }[];
  /** Fields of a new document in addition to kind and version: the smallest useful scenario. */
  readonly fresh: Readonly<Record<string, unknown>>;
  /** Example of a sweep: useful values of one parameter, as the user types them. */
  readonly sweepExample: string;
  /** Schema of a run's progress; discriminated by `workload`. */
  readonly progress: z.ZodType;
  /** Schema of a resolved scenario without errors; discriminated by `kind`. */
  readonly resolved: z.ZodType;
  /** Export formats in the order of menus. */
  readonly exports: readonly ExportChoice[];
  /** File name extension of saved runs. */
  readonly runEnding: string;
}

/** Fields common to all resolved scenarios. */
export const resolvedShape = {
  /** Scenario with every field filled in; the form shows these values as placeholders. */
  scenario: scenarioDraftSchema,
  estimate: z.strictObject({ total_bytes: z.number(), limit_bytes: z.number() }),
  /** Variant that `auto` selects, and the reason why each variant cannot run this scenario (null if it can). */
  variant: z.string(),
  variants: z.array(z.strictObject({ id: z.string(), refusal: z.string().nullable() })),
};

/** Limit on the values of a document: ten thousand spots of eight values, and the other fields. */
const MAX_VALUES = 100_000;
/** The same limit on nesting as in a wire frame. */
const MAX_LEVELS = 32;

const allowedSizeText = `allowed: at most ${MAX_VALUES} values in ${MAX_LEVELS} levels`;

/** Reason why a document is too large; null if it is not. */
export function tooLargeReason(document: unknown): string | null {
  let level: unknown[] = [document];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    values += level.length;
    if (depth > MAX_LEVELS) return `is nested too deeply; ${allowedSizeText}`;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const inner of Object.values(value)) next.push(inner);
      if (values + next.length > MAX_VALUES) return `contains too many values; ${allowedSizeText}`;
    }
    level = next;
  }
  return null;
}

export const storedDocumentSchema = z.record(z.string(), z.unknown()).superRefine((document, context) => {
  const message = tooLargeReason(document);
  if (message !== null) context.addIssue({ code: 'custom', message });
});
