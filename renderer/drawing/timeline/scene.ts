/** Contents of a timeline: plain data, assembled by the panel. */
import type { Lane, TimelineWindow } from '../../../electron/contract/timeline.ts';
import type { Row, TimelineMetrics } from './rows.ts';
import type { TimeWindow } from './time-window.ts';

export interface SceneBlock {
  readonly trace: string;
  readonly title: string;
  readonly about: string;
  readonly lanes: readonly Lane[];
  /** Time of the trace at zero of the common axis. */
  readonly origin_ns: number;
  /** Newest answer of the host; it may be of another part of time or another resolution. Null: none yet. */
  readonly window: TimelineWindow | null;
  /** Text of a name, or null while it is not known. */
  nameOf(name: number): string | null;
  /** Time of the step that the maps show, on the common axis. */
  readonly playhead_ns: number | null;
}

/** A launch, on the common axis. */
export interface SceneArrow {
  readonly trace: string;
  readonly fromTrack: number;
  readonly toTrack: number;
  readonly from_ns: number;
  readonly to_ns: number;
}

export interface SceneMark {
  readonly trace: string;
  readonly track: number;
  readonly from_ns: number;
  readonly to_ns: number;
}

export interface TimelineScene {
  readonly blocks: readonly SceneBlock[];
  readonly rows: readonly Row[];
  readonly metrics: TimelineMetrics;
  readonly view: TimeWindow;
  /** CSS pixels scrolled away at the top. */
  readonly scroll: number;
  /** Parts of names that a search asks for, lower case; empty: no search. */
  readonly search: string;
}

/** Marks that move independently of the spans and are drawn above them. */
export interface TimelineMarks {
  readonly cursor_ns: number | null;
  readonly selection: TimeWindow | null;
  readonly hovered: SceneMark | null;
  readonly chosen: SceneMark | null;
  readonly arrows: readonly SceneArrow[];
  /** Arrows of the chosen span, which are emphasised. */
  readonly chosenArrows: readonly SceneArrow[];
  /** Times of what the search found, ascending, on the common axis. */
  readonly hits: Float64Array;
  readonly currentHit_ns: number | null;
  /** Parts of timelines, in order of time; the rest of those lies under a veil. Null: no veil. */
  readonly kept: readonly (TimeWindow & { readonly trace: string })[] | null;
  readonly notes: readonly (TimeWindow & { readonly text: string })[];
}

export const NO_MARKS: TimelineMarks = {
  cursor_ns: null,
  selection: null,
  hovered: null,
  chosen: null,
  arrows: [],
  chosenArrows: [],
  hits: new Float64Array(),
  currentHit_ns: null,
  kept: null,
  notes: [],
};
