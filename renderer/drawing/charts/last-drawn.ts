/**
 * Skips redundant drawings. Plotly recomputes the whole layout for each, and resize notifications are more frequent
 * than changes.
 */
export class LastDrawn {
  #key: string | null = null;

  /** Returns whether the request differs from the last one, and remembers it. */
  isNew(asked: unknown): boolean {
    const key = JSON.stringify(asked);
    if (key === this.#key) return false;
    this.#key = key;
    return true;
  }

  /** Call when the plot shows something else. */
  forget(): void {
    this.#key = null;
  }
}

/** With another font the same words have another width. */
export const loadedFonts = (): number => [...document.fonts].filter(({ status }) => status === 'loaded').length;
