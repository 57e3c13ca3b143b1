/** State shared by the parts of the panel's controller. */
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

  /** Reports a failure to the user; returns null in place of the answer. */
  fail(what: string, error: unknown): null {
    if (!this.#closed) this.workbench.stores.notices.fail(what, error);
    return null;
  }
}
