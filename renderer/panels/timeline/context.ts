/** What every part of the panel's controller works with. */
import type { StoreApi } from 'zustand/vanilla';
import type { Workbench } from '../../workbench/workbench.ts';
import type { TimelineSettings, TimelineStateStore } from './store.ts';

export class TimelineContext {
  readonly workbench: Workbench;
  readonly settings: StoreApi<TimelineSettings>;
  readonly state: TimelineStateStore;
  #closed = false;

  constructor(workbench: Workbench, settings: StoreApi<TimelineSettings>, state: TimelineStateStore) {
    this.workbench = workbench;
    this.settings = settings;
    this.state = state;
  }

  /** Answers that come later are for nobody. */
  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
  }

  /** Tells the user what failed; null in place of the answer. */
  fail(what: string, error: unknown): null {
    if (!this.#closed) this.workbench.stores.notices.fail(what, error);
    return null;
  }
}
