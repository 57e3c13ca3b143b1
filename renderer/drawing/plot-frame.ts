/** Positions of the parts of a map in its canvas. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface PlotFrame {
  /** The field itself. */
  readonly plot: Box;
  /** The colour bar, or null where there is no room for it. */
  readonly bar: Box | null;
}

/**
 * Room around a plot, in label heights. The curves below a map use the same
 * left and right room, so that their depth axes line up.
 */
export const ROOM = { left: 5, right: 7.5, top: 1.2, bottom: 3.4, bar: 1.1, barGap: 1.2 } as const;

/**
 * `compact`: for several maps side by side, whose headings say what their
 * colour bars mean. `curves`: no colour bar.
 */
export type Room = 'full' | 'compact' | 'curves';

const COMPACT = { right: 5.4, top: 0.5 } as const;

/** Below this width (CSS pixels) the colour bar gives way to the field. */
const NARROWEST_WITH_BAR = 260;

export function plotFrame(width: number, height: number, labelSize: number, room: Room = 'full'): PlotFrame {
  const withBar = room !== 'curves' && width >= NARROWEST_WITH_BAR;
  const left = Math.round(ROOM.left * labelSize);
  const besides = room === 'full' ? ROOM : COMPACT;
  const right = Math.round((withBar ? besides.right : 1) * labelSize);
  const top = Math.round(besides.top * labelSize);
  const bottom = Math.round(ROOM.bottom * labelSize);
  const plot: Box = {
    left,
    top,
    width: Math.max(1, Math.floor(width - left - right)),
    height: Math.max(1, Math.floor(height - top - bottom)),
  };
  if (!withBar) return { plot, bar: null };
  const bar: Box = {
    left: plot.left + plot.width + Math.round(ROOM.barGap * labelSize),
    top: plot.top,
    width: Math.round(ROOM.bar * labelSize),
    height: plot.height,
  };
  return { plot, bar };
}

export function contains(box: Box, x: number, y: number): boolean {
  return x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height;
}
