/** Viewport that a map requests from the host: the visible windows, in as many pixels as the plot has. */
import type { Interval, Viewport } from '../../electron/contract/fields.ts';

const pair = (window: Interval | undefined): [number, number] | null =>
  window === undefined ? null : [window[0], window[1]];

/** `pixels` across and down; a missing window is the whole axis. */
export function viewportOf(
  { horizontal, vertical }: { readonly horizontal: Interval | undefined; readonly vertical: Interval | undefined },
  [across, down]: readonly [number, number],
): Viewport {
  return { horizontal: pair(horizontal), vertical: pair(vertical), pixels: [across, down] };
}
