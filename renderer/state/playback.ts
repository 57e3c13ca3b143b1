/** Which of a run's stored moments the maps of phase space show, and whether they play. One for all panels. */
import { createStore, type StoreApi } from 'zustand/vanilla';

/** A stored moment of a run. */
interface Keyframe {
  readonly step: number;
  /** Nominal depth along the beam, mm. */
  readonly depth_mm: number;
}

interface PlaybackState {
  /** In the order of steps; empty while a run computes, and for a run without stored moments. */
  readonly frames: readonly Keyframe[];
  /** Index of the frame shown; 0 when there are none. */
  readonly index: number;
  readonly playing: boolean;
}

export interface PlaybackStore extends StoreApi<PlaybackState> {
  /** Loads the frames of another run and goes to `index`. */
  load(frames: readonly Keyframe[], index: number): void;
  /** Goes there, or as far as there are frames; stops playing. */
  go(index: number): void;
  /** One frame on while playing; stops at the last. */
  advance(): void;
  /** Plays from here, or from the start when at the end; the second call stops. */
  toggle(): void;
  pause(): void;
}

const NOTHING: PlaybackState = { frames: [], index: 0, playing: false };

export function createPlaybackStore(): PlaybackStore {
  const store = createStore<PlaybackState>(() => NOTHING);
  const within = (index: number, count: number): number =>
    Math.min(Math.max(0, Math.round(index)), Math.max(0, count - 1));
  return {
    ...store,
    load: (frames, index) => store.setState({ frames, index: within(index, frames.length), playing: false }),
    go: (index) => store.setState(({ frames }) => ({ index: within(index, frames.length), playing: false })),
    advance: () =>
      store.setState(({ frames, index, playing }) => {
        const next = within(index + 1, frames.length);
        return { index: next, playing: playing && next < frames.length - 1 };
      }),
    toggle: () =>
      store.setState(({ frames, index, playing }) => {
        if (playing || frames.length < 2) return { playing: false };
        return { playing: true, index: index === frames.length - 1 ? 0 : index };
      }),
    pause: () => store.setState({ playing: false }),
  };
}

/**
 * Initial frame of a run that has just been loaded. A run that ended by itself has nothing in flight at its end, so its
 * last frame is empty: the middle one shows the beam. A stopped run is shown at the point where it was stopped.
 */
export function firstShown(frames: readonly Keyframe[], stopped: boolean): number {
  return stopped ? Math.max(0, frames.length - 1) : Math.floor(frames.length / 2);
}
