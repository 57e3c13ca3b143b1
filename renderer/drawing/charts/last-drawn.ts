/** What a plot shows is not drawn over itself: Plotly lays all of it out anew, and its place tells of itself more often. */
export class LastDrawn {
  #key: string | null = null;

  /** Whether anything differs from what was asked for last; then this is. */
  isNew(asked: unknown): boolean {
    const key = JSON.stringify(asked);
    if (key === this.#key) return false;
    this.#key = key;
    return true;
  }

  /** Something else stands there now. */
  forget(): void {
    this.#key = null;
  }
}

/** With another font the same words have another width. */
export const loadedFonts = (): number => [...document.fonts].filter(({ status }) => status === 'loaded').length;
