/** Loads the measurements of the selected run of a small workload. */

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Session } from '../../electron/contract/bench/session.ts';
import { messageOf } from '../../electron/contract/errors.ts';
import type { RunId } from '../../electron/contract/run.ts';
import type { TaskKind } from '../../electron/contract/scenario/kinds.ts';
import type { Client } from './client/client.ts';
import { ArrayCache, type FeedStatus, type FeedTarget, type RunFollower, SHOWN_KEY } from './run-data.ts';

interface MeasuredRun {
  readonly run: RunId;
  readonly session: Session;
}

export class TaskFeed {
  readonly status: StoreApi<{ readonly status: FeedStatus }> = createStore<{ readonly status: FeedStatus }>(() => ({
    status: { kind: 'nothing' },
  }));
  readonly session: ArrayCache<MeasuredRun> = new ArrayCache();
  readonly #client: Client;
  #target: (FeedTarget & { readonly kind: TaskKind }) | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Follower for one kind of task. At most one kind has the selected run. */
  followerOf(kind: TaskKind): RunFollower {
    return {
      status: this.status,
      follow: (target) => {
        if (target !== null) this.#follow({ ...target, kind });
        else if (this.#target?.kind === kind) this.#follow(null);
      },
    };
  }

  #follow(target: (FeedTarget & { readonly kind: TaskKind }) | null): void {
    const before = this.#target;
    if (before?.run === target?.run && before?.state === target?.state) return;
    this.#target = target;
    if (before?.run !== target?.run) this.session.drop(SHOWN_KEY);
    if (target === null) this.#setStatus({ kind: 'nothing' });
    else if (target.state === 'failed') this.#setStatus({ kind: 'failed', reason: 'The run failed.' });
    else if (target.state === 'done' || target.state === 'cancelled') void this.#load(target.run);
    else this.#setStatus({ kind: 'waiting' });
  }

  async #load(run: RunId): Promise<void> {
    try {
      const session = await this.#client.call('task.session', { run });
      if (this.#target?.run !== run) return;
      this.session.set(SHOWN_KEY, { run, session });
      this.#setStatus({ kind: 'loaded' });
    } catch (error) {
      if (this.#target?.run !== run) return;
      this.#setStatus({ kind: 'failed', reason: messageOf(error) });
    }
  }

  #setStatus(status: FeedStatus): void {
    this.status.setState({ status });
  }
}
