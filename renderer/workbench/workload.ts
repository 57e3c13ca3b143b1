/**
 * The page's part of a workload: an object in a separate folder, listed in workloads/index.ts. Includes the plane of a
 * workload's results, with the window and crosshair of the workload's panels.
 */
import type { ComponentType } from 'react';
import type { SessionReport } from '../../electron/contract/bench/session.ts';
import type { ProgressDetail, WorkloadProgress } from '../../electron/contract/run.ts';
import type { ResolvedScenarioOfKind } from '../../electron/contract/scenarios.ts';
import type { WorkloadName } from '../../electron/contract/workload.ts';
import type { Feeds, RunData, RunFollower } from '../data/run-data.ts';
import type { ScaleKind } from '../drawing/colormap.ts';
import type { KindPanels } from '../state/layout/defaults.ts';
import type { ReadoutItem } from '../widgets/plots/readout.tsx';
import type { Stores } from './actions/context.ts';
import type { LinkedMapOwner } from './actions/linked-map.ts';

export interface Plane extends LinkedMapOwner {
  readonly horizontal: { readonly title: string; readonly unit: string };
  readonly vertical: { readonly title: string; readonly unit: string };
  /** Name of the shown quantity, such as `Dose`. */
  readonly quantity: string;
  /** True for images: rows count downwards, and cells are square. */
  readonly pixels: boolean;
  readonly scale: ScaleKind;
  /** Lower end of a logarithmic scale as a share of the largest value. */
  readonly least: number;
  /** Calls `listener` when the window or the crosshair changes. */
  subscribe(listener: () => void): () => void;
}

/** A fact about the resolved scenario, in one line. */
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
  /** Returns the feed with the arrays of the selected run. */
  readonly feed: (feeds: Feeds) => RunFollower;
  /** Synchronises the workload's own stores; called once. */
  readonly attach?: (parts: WorkloadParts) => void;
  /** Progress of a run as a few words next to the Run button. */
  readonly words: (detail: WorkloadProgress<W>) => readonly string[];
  /** Progress of a run as readouts. */
  readonly progress: (detail: WorkloadProgress<W>) => readonly ReadoutItem[];
  /** Derived facts of a scenario. */
  readonly facts: (resolved: ResolvedScenarioOfKind<W>) => readonly Fact[];
  /** Readouts of the finished run. */
  readonly Results: ComponentType;
  /** Plane of the results; null if they cannot be shown on a plane. */
  readonly plane: ((stores: Stores) => Plane) | null;
  /** Additional content of a session next to its tables; null if there is none. */
  readonly Extra: ComponentType<{ readonly report: SessionReport }> | null;
}

export type PageWorkloads = { readonly [W in WorkloadName]: PageWorkload<W> };

export function progressWords<W extends ProgressDetail['workload']>(
  workloads: PageWorkloads,
  detail: WorkloadProgress<W>,
): readonly string[] {
  return workloads[detail.workload as W].words(detail);
}

export function progressReadouts<W extends ProgressDetail['workload']>(
  workloads: PageWorkloads,
  detail: WorkloadProgress<W>,
): readonly ReadoutItem[] {
  return workloads[detail.workload as W].progress(detail);
}

export function factsOf<W extends WorkloadName>(
  workloads: PageWorkloads,
  resolved: ResolvedScenarioOfKind<W>,
): readonly Fact[] {
  return workloads[resolved.kind as W].facts(resolved);
}
