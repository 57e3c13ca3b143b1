/** One run and one crosshair for all panels. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AxisName } from '../../electron/contract/fields.ts';
import type { RunId } from '../../electron/contract/run.ts';

/** A point of phase space, as far as a panel's axes say: `z` and `x` in mm, `theta` in mrad, `e` in MeV. */
export type Crosshair = Readonly<Partial<Record<AxisName, number>>>;

interface SelectionState {
  /** The run that the panels show; null before the first. */
  readonly run: RunId | null;
  /** Pointer position over a plot. */
  readonly hover: Crosshair | null;
  /** Crosshair pinned by the user; it remains when the pointer leaves. */
  readonly pinned: Crosshair | null;
}

export interface SelectionStore extends StoreApi<SelectionState> {
  /** The pointer is over a plot of these axes; the others stay where they were pinned. Null: it left. */
  point(at: Crosshair | null): void;
  /** Keeps the crosshair on these axes; the others stay where they were pinned. */
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

/** The crosshair to draw: the pointer's, or else the pinned one. */
export function shownCrosshair(state: SelectionState): Crosshair | null {
  return state.hover ?? state.pinned;
}
