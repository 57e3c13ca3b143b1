/** Paints what changes independently of the spans: cursor, selection, chosen span, arrows and search hits. */
import type { DrawingTheme } from '../theme.ts';
import {
  type SceneArrow,
  type SceneMark,
  type TimelineFrame,
  type TimelineMarks,
  type TimelineScene,
  trackPosition,
  xOf,
} from './scene.ts';
import { timeText } from './time-text.ts';

/** Size of arrow heads in CSS pixels. */
const HEAD = 4.5;

interface PaintedTimeline {
  readonly scene: TimelineScene;
  readonly frame: TimelineFrame;
}

function middleOf({ scene, frame }: PaintedTimeline, trace: string, track: number): number | null {
  const found = trackPosition(scene.rows, scene.metrics, trace, track);
  return found === null ? null : frame.ruler + found.y + scene.metrics.track / 2 - scene.scroll;
}

function paintOutline(
  context: CanvasRenderingContext2D,
  place: PaintedTimeline,
  mark: SceneMark,
  color: string,
  width: number,
): void {
  const { scene, frame } = place;
  const middle = middleOf(place, mark.trace, mark.track);
  if (middle === null) return;
  const from = Math.max(frame.gutter - 4, xOf(frame, scene.view, mark.from_ns));
  const to = Math.min(frame.width + 4, Math.max(from + 2, xOf(frame, scene.view, mark.to_ns)));
  if (to < frame.gutter || from > frame.width) return;
  const half = scene.metrics.track / 2 - 1;
  context.strokeStyle = color;
  context.lineWidth = width;
  context.strokeRect(from, middle - half, to - from, 2 * half);
}

function paintArrow(context: CanvasRenderingContext2D, place: PaintedTimeline, { trace, ...ends }: SceneArrow): void {
  const { scene, frame } = place;
  const [y0, y1] = [middleOf(place, trace, ends.fromTrack), middleOf(place, trace, ends.toTrack)];
  if (y0 === null || y1 === null) return;
  const [x0, x1] = [xOf(frame, scene.view, ends.from_ns), xOf(frame, scene.view, ends.to_ns)];
  if (Math.max(x0, x1) < frame.gutter || Math.min(x0, x1) > frame.width) return;
  // Clip long arrows: a line that ends just outside the canvas looks the same and costs less.
  const bend = Math.min(40, Math.max(8, Math.abs(x1 - x0) / 2));
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 1, y1);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - HEAD, y1 - HEAD * 0.7);
  context.lineTo(x1 - HEAD, y1 + HEAD * 0.7);
  context.closePath();
  context.fill();
}

function paintSelection(
  context: CanvasRenderingContext2D,
  place: PaintedTimeline,
  marks: TimelineMarks,
  theme: DrawingTheme,
): void {
  const { scene, frame } = place;
  const { selection } = marks;
  if (selection === null) return;
  const from = Math.max(frame.gutter, xOf(frame, scene.view, selection.from));
  const to = Math.min(frame.width, xOf(frame, scene.view, selection.to));
  if (to < frame.gutter || from > frame.width) return;
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.13;
  context.fillRect(from, 0, to - from, frame.height);
  context.globalAlpha = 1;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1;
  context.beginPath();
  for (const x of [from, to]) {
    context.moveTo(Math.round(x) + 0.5, 0);
    context.lineTo(Math.round(x) + 0.5, frame.height);
  }
  context.stroke();
  paintRulerLabel(context, timeText(selection.to - selection.from), (from + to) / 2, frame, theme, theme.accent);
}

/** Label of a time in the ruler, over its ticks. */
function paintRulerLabel(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  frame: TimelineFrame,
  theme: DrawingTheme,
  color: string,
): void {
  const size = theme.labelSize;
  context.font = `600 ${size}px ${theme.family}`;
  const width = context.measureText(text).width + size;
  const left = Math.min(frame.width - width, Math.max(frame.gutter, x - width / 2));
  context.fillStyle = theme.surface;
  context.fillRect(left, 1, width, frame.ruler * 0.72);
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, 1.5, width - 1, frame.ruler * 0.72 - 1);
  context.fillStyle = theme.text;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, left + width / 2, 1 + frame.ruler * 0.37);
}

/** At most one line per pixel column, regardless of the number of hits. */
function paintHits(
  context: CanvasRenderingContext2D,
  { scene, frame }: PaintedTimeline,
  marks: TimelineMarks,
  theme: DrawingTheme,
): void {
  const { hits, currentHit_ns } = marks;
  context.fillStyle = theme.reference;
  let last = Number.NEGATIVE_INFINITY;
  const { from, to } = scene.view;
  let [low, high] = [0, hits.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hits[middle] ?? 0) >= from) high = middle;
    else low = middle + 1;
  }
  for (let i = low; i < hits.length && (hits[i] ?? 0) <= to; i += 1) {
    const x = Math.round(xOf(frame, scene.view, hits[i] ?? 0));
    if (x === last) continue;
    last = x;
    context.fillRect(x, frame.ruler - 5, 1.5, 5);
  }
  if (currentHit_ns === null) return;
  const x = xOf(frame, scene.view, currentHit_ns);
  if (x < frame.gutter || x > frame.width) return;
  context.beginPath();
  context.moveTo(x - 4, frame.ruler - 9);
  context.lineTo(x + 5, frame.ruler - 9);
  context.lineTo(x + 0.5, frame.ruler);
  context.closePath();
  context.fill();
}

/** Vertical extent of a timeline's lanes; null if none is visible. */
function lanesOf(
  { scene, frame }: PaintedTimeline,
  trace: string,
): { readonly top: number; readonly bottom: number } | null {
  const own = scene.rows.filter((row) => row.trace === trace);
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return null;
  const top = Math.max(frame.ruler, frame.ruler + first.y + first.height - scene.scroll);
  const bottom = Math.min(frame.height, frame.ruler + last.y + last.height - scene.scroll);
  return bottom <= top ? null : { top, bottom };
}

const DIMMING_OPACITY = 0.86;

/** Dims the time outside the selected parts. */
function paintDimming(
  context: CanvasRenderingContext2D,
  place: PaintedTimeline,
  marks: TimelineMarks,
  theme: DrawingTheme,
): void {
  const { scene, frame } = place;
  const { undimmed } = marks;
  if (undimmed === null) return;
  context.fillStyle = theme.surface;
  context.globalAlpha = DIMMING_OPACITY;
  for (const { trace } of scene.blocks) {
    const lanes = lanesOf(place, trace);
    if (lanes === null) continue;
    let left = frame.gutter;
    const cover = (until: number): void => {
      if (until > left) context.fillRect(left, lanes.top, until - left, lanes.bottom - lanes.top);
    };
    for (const part of undimmed) {
      if (part.trace !== trace || part.to < scene.view.from || part.from > scene.view.to) continue;
      cover(xOf(frame, scene.view, part.from));
      // A part narrower than a pixel must stay visible.
      left = Math.max(left, xOf(frame, scene.view, part.to), xOf(frame, scene.view, part.from) + 1);
    }
    cover(frame.width);
  }
  context.globalAlpha = 1;
}

/** Paints a flag in the ruler at the start of each note, and a line below along its duration. */
function paintNotes(
  context: CanvasRenderingContext2D,
  { scene, frame }: PaintedTimeline,
  marks: TimelineMarks,
  theme: DrawingTheme,
): void {
  context.fillStyle = theme.accent;
  for (const { from, to } of marks.notes) {
    const [left, right] = [xOf(frame, scene.view, from), xOf(frame, scene.view, to)];
    if (right < frame.gutter || left > frame.width) continue;
    context.fillRect(left, frame.ruler - 2, Math.max(2, right - left), 2);
    context.beginPath();
    context.moveTo(left, frame.ruler - 12);
    context.lineTo(left + 8, frame.ruler - 9);
    context.lineTo(left, frame.ruler - 6);
    context.closePath();
    context.fill();
    context.fillRect(left, frame.ruler - 12, 1, 12);
  }
}

function paintPlayheads(context: CanvasRenderingContext2D, place: PaintedTimeline, theme: DrawingTheme): void {
  const { scene, frame } = place;
  context.strokeStyle = theme.reference;
  context.lineWidth = 1.5;
  context.setLineDash([5, 3]);
  for (const { trace, playhead_ns } of scene.blocks) {
    const lanes = lanesOf(place, trace);
    if (playhead_ns === null || lanes === null) continue;
    const { top, bottom } = lanes;
    const x = Math.round(xOf(frame, scene.view, playhead_ns)) + 0.5;
    if (x < frame.gutter || x > frame.width) continue;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
  }
  context.setLineDash([]);
}

export function paintMarks(
  context: CanvasRenderingContext2D,
  scene: TimelineScene,
  marks: TimelineMarks,
  frame: TimelineFrame,
  theme: DrawingTheme,
): void {
  const place: PaintedTimeline = { scene, frame };
  context.save();
  context.beginPath();
  context.rect(frame.gutter, 0, frame.plotWidth, frame.height);
  context.clip();
  paintDimming(context, place, marks, theme);
  paintSelection(context, place, marks, theme);
  paintNotes(context, place, marks, theme);
  paintHits(context, place, marks, theme);
  context.save();
  context.beginPath();
  context.rect(frame.gutter, frame.ruler, frame.plotWidth, frame.plotHeight);
  context.clip();
  paintPlayheads(context, place, theme);
  context.strokeStyle = theme.textMuted;
  context.fillStyle = theme.textMuted;
  context.lineWidth = 1;
  context.globalAlpha = 0.55;
  for (const each of marks.arrows) paintArrow(context, place, each);
  context.globalAlpha = 1;
  context.strokeStyle = theme.text;
  context.fillStyle = theme.text;
  context.lineWidth = 1.5;
  for (const each of marks.chosenArrows) paintArrow(context, place, each);
  if (marks.hovered !== null) paintOutline(context, place, marks.hovered, theme.textMuted, 1.5);
  if (marks.chosen !== null) paintOutline(context, place, marks.chosen, theme.text, 2);
  context.restore();
  if (marks.cursor_ns !== null) {
    const x = Math.round(xOf(frame, scene.view, marks.cursor_ns)) + 0.5;
    context.strokeStyle = theme.textMuted;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, frame.ruler * 0.7);
    context.lineTo(x, frame.height);
    context.stroke();
  }
  context.restore();
}
