/** Contents of cells: media by their shares of the area, each combination once. */

export interface Medium {
  readonly material: string;
  readonly density_scale: number;
}

/** Media of one cell with their shares of its area, which sum to 1; largest first. */
export type Contents = readonly { readonly medium: Medium; readonly share: number }[];

export interface CellContents {
  /** Each once, water of density 1 first whether it is used or not, then as they are met. */
  readonly list: readonly Contents[];
  /** Index into `list` of every cell, nz × nx, row z. */
  readonly map: () => Uint8Array;
  /** Shares are whole multiples of one part in this many; null where they are exact. */
  readonly roundedTo: number | null;
  /** Densities of a CT that are taken together differ by this share; null where all are as they are. */
  readonly densitiesWithin: number | null;
}
