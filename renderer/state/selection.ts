/**
 * The selected run and the crosshair, shared by all panels. A second store contains the visible part and the selected
 * pixel of the shown image, shared by all image panels.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AxisName, Interval } from '../../electron/contract/fields.ts';
import type { RunId } from '../../electron/contract/run.ts';

/** A point of phase space with the coordinates on a panel's axes: `z` and `x` in mm, `theta` in mrad, `e` in MeV. */
export type Crosshair = Readonly<Partial<Record<AxisName, number>>>;

interface SelectionState {
  /** Run that the panels show; null before the first. */
  readonly run: RunId | null;
  /** Pointer position over a plot. */
  readonly hover: Crosshair | null;
  /** Crosshair pinned by the user, which remains when the pointer leaves. */
  readonly pinned: Crosshair | null;
}

export interface SelectionStore extends StoreApi<SelectionState> {
  /**
   * Sets the crosshair to the pointer on these axes; other axes keep their pinned position. Null if the pointer left.
   */
  point(at: Crosshair | null): void;
  /** Pins the crosshair on these axes; other axes keep their pinned position. */
  pin(at: Crosshair): void;
}

export function createSelectionStore(): SelectionStore {
  const store = createStore<SelectionState>(() => ({ run: null, hover: null, pinned: null }));
  return {
    ...store,
    point: (at) => store.setState(({ pinned }) => ({ hover: at && { ...pinned, ...at } })),
    pin: (at) => store.setState(({ pinned }) => ({ hover: null, pinned: { ...pinned, ...at } })),
  };
}

/** Crosshair to draw: at the pointer, else the pinned one. */
export function shownCrosshair(state: SelectionState): Crosshair | null {
  return state.hover ?? state.pinned;
}

/** Position in pixels from the image's corner; the centre of pixel i is i + 0.5. */
export interface ImagePoint {
  readonly fast: number;
  readonly slow: number;
}

interface ImageViewState {
  readonly hover: ImagePoint | null;
  readonly pinned: ImagePoint | null;
  /** Visible window; if missing, the full axis. */
  readonly fast?: Interval;
  readonly slow?: Interval;
}

export interface ImageViewStore extends StoreApi<ImageViewState> {
  reset(): void;
  /** Centres a window of `pixels` pixels on a point, and pins it. */
  centreOn(point: ImagePoint, pixels: number): void;
}

export function createImageViewStore(): ImageViewStore {
  const store = createStore<ImageViewState>(() => ({ hover: null, pinned: null }));
  return {
    ...store,
    reset: () => store.setState({ hover: null, pinned: null }, true),
    centreOn: (point, pixels) => {
      const around = (at: number): Interval => [Math.max(0, at - pixels / 2), Math.max(0, at - pixels / 2) + pixels];
      store.setState({ hover: null, pinned: point, fast: around(point.fast), slow: around(point.slow) }, true);
    },
  };
}

/** Pixel to read: at the pointer, else the pinned one. */
export function shownPixel({ hover, pinned }: ImageViewState): ImagePoint | null {
  return hover ?? pinned;
}
