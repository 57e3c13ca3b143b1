/** Opens, closes and exports timelines. */
import type { FileRef } from '../../../electron/contract/files.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import { type TraceId, UPLOAD_PIECE_BYTES } from '../../../electron/contract/timeline.ts';
import type { Params } from '../../../electron/contract/wire/methods.ts';
import type { ActionContext } from './context.ts';
import { offerFile } from './save-file.ts';

/** Id of the panel in the layouts. */
const PANEL = 'timeline';

export interface TimelineActions {
  /** Opens a file that the page received: dropped, or chosen in a browser. The file is sent in pieces. */
  openLocal(file: File): Promise<void>;
  openFile(file: FileRef, name: string): Promise<void>;
  /** Asks for a file with the native dialog; returns false if there is none. */
  choose(): Promise<boolean>;
  /** Shows a recorded run once, if no other timeline is open. `makeRoom` closes it when another timeline opens. */
  offer(file: FileRef, name: string): Promise<void>;
  makeRoom(): Promise<void>;
  openRun(run: RunId): Promise<void>;
  /** Shows the timeline of the selected run, and closes that of the previously selected one. */
  followRun(run: RunId | null): Promise<void>;
  close(trace: TraceId): Promise<void>;
  /** Exports all, or a range of time, as Chrome Trace JSON. */
  exportTrace(trace: TraceId, within: readonly [number, number] | null): Promise<void>;
}

/** Returns true if the name or the beginning of the text indicates a timeline. */
export async function isTimelineFile(file: File): Promise<boolean> {
  if (/\.(gz|sqlite3?|db|nsys-rep|qdrep|pftrace|perfetto-trace)$/i.test(file.name)) return true;
  if (!/\.json$/i.test(file.name)) return false;
  const head = (await file.slice(0, 65_536).text()).replace(/^\ufeff/, '').trimStart();
  return head.startsWith('[') || head.includes('"traceEvents"');
}

export function createTimelineActions(context: ActionContext): TimelineActions {
  const { client, stores } = context;
  const { notices, timelines, layout } = stores;
  let nextKey = 1;

  async function sendInPieces(file: File): Promise<string> {
    const key = nextKey++;
    const state = { key, name: file.name, total_bytes: file.size };
    try {
      timelines.updateSending({ ...state, sent_bytes: 0 });
      const { upload } = await client.call('timeline.upload', { name: file.name, size_bytes: file.size });
      for (let offset = 0; offset < file.size; offset += UPLOAD_PIECE_BYTES) {
        const bytes = new Uint8Array(await file.slice(offset, offset + UPLOAD_PIECE_BYTES).arrayBuffer());
        await client.call('timeline.uploadPiece', { upload, offset, bytes });
        timelines.updateSending({ ...state, sent_bytes: offset + bytes.length });
      }
      return upload;
    } finally {
      timelines.removeSending(key);
    }
  }

  async function open(
    name: string,
    source: () => Promise<Params<'timeline.open'>['source']> | Params<'timeline.open'>['source'],
  ): Promise<TraceId | null> {
    try {
      return (await client.call('timeline.open', { source: await source() })).id;
    } catch (error) {
      notices.fail(`${name} could not be opened`, error);
      return null;
    }
  }

  async function close(trace: TraceId): Promise<void> {
    try {
      await client.call('timeline.close', { trace });
    } catch (error) {
      notices.fail('The timeline could not be closed', error);
    }
  }

  const opened = (run: RunId): TraceId | null => timelines.getState().open.find((info) => info.run === run)?.id ?? null;

  return {
    close,
    async openLocal(file) {
      layout.reveal(PANEL);
      await open(file.name, async () => ({ kind: 'upload', upload: await sendInPieces(file) }));
    },
    async openFile(file, name) {
      layout.reveal(PANEL);
      await open(name, () => ({ kind: 'file', file }));
    },
    async choose() {
      if (!stores.connection.getState().capabilities.shell.dialogs) return false;
      const { file } = await client.call('file.choose', { purpose: 'open-trace', suggestedName: '' });
      if (file !== null) await open(file.name, () => ({ kind: 'file', file: file.file }));
      return true;
    },
    async offer(file, name) {
      if (!timelines.getState().offers) return;
      timelines.setState({ offers: false });
      timelines.setState({ offered: await open(name, () => ({ kind: 'file', file })) });
    },
    async makeRoom() {
      const { offered, open: shown } = timelines.getState();
      if (offered === null || !shown.some(({ id }) => id !== offered)) return;
      timelines.setState({ offered: null });
      if (shown.some(({ id }) => id === offered)) await close(offered);
    },
    async openRun(run) {
      await open('The run’s timeline', () => ({ kind: 'run', run }));
    },
    async followRun(run) {
      const before = timelines.getState().followed;
      if (before === run) return;
      const trace = before === null ? null : opened(before);
      if (run === null || opened(run) !== null) {
        // A timeline opened by the user stays when the selection changes.
        timelines.follow(null);
      } else {
        timelines.follow(run);
        const made = await open('The run’s timeline', () => ({ kind: 'run', run }));
        // The selection changed while the timeline was read.
        if (made !== null && timelines.getState().followed !== run) await close(made);
      }
      if (trace !== null) await close(trace);
    },
    async exportTrace(trace, within) {
      try {
        const file = await client.call('timeline.export', {
          trace,
          within: within === null ? null : [within[0], within[1]],
        });
        await offerFile(context, file);
      } catch (error) {
        notices.fail('The timeline could not be exported', error);
      }
    },
  };
}
