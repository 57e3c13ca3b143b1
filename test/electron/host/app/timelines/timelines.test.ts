/**
 * Files that are first converted to a database: compressed ones, and reports of Nsight Systems. Also files crafted to
 * keep SQLite busy for ever, or to run code in SQLite or in the page. `cases/README.md` has their sources.
 */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findNsys, openTrace, unpack } from '../../../../../electron/host/app/timelines/open.ts';
import { Timelines, TraceProcess } from '../../../../../electron/host/app/timelines/timelines.ts';
import { type ChildLink, forkChild, type StartChild } from '../../../../../electron/host/io/processes/link.ts';
import { importNsight } from '../../../../../electron/host/model/timeline/import/nsight.ts';
import { traceSummary } from '../../../../../electron/host/model/timeline/summary.ts';
import { spanCount } from '../../../../../electron/host/model/timeline/trace.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { onLinux, onPosix } from '../../../../unless.ts';
import { entry, environmentWith } from '../../../cli/command.ts';
import { writeNsight } from '../../model/timeline/import/nsight-file.ts';

describe('opening a timeline', async () => {
  const folder = scratchFolder('open-trace');
  const database = path.join(folder, 'whole.sqlite');
  writeNsight(database);
  const plain = await openTrace(database, 'whole.sqlite');

  const written = (name: string, bytes: string | Uint8Array): string => {
    const file = path.join(folder, name);
    writeFileSync(file, bytes);
    return file;
  };

  it('names the file once in an error, whatever its name', async () => {
    await expect(openTrace(written('it', ''), 'it')).rejects.toThrow(
      /^it cannot be opened as a timeline: it is empty\.$/,
    );
    const session = written('cut-session.json', readFileSync('assets/runs/micro/launch.json', 'utf8').slice(0, 1000));
    await expect(openTrace(session, 'cut-session.json')).rejects.toThrow(
      /^cut-session\.json is not JSON: it is damaged or from another program\.$/,
    );
  });
  const left = (): readonly string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`braggbench-timeline-${process.pid}-`));

  describe('a compressed database', () => {
    const packed = gzipSync(readFileSync(database));

    it('is opened by its content, whatever its name, and leaves no temporary files', async () => {
      const read: number[] = [];
      const file = written('report.gz', packed);
      const trace = await openTrace(file, 'report.gz', ({ read_bytes }) => read.push(read_bytes));
      expect([spanCount(trace), trace.source, trace.lanes]).toEqual([spanCount(plain), 'nsight-systems', plain.lanes]);
      expect(Math.max(...read)).toBe(packed.length);
      expect(left()).toEqual([]);
    });

    it('is rejected if it is truncated or damaged, and leaves no temporary files', async () => {
      const cut = written('cut.sqlite.gz', packed.subarray(0, packed.length - 20));
      await expect(openTrace(cut, 'cut.sqlite.gz')).rejects.toThrow(
        /^cut\.sqlite\.gz cannot be opened as a timeline: its compressed data end too early, after \d+ bytes\.$/,
      );
      const bad = written('bad.sqlite.gz', Buffer.from(packed).fill(0, packed.length - 60, packed.length - 20));
      await expect(openTrace(bad, 'bad.sqlite.gz')).rejects.toThrow(/its compressed data are damaged\.$/);
      expect(left()).toEqual([]);
    });

    it('is unpacked only up to the size limit', async () => {
      const file = written('bomb.gz', gzipSync(Buffer.alloc(4 * 2 ** 20)));
      const target = path.join(folder, 'bomb');
      await expect(unpack(file, target, () => undefined, 2 ** 20)).rejects.toThrow(
        'it is larger than 1.00 MiB when decompressed, the maximum',
      );
    });
  });

  describe('a report of Nsight Systems', onPosix, () => {
    afterEach(() => void vi.unstubAllEnvs());

    /** Nsight Systems is not installed, so a fake program with its name and command line replaces it. */
    function installFakeNsys(name: string, script: string): void {
      const bin = path.join(folder, name);
      mkdirSync(bin);
      const program = path.join(bin, 'nsys');
      writeFileSync(program, `#!/bin/sh\n${script}\n`);
      chmodSync(program, 0o755);
      vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    }

    it('is converted by nsys if nsys is installed', async () => {
      const script = [
        '[ "$1 $2 $3" = "export --type=sqlite --force-overwrite=true" ] || exit 3',
        'case "$5" in *.nsys-rep) tail -c +5 "$5" >"$(echo "$4" | cut -d= -f2)";; *) exit 4;; esac',
      ];
      installFakeNsys('good', script.join('\n'));
      // Drop a file without an extension. The four bytes in front of the database imitate the report format.
      const report = Buffer.concat([Buffer.from('NSYS'), readFileSync(database)]);
      const trace = await openTrace(written('upload', report), 'mine.nsys-rep');
      expect([spanCount(trace), trace.name]).toEqual([spanCount(plain), 'mine.nsys-rep']);
      expect(left()).toEqual([]);
    });

    it('gives the reason if nsys rejects it', async () => {
      installFakeNsys('bad', 'echo "Importer error: wrong magic" >&2; exit 1');
      await expect(openTrace(written('upload-2', '\u0001\u0002'), 'mine.nsys-rep')).rejects.toThrow(
        'mine.nsys-rep cannot be opened as a timeline: nsys could not convert it: Importer error: wrong magic.',
      );
      expect(left()).toEqual([]);
    });

    it('is converted by the nsys on the path, or the one where NVIDIA installs it', async () => {
      expect(await findNsys({ PATH: '/nowhere' })).toBeNull();
      installFakeNsys('found', 'exit 0');
      expect(await findNsys({ PATH: path.join(folder, 'found') })).toBe(path.join(folder, 'found', 'nsys'));
      const cuda = path.join(folder, 'cuda');
      mkdirSync(path.join(cuda, 'bin'), { recursive: true });
      writeFileSync(path.join(cuda, 'bin', 'nsys'), '');
      expect(await findNsys({ PATH: '', CUDA_HOME: cuda })).toBe(path.join(cuda, 'bin', 'nsys'));
    });
  });
});

const folder = scratchFolder('hostile-databases');
const caseOf = (name: string): string => path.join(import.meta.dirname, 'cases', name);
/**
 * All inner pages of the b-tree name one child, which makes 60^12 rows. `SELECT DISTINCT` returns only after reading
 * all of them.
 */
const ENDLESS = caseOf('distinct-bomb.sqlite');

/** Starts the real process, and reports how it ended. */
function recordingChild(): { readonly start: StartChild; readonly ended: Promise<string | null> } {
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

describe('a database with unbounded rows', () => {
  it('stops when it is cancelled, and its process ends', async () => {
    const { start, ended } = recordingChild();
    const timelines = new Timelines(start, async () => null);
    const cancel = new AbortController();
    const opening = timelines.openFile(ENDLESS, 'endless.sqlite', cancel.signal);
    const stopped = expect(opening).rejects.toMatchObject({ code: 'disconnected' });
    // The first report comes from the child process: SQLite is running.
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

  it('is rejected if reading makes no progress within the time limit, and its process ends', async () => {
    const { start, ended } = recordingChild();
    const timeline = new TraceProcess(start, 1500);
    await expect(timeline.openFile(ENDLESS, 'endless.sqlite', () => undefined)).rejects.toThrow(
      'endless.sqlite cannot be opened as a timeline: reading made no progress for 1.5 s; the file is damaged or malicious.',
    );
    expect(await ended).toBe('SIGKILL');
    await timeline.close();
  });
});

/** Linux processes whose parent is `pid`. */
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

describe('a command that reads a database with unbounded rows', onLinux, () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends on %s, together with its child process', async (signal) => {
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

describe('a database with virtual tables', () => {
  it('has none of them read, since an extension would interpret file pages', async () => {
    await expect(openTrace(caseOf('virtual.sqlite'), 'virtual.sqlite')).rejects.toThrow(
      /without the tables of Nsight Systems, .* \(it has: CUPTI_ACTIVITY_KIND_KERNEL_data, /,
    );
  });
});

describe('a database with hostile names and times', () => {
  it('is rejected if no row has a plausible time', async () => {
    await expect(openTrace(caseOf('names.sqlite'), 'names.sqlite')).rejects.toThrow(
      'names.sqlite cannot be opened as a timeline: none of its 3 rows has a valid start and end.',
    );
  });

  it('is read up to the row limit, valid or not, so that a file without valid rows terminates', () => {
    const read = (mostRows?: number) => () =>
      importNsight(caseOf('names.sqlite'), 'names.sqlite', () => undefined, mostRows);
    expect(read()).toThrow('none of its 3 rows has a valid start and end');
    // Rows of names, devices and the schema count towards the limit too.
    expect(read(4)).toThrow('it has more than 4 rows, the maximum');
  });

  it('is read without its invalid rows', async () => {
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
    expect(trace.notes).toEqual(['2 rows without a valid start and end were omitted.']);
  });
});

describe('a trace with markup in its names', () => {
  it('shows the names as unchanged text', async () => {
    const markup = /^<img src=x onerror=window\.ran=1><svg onload=window\.ran=2><a href="javascript:window\.ran=3">/;
    const trace = await openTrace(caseOf('evil-trace.json'), 'evil-trace.json');
    expect(spanCount(trace)).toBe(2);
    expect(trace.names.filter((name) => markup.test(name))).toHaveLength(2);
    expect(trace.lanes.map(({ name }) => name)).toContainEqual(expect.stringMatching(markup));
    expect(traceSummary(trace).kernels.count).toBe(1);
  });
});

describe('a trace with one thread per event', () => {
  it('is rejected at the limit of lanes', async () => {
    const event = (k: number): string => `{"ph":"X","ts":${k},"dur":2,"pid":${k},"tid":${k},"name":"k"}`;
    const traceOf = (lanes: number): string => {
      const file = path.join(folder, `${lanes}.json`);
      writeFileSync(file, `[${Array.from({ length: lanes }, (_, k) => event(k)).join(',')}]`);
      return file;
    };
    expect((await openTrace(traceOf(20_000), 'lanes.json')).lanes).toHaveLength(20_000);
    await expect(openTrace(traceOf(20_001), 'lanes.json')).rejects.toThrow(
      'lanes.json cannot be opened as a timeline: it has more than 20,000 lanes (threads and streams), the maximum.',
    );
  });
});
