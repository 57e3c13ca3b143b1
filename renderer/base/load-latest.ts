/** Loads what is wanted, one thing at a time: of what was wanted meanwhile only the last is loaded too. */

interface LoadLatest<T> {
  /** Null if nothing more is needed, or it is loaded already. */
  readonly wanted: () => T | null;
  readonly load: (wanted: T) => Promise<void>;
  /**
   * Called when loading fails. The same item is not retried until a different item is wanted, or the loader is called
   * again.
   */
  readonly failed: (error: unknown) => void;
}

/** Returns a function that loads the currently wanted item. */
export function loadLatest<T>({ wanted, load, failed }: LoadLatest<T>): () => Promise<void> {
  let loading = false;
  return async () => {
    if (loading) return;
    loading = true;
    let refused = '';
    try {
      for (let next = wanted(); next !== null && JSON.stringify(next) !== refused; next = wanted()) {
        try {
          await load(next);
        } catch (error) {
          refused = JSON.stringify(next);
          failed(error);
        }
      }
    } finally {
      loading = false;
    }
  };
}
