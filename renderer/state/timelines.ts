/** Timelines that are open in the host, and those that are loading. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RunId } from '../../electron/contract/run.ts';
import type { TraceId, TraceInfo, TraceState } from '../../electron/contract/timeline.ts';

/** A file that the page is sending to the host. */
interface SendingFile {
  readonly key: number;
  readonly name: string;
  readonly sent_bytes: number;
  readonly total_bytes: number;
}

interface TimelinesState {
  /** Timelines in order of opening. */
  readonly open: readonly TraceInfo[];
  readonly reading: readonly Extract<TraceState, { state: 'reading' }>[];
  readonly sending: readonly SendingFile[];
  /**
   * Run whose timeline is open only because the run is selected. The timeline closes when the selection changes, unless
   * the user keeps it open.
   */
  readonly followed: RunId | null;
  /**
   * Timeline that was suggested automatically, and is replaced when another one opens. Null if there is none. `offers`:
   * whether one may still be suggested.
   */
  readonly offered: TraceId | null;
  readonly offers: boolean;
}

export interface TimelinesStore extends StoreApi<TimelinesState> {
  /** Updates the list of open timelines from the host. */
  updateList(timelines: readonly TraceState[]): void;
  updateSending(file: SendingFile): void;
  removeSending(key: number): void;
  follow(run: RunId | null): void;
}

export function createTimelinesStore(): TimelinesStore {
  const store = createStore<TimelinesState>(() => ({
    open: [],
    reading: [],
    sending: [],
    followed: null,
    offered: null,
    offers: true,
  }));
  return {
    ...store,
    updateList: (timelines) =>
      store.setState((before) => {
        const known = new Map(before.open.map((info) => [info.id, info]));
        return {
          // Reuse the object of a known timeline, so that nothing is redrawn while another timeline is loading.
          open: timelines.flatMap((each) => (each.state === 'open' ? [known.get(each.info.id) ?? each.info] : [])),
          reading: timelines.filter((each) => each.state === 'reading'),
        };
      }),
    updateSending: (file) =>
      store.setState(({ sending }) => ({ sending: [...sending.filter(({ key }) => key !== file.key), file] })),
    removeSending: (key) => store.setState(({ sending }) => ({ sending: sending.filter((file) => file.key !== key) })),
    follow: (run) => store.setState({ followed: run }),
  };
}
