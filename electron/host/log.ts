/** What the host has to say to the user, for pages that come later too. */
import type { LogEntry } from '../contract/streams.ts';
import type { Sink } from './service/service.ts';

const KEPT = 100;

export class HostLog {
  readonly #entries: LogEntry[] = [];
  readonly #readers = new Set<Sink<LogEntry>>();

  readonly write = (level: LogEntry['level'], text: string): void => {
    const entry = { time: new Date().toISOString(), level, text };
    this.#entries.push(entry);
    if (this.#entries.length > KEPT) this.#entries.shift();
    for (const reader of this.#readers) reader.offer(() => entry);
  };

  read(sink: Sink<LogEntry>): () => void {
    for (const entry of this.#entries) sink.offer(() => entry);
    this.#readers.add(sink);
    return () => this.#readers.delete(sink);
  }
}
