/**
 * Typed arrays of the page, outside React and outside the stores: stores and
 * components hold `{ streamId, revision }`, painters read what lies here when
 * their frame comes.
 */

interface DataRef {
  readonly streamId: string;
  readonly revision: number;
}

export class ArrayCache<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly revision: number }>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #revision = 0;

  /** Replaces what was there; the returned reference says which state this is. */
  set(streamId: string, value: T): DataRef {
    // One counter for all entries: an entry that was dropped and set again never repeats a revision.
    this.#revision += 1;
    this.#entries.set(streamId, { value, revision: this.#revision });
    this.#tell(streamId);
    return { streamId, revision: this.#revision };
  }

  get(streamId: string): T | null {
    return this.#entries.get(streamId)?.value ?? null;
  }

  /** 0 while there is nothing. */
  revision(streamId: string): number {
    return this.#entries.get(streamId)?.revision ?? 0;
  }

  drop(streamId: string): void {
    if (this.#entries.delete(streamId)) this.#tell(streamId);
  }

  /** Drops all entries. */
  clear(): void {
    for (const streamId of [...this.#entries.keys()]) this.drop(streamId);
  }

  /** Calls back after every change of one entry. Returns how to stop. */
  subscribe(streamId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(streamId) ?? new Set();
    this.#listeners.set(streamId, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(streamId);
    };
  }

  #tell(streamId: string): void {
    for (const listener of this.#listeners.get(streamId) ?? []) listener();
  }
}
