/** A feed loads the page's arrays for the selected run; one per workload. */
import type { StoreApi } from 'zustand/vanilla';
import type { RunId, RunState } from '../../electron/contract/run.ts';

export type FeedStatus =
  | Readonly<{ kind: 'nothing' }>
  /** Accepted, and nothing to show yet: queued, or before the first frame. */
  | Readonly<{ kind: 'waiting' }>
  | Readonly<{ kind: 'live' }>
  | Readonly<{ kind: 'loaded' }>
  | Readonly<{ kind: 'failed'; reason: string }>;

export interface FeedTarget {
  readonly run: RunId;
  readonly state: RunState;
  /** True for a failed run that had finished something. */
  readonly kept?: boolean;
  /** Its arrays come with the answers of Live. */
  readonly live?: boolean;
}

export interface RunFollower {
  readonly status: StoreApi<{ readonly status: FeedStatus }>;
  /** Another run, or the present one in another state; null: none of this workload. */
  follow(target: FeedTarget | null): void;
}
