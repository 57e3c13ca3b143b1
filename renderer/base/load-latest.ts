/** Loads what is wanted, one thing at a time: of what was wanted meanwhile only the last is loaded too. */

interface LoadLatest<T> {
  /** Null: nothing more, or it is there already. */
  readonly wanted: () => T | null;
  readonly load: (wanted: T) => Promise<void>;
  /** Told when something cannot be loaded; it is not tried again until something else was wanted, or it is asked for anew. */
  readonly failed: (error: unknown) => void;
}

/** What is returned asks for what is wanted now. */
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
