/** Paints the spans of the visible lanes. */
import type { Drawing2D } from '../context-2d.ts';
import type { DrawingTheme } from '../theme.ts';
import type { LaneRow, SceneBlock, TimelineFrame, TimelineScene } from './scene.ts';
import type { Placement, TimelinePalette, TrackPixels } from './track-pixels.ts';

/** Minimum width of a span with a name, in CSS pixels. */
const NAMED_FROM = 34;
/** Maximum names per frame, because drawing text dominates the cost of a frame. */
const MAX_NAMES = 220;
/** Average letter width relative to the font size in this typeface. */
const LETTER = 0.56;
/** Height of spans as a share of their track's height. */
const FILL = 0.86;

/** Lanes that are at least partly visible. */
export function visibleLanes({ rows, scroll }: TimelineScene, height: number): readonly LaneRow[] {
  return rows.filter(
    (row): row is LaneRow => row.kind === 'lane' && row.y + row.height > scroll && row.y < scroll + height,
  );
}

/** Mapping from a block's window to `pixelsPerPlot` columns of the plot. */
export function placementOf(
  block: SceneBlock,
  { view }: Pick<TimelineScene, 'view'>,
  pixelsPerPlot: number,
): Placement | null {
  const { window } = block;
  if (window === null) return null;
  const perNs = pixelsPerPlot / (view.to - view.from);
  const pixel_ns = (window.to_ns - window.from_ns) / window.pixels;
  return { offset: (window.from_ns - block.origin_ns - view.from) * perNs, scale: pixel_ns * perNs };
}

/**
 * Shortens a name to the part that fits, without parameters. Omits the middle, because the names of a program's kernels
 * often differ only at their end.
 */
export function fittingName(name: string, width: number, size: number): string {
  const most = Math.floor(width / (LETTER * size));
  if (name.length <= most) return name;
  const short = name.replace(/^(void|auto) /, '').replace(/[<(].*$/s, '');
  if (short.length > 0 && short.length <= most) return short;
  // Omit the name if fewer than 7 characters fit.
  if (most < 7) return '';
  const rest = short || name;
  const tail = Math.floor((most - 1) * 0.6);
  return `${rest.slice(0, most - 1 - tail)}…${rest.slice(rest.length - tail)}`;
}

interface VisibleTrack {
  readonly block: SceneBlock;
  readonly first: number;
  readonly last: number;
  readonly top: number;
}

function visibleTracks(scene: TimelineScene, frame: TimelineFrame): readonly VisibleTrack[] {
  const blocks = new Map(scene.blocks.map((block) => [block.trace, block]));
  const { track: height } = scene.metrics;
  return visibleLanes(scene, frame.plotHeight).flatMap((row) => {
    const block = blocks.get(row.trace);
    const window = block?.window ?? null;
    if (block === undefined || window === null) return [];
    return row.tracks.flatMap((track, i) => {
      const top = frame.ruler + row.y + i * height - scene.scroll;
      if (top + height < frame.ruler || top > frame.height) return [];
      const at = window.tracks.indexOf(track);
      if (at < 0) return [];
      return [{ block, first: window.offsets[at] ?? 0, last: window.offsets[at + 1] ?? 0, top }];
    });
  });
}

function dimmingFilter(block: SceneBlock, search: string): (name: number) => boolean {
  if (search === '') return () => false;
  const known = new Map<number, boolean>();
  return (name) => {
    const seen = known.get(name);
    if (seen !== undefined) return seen;
    const text = block.nameOf(name);
    const dimmed = text === null || !text.toLowerCase().includes(search);
    if (text !== null) known.set(name, dimmed);
    return dimmed;
  };
}

/** Paints spans as pixels, then the names of those that have room. */
export function paintSpans(
  context: CanvasRenderingContext2D,
  scene: TimelineScene,
  frame: TimelineFrame,
  ratio: number,
  pixels: TrackPixels,
  palette: TimelinePalette,
  theme: DrawingTheme,
): void {
  const tracks = visibleTracks(scene, frame);
  const columns = Math.max(1, Math.round(frame.plotWidth * ratio));
  pixels.begin(columns, tracks.length);
  const dimmings = new Map(scene.blocks.map((block) => [block.trace, dimmingFilter(block, scene.search)]));
  for (const [row, { block, first, last }] of tracks.entries()) {
    const placement = placementOf(block, scene, columns);
    const dimmed = dimmings.get(block.trace);
    if (placement === null || block.window === null || dimmed === undefined) continue;
    pixels.write(row, block.window, first, last, placement, palette, dimmed);
  }
  pixels.finish(tracks.length);
  const { track } = scene.metrics;
  const inset = Math.round((track * (1 - FILL)) / 2);
  context.imageSmoothingEnabled = false;
  for (const [row, { top }] of tracks.entries()) {
    pixels.draw(context, row, frame.gutter, top + inset, frame.plotWidth, track - 2 * inset);
  }
  paintNames(context, tracks, scene, frame, palette, theme, dimmings);
}

function paintNames(
  context: Drawing2D,
  tracks: readonly VisibleTrack[],
  scene: TimelineScene,
  frame: TimelineFrame,
  palette: TimelinePalette,
  theme: DrawingTheme,
  dimmings: ReadonlyMap<string, (name: number) => boolean>,
): void {
  context.font = `${theme.labelSize}px ${theme.family}`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const padding = 0.35 * theme.labelSize;
  let left = MAX_NAMES;
  for (const { block, first, last, top } of tracks) {
    const placement = placementOf(block, scene, frame.plotWidth);
    const { window } = block;
    if (placement === null || window === null) continue;
    for (let i = first; i < last && left > 0; i += 1) {
      // A span that extends beyond the plot has its name in the visible part.
      const from = Math.max(0, placement.offset + placement.scale * (window.left[i] ?? 0));
      const to = Math.min(frame.plotWidth, placement.offset + placement.scale * (window.right[i] ?? 0));
      if (to - from < NAMED_FROM || (window.count[i] ?? 0) > 1) continue;
      const name = window.name[i] ?? 0;
      const text = fittingName(block.nameOf(name) ?? '', to - from - 2 * padding, theme.labelSize);
      if (text === '') continue;
      context.fillStyle = dimmings.get(block.trace)?.(name) === true ? palette.dimmedLabel : palette.label;
      context.fillText(text, frame.gutter + from + padding, top + scene.metrics.track / 2 + 0.5);
      left -= 1;
    }
  }
}

/** Paints spans on any drawing, as rectangles: for exported figures. */
export function paintSpansAsRectangles(
  context: Drawing2D,
  scene: TimelineScene,
  frame: TimelineFrame,
  palette: TimelinePalette,
  theme: DrawingTheme,
): void {
  const tracks = visibleTracks(scene, frame);
  const dimmings = new Map(scene.blocks.map((block) => [block.trace, dimmingFilter(block, scene.search)]));
  const { track } = scene.metrics;
  const inset = Math.round((track * (1 - FILL)) / 2);
  for (const { block, first, last, top } of tracks) {
    const placement = placementOf(block, scene, frame.plotWidth);
    const { window } = block;
    if (placement === null || window === null) continue;
    for (let i = first; i < last; i += 1) {
      const from = Math.max(0, placement.offset + placement.scale * (window.left[i] ?? 0));
      const to = Math.min(frame.plotWidth, placement.offset + placement.scale * (window.right[i] ?? 0));
      if (to < 0 || from > frame.plotWidth) continue;
      const colors = dimmings.get(block.trace)?.(window.name[i] ?? 0) === true ? palette.dimmedCss : palette.css;
      context.globalAlpha = 0.4 + (0.6 * (window.busy[i] ?? 255)) / 255;
      context.fillStyle = colors[window.tint[i] ?? 0] ?? theme.accent;
      context.fillRect(frame.gutter + from, top + inset, Math.max(0.5, to - from), track - 2 * inset);
    }
  }
  context.globalAlpha = 1;
  paintNames(context, tracks, scene, frame, palette, theme, dimmings);
}
