/** State of the panel except the canvas, and its settings. Arrays are in the controller. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { TimelineNote } from '../../../electron/contract/projects/timeline-notes.ts';
import type { SpanDetails, TimelineStatistics, TraceId, TraceSummary } from '../../../electron/contract/timeline.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import type { SlowSteps } from './steps.ts';

const settingsSchema = z.strictObject({
  /** Action of a drag over the lanes; Shift selects the other. */
  drag: z.enum(['pan', 'select']),
  /** Whether to show arrows from launches to their work. */
  arrows: z.boolean(),
  /** Whether pointing moves the maps to the step under the pointer. */
  follow: z.boolean(),
  /** Whether to show the column with details. */
  side: z.boolean(),
});
export type TimelineSettings = Readonly<z.infer<typeof settingsSchema>>;

export function createTimelineSettings(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): StoreApi<TimelineSettings> {
  return createPersisted<TimelineSettings>({
    storage,
    name: 'timeline',
    version: 1,
    schema: settingsSchema,
    initial: { drag: 'pan', arrows: true, follow: true, side: true },
    onReset,
  });
}

interface ChosenSpan {
  readonly trace: TraceId;
  readonly details: SpanDetails;
  /** Statistics of all spans with this name in the timeline; null until counted. */
  readonly sameName: TimelineStatistics | null;
}

export interface SelectedLane {
  readonly title: string;
  /** Null if the intervals are neither work of the GPU nor of the host, such as steps between events. */
  readonly on: 'GPU' | 'host' | null;
  readonly statistics: TimelineStatistics;
}

export interface SelectedTime {
  readonly from: number;
  readonly to: number;
  /** Statistics of each timeline, in display order; empty until counted. */
  readonly parts: readonly {
    readonly trace: TraceId;
    readonly title: string;
    /** Statistics of the GPU's lanes if there are any, else of all lanes. */
    readonly statistics: TimelineStatistics;
    /** Lanes with spans in the selected time, those of the GPU first. */
    readonly lanes: readonly SelectedLane[];
  }[];
}

interface TimelineSearch {
  readonly text: string;
  readonly count: number;
  readonly names: number;
  readonly sum_ns: number;
  /** Index of the current item; null before the first. */
  readonly index: number | null;
  readonly reachable: number;
}

/** Moment that all blocks share as zero: their starts, their first kernels, or a step. */
export type Alignment =
  | { readonly by: 'start' }
  | { readonly by: 'kernel' }
  | { readonly by: 'step'; readonly step: number };

type SideTab = 'span' | 'selection' | 'steps' | 'notes' | 'summary';

interface TimelineState {
  readonly tab: SideTab;
  readonly chosen: ChosenSpan | null;
  readonly selected: SelectedTime | null;
  readonly summaries: Readonly<Record<TraceId, TraceSummary>>;
  readonly search: TimelineSearch | null;
  readonly alignment: Alignment;
  /** Steps of any block for alignment, in ascending order. */
  readonly steps: readonly number[];
  /** Steps slower than the 99th percentile, by timeline; null for a timeline without steps. */
  readonly slow: Readonly<Record<TraceId, SlowSteps | null>>;
  /** Whether everything except slow steps is dimmed. */
  readonly onlySlow: boolean;
  readonly notes: Readonly<Record<TraceId, readonly TimelineNote[]>>;
  /** Values at the pointer: time, name and duration. */
  readonly pointed: {
    readonly ns: number;
    readonly name: string | null;
    readonly duration_ns: number | null;
    readonly count: number;
  } | null;
  /** Width of the visible time range. */
  readonly shown_ns: number;
}

export type TimelineStateStore = StoreApi<TimelineState>;

export function createTimelineState(): TimelineStateStore {
  return createStore<TimelineState>(() => ({
    tab: 'summary',
    chosen: null,
    selected: null,
    summaries: {},
    search: null,
    alignment: { by: 'start' },
    steps: [],
    slow: {},
    onlySlow: false,
    notes: {},
    pointed: null,
    shown_ns: 0,
  }));
}
