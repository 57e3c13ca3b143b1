/** Contract of a workload: one object in its own folder. kinds.ts lists them. */
import { z } from 'zod';
import { scenarioDraftSchema } from './draft.ts';
import type { Path } from './path.ts';

/** Rewrites a document of one version as the next. Gets and returns plain JSON; never mutates. */
export type Migration = (document: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** Export format of a run. */
export interface ExportChoice {
  readonly id: string;
  readonly title: string;
}

export interface ContractWorkload {
  /** The name, in scenarios, runs and messages. */
  readonly kind: string;
  readonly title: string;
  /** Outcome of a run: a result, or measurements of several variants. */
  readonly runs: 'results' | 'measurements';
  readonly schema: z.ZodType;
  /** The version that this program writes. */
  readonly version: number;
  /** `migrations[v]` takes version v to v + 1. */
  readonly migrations: Readonly<Record<number, Migration>>;
  /**
   * Placeholder values for all required keys without a default. They replace invalid values so that unrelated checks
   * can run; never used in computations.
   */
  readonly standIns: readonly { readonly path: Path; readonly value: unknown }[];
  /** Fields of a new document in addition to kind and version: the minimum worth running. */
  readonly fresh: Readonly<Record<string, unknown>>;
  /** Values of one of its parameters that are worth a sweep, as the user types them. */
  readonly sweepExample: string;
  /** Progress of a run; discriminated by `workload`. */
  readonly progress: z.ZodType;
  /** Resolved scenario, without errors; discriminated by `kind`. */
  readonly resolved: z.ZodType;
  /** In the order of menus. */
  readonly exports: readonly ExportChoice[];
  /** File name ending of saved runs. */
  readonly runEnding: string;
}

/** Fields common to all resolved scenarios. */
export const resolvedShape = {
  /** Every field filled in; the form shows these as placeholders. */
  scenario: scenarioDraftSchema,
  estimate: z.strictObject({ total_bytes: z.number(), limit_bytes: z.number() }),
  /** Variant that `auto` selects, and the reason why each variant cannot run this scenario (null if it can). */
  variant: z.string(),
  variants: z.array(z.strictObject({ id: z.string(), refusal: z.string().nullable() })),
};
