/** Paints everything around the spans: ruler, names of blocks and lanes, separator lines. */
import type { Drawing2D } from '../context-2d.ts';
import type { DrawingTheme } from '../theme.ts';
import { type Row, type TimelineFrame, type TimelineScene, xOf } from './scene.ts';
import { exactTime, type TimeTicks, timeTicks } from './time-text.ts';

/** Minimum distance of ruler labels, in label heights. */
const TICK_ROOM = 9;

function rulerTicks({ view }: TimelineScene, frame: TimelineFrame, theme: DrawingTheme): TimeTicks {
  return timeTicks(view.from, view.to, Math.max(2, Math.floor(frame.plotWidth / (TICK_ROOM * theme.labelSize))));
}

/** Text shortened with an ellipsis to fit. */
function shortenToFit(context: Drawing2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : `${text.slice(0, low)}…`;
}

/** Paints the layer below the spans: ruler grid, lane stripes and block headers. */
export function paintGround(context: Drawing2D, scene: TimelineScene, frame: TimelineFrame, theme: DrawingTheme): void {
  const { ticks } = rulerTicks(scene, frame, theme);
  context.fillStyle = theme.surface;
  context.fillRect(frame.gutter, frame.ruler, frame.plotWidth, frame.plotHeight);
  context.strokeStyle = theme.grid;
  context.lineWidth = 1;
  context.beginPath();
  for (const { ns } of ticks) {
    const x = Math.round(xOf(frame, scene.view, ns)) + 0.5;
    if (x < frame.gutter) continue;
    context.moveTo(x, frame.ruler);
    context.lineTo(x, frame.height);
  }
  for (const row of scene.rows) {
    const y = Math.round(frame.ruler + row.y + row.height - scene.scroll) - 0.5;
    if (row.kind !== 'lane' || y < frame.ruler || y > frame.height) continue;
    context.moveTo(frame.gutter, y);
    context.lineTo(frame.width, y);
  }
  context.stroke();
}

function paintHead(
  context: Drawing2D,
  scene: TimelineScene,
  row: Extract<Row, { kind: 'head' }>,
  frame: TimelineFrame,
  theme: DrawingTheme,
  colors: GutterColors,
): void {
  const block = scene.blocks.find(({ trace }) => trace === row.trace);
  const y = frame.ruler + row.y - scene.scroll;
  context.fillStyle = colors.head;
  context.fillRect(0, y, frame.width, row.height);
  context.textBaseline = 'middle';
  const size = theme.labelSize;
  context.font = `600 ${size * 1.05}px ${theme.family}`;
  context.fillStyle = theme.text;
  const title = shortenToFit(context, block?.title ?? '', frame.width - 2 * size);
  context.fillText(title, size * 0.7, y + row.height / 2 + 0.5);
  const used = context.measureText(title).width + 1.9 * size;
  context.font = `${size}px ${theme.family}`;
  context.fillStyle = theme.textMuted;
  context.fillText(
    shortenToFit(context, block?.about ?? '', frame.width - used - size),
    used,
    y + row.height / 2 + 0.5,
  );
}

export interface GutterColors {
  /** Background of block headers. */
  readonly head: string;
  /** Background of lane names. */
  readonly gutter: string;
  readonly line: string;
}

/** Paints the layer above the spans: lane names, block headers, and the ruler, under which lanes scroll. */
export function paintNamesAndRuler(
  context: Drawing2D,
  scene: TimelineScene,
  frame: TimelineFrame,
  theme: DrawingTheme,
  colors: GutterColors,
): void {
  const size = theme.labelSize;
  context.fillStyle = colors.gutter;
  context.fillRect(0, frame.ruler, frame.gutter, frame.plotHeight);
  context.fillStyle = colors.line;
  context.fillRect(frame.gutter - 1, frame.ruler, 1, frame.plotHeight);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  let process = '';
  for (const row of scene.rows) {
    const y = frame.ruler + row.y - scene.scroll;
    if (y + row.height < frame.ruler || y > frame.height) {
      if (row.kind === 'lane') process = laneOf(scene, row)?.process ?? '';
      continue;
    }
    if (row.kind === 'head') {
      paintHead(context, scene, row, frame, theme, colors);
      process = '';
      continue;
    }
    const lane = laneOf(scene, row);
    if (lane === null) continue;
    context.font = `${size}px ${theme.family}`;
    context.fillStyle = theme.text;
    const middle = y + scene.metrics.track / 2 + 0.5;
    const more = row.folded > 0 ? ` +${row.folded}` : '';
    const left = 0.9 * size;
    const moreWidth = more === '' ? 0 : context.measureText(more).width;
    const name = shortenToFit(context, lane.name, frame.gutter - left - moreWidth - 0.5 * size);
    context.fillText(name, left, middle);
    context.fillStyle = theme.textMuted;
    const nameWidth = context.measureText(name).width;
    if (more !== '') context.fillText(more, left + nameWidth, middle);
    if (lane.process !== process && row.tracks.length > 1) {
      context.fillText(
        shortenToFit(context, lane.process, frame.gutter - 2 * left),
        left,
        middle + scene.metrics.track * 0.85,
      );
    } else if (lane.process !== process) {
      const rest = frame.gutter - left - nameWidth - moreWidth - 1.2 * size;
      const processName = shortenToFit(context, lane.process, rest);
      // Omit a text that would be shortened to three characters or fewer.
      if (processName.length > 3) context.fillText(processName, left + nameWidth + moreWidth + 0.6 * size, middle);
    }
    process = lane.process;
  }
  paintRuler(context, scene, frame, theme, colors);
}

function laneOf(scene: TimelineScene, row: Extract<Row, { kind: 'lane' }>) {
  return scene.blocks.find(({ trace }) => trace === row.trace)?.lanes[row.lane] ?? null;
}

function paintRuler(
  context: Drawing2D,
  scene: TimelineScene,
  frame: TimelineFrame,
  theme: DrawingTheme,
  colors: GutterColors,
): void {
  const size = theme.labelSize;
  const { ticks, base_ns } = rulerTicks(scene, frame, theme);
  context.fillStyle = colors.gutter;
  context.fillRect(0, 0, frame.width, frame.ruler);
  context.strokeStyle = colors.line;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(0, frame.ruler - 0.5);
  context.lineTo(frame.width, frame.ruler - 0.5);
  context.moveTo(frame.gutter - 0.5, 0);
  context.lineTo(frame.gutter - 0.5, frame.ruler);
  for (const { ns } of ticks) {
    const x = Math.round(xOf(frame, scene.view, ns)) + 0.5;
    if (x < frame.gutter) continue;
    context.moveTo(x, frame.ruler - 0.45 * size);
    context.lineTo(x, frame.ruler);
  }
  context.stroke();
  context.font = `${size}px ${theme.family}`;
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  context.fillStyle = theme.textMuted;
  for (const { ns, label } of ticks) {
    const x = xOf(frame, scene.view, ns);
    const half = context.measureText(label).width / 2;
    if (x - half < frame.gutter || x + half > frame.width) continue;
    context.fillText(label, x, frame.ruler * 0.42);
  }
  context.textAlign = 'left';
  context.fillStyle = theme.text;
  const base = base_ns === 0 ? 'Time' : `${exactTime(base_ns)} …`;
  context.fillText(shortenToFit(context, base, frame.gutter - 1.4 * size), 0.7 * size, frame.ruler * 0.42);
}
