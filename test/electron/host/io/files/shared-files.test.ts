/** Files that two windows or two servers write: an acknowledged write is never lost. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveToTrash, restoreFromTrash } from '../../../../../electron/host/app/library/trash.ts';
import { Trust } from '../../../../../electron/host/app/user-kernels/trust.ts';
import { Locks } from '../../../../../electron/host/io/files/locks.ts';
import { HostSettings } from '../../../../../electron/host/io/files/state-file.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { smallScenario } from '../../small-run.ts';
import { openTestHost } from '../../test-host.ts';
import { type Answer, type Server, startServer } from './servers.ts';

const folder = scratchFolder('shared');

const noTrouble = (reason: string): void => {
  throw new Error(reason);
};
const scenario = (name: string) => ({ ...smallScenario, name });
const inLibrary = (key: string) => ({ kind: 'library', key }) as const;

describe('two pages of one server', () => {
  it('accept exactly one of two saves over the same version, and the file contains the accepted one', async () => {
    const test = await openTestHost();
    const [a, b] = [await test.page(), await test.page()];
    for (let round = 0; round < 10; round += 1) {
      const file = inLibrary(`both-${round}.json`);
      const { stamp } = await a.call('scenario.save', { scenario: scenario('first'), file, ifExists: 'refuse' });
      const save = (page: typeof a, name: string) =>
        page.call('scenario.save', { scenario: scenario(name), file, ifExists: 'replace', stamp });
      const saves = await Promise.allSettled([save(a, 'a'), save(b, 'b')]);
      const accepted = saves.flatMap(({ status }, i) => (status === 'fulfilled' ? ['ab'[i]] : []));
      expect(accepted).toHaveLength(1);
      const { draft, stamp: now } = await a.call('scenario.open', { file });
      expect(draft).toMatchObject({ name: accepted[0] });
      const [done] = saves.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(now).toBe(done?.stamp);
    }
    await test.close();
  });

  it('accept exactly one of two saves over the same version of a kernel', async () => {
    const test = await openTestHost();
    const [a, b] = [await test.page(), await test.page()];
    const base = { workload: 'transport', bench: '', id: 'window' } as const;
    const { files } = await a.call('userKernels.templates', { base });
    const made = await a.call('userKernels.create', { beside: null, id: 'my.cpp', base, replaces: files[0] ?? '' });
    const save = (page: typeof a, text: string) =>
      page.call('userKernels.save', { beside: null, id: 'my.cpp', text, sha256: made.sha256 });
    const saves = await Promise.allSettled([save(a, '// a'), save(b, '// b')]);
    const accepted = saves.flatMap(({ status }, i) => (status === 'fulfilled' ? [['// a', '// b'][i]] : []));
    expect(accepted).toHaveLength(1);
    expect((await a.call('userKernels.read', { beside: null, id: 'my.cpp' })).text).toBe(accepted[0]);
    await test.close();
  });

  it('identify a version by content, whatever the clock', async () => {
    const test = await openTestHost();
    const page = await test.page();
    const file = inLibrary('clock.json');
    const { stamp } = await page.call('scenario.save', { scenario: scenario('mine'), file, ifExists: 'refuse' });
    const place = path.join(test.folder, 'library', 'clock.json');
    const text = await readFile(place, 'utf8');
    // Another program rewrites the file with the same length, inode and modification time.
    const before = await stat(place);
    await writeFile(place, text.replace('mine', 'your'));
    await utimes(place, before.atime, before.mtime);
    const mine = { scenario: scenario('more'), file, ifExists: 'replace', stamp } as const;
    await expect(page.call('scenario.save', mine)).rejects.toMatchObject({ code: 'exists' });
    await writeFile(place, text);
    await utimes(place, new Date(0), new Date(0));
    await page.call('scenario.save', mine);
    await test.close();
  });
});

describe('two servers with shared folders', () => {
  let servers: readonly Server[] = [];
  beforeAll(async () => {
    const library = path.join(folder, 'library');
    // Two servers, each with its own data folder, that share one library.
    const start = async (name: string): Promise<Server> => {
      const dataFolder = path.join(folder, name);
      const settings = await HostSettings.open(dataFolder, new Locks(dataFolder), noTrouble);
      await settings.change({ libraryFolder: library });
      return startServer({ dataFolder });
    };
    servers = await Promise.all([start('one'), start('two')]);
  });
  afterAll(() => Promise.all(servers.map((server) => server.kill())));

  /** Sends the same call to both servers at the same time. */
  const both = (method: string, params: (name: string) => unknown): Promise<Answer[]> =>
    Promise.all(servers.map((server, i) => server.call(method, params(`${i}`))));

  it('accept exactly one of two saves over the same version of a library scenario', async () => {
    const [one] = servers;
    for (let round = 0; round < 12; round += 1) {
      const file = inLibrary(`theirs-${round}.json`);
      const saved = await one?.call('scenario.save', { scenario: scenario('first'), file, ifExists: 'refuse' });
      const { stamp } = (saved?.ok ?? {}) as { stamp?: string };
      expect(stamp).toMatch(/^[0-9a-f]{64}$/);
      const answers = await both('scenario.save', (name) => ({
        ...{ scenario: scenario(name), file, ifExists: 'replace', stamp },
      }));
      const accepted = answers.flatMap(({ ok }, i) => (ok === undefined ? [] : [`${i}`]));
      expect(accepted).toHaveLength(1);
      expect(answers.find(({ ok }) => ok === undefined)).toMatchObject({ code: 'exists' });
      const text = await readFile(path.join(folder, 'library', file.key), 'utf8');
      expect(JSON.parse(text)).toMatchObject({ name: accepted[0] });
    }
  });

  it('save every acknowledged label when both label files at the same time', async () => {
    const keys = Array.from({ length: 12 }, (_, i) => `theirs-${i}.json`);
    const mine = (server: number): string[] => keys.filter((_, i) => i % 2 === server);
    const answers = await Promise.all(
      servers.flatMap((server, i) =>
        mine(i).map((key) => server.call('library.label', { file: inLibrary(key), tags: [`of-${i}`], remark: key })),
      ),
    );
    expect(answers.filter(({ ok }) => ok === undefined)).toEqual([]);
    const text = await readFile(path.join(folder, 'library', '.braggbench', 'labels.json'), 'utf8');
    expect(Object.keys(JSON.parse(text).labels).sort()).toEqual(keys.sort());
  });

  it('keep settings, trust and recent files of a shared data folder', async () => {
    const dataFolder = path.join(folder, 'together');
    const [a, b] = [new Locks(dataFolder), new Locks(dataFolder)];
    const trusts = [await Trust.open(dataFolder, a, noTrouble), await Trust.open(dataFolder, b, noTrouble)];
    const hashes = Array.from({ length: 10 }, (_, i) => i.toString(16).padStart(64, '0'));
    await Promise.all(hashes.map((sha256, i) => trusts[i % 2]?.add(sha256, 'my.cpp')));
    const again = await Trust.open(dataFolder, a, noTrouble);
    expect(hashes.filter((sha256) => !again.has(sha256))).toEqual([]);
    const settings = [
      await HostSettings.open(dataFolder, a, noTrouble),
      await HostSettings.open(dataFolder, b, noTrouble),
    ];
    const clusters = [{ name: 'c', host: 'c', folder: '/c', program: 'braggbench', modules: [], sbatch: '', cores: 1 }];
    await Promise.all([settings[0]?.change({ libraryFolder: '/x' }), settings[1]?.change({ clusters })]);
    const kept = await HostSettings.open(dataFolder, a, noTrouble);
    expect(kept.values).toEqual({ clusters, libraryFolder: '/x' });
  });

  it('serve waiting requests for a lock in order', async () => {
    const dataFolder = path.join(folder, 'ordered');
    const file = path.join(dataFolder, 'held.json');
    const locks = [new Locks(dataFolder), new Locks(dataFolder)];
    const done: number[] = [];
    // The requests must be served in order. If their order were random, this would happen once in 479 million cases
    // (12!).
    const came = Array.from({ length: 12 }, (_, i) => i);
    await Promise.all(came.map((i) => locks[i % 2]?.withLock(file, async () => void done.push(i))));
    expect(done).toEqual(came);
  });

  it('release a lock when its holder is killed', async () => {
    const dataFolder = path.join(folder, 'killed');
    const file = path.join(dataFolder, 'held.json');
    const script = `
      const { Locks } = await import(${JSON.stringify(path.resolve(import.meta.dirname, '../../../../../electron/host/io/files/locks.ts'))});
      await new Locks(${JSON.stringify(dataFolder)}).holding(${JSON.stringify(file)}, async () => process.kill(process.pid, 'SIGKILL'));`;
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' })).toThrow();
    const start = performance.now();
    expect(await new Locks(dataFolder).withLock(file, async () => 'mine')).toBe('mine');
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

describe('the trash of the library', () => {
  const alone = { before: async () => undefined, after: async () => undefined };

  it('overwrites nothing if a clock set back repeats a time, and neither does restoring', async () => {
    const library = path.join(folder, 'trashed');
    await mkdir(library);
    const time = new Date('2026-01-02T03:04:05.678Z');
    const ids: string[] = [];
    for (const text of ['first', 'second']) {
      await writeFile(path.join(library, 'mine.json'), text);
      ids.push(await moveToTrash(library, 'mine.json', alone, time));
    }
    expect(new Set(ids).size).toBe(2);
    const texts = await Promise.all(ids.map((id) => readFile(path.join(library, '.trash', id), 'utf8')));
    expect(texts).toEqual(['first', 'second']);
    // Another program creates a file of that name just before the file is restored.
    const taken = {
      ...alone,
      before: async () => writeFile(path.join(library, 'mine.json'), 'theirs', { flag: 'wx' }).catch(() => undefined),
    };
    expect(await restoreFromTrash(library, ids[0] ?? '', async () => false, taken)).toBe('mine 2.json');
    expect(await readFile(path.join(library, 'mine.json'), 'utf8')).toBe('theirs');
    expect(await readFile(path.join(library, 'mine 2.json'), 'utf8')).toBe('first');
    expect((await readdir(library)).sort()).toEqual(['.trash', 'mine 2.json', 'mine.json']);
  });
});
