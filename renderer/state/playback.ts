/** Stored moment of a run that the phase-space maps show, and playback of all moments. Shared by all panels. */
import { createStore, type StoreApi } from 'zustand/vanilla';

/** A stored moment of a run. */
interface Keyframe {
  readonly step: number;
  /** Nominal depth along the beam, mm. */
  readonly depth_mm: number;
}

interface PlaybackState {
  /** Stored moments in order of steps; empty while a run computes, and for a run without stored moments. */
  readonly frames: readonly Keyframe[];
  /** Index of the shown frame; 0 if there are none. */
  readonly index: number;
  readonly playing: boolean;
}

export interface PlaybackStore extends StoreApi<PlaybackState> {
  /** Loads the frames of another run and shows frame `index`. */
  load(frames: readonly Keyframe[], index: number): void;
  /** Shows a frame, clamped to the available ones, and stops playing. */
  go(index: number): void;
  /** Advances by one frame while playing; stops at the last one. */
  advance(): void;
  /** Plays from the current frame, or from the start if at the end. If already playing, stops. */
  toggle(): void;
  pause(): void;
}

const EMPTY_PLAYBACK: PlaybackState = { frames: [], index: 0, playing: false };

export function createPlaybackStore(): PlaybackStore {
  const store = createStore<PlaybackState>(() => EMPTY_PLAYBACK);
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
 * Index of the first frame to show for a loaded run. A run that ended by itself has no protons in flight at its end, so
 * its last frame is empty: the middle one shows the beam. A stopped run starts with its last frame.
 */
export function initialFrame(frames: readonly Keyframe[], stopped: boolean): number {
  return stopped ? Math.max(0, frames.length - 1) : Math.floor(frames.length / 2);
}
