/** Visible part of the shown image, and the selected pixel; shared by the panels that show images. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Interval } from '../../electron/contract/fields.ts';

/** In pixels from the image's corner; the middle of pixel i is at i + 0.5. */
export interface ImagePoint {
  readonly fast: number;
  readonly slow: number;
}

interface ImageViewState {
  readonly hover: ImagePoint | null;
  readonly pinned: ImagePoint | null;
  /** Missing: the whole axis. */
  readonly fast?: Interval;
  readonly slow?: Interval;
}

export interface ImageViewStore extends StoreApi<ImageViewState> {
  reset(): void;
  /** Brings a place into the middle of a window of `pixels` pixels, and pins it. */
  lookAt(point: ImagePoint, pixels: number): void;
}

export function createImageViewStore(): ImageViewStore {
  const store = createStore<ImageViewState>(() => ({ hover: null, pinned: null }));
  return {
    ...store,
    reset: () => store.setState({ hover: null, pinned: null }, true),
    lookAt: (point, pixels) => {
      const around = (at: number): Interval => [Math.max(0, at - pixels / 2), Math.max(0, at - pixels / 2) + pixels];
      store.setState({ hover: null, pinned: point, fast: around(point.fast), slow: around(point.slow) }, true);
    },
  };
}

/** The pixel to read: the pointer's, or else the pinned one. */
export function shownPixel({ hover, pinned }: ImageViewState): ImagePoint | null {
  return hover ?? pinned;
}
