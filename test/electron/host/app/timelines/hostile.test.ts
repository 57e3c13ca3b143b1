/** Databases made by hand to keep SQLite busy for ever, or to run code on their pages. `cases/README.md` has their sources. */
import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { openTrace } from '../../../../../electron/host/app/timelines/open.ts';
import { Timelines } from '../../../../../electron/host/app/timelines/timelines.ts';
import { TraceProcess } from '../../../../../electron/host/app/timelines/trace-process.ts';
import { type ChildLink, forkChild, type StartChild } from '../../../../../electron/host/io/processes/link.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { entry, environmentWith } from '../../../cli/command.ts';

const folder = scratchFolder('hostile-databases');
const caseOf = (name: string): string => path.join(import.meta.dirname, 'cases', name);
/** The b-tree's inner pages all name one child: 60^12 rows, and `SELECT DISTINCT` returns after all of them. */
const ENDLESS = caseOf('distinct-bomb.sqlite');

/** Starts the real process, and reports how it ended. */
function watched(): { readonly start: StartChild; readonly ended: Promise<string | null> } {
  let end: (signal: string | null) => void = () => undefined;
  const ended = new Promise<string | null>((resolve) => {
    end = resolve;
  });
  const start: StartChild = (program) => {
    const link: ChildLink = forkChild(program);
    link.onEnded(({ signal }) => end(signal));
    return link;
  };
  return { start, ended };
}

describe('a database whose rows never end', () => {
  it('is given up when it is cancelled, and its process is gone', async () => {
    const { start, ended } = watched();
    const timelines = new Timelines(start, async () => null);
    const cancel = new AbortController();
    const opening = timelines.openFile(ENDLESS, 'endless.sqlite', cancel.signal);
    const stopped = expect(opening).rejects.toMatchObject({ code: 'disconnected' });
    // The first report comes from within the process: SQLite is at work.
    await new Promise<void>((resolve) => {
      timelines.watch({
        offer: (make) => {
          const [state] = make().timelines;
          if (state?.state === 'reading' && state.total_bytes > 0) resolve();
        },
        end: () => undefined,
      } as Parameters<Timelines['watch']>[0]);
    });
    cancel.abort();
    await stopped;
    expect(await ended).toBe('SIGKILL');
    await timelines.closeAll();
  });

  it('is refused once reading makes no progress within the limit, and its process is gone', async () => {
    const { start, ended } = watched();
    const timeline = new TraceProcess(start, 1500);
    await expect(timeline.openFile(ENDLESS, 'endless.sqlite', () => undefined)).rejects.toThrow(
      'endless.sqlite cannot be opened as a timeline: reading made no progress for 1.5 s; the file is damaged, or made to take for ever.',
    );
    expect(await ended).toBe('SIGKILL');
    await timeline.close();
  });
});

/** Processes of Linux whose parent is `pid`. */
function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid ? [Number(name)] : [];
      } catch {
        return [];
      }
    });
}

describe.skipIf(process.platform !== 'linux')('a command that reads such a database', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends by %s, and its child process too', async (signal) => {
    const command = spawn(process.execPath, [entry, 'trace', ENDLESS], {
      env: environmentWith(scratchFolder(`hostile-${signal}`)),
      stdio: 'ignore',
    });
    const ended = new Promise<number | null>((resolve) => command.on('exit', (code) => resolve(code)));
    const [child] = await vi.waitFor(() => {
      const found = childrenOf(command.pid ?? 0);
      expect(found).toHaveLength(1);
      return found;
    }, 20_000);
    command.kill(signal);
    expect(await ended).toBe(130);
    await vi.waitFor(() => expect(readdirSync('/proc')).not.toContain(String(child)), 20_000);
  });
});

describe('a database with tables that SQLite computes', () => {
  it('has none of them read: pages of the file would be run by an extension', async () => {
    await expect(openTrace(caseOf('virtual.sqlite'), 'virtual.sqlite')).rejects.toThrow(
      /without the tables of Nsight Systems, .* \(it has: CUPTI_ACTIVITY_KIND_KERNEL_data, /,
    );
  });
});

describe('a database with hostile names and times', () => {
  it('is refused where no row has times that a recording may have', async () => {
    await expect(openTrace(caseOf('names.sqlite'), 'names.sqlite')).rejects.toThrow(
      'names.sqlite cannot be opened as a timeline: none of its 3 rows has a valid start and end.',
    );
  });

  it('is read except for those rows', async () => {
    const file = path.join(folder, 'names.sqlite');
    cpSync(caseOf('names.sqlite'), file);
    const database = new DatabaseSync(file);
    for (const start of [30, 50]) {
      database
        .prepare(
          'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", shortName, deviceId, streamId) VALUES (?, ?, 1, 0, 1)',
        )
        .run(start, start + 5);
    }
    database.close();
    const trace = await openTrace(file, 'names.sqlite');
    expect([[...trace.start], [...trace.duration]]).toEqual([
      [0, 20, 40],
      [10, 5, 5],
    ]);
    expect(trace.notes).toEqual(['2 rows without a valid start and end were left out.']);
  });
});

describe('a trace with a thread for every event', () => {
  it('is refused at the limit of lanes', async () => {
    const event = (k: number): string => `{"ph":"X","ts":${k},"dur":2,"pid":${k},"tid":${k},"name":"k"}`;
    const traceOf = (lanes: number): string => {
      const file = path.join(folder, `${lanes}.json`);
      writeFileSync(file, `[${Array.from({ length: lanes }, (_, k) => event(k)).join(',')}]`);
      return file;
    };
    expect((await openTrace(traceOf(20_000), 'lanes.json')).lanes).toHaveLength(20_000);
    await expect(openTrace(traceOf(20_001), 'lanes.json')).rejects.toThrow(
      'lanes.json cannot be opened as a timeline: it has more than 20,000 lanes (threads and streams), the most that are shown.',
    );
  });
});
