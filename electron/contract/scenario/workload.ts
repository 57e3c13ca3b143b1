/** What a workload is in the contract: one object, in a folder of its own. kinds.ts lists them. */
import { z } from 'zod';
import { scenarioDraftSchema } from './draft.ts';
import type { Path } from './path.ts';

/** Rewrites a document of one version as the next. Gets and returns plain JSON; never mutates. */
export type Migration = (document: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** What a run can be written as. */
export interface ExportChoice {
  readonly id: string;
  readonly title: string;
}

export interface ContractWorkload {
  /** The name, in scenarios, runs and messages. */
  readonly kind: string;
  readonly title: string;
  /** What a run yields: a result, or measurements of several variants. */
  readonly runs: 'results' | 'measurements';
  readonly schema: z.ZodType;
  /** The version that this program writes. */
  readonly version: number;
  /** `migrations[v]` takes version v to v + 1. */
  readonly migrations: Readonly<Record<number, Migration>>;
  /**
   * A value for every required key that has no default. They stand in for values
   * at fault so that the checks which do not use them can run; never computed with.
   */
  readonly standIns: readonly { readonly path: Path; readonly value: unknown }[];
  /** What a new document holds beside kind and version: as little as is worth running. */
  readonly fresh: Readonly<Record<string, unknown>>;
  /** Values of one of its parameters that are worth a sweep, as the user types them. */
  readonly sweepExample: string;
  /** How far a run is; told apart by `workload`. */
  readonly progress: z.ZodType;
  /** What a scenario without errors comes to; told apart by `kind`. */
  readonly resolved: z.ZodType;
  /** In the order of menus. */
  readonly exports: readonly ExportChoice[];
  /** How the name of a file ends that holds a whole run. */
  readonly runEnding: string;
}

/** What every scenario without errors resolves to. */
export const resolvedShape = {
  /** Every field filled in; the form shows these as placeholders. */
  scenario: scenarioDraftSchema,
  estimate: z.strictObject({ total_bytes: z.number(), limit_bytes: z.number() }),
  /** What `auto` picks, and for every variant why it cannot run this scenario (null: it can). */
  variant: z.string(),
  variants: z.array(z.strictObject({ id: z.string(), refusal: z.string().nullable() })),
};
