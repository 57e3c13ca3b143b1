/** Interface of a workload's runs to comparisons. */
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
  /** Accuracy that the run reports itself, such as the ledger error. */
  readonly accuracy: readonly Accuracy[];
  readonly field: ComparedField;
  /** Other conditions in which two runs may differ: the stopping-power table. */
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
      /** Error of an answer relative to a reference on the same grid. `judged`: both solve the same problem. */
      readonly against: (here: Answer, reference: Answer, judged: boolean) => Promise<readonly Accuracy[]>;
    }
  /** A run measures several variants. */
  | { readonly kind: 'sessions'; readonly session: (run: AnyRunData) => Session };
