/** What lies under the pointer. */
import { type TimelineFrame, timeOf } from './frame.ts';
import { placementOf } from './paint-spans.ts';
import type { TimelineScene } from './scene.ts';

export interface Pointed {
  /** On the common axis. */
  readonly ns: number;
  readonly region: 'ruler' | 'gutter' | 'head' | 'lane' | 'empty';
  readonly trace: string | null;
  /** Index of the lane in its trace. */
  readonly lane: number | null;
  readonly track: number | null;
  /** A span under the pointer: its number, or that of the longest of those that share the pixel. */
  readonly span: { readonly span: number; readonly name: number; readonly count: number } | null;
}

/** Spans within this many CSS pixels are meant: one that is a pixel wide can be clicked. */
const REACH = 3;

export function pointedAt(scene: TimelineScene, frame: TimelineFrame, x: number, y: number): Pointed | null {
  if (x < 0 || y < 0 || x > frame.width || y > frame.height) return null;
  const ns = timeOf(frame, scene.view, x);
  const nothing: Pointed = { ns, region: 'empty', trace: null, lane: null, track: null, span: null };
  if (y < frame.ruler) return { ...nothing, region: x < frame.gutter ? 'gutter' : 'ruler' };
  const at = y - frame.ruler + scene.scroll;
  const row = scene.rows.find((each) => at >= each.y && at < each.y + each.height);
  if (row === undefined) return nothing;
  if (row.kind === 'head') return { ...nothing, region: 'head', trace: row.trace };
  const place = { trace: row.trace, lane: row.lane };
  if (x < frame.gutter) return { ...nothing, ...place, region: 'gutter' };
  const track = row.tracks[Math.floor((at - row.y) / scene.metrics.track)] ?? null;
  return {
    ns,
    region: 'lane',
    ...place,
    track,
    span: track === null ? null : spanNear(scene, frame, row.trace, track, x),
  };
}

function spanNear(
  scene: TimelineScene,
  frame: TimelineFrame,
  trace: string,
  track: number,
  x: number,
): Pointed['span'] {
  const block = scene.blocks.find((each) => each.trace === trace);
  const window = block?.window ?? null;
  if (block === undefined || window === null) return null;
  const placement = placementOf(block, scene, frame.plotWidth);
  const at = window.tracks.indexOf(track);
  if (placement === null || at < 0) return null;
  const edge = (column: Float32Array, i: number): number =>
    frame.gutter + placement.offset + placement.scale * (column[i] ?? 0);
  let best: number | null = null;
  let nearest = REACH;
  for (let i = window.offsets[at] ?? 0; i < (window.offsets[at + 1] ?? 0); i += 1) {
    const [from, to] = [edge(window.left, i), edge(window.right, i)];
    if (from > x + REACH) break;
    const away = x < from ? from - x : x > to ? x - to : 0;
    if (away > nearest || (away === nearest && best !== null)) continue;
    best = i;
    nearest = away;
    if (away === 0) break;
  }
  if (best === null) return null;
  return { span: window.span[best] ?? 0, name: window.name[best] ?? 0, count: window.count[best] ?? 1 };
}
