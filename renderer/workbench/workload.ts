/** Page part of a workload: one object, in a folder of its own. workloads/index.ts lists them. */
import type { ComponentType } from 'react';
import type { SessionReport } from '../../electron/contract/bench/session.ts';
import type { ProgressDetail, ProgressOf } from '../../electron/contract/progress.ts';
import type { ResolvedOf } from '../../electron/contract/scenarios.ts';
import type { WorkloadName } from '../../electron/contract/workload.ts';
import type { Stores } from '../actions/context.ts';
import type { RunFollower } from '../data/feed.ts';
import type { Feeds } from '../data/feeds.ts';
import type { RunData } from '../data/run-data.ts';
import type { KindPanels } from '../state/layout/defaults.ts';
import type { ReadoutItem } from '../widgets/plots/readout.tsx';
import type { Plane } from './plane.ts';

/** One line of what a scenario comes to. */
interface Fact {
  readonly name: string;
  readonly value: string;
  readonly title?: string;
}

/** Dependencies of the code that synchronises a workload's stores. */
interface WorkloadParts {
  readonly stores: Stores;
  readonly data: RunData;
  readonly feeds: Feeds;
}

export interface PageWorkload<W extends WorkloadName> extends KindPanels {
  /** Feed of the selected run's arrays. */
  readonly feed: (feeds: Feeds) => RunFollower;
  /** Keeps stores of its own in step; called once. */
  readonly attach?: (parts: WorkloadParts) => void;
  /** Progress of a run, in the few words that fit next to the Run button. */
  readonly words: (detail: ProgressOf<W>) => readonly string[];
  /** The same as readouts. */
  readonly progress: (detail: ProgressOf<W>) => readonly ReadoutItem[];
  /** Derived facts of a scenario. */
  readonly facts: (resolved: ResolvedOf<W>) => readonly Fact[];
  /** Readouts of the finished run that is shown. */
  readonly Results: ComponentType;
  /** Null if its answers cannot be shown on a plane. */
  readonly plane: ((stores: Stores) => Plane) | null;
  /** Further content of a session, next to its tables; null if there is none. */
  readonly Extra: ComponentType<{ readonly report: SessionReport }> | null;
}

export type PageWorkloads = { readonly [W in WorkloadName]: PageWorkload<W> };

export function progressWords<W extends ProgressDetail['workload']>(
  workloads: PageWorkloads,
  detail: ProgressOf<W>,
): readonly string[] {
  return workloads[detail.workload as W].words(detail);
}

export function progressReadouts<W extends ProgressDetail['workload']>(
  workloads: PageWorkloads,
  detail: ProgressOf<W>,
): readonly ReadoutItem[] {
  return workloads[detail.workload as W].progress(detail);
}

export function factsOf<W extends WorkloadName>(workloads: PageWorkloads, resolved: ResolvedOf<W>): readonly Fact[] {
  return workloads[resolved.kind as W].facts(resolved);
}
