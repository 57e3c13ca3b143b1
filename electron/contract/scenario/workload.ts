/**
 * Contract of a workload, an object listed in kinds.ts. Also scenarios as they are edited, and as runs and sessions
 * store them. The size of stored scenarios is limited, so that processing them is fast.
 */
import { z } from 'zod';
import type { Path } from '../../domain/values/path.ts';

/** Scenario as the user wrote it: without defaults, and possibly invalid. The host validates it before every use. */
export const scenarioDraftSchema = z.record(z.string(), z.unknown());
export type ScenarioDraft = Readonly<z.infer<typeof scenarioDraftSchema>>;

/** Converts a document to the next version. The document is plain JSON and is not modified. */
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
  /** Whether a run computes a result, or measures several variants. */
  readonly runs: 'results' | 'measurements';
  readonly schema: z.ZodType;
  /** Document version that this program writes. */
  readonly version: number;
  /** `migrations[v]` converts documents from version v to v + 1. */
  readonly migrations: Readonly<Record<number, Migration>>;
  /**
   * Substitutes for invalid values of required keys, so that unrelated checks can continue. They are never used in
   * computations.
   */
  readonly standIns: readonly { readonly path: Path; readonly value: unknown }[];
  /** Fields of a new document other than kind and version. They form the smallest useful scenario. */
  readonly fresh: Readonly<Record<string, unknown>>;
  /** Example of a sweep as a user types it: a field with several values. */
  readonly sweepExample: string;
  /** Schema of a run's progress, with `workload` as discriminator. */
  readonly progress: z.ZodType;
  /** Schema of a resolved scenario without errors, with `kind` as discriminator. */
  readonly resolved: z.ZodType;
  /** Export formats in menu order. */
  readonly exports: readonly ExportChoice[];
  /** File name extension of saved runs. */
  readonly runEnding: string;
}

/** Fields that all resolved scenarios have. */
export const resolvedShape = {
  /** Scenario with every field filled in; the form shows these values as placeholders. */
  scenario: scenarioDraftSchema,
  estimate: z.strictObject({ total_bytes: z.number(), limit_bytes: z.number() }),
  /**
   * Variant that `auto` selects. For each variant, `refusal` is the reason why it cannot run this scenario, or null.
   */
  variant: z.string(),
  variants: z.array(z.strictObject({ id: z.string(), refusal: z.string().nullable() })),
};

/** Limit on the values in a document. Ten thousand spots of eight values and all other fields fit. */
const MAX_VALUES = 100_000;
/** Limit on nesting, equal to that of wire frames. */
const MAX_LEVELS = 32;

const allowedSizeText = `allowed: at most ${MAX_VALUES} values in ${MAX_LEVELS} levels`;

/** Reason why a document exceeds the limits; null if it does not. */
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
