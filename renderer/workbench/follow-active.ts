/** The progress of the one thing of a list that is under way. */
import type { StreamHandle } from '../client/index.ts';

/** Closes the stream of the one before where another one is active. */
export function followActive<Id extends string>(active: () => Id | null, open: (id: Id) => StreamHandle): () => void {
  let progressOf: Id | null = null;
  let progress: StreamHandle | null = null;
  return () => {
    const id = active();
    if (id === progressOf) return;
    progress?.close();
    progressOf = id;
    if (id !== null) progress = open(id);
  };
}
