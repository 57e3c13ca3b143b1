/** A disk without any room, and folders without rights: what is said is what happened. */
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { smallScenario } from '../../small-run.ts';
import { openTestHost } from '../../test-host.ts';
import { startServer } from './servers.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-refusing-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const isRoot = process.getuid?.() === 0;
const file = { kind: 'library', key: 'mine.json' } as const;
const scenario = { ...smallScenario };

function mounted(place: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', place], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(process.platform !== 'linux' || !isRoot)('a full disk', () => {
  it('moves to the trash what it says it moves, and keeps the labels of what it does not', async (context) => {
    const library = path.join(folder, 'library');
    await mkdir(library);
    if (!mounted(library)) return context.skip('no file system can be mounted here');
    const test = await openTestHost({ dataFolder: folder });
    try {
      const page = await test.page();
      const labelled = { kind: 'library', key: 'labelled.json' } as const;
      for (const each of [file, labelled])
        await page.call('scenario.save', { scenario, file: each, ifExists: 'refuse' });
      await page.call('library.label', { file: labelled, tags: ['mine'], remark: '' });
      await writeFile(path.join(library, 'fill'), Buffer.alloc(2 ** 20)).catch(() => undefined);
      // Without a label there is nothing to write: it goes.
      const { id } = await page.call('library.trash', { file });
      expect(await readdir(path.join(library, '.trash'))).toEqual([id]);
      // With one there is no room for it in the trash: nothing has moved, and that is what is said.
      await expect(page.call('library.trash', { file: labelled })).rejects.toMatchObject({ code: 'no-space' });
      expect((await readdir(library)).includes('labelled.json')).toBe(true);
      expect(await readdir(path.join(library, '.trash'))).toEqual([id]);
      expect(await readFile(path.join(library, '.braggbench', 'labels.json'), 'utf8')).toContain('"mine"');
      await expect(
        page.call('scenario.save', { scenario: { ...scenario, name: 'new' }, file: labelled, ifExists: 'replace' }),
      ).rejects.toMatchObject({ code: 'no-space' });
      expect(JSON.parse(await readFile(path.join(library, 'labelled.json'), 'utf8'))).toMatchObject({
        name: scenario.name,
      });
    } finally {
      await test.close().catch(() => undefined);
      execFileSync('umount', ['-l', library]);
    }
  });
});

describe.skipIf(process.platform !== 'linux' || !isRoot)('a disk that can only be read', () => {
  it('is named when a draft is to be kept on it', async (context) => {
    const data = path.join(folder, 'data');
    await mkdir(data);
    if (!mounted(data)) return context.skip('no file system can be mounted here');
    execFileSync('mount', ['-o', 'remount,ro', data]);
    const test = await openTestHost({ dataFolder: data });
    try {
      const page = await test.page();
      const kept = page.call('recovery.keep', { page: 'page-one', title: 'x', file: null, draft: scenario });
      await expect(kept).rejects.toThrow(/can only be read/);
    } finally {
      await test.close().catch(() => undefined);
      execFileSync('umount', ['-l', data]);
    }
  });
});

describe.skipIf(process.platform === 'win32' || !isRoot)('a user without rights', () => {
  const NOBODY = 65_534;

  it('is told so in one sentence, and nothing of others changes', async () => {
    const data = path.join(folder, 'data');
    const library = path.join(data, 'library');
    await mkdir(library, { recursive: true });
    await chmod(folder, 0o755);
    await chown(data, NOBODY, NOBODY);
    await writeFile(path.join(library, 'mine.json'), JSON.stringify(scenario));
    await writeFile(path.join(library, 'secret.json'), JSON.stringify(scenario), { mode: 0o600 });
    await chmod(library, 0o755);
    const server = await startServer({ dataFolder: data, uid: NOBODY });
    try {
      const denied = { code: 'io', message: expect.stringContaining('permission denied') };
      const secret = { kind: 'library', key: 'secret.json' } as const;
      expect((await server.call('scenario.open', { file })).ok).toMatchObject({ draft: scenario });
      const opened = (await server.call('scenario.open', { file: secret })).ok as { issues: { message: string }[] };
      expect(opened.issues.map(({ message }) => message)).toEqual(['may not be read (permission denied)']);
      for (const ifExists of ['replace', 'refuse']) {
        const key = ifExists === 'replace' ? 'mine.json' : 'new.json';
        const saved = { scenario, file: { kind: 'library', key }, ifExists };
        expect(await server.call('scenario.save', saved)).toMatchObject(denied);
      }
      expect(await server.call('library.label', { file, tags: ['x'], remark: '' })).toMatchObject(denied);
      expect(await server.call('library.trash', { file })).toMatchObject(denied);
      expect((await readdir(library)).sort()).toEqual(['mine.json', 'secret.json']);
      // Its own data folder is its own.
      expect(await server.call('recovery.keep', { page: 'page-one', title: 'x', file: null, draft: scenario })).toEqual(
        { ok: {} },
      );
    } finally {
      await server.kill();
    }
  });
});
