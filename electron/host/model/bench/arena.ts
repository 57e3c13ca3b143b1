/**
 * Interface of a workload to a session: its candidates, the reference answer, and the facts and claims for the report.
 */
import type { TaskClaimResult } from '../../../contract/bench/claims.ts';
import type { SessionReport } from '../../../contract/bench/session.ts';
import type { Entrant, EntryHead } from './contestant.ts';
import type { Values } from './parity.ts';

export interface Oracle {
  readonly values: Values | null;
  /** For a reader: `path: reference in fp64`, or why there is none. */
  readonly told: string;
}

export interface Arena {
  /** Which benchmark, of a workload that has several; empty otherwise. */
  readonly bench: string;
  readonly title: string;
  /** The first that can run is what the others are compared with. */
  readonly entrants: readonly Entrant[];
  /** Rounds served by one prepared state. */
  readonly roundsPerInstance: number;
  /** Reference for answers of `head`'s kind; null if the engine checks them itself. */
  readonly oracle: (head: EntryHead) => Promise<Oracle | null>;
  readonly facts: () => readonly (readonly [string, string])[];
  readonly claims: (report: Omit<SessionReport, 'claims'>) => TaskClaimResult[];
}
