/** Vertical positions of blocks, lanes and tracks. */
import type { Lane } from '../../../electron/contract/timeline.ts';

interface BlockLanes {
  readonly trace: string;
  readonly lanes: readonly Lane[];
}

export interface TimelineMetrics {
  /** Heights in CSS pixels. */
  readonly head: number;
  readonly track: number;
  readonly gap: number;
}

interface HeadRow {
  readonly kind: 'head';
  readonly trace: string;
  readonly y: number;
  readonly height: number;
}

export interface LaneRow {
  readonly kind: 'lane';
  readonly trace: string;
  /** Index in the trace's lanes. */
  readonly lane: number;
  readonly y: number;
  readonly height: number;
  /** Tracks that are shown, and how many are folded away. */
  readonly tracks: readonly number[];
  readonly folded: number;
}

export type Row = HeadRow | LaneRow;

/** A lane shows this many of its rows until it is unfolded. */
export const FOLDED_TRACKS = 6;

export const laneKey = (trace: string, lane: number): string => `${trace} ${lane}`;

/** `unfolded` holds keys of lanes that show all their rows, `folded` those that show one. */
export function rowsOf(
  blocks: readonly BlockLanes[],
  metrics: TimelineMetrics,
  unfolded: ReadonlySet<string>,
  folded: ReadonlySet<string>,
): { readonly rows: readonly Row[]; readonly height: number } {
  const rows: Row[] = [];
  let y = 0;
  for (const { trace, lanes } of blocks) {
    rows.push({ kind: 'head', trace, y, height: metrics.head });
    y += metrics.head;
    for (const [lane, { firstTrack, tracks }] of lanes.entries()) {
      const key = laneKey(trace, lane);
      const shown = unfolded.has(key) ? tracks : Math.min(tracks, folded.has(key) ? 1 : FOLDED_TRACKS);
      const height = shown * metrics.track + metrics.gap;
      rows.push({
        kind: 'lane',
        trace,
        lane,
        y,
        height,
        tracks: Array.from({ length: shown }, (_, row) => firstTrack + row),
        folded: tracks - shown,
      });
      y += height;
    }
    y += metrics.gap;
  }
  return { rows, height: y };
}

/** Vertical place of a track, or null where it is not shown. */
export function trackPlace(
  rows: readonly Row[],
  metrics: TimelineMetrics,
  trace: string,
  track: number,
): { readonly y: number; readonly shown: boolean } | null {
  for (const row of rows) {
    if (row.kind !== 'lane' || row.trace !== trace) continue;
    const at = row.tracks.indexOf(track);
    if (at >= 0) return { y: row.y + at * metrics.track, shown: true };
    const last = row.tracks.at(-1) ?? 0;
    // Folded away: the last row that is shown stands for it.
    if (track > last && track <= last + row.folded)
      return { y: row.y + (row.tracks.length - 1) * metrics.track, shown: false };
  }
  return null;
}
