/** The plane in which the answers of a workload lie: its window and its crosshair are those of the workload's own panels. */
import type { Linked } from '../actions/linked-map.ts';
import type { ScaleKind } from '../drawing/normalisation.ts';

export interface Plane extends Linked {
  readonly horizontal: { readonly title: string; readonly unit: string };
  readonly vertical: { readonly title: string; readonly unit: string };
  /** Name of what is shown: `Dose`. */
  readonly quantity: string;
  /** Rows count downwards, and a cell is as wide as high. */
  readonly pixels: boolean;
  readonly scale: ScaleKind;
  /** Below this share of the largest value a logarithmic scale shows nothing. */
  readonly least: number;
  /** Calls `listener` when the window or the crosshair changes. */
  subscribe(listener: () => void): () => void;
}
