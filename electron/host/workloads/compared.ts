/** What a workload's runs are to comparisons. */
import type { Accuracy, MeasuredSessionEntry, Session, Words } from '../../contract/bench/session.ts';
import type { ComparedField } from '../model/fields/field.ts';
import type { AnyRunData } from './run-data.ts';

/** One run that has ended. */
interface ComparedRun {
  readonly threads: number;
  readonly isa: string;
  /** The one time that it took, and the rest of it. */
  readonly time_s: number;
  readonly setup_s: number;
  readonly setup_parts: MeasuredSessionEntry['setup_parts'];
  readonly size: number | null;
  readonly quantities: MeasuredSessionEntry['quantities'];
  /** What it says of itself, such as a ledger. */
  readonly accuracy: readonly Accuracy[];
  readonly field: ComparedField;
  /** What else may differ between two runs: the stopping-power table. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Answer {
  readonly field: ComparedField;
  readonly precision: string;
  readonly variant: string;
}

export type ComparedRuns =
  | {
      /** A run computes one answer. */
      readonly kind: 'answers';
      readonly words: Words;
      readonly of: (run: AnyRunData) => Promise<ComparedRun>;
      /** How far one answer is from another of the same grid; `judged`: both are of one problem. */
      readonly against: (here: Answer, reference: Answer, judged: boolean) => Promise<readonly Accuracy[]>;
    }
  /** A run measures several variants. */
  | { readonly kind: 'sessions'; readonly session: (run: AnyRunData) => Session };
