/** Files that are made into a database first: packed ones, and reports of Nsight Systems. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findNsys, openTrace } from '../../../../../electron/host/app/timelines/open.ts';
import { unpack } from '../../../../../electron/host/app/timelines/unpack.ts';
import { spanCount } from '../../../../../electron/host/model/timeline/trace.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { writeNsight } from '../../model/timeline/import/nsight-file.ts';

const folder = scratchFolder('open-trace');
const database = path.join(folder, 'whole.sqlite');
writeNsight(database);
const plain = await openTrace(database, 'whole.sqlite');

const written = (name: string, bytes: string | Uint8Array): string => {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return file;
};
const left = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`braggbench-timeline-${process.pid}-`));

describe('a packed database', () => {
  const packed = gzipSync(readFileSync(database));

  it('is what it is unpacked, whatever it is called, and leaves nothing behind', async () => {
    const read: number[] = [];
    const file = written('report.gz', packed);
    const trace = await openTrace(file, 'report.gz', ({ read_bytes }) => read.push(read_bytes));
    expect([spanCount(trace), trace.source, trace.lanes]).toEqual([spanCount(plain), 'nsight-systems', plain.lanes]);
    expect(Math.max(...read)).toBe(packed.length);
    expect(left()).toEqual([]);
  });

  it('that is cut off or damaged is refused, and leaves nothing behind', async () => {
    const cut = written('cut.sqlite.gz', packed.subarray(0, packed.length - 20));
    await expect(openTrace(cut, 'cut.sqlite.gz')).rejects.toThrow(
      /^cut\.sqlite\.gz cannot be opened as a timeline: its compressed data are cut off after \d+ bytes\.$/,
    );
    const bad = written('bad.sqlite.gz', Buffer.from(packed).fill(0, packed.length - 60, packed.length - 20));
    await expect(openTrace(bad, 'bad.sqlite.gz')).rejects.toThrow(/its compressed data are damaged\.$/);
    expect(left()).toEqual([]);
  });

  it('larger than is taken in ends there', async () => {
    const file = written('bomb.gz', gzipSync(Buffer.alloc(4 * 2 ** 20)));
    const target = path.join(folder, 'bomb');
    await expect(unpack(file, target, () => undefined, 2 ** 20)).rejects.toThrow(
      'it is more than 1.00 MiB when unpacked, the most that is taken in',
    );
  });
});

describe.skipIf(process.platform === 'win32')('a report of Nsight Systems', () => {
  afterEach(() => void vi.unstubAllEnvs());

  /** Nsight Systems is not here: a program of its name that keeps to its command line. */
  function nsys(name: string, script: string): void {
    const bin = path.join(folder, name);
    mkdirSync(bin);
    const program = path.join(bin, 'nsys');
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  }

  it('is converted by nsys where that is installed', async () => {
    const script = [
      '[ "$1 $2 $3" = "export --type=sqlite --force-overwrite=true" ] || exit 3',
      'case "$5" in *.nsys-rep) tail -c +5 "$5" >"$(echo "$4" | cut -d= -f2)";; *) exit 4;; esac',
    ];
    nsys('good', script.join('\n'));
    // A dropped file has no ending. What stands for the format is four bytes before the database.
    const report = Buffer.concat([Buffer.from('NSYS'), readFileSync(database)]);
    const trace = await openTrace(written('upload', report), 'mine.nsys-rep');
    expect([spanCount(trace), trace.name]).toEqual([spanCount(plain), 'mine.nsys-rep']);
    expect(left()).toEqual([]);
  });

  it('that nsys refuses says why', async () => {
    nsys('bad', 'echo "Importer error: wrong magic" >&2; exit 1');
    await expect(openTrace(written('upload-2', '\u0001\u0002'), 'mine.nsys-rep')).rejects.toThrow(
      'mine.nsys-rep cannot be opened as a timeline: nsys could not convert it: Importer error: wrong magic.',
    );
    expect(left()).toEqual([]);
  });

  it('is looked for on the path, and where NVIDIA puts it', async () => {
    expect(await findNsys({ PATH: '/nowhere' })).toBeNull();
    nsys('found', 'exit 0');
    expect(await findNsys({ PATH: path.join(folder, 'found') })).toBe(path.join(folder, 'found', 'nsys'));
    const cuda = path.join(folder, 'cuda');
    mkdirSync(path.join(cuda, 'bin'), { recursive: true });
    writeFileSync(path.join(cuda, 'bin', 'nsys'), '');
    expect(await findNsys({ PATH: '', CUDA_HOME: cuda })).toBe(path.join(cuda, 'bin', 'nsys'));
  });
});
