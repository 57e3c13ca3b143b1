/**
 * Ignores stale responses: only the response to the latest request counts. Call the function from `latestRequest` when
 * a request is sent. It returns a check for the arrival of the response: true if no newer request was sent meanwhile.
 * `loadLatest` also runs one load at a time, and drops all queued loads but the last.
 */
export function latestRequest(): () => () => boolean {
  let requested = 0;
  return () => {
    requested += 1;
    const mine = requested;
    return () => mine === requested;
  };
}

interface LatestLoader<T> {
  /** Null if nothing is needed or the needed item is already loaded. */
  readonly neededItem: () => T | null;
  readonly load: (wanted: T) => Promise<void>;
  /**
   * Called when loading fails. The failed item is not retried until `neededItem` returns a different item, or the
   * loader is called again.
   */
  readonly failed: (error: unknown) => void;
}

/** Returns a function that loads the item which is needed when the load starts. */
export function loadLatest<T>({ neededItem, load, failed }: LatestLoader<T>): () => Promise<void> {
  let loading = false;
  return async () => {
    if (loading) return;
    loading = true;
    let refused = '';
    try {
      for (let next = neededItem(); next !== null && JSON.stringify(next) !== refused; next = neededItem()) {
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
