/** Keeps the stored moments of the shown run in their store, the maps at the chosen one, and plays them. */

import type { Stores } from '../../actions/context.ts';
import { linkedMap } from '../../actions/linked-map.ts';
import { type RunData, SHOWN } from '../../data/run-data.ts';
import type { RunFeed } from '../../data/run-feed.ts';
import { firstShown, type PlaybackStore } from '../../state/playback.ts';
import type { Plane } from '../../workbench/plane.ts';

/** The plane of the beam, in which doses lie. */
const DOSE = { horizontal: 'z', vertical: 'x' } as const;

export function dosePlane({ selection, window }: Stores): Plane {
  return {
    horizontal: { title: 'Depth z', unit: 'mm' },
    vertical: { title: 'Across x', unit: 'mm' },
    quantity: 'Dose',
    pixels: false,
    scale: 'linear',
    least: 0,
    ...linkedMap({ selection, window }, () => DOSE),
    subscribe: (listener) => {
      const stops = [selection.subscribe(listener), window.subscribe(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** Time of a frame: 64 frames pass in 5 s, slow enough to see the beam widen. */
const FRAME_MS = 80;

/** A moment among so many. */
interface Stand {
  readonly index: number;
  readonly count: number;
}

const isSame = (a: Stand, b: Stand | null): boolean => a.index === b?.index && a.count === b.count;

/** The moment of `count` that lies as far along the run. */
function sameMoment({ index, count: before }: Stand, count: number): number {
  return before < 2 ? 0 : Math.round((index / (before - 1)) * (count - 1));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function playKeyframes(
  playback: PlaybackStore,
  data: Pick<RunData, 'keyframes'>,
  feed: Pick<RunFeed, 'showKeyframe'>,
): void {
  let moving = false;
  /** Position in the run before Live stored fewer moments, until the user chooses another. */
  let rested: Stand | null = null;
  let placed: Stand | null = null;

  const play = async (): Promise<void> => {
    if (moving) return;
    moving = true;
    while (playback.getState().playing) {
      // A slow host shows fewer frames per second, and every one of them.
      await Promise.all([pause(FRAME_MS), feed.showKeyframe(playback.getState().index)]);
      if (playback.getState().playing) playback.advance();
    }
    moving = false;
  };

  data.keyframes.subscribe(SHOWN, () => {
    const kept = data.keyframes.get(SHOWN);
    const frames = kept?.frames ?? [];
    const { frames: before, index } = playback.getState();
    if (kept?.live === undefined || before.length === 0) {
      rested = null;
      playback.load(frames, firstShown(frames, kept?.stopped ?? false));
      return;
    }
    const now: Stand = { index, count: before.length };
    if (!isSame(now, placed)) rested = now;
    const from = rested !== null && rested.count === frames.length ? rested : now;
    placed = { index: sameMoment(from, frames.length), count: frames.length };
    playback.load(frames, placed.index);
  });
  playback.subscribe((state, before) => {
    if (state.frames.length > 0 && (state.frames !== before.frames || state.index !== before.index)) {
      void feed.showKeyframe(state.index);
    }
    if (state.playing && !before.playing) void play();
  });
}
