/** Other users of the machine: they read nothing of the data folder, and lock only what they may write. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostLog } from '../../../../../electron/host/app/log.ts';
import { FileAccess } from '../../../../../electron/host/io/files/access.ts';
import { Library } from '../../../../../electron/host/io/files/library.ts';
import { Locks } from '../../../../../electron/host/io/files/locks.ts';
import { OwnedFolders } from '../../../../../electron/host/io/files/owned-folder.ts';
import { RecentFiles } from '../../../../../electron/host/io/files/recent.ts';

let home = '';
let data = '';
let before = 0;
beforeEach(() => {
  // The umask of most systems: others may read.
  before = process.umask(0o022);
  home = mkdtempSync(path.join(tmpdir(), 'braggbench-users-'));
  chmodSync(home, 0o755);
  data = path.join(home, 'share', 'braggbench');
});
afterEach(() => {
  process.umask(before);
  rmSync(home, { recursive: true, force: true });
});

const modeOf = (...parts: readonly string[]): string => (statSync(path.join(...parts)).mode & 0o777).toString(8);
const filesOf = (library: string): FileAccess => new FileAccess(new Library(library, []), new Locks(data));
const save = (files: FileAccess): Promise<unknown> =>
  files.write({ kind: 'library', key: 'mine.json' }, Buffer.from('{}'), 'replace');

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  it.each([
    ['saving into the library', () => save(filesOf(path.join(data, 'library')))],
    ['labels', () => filesOf(path.join(data, 'library')).holdingLibrary(async () => undefined)],
    ['recovery data', () => new OwnedFolders(path.join(data, 'recovery')).make()],
    ['the log', async () => new HostLog(path.join(data, 'logs')).write('info', 'x')],
    [
      'recent files',
      async () => {
        const recent = new RecentFiles(data, new Locks(data), () => undefined);
        await recent.add('/x/y.json');
        await recent.settled();
      },
    ],
    ['locks of other folders', () => new Locks(data).holding(path.join(home, 'x.json'), async () => undefined)],
  ] as const)("is its owner's alone when it is made by %s", async (_what, make) => {
    await make();
    expect(modeOf(data)).toBe('700');
  });

  it.runIf(process.getuid?.() === 0)('is not read by another user, and its lock is not theirs', async () => {
    const library = path.join(data, 'library');
    const files = filesOf(library);
    await files.holdingLibrary(async () => undefined);
    await save(files);
    const asNobody = (file: string): string =>
      execFileSync('/bin/sh', ['-c', `cat "${file}" 2>&1 || true`], { uid: 65534, gid: 65534, encoding: 'utf8' });
    for (const file of ['mine.json', '.braggbench/lock'])
      expect(asNobody(path.join(library, file))).toContain('Permission denied');
  });
});

describe.skipIf(process.platform === 'win32')('a library in a folder of the user', () => {
  const libraryWith = (mode: number): string => {
    const library = path.join(home, 'shared');
    mkdirSync(library);
    chmodSync(library, mode);
    return library;
  };

  it.each([
    [0o755, '600', '700'],
    [0o775, '660', '770'],
    [0o777, '666', '777'],
  ])('with mode %o has its lock and labels for those who may write into it', async (mode, lock, folder) => {
    const library = libraryWith(mode);
    const files = filesOf(library);
    await files.holdingLibrary(async () => undefined);
    expect([modeOf(library, '.braggbench', 'lock'), modeOf(library, '.braggbench')]).toEqual([lock, folder]);
    writeFileSync(path.join(library, 'theirs.json'), '{}');
    await save(files);
    expect(modeOf(library)).toBe(mode.toString(8));
  });
});
