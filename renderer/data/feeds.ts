/** The feeds of the page: one of each class, created on first use. */
import type { Client } from '../client/index.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';
import type { RunData } from './run-data.ts';

type FeedClass<F> = new (client: Client, scheduler: FrameScheduler, data: RunData) => F;

export class Feeds {
  readonly #made = new Map<unknown, unknown>();
  readonly #parts: readonly [Client, FrameScheduler, RunData];

  constructor(...parts: readonly [Client, FrameScheduler, RunData]) {
    this.#parts = parts;
  }

  of<F extends object>(Feed: FeedClass<F>): F {
    const made = this.#made.get(Feed) ?? new Feed(...this.#parts);
    this.#made.set(Feed, made);
    return made as F;
  }
}
