/**
 * An acknowledged write is on the disk, and so is its name: after a power failure, the old file does not reappear. On a
 * full disk there is one clear error, the old file is intact, and there are no temporary files. Concurrent changes of
 * small state files are all saved. Other users of the machine cannot read the data folder, and can lock only files that
 * they may write.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { z } from 'zod';
import { HostLog } from '../../../../../electron/host/app/log.ts';
import { Trust } from '../../../../../electron/host/app/user-kernels/trust.ts';
import { FileAccess } from '../../../../../electron/host/io/files/access.ts';
import { changeStamp } from '../../../../../electron/host/io/files/folders.ts';
import { Library } from '../../../../../electron/host/io/files/library.ts';
import { Locks } from '../../../../../electron/host/io/files/locks.ts';
import { ProcessFolders } from '../../../../../electron/host/io/files/owned-folder.ts';
import { toFileError } from '../../../../../electron/host/io/files/plain-file.ts';
import { HostSettings, RecentFiles, StateFile } from '../../../../../electron/host/io/files/state-file.ts';
import { writeAtomically } from '../../../../../electron/host/io/files/write-file.ts';
import { SerialQueue } from '../../../../../electron/host/io/flow/queues.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { testProgram } from '../../../../test-programs.ts';
import { asRoot, onPosix, unless } from '../../../../unless.ts';

describe('the stamp of a file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-stamp-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('changes when a file is replaced by one of the same size and time, such as a restored backup', async () => {
    const file = path.join(folder, 'a.json');
    writeFileSync(file, '{"a":1}');
    const { atime, mtime } = statSync(file);
    const before = [await changeStamp(file), await changeStamp(folder)];
    // The file system's clock may tick only every few milliseconds: write until it has.
    for (let i = 0; statSync(file).ctimeMs === Number(before[0]?.split(' ')[1]) || i === 0; i += 1) {
      writeFileSync(file, '{"a":2}');
      utimesSync(file, atime, mtime);
    }
    expect(statSync(file).mtimeMs).toBe(mtime.getTime());
    const after = [await changeStamp(file), await changeStamp(folder)];
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });
});

describe('syncing files to disk', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-synced-'));
    file = path.join(folder, 'kept.json');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(folder, { recursive: true, force: true });
  });

  interface SyncRecord {
    readonly what: 'file' | 'folder';
    /** Content of the file at that moment; null if the file did not exist. */
    readonly seen: string | null;
  }

  /** Records what is synced; `fail` provides the error of a folder that cannot be synced. */
  async function watchSyncs(fail?: () => Error): Promise<readonly SyncRecord[]> {
    const seen: SyncRecord[] = [];
    const probe = await open(path.join(folder, 'probe'), 'w');
    const handles = Object.getPrototypeOf(probe) as FileHandle;
    await probe.close();
    await rm(path.join(folder, 'probe'));
    const { sync } = handles;
    vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
      const isFolder = (await this.stat()).isDirectory();
      seen.push({ what: isFolder ? 'folder' : 'file', seen: existsSync(file) ? readFileSync(file, 'utf8') : null });
      if (isFolder && fail !== undefined) throw fail();
      await sync.call(this);
    });
    return seen;
  }

  const failure = (code: string): Error => Object.assign(new Error(code), { code });

  describe('a written file', onPosix, () => {
    it('reaches the disk before its name does, and its name before the acknowledgement', async () => {
      await writeFile(file, 'old');
      const synced = await watchSyncs();
      await writeAtomically(file, 'new', 'replace');
      expect(synced).toEqual([
        { what: 'file', seen: 'old' },
        { what: 'folder', seen: 'new' },
      ]);
    });

    it('reaches the disk in the same order under a new name', async () => {
      const synced = await watchSyncs();
      await writeAtomically(file, 'new', 'refuse');
      expect(synced).toEqual([
        { what: 'file', seen: null },
        { what: 'folder', seen: 'new' },
      ]);
    });

    it('is not acknowledged if the disk rejects the name', async () => {
      await watchSyncs(() => failure('EIO'));
      await expect(writeAtomically(file, 'new', 'replace')).rejects.toMatchObject({
        code: 'io',
        message: expect.stringContaining(`${file} cannot be written`),
      });
      expect(await readdir(folder)).toEqual(['kept.json']);
    });

    it.each(['EINVAL', 'EPERM', 'EACCES'])('is saved even where folders cannot be synced: %s', async (code) => {
      await watchSyncs(() => failure(code));
      await writeAtomically(file, 'new', 'replace');
      expect(readFileSync(file, 'utf8')).toBe('new');
    });
  });
});

describe('errors of the disk', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-full-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
    await rm(`${folder}-data`, { recursive: true, force: true });
  });

  const access = path.resolve(import.meta.dirname, '../../../../../electron/host/io/files/access.ts');
  const locks = path.resolve(import.meta.dirname, '../../../../../electron/host/io/files/locks.ts');
  const library = path.resolve(import.meta.dirname, '../../../../../electron/host/io/files/library.ts');

  describe('a disk without free space', () => {
    it('leaves the old file unchanged', async (context) => {
      if (process.platform === 'win32') return context.skip('file size limits are set with a POSIX shell');
      const file = path.join(folder, 'run.h5');
      await writeFile(file, 'old contents');
      // A limit on file sizes is the closest to a full disk that an unprivileged process can have.
      const script = `
      const { FileAccess } = await import(${JSON.stringify(access)});
      const { Locks } = await import(${JSON.stringify(locks)});
      const { Library } = await import(${JSON.stringify(library)});
      const files = new FileAccess(new Library('/nowhere', []), new Locks(${JSON.stringify(`${folder}-data`)}));
      const named = files.grant(${JSON.stringify(file)});
      try {
        await files.write(named.file, new Uint8Array(5_000_000), 'replace');
        console.log('written');
      } catch (error) {
        console.log(JSON.stringify({ name: error.name, code: error.code, message: error.message }));
      }`;
      const command = `ulimit -f 1000; exec "$0" --input-type=module -e "$1"`;
      const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script]);
      expect(JSON.parse(stdout)).toMatchObject({
        name: 'BraggError',
        code: 'io',
        message: /run\.h5 cannot be written/,
      });
      expect(await readFile(file, 'utf8')).toBe('old contents');
      expect(await readdir(folder)).toEqual(['run.h5']);
    });

    it('does not stop the host, and loses none of its state', async (context) => {
      if (process.platform === 'win32') return context.skip('file size limits are set with a POSIX shell');
      const child = testProgram('full-disk');
      // Units of 512 bytes: 150 KB.
      const command = 'ulimit -f 300; exec "$0" "$1" "$2"';
      const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, child, folder]);
      const { drafts, checkpoints, log, index } = JSON.parse(stdout);
      expect(drafts.error).toMatchObject({ name: 'BraggError', message: /draft-page\.json cannot be written/ });
      expect(drafts).toMatchObject({ kept: 'first', files: ['draft-page.json'] });

      // The error is reported once, and the previous checkpoint is still complete.
      expect(checkpoints.said).toEqual([
        expect.stringMatching(/^Runs are not protected against a crash: .* cannot be written/),
      ]);
      expect(checkpoints).toMatchObject({ before: 1, after: 1, files: ['run-run.h5', 'run-run.json'] });
      expect(checkpoints.steps).toBe(checkpoints.wanted);

      expect(log).toMatchObject({ whole: true, last: 'line 219', missing: [] });
      expect(log.warnings).toEqual([expect.stringMatching(/braggbench\.log cannot be used/)]);

      expect(index.total).toBe(200);
      expect(index.said).toEqual([expect.stringMatching(/^The index of the library is only in memory: /)]);
    });

    it('is distinguished from other errors', () => {
      const fault = (code: string): Error => Object.assign(new Error(`${code}: text of the system`), { code });
      expect(toFileError(fault('ENOSPC'), 'a.h5')).toMatchObject({
        code: 'no-space',
        message: 'There is no space left for a.h5.',
      });
      expect(toFileError(fault('EDQUOT'), 'a.h5').code).toBe('no-space');
      expect(toFileError(fault('ENOENT'), 'a.h5')).toMatchObject({
        code: 'not-found',
        message: 'a.h5 does not exist.',
      });
      expect(toFileError(fault('EACCES'), 'a.h5').message).toContain('permission denied');
      expect(toFileError(fault('EIO'), 'a.h5')).toMatchObject({ code: 'io', message: /EIO: text of the system/ });
    });
  });
});

describe('state files', () => {
  const folder = scratchFolder('state');
  const locks = (): Locks => new Locks(folder);
  const noTrouble = (reason: string): void => {
    throw new Error(reason);
  };

  test('are written one after the other, and a failure affects only its own write', async () => {
    const order = new SerialQueue();
    const done: number[] = [];
    const work = (n: number, ms: number) => async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (n === 2) throw new Error('the second');
      done.push(n);
      return n;
    };
    const all = await Promise.allSettled([order.do(work(1, 20)), order.do(work(2, 0)), order.do(work(3, 0))]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await order.settled();
    expect(done).toEqual([1, 3]);
  });

  test('keep both of two concurrent changes of settings', async () => {
    const settings = await HostSettings.open(folder, locks(), noTrouble);
    const clusters = [{ name: 'c', host: 'c', folder: '/c', program: 'braggbench', modules: [], sbatch: '', cores: 1 }];
    await Promise.all([settings.change({ libraryFolder: '/somewhere' }), settings.change({ clusters })]);
    expect((await HostSettings.open(folder, locks(), noTrouble)).values).toEqual({
      clusters,
      libraryFolder: '/somewhere',
    });
  });

  test('keep the trust given to many files at once', async () => {
    const trust = await Trust.open(folder, locks(), noTrouble);
    const hashes = Array.from({ length: 20 }, (_, i) => i.toString(16).padStart(64, '0'));
    await Promise.all(hashes.map((sha256) => trust.add(sha256, 'my.cpp')));
    const again = await Trust.open(folder, locks(), noTrouble);
    expect(hashes.filter((sha256) => !again.has(sha256))).toEqual([]);
  });

  describe('a state file', () => {
    const file = path.join(folder, 'state.json');
    const told: string[] = [];
    const state = () =>
      new StateFile({
        file,
        schema: z.object({ texts: z.array(z.string()) }),
        empty: { texts: [] },
        locks: locks(),
        onDamaged: (aside) => told.push(aside),
      });

    test('is neither read nor overwritten above the size limit, which is reported', async () => {
      const text = JSON.stringify({ texts: ['x'.repeat(5 * 2 ** 20)] });
      await writeFile(file, text);
      const tooLarge = /state\.json would become too large; allowed: 4 MiB\. It was not changed/;
      await expect(state().read()).rejects.toThrow(tooLarge);
      await expect(state().change(() => ({ texts: [] }))).rejects.toThrow(tooLarge);
      expect(await readFile(file, 'utf8')).toBe(text);
      await rm(file);
      await state().change(() => ({ texts: ['kept'] }));
      await expect(state().change(() => ({ texts: ['x'.repeat(5 * 2 ** 20)] }))).rejects.toThrow(tooLarge);
      expect(await state().read()).toEqual({ texts: ['kept'] });
      expect(told).toEqual([]);
    });

    test('is detected as a pipe without blocking', onPosix, async () => {
      await rm(file, { force: true });
      execFileSync('mkfifo', [file]);
      await expect(state().read()).rejects.toThrow('is a pipe or a device, not a file');
      await rm(file);
    });
  });
});

const NOBODY = { uid: 65534, gid: 65534 } as const;

/** Root can start Node as another user, unless that user may not enter the folder of Node. */
const asAnotherUser = (() => {
  if ('skip' in asRoot) return asRoot;
  try {
    execFileSync(process.execPath, ['--version'], { ...NOBODY, cwd: '/' });
    return {};
  } catch {
    return unless('the other user cannot start Node here');
  }
})();

/** Locks a file as another user, as that user's program could, until `end`. `says`: "locked", or the error. */
function lockAsNobody(file: string, readOnly: boolean) {
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    try {
      const database = new DatabaseSync(${JSON.stringify(file)}, { readOnly: ${readOnly} });
      database.exec(${JSON.stringify(readOnly ? 'BEGIN; SELECT * FROM sqlite_schema' : 'BEGIN EXCLUSIVE')});
      console.log('locked');
    } catch (error) {
      console.log(error.message);
    }
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['-e', script], { ...NOBODY, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] });
  const says = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    says,
    end: () => {
      child.stdin.end();
      return ended;
    },
  };
}

describe('access by other users', () => {
  let home = '';
  let data = '';
  let before = 0;
  beforeEach(() => {
    // The default umask of most systems, which lets others read.
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

  describe('the data folder', onPosix, () => {
    it.each([
      ['saving into the library', () => save(filesOf(path.join(data, 'library')))],
      ['labels', () => filesOf(path.join(data, 'library')).withLibraryLock(async () => undefined)],
      ['recovery data', () => new ProcessFolders(path.join(data, 'recovery')).make()],
      ['the log', async () => new HostLog(path.join(data, 'logs')).write('info', 'x')],
      [
        'recent files',
        async () => {
          const recent = new RecentFiles(data, new Locks(data), () => undefined);
          await recent.add('/x/y.json');
          await recent.settled();
        },
      ],
      ['locks of other folders', () => new Locks(data).withLock(path.join(home, 'x.json'), async () => undefined)],
    ] as const)('belongs only to its owner when it is created by %s', async (_what, make) => {
      await make();
      expect(modeOf(data)).toBe('700');
    });

    it('cannot be read by another user, who cannot take its lock', asRoot, async () => {
      const library = path.join(data, 'library');
      const files = filesOf(library);
      await files.withLibraryLock(async () => undefined);
      await save(files);
      const asNobody = (file: string): string =>
        execFileSync('/bin/sh', ['-c', `cat "${file}" 2>&1 || true`], { uid: 65534, gid: 65534, encoding: 'utf8' });
      for (const file of ['mine.json', '.braggbench/lock'])
        expect(asNobody(path.join(library, file))).toContain('Permission denied');
    });

    it('can be written while another user tries to lock it', asAnotherUser, async () => {
      const library = path.join(data, 'library');
      const files = filesOf(library);
      await files.withLibraryLock(async () => undefined);
      // SQLite opens a file that it may not write for reading only, and a read lock would block all saving.
      for (const readOnly of [false, true]) {
        const theirs = lockAsNobody(path.join(library, '.braggbench', 'lock'), readOnly);
        expect(await theirs.says).toBe('unable to open database file');
        await save(files);
        await theirs.end();
      }
      expect(readFileSync(path.join(library, 'mine.json'), 'utf8')).toBe('{}');
    });
  });

  describe("a library in a user's folder", onPosix, () => {
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
    ])('shares its lock and labels with every user who may write there (mode %o)', async (mode, lock, folder) => {
      const library = libraryWith(mode);
      const files = filesOf(library);
      await files.withLibraryLock(async () => undefined);
      expect([modeOf(library, '.braggbench', 'lock'), modeOf(library, '.braggbench')]).toEqual([lock, folder]);
      writeFileSync(path.join(library, 'theirs.json'), '{}');
      await save(files);
      expect(modeOf(library)).toBe(mode.toString(8));
    });

    it(
      'can be written, if the folder is world-writable, after another user has released the lock',
      asAnotherUser,
      async () => {
        const library = libraryWith(0o777);
        const files = filesOf(library);
        await files.withLibraryLock(async () => undefined);
        const theirs = lockAsNobody(path.join(library, '.braggbench', 'lock'), false);
        expect(await theirs.says).toBe('locked');
        let saved = false;
        const saving = save(files).then(() => {
          saved = true;
        });
        // Save to another library meanwhile: when that save has ended, the waiting one has tried the lock at least
        // once.
        await save(filesOf(path.join(data, 'library')));
        expect(saved).toBe(false);
        await theirs.end();
        await saving;
        expect(readFileSync(path.join(library, 'mine.json'), 'utf8')).toBe('{}');
      },
    );
  });
});
