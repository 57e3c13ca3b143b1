/** Handles calls and streams about timelines. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { timelineOf } from '../../workloads/index.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers, Sources } from '../service/service.ts';
import { readNotes, writeNotes } from '../timelines/notes.ts';
import type { Timelines } from '../timelines/timelines.ts';
import type { Uploads } from '../timelines/uploads.ts';

interface TimelineParts {
  readonly runs: Runs;
  readonly files: FileAccess;
  readonly timelines: Timelines;
  readonly uploads: Uploads;
  readonly addon: NativeAddon;
}

type TimelineHandlers = Pick<Handlers, Extract<keyof Handlers, `timeline.${string}`>>;

export function timelineHandlers(parts: TimelineParts): TimelineHandlers {
  const { addon, runs, files, timelines, uploads } = parts;
  return {
    'timeline.upload': async ({ name, size_bytes }) => ({ upload: await uploads.begin(name, size_bytes) }),
    'timeline.uploadPiece': async ({ upload, offset, bytes }) => {
      await uploads.append(upload, offset, bytes);
      return {};
    },
    'timeline.open': async ({ source }, signal) => {
      switch (source.kind) {
        case 'run':
          return timelines.openRun(source.run, async () => {
            const data = await runs.data(source.run);
            return timelineOf(data, (id) => addon.variants().find((one) => one.id === id)?.bytesPerCellStep ?? 0);
          });
        case 'file': {
          const { path } = await files.readable(source.file);
          return timelines.openFile(path, files.nameOf(source.file).name, signal);
        }
        case 'upload': {
          const { file, name } = uploads.requireComplete(source.upload);
          try {
            return await timelines.openFile(file, name, signal);
          } finally {
            await uploads.drop(source.upload);
          }
        }
      }
    },
    'timeline.close': async ({ trace }) => {
      await timelines.close(trace);
      return {};
    },
    'timeline.window': ({ trace, ...asked }) => timelines.ask(trace, 'window', asked),
    'timeline.names': ({ trace, ...asked }) => timelines.ask(trace, 'names', asked),
    'timeline.span': ({ trace, ...asked }) => timelines.ask(trace, 'span', asked),
    'timeline.arrows': ({ trace, ...asked }) => timelines.ask(trace, 'arrows', asked),
    'timeline.search': ({ trace, ...asked }) => timelines.ask(trace, 'search', asked),
    'timeline.statistics': ({ trace, ...asked }) => timelines.ask(trace, 'statistics', asked),
    'timeline.steps': ({ trace }) => timelines.ask(trace, 'steps', {}),
    'timeline.notes': async ({ trace }) => ({ notes: await readNotes(files.library.folder, timelines.infoOf(trace)) }),
    'timeline.keepNotes': async ({ trace, notes }) => {
      await writeNotes(files.library.folder, timelines.infoOf(trace), notes);
      return {};
    },
    'timeline.summary': ({ trace }) => timelines.ask(trace, 'summary', {}),
    'timeline.export': ({ trace, ...asked }) => timelines.ask(trace, 'export', asked),
  };
}

export function timelineSource(timelines: Timelines): Pick<Sources, 'timelines'> {
  return { timelines: (_params, sink) => timelines.watch(sink) };
}
