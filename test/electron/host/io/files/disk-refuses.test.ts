/** Saving where the disk has no room: one clear error, the old file whole, nothing left behind. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileError } from '../../../../../electron/host/io/files/errors.ts';
import { testProgram } from '../../../../test-programs.ts';

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

describe('a disk that takes no more', () => {
  it('leaves the old file as it was', async (context) => {
    if (process.platform === 'win32') return context.skip('file size limits are set with a POSIX shell');
    const file = path.join(folder, 'run.h5');
    await writeFile(file, 'old contents');
    // A limit on the size of files is the nearest to a full disk that a process can have without rights.
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
    expect(JSON.parse(stdout)).toMatchObject({ name: 'BraggError', code: 'io', message: /run\.h5 cannot be written/ });
    expect(await readFile(file, 'utf8')).toBe('old contents');
    expect(await readdir(folder)).toEqual(['run.h5']);
  });

  it('stops nothing that the host keeps for itself, and loses nothing of it', async (context) => {
    if (process.platform === 'win32') return context.skip('file size limits are set with a POSIX shell');
    const child = testProgram('full-disk');
    // 512 bytes each: 150 KB.
    const command = 'ulimit -f 300; exec "$0" "$1" "$2"';
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, child, folder]);
    const { drafts, checkpoints, log, index } = JSON.parse(stdout);
    expect(drafts.error).toMatchObject({ name: 'BraggError', message: /draft-page\.json cannot be written/ });
    expect(drafts).toMatchObject({ kept: 'first', files: ['draft-page.json'] });

    // Reported once, and the previous checkpoint is still there, complete.
    expect(checkpoints.said).toEqual([
      expect.stringMatching(/^Runs are not protected against a crash: .* cannot be written/),
    ]);
    expect(checkpoints).toMatchObject({ before: 1, after: 1, files: ['run-run.h5', 'run-run.json'] });
    expect(checkpoints.steps).toBe(checkpoints.wanted);

    expect(log).toMatchObject({ whole: true, last: 'line 219', missing: [] });
    expect(log.warnings).toEqual([expect.stringMatching(/braggbench\.log cannot be used/)]);

    expect(index.total).toBe(200);
    expect(index.said).toEqual([expect.stringMatching(/^The index of the library is kept in memory: /)]);
  });

  it('is told apart from other faults', () => {
    const fault = (code: string): Error => Object.assign(new Error(`${code}: text of the system`), { code });
    expect(fileError(fault('ENOSPC'), 'a.h5')).toMatchObject({
      code: 'no-space',
      message: 'There is no space left for a.h5.',
    });
    expect(fileError(fault('EDQUOT'), 'a.h5').code).toBe('no-space');
    expect(fileError(fault('ENOENT'), 'a.h5')).toMatchObject({ code: 'not-found', message: 'a.h5 does not exist.' });
    expect(fileError(fault('EACCES'), 'a.h5').message).toContain('permission denied');
    expect(fileError(fault('EIO'), 'a.h5')).toMatchObject({ code: 'io', message: /EIO: text of the system/ });
  });
});
