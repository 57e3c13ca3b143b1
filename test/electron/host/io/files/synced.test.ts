/** A write that was acknowledged is on the disk, its name too: a power failure does not bring the old file back. */
import { existsSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeAtomically } from '../../../../../electron/host/io/files/write-file.ts';

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

interface Synced {
  readonly what: 'file' | 'folder';
  /** Content under the name at that moment; null if there was none. */
  readonly seen: string | null;
}

/** Watches what is synced; `fail` gives the error of a folder that cannot be. */
async function watchSyncs(fail?: () => Error): Promise<readonly Synced[]> {
  const seen: Synced[] = [];
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

describe.skipIf(process.platform === 'win32')('a file that is written', () => {
  it('has its content on the disk before its name, and its name before it is acknowledged', async () => {
    await writeFile(file, 'old');
    const synced = await watchSyncs();
    await writeAtomically(file, 'new', 'replace');
    expect(synced).toEqual([
      { what: 'file', seen: 'old' },
      { what: 'folder', seen: 'new' },
    ]);
  });

  it('so does one whose name was free', async () => {
    const synced = await watchSyncs();
    await writeAtomically(file, 'new', 'refuse');
    expect(synced).toEqual([
      { what: 'file', seen: null },
      { what: 'folder', seen: 'new' },
    ]);
  });

  it('is not acknowledged where the disk does not take the name', async () => {
    await watchSyncs(() => failure('EIO'));
    await expect(writeAtomically(file, 'new', 'replace')).rejects.toMatchObject({
      code: 'io',
      message: expect.stringContaining(`${file} cannot be written`),
    });
    expect(await readdir(folder)).toEqual(['kept.json']);
  });

  it.each(['EINVAL', 'EPERM', 'EACCES'])('is where folders cannot be synced at all: %s', async (code) => {
    await watchSyncs(() => failure(code));
    await writeAtomically(file, 'new', 'replace');
    expect(readFileSync(file, 'utf8')).toBe('new');
  });
});
