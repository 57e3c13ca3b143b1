/** What a workload gives a session: who competes, what they are held to, and how a report of it reads. */
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
  /** How many rounds a prepared state serves. */
  readonly roundsPerInstance: number;
  /** What the answers of `head`'s kind are held to; null where the engine holds them itself. */
  readonly oracle: (head: EntryHead) => Promise<Oracle | null>;
  readonly facts: () => readonly (readonly [string, string])[];
  readonly claims: (report: Omit<SessionReport, 'claims'>) => TaskClaimResult[];
}
