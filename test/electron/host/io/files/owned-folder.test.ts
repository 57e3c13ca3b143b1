/** Files of an ended process, distinguished from those of a running one by its lock, not by clocks or process ids. */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OwnedFolders } from '../../../../../electron/host/io/files/owned-folder.ts';
import { temporaryIn } from '../../../../../electron/host/io/files/temporary.ts';
import { writeAtomically } from '../../../../../electron/host/workloads/scenarios/index.ts';
import { smallScenario } from '../../small-run.ts';
import { type Server, startServer } from './servers.ts';

let folder = '';
const servers: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-owned-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.kill();
  await rm(folder, { recursive: true, force: true });
});

const start = async (under: readonly string[] = []): Promise<Server> => {
  const server = await startServer({ dataFolder: folder, under });
  servers.push(server);
  return server;
};
const draft = { ...smallScenario };
const keep = (server: Server, title: string) =>
  server.call('recovery.keep', { page: 'page-one', title, file: null, draft });
const offered = async (server: Server): Promise<readonly string[]> => {
  const { ok } = await server.call('recovery.list', { pages: [] });
  return (ok as { items: { title: string }[] }).items.map(({ title }) => title);
};
const owners = async (): Promise<string[]> =>
  (await readdir(path.join(folder, 'recovery')).catch(() => [])).map((name) => path.join(folder, 'recovery', name));

describe('work of another process', () => {
  it('is left to it while it lives, whatever the clock says, and offered when it was killed', async () => {
    const one = await start();
    expect((await keep(one, 'mine')).ok).toEqual({});
    const [owner = ''] = await owners();
    // As after a clock that was set forward by a day.
    const past = new Date(Date.now() - 86_400_000);
    await utimes(path.join(owner, 'owner.json'), past, past);
    const two = await start();
    expect(await offered(two)).toEqual([]);
    await one.kill();
    // As after a clock that was set back by a day.
    const future = new Date(Date.now() + 86_400_000);
    await utimes(path.join(owner, 'owner.json'), future, future);
    expect(await offered(two)).toEqual(['mine']);
  });

  const unshare = ['unshare', '--pid', '--fork', '--kill-child'];
  it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'is left to it in another room of process ids, as containers have',
    async () => {
      const one = await start();
      await keep(one, 'mine');
      const two = await start(unshare);
      expect(await offered(two)).toEqual([]);
      // The other way round too.
      await keep(two, 'theirs');
      expect(await offered(one)).toEqual([]);
    },
  );

  it('on another machine, whose lock may not be seen from here, is offered after a long silence alone', async () => {
    const theirs = path.join(folder, 'recovery', 'theirs');
    await mkdir(theirs, { recursive: true });
    await writeFile(path.join(theirs, 'owner.lock'), '');
    await writeFile(path.join(theirs, 'owner.json'), JSON.stringify({ machine: 'another', boot: 'another' }));
    const folders = new OwnedFolders(path.join(folder, 'recovery'));
    const minute = 60_000;
    expect(await folders.orphans(0)).toEqual([]);
    expect(await folders.orphans(2 * minute)).toEqual([]);
    // A sign of life.
    await utimes(path.join(theirs, 'owner.json'), new Date(1000), new Date(1000));
    expect(await folders.orphans(3 * minute)).toEqual([]);
    expect(await folders.orphans(5 * minute)).toEqual([]);
    expect(await folders.orphans(6 * minute)).toEqual([theirs]);
  });
});

describe('a data folder that is deleted while the program runs', () => {
  it('is made again: edits are kept, scenarios saved, labels written', async () => {
    const server = await start();
    await keep(server, 'before');
    const file = { kind: 'library', key: 'mine.json' } as const;
    const save = () => server.call('scenario.save', { scenario: draft, file, ifExists: 'replace' });
    expect((await save()).code).toBeUndefined();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    expect(await keep(server, 'after')).toEqual({ ok: {} });
    expect((await save()).code).toBeUndefined();
    expect(await server.call('library.label', { file, tags: ['kept'], remark: '' })).toEqual({ ok: {} });
    const two = await start();
    expect(await offered(two)).toEqual([]);
    await server.kill();
    expect(await offered(two)).toEqual(['after']);
    expect(JSON.parse(await readFile(path.join(folder, 'library', 'mine.json'), 'utf8'))).toMatchObject({ version: 1 });
  });
});

it('a folder of its own is whole from its first moment', async () => {
  const root = path.join(folder, 'owned');
  const [mine, theirs] = [new OwnedFolders(root), new OwnedFolders(root)];
  let looked = 0;
  let over = false;
  const looking = (async () => {
    while (!over) {
      for (const name of await readdir(root).catch(() => [])) {
        const names = name.endsWith('.tmp') ? null : await readdir(path.join(root, name)).catch(() => null);
        if (names === null) continue;
        expect(names.sort()).toEqual(['owner.json', 'owner.lock']);
        looked += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let i = 0; i < 20; i += 1) {
    await mine.make();
    expect(await theirs.orphans()).toEqual([]);
    await mine.close();
  }
  await mine.make();
  const before = looked;
  await expect.poll(() => looked).toBeGreaterThan(before);
  over = true;
  await looking;
  await mine.close();
});

describe('what kills leave of files that were being written', () => {
  it('is swept up at the next start, and what a living process writes is not', async () => {
    const one = await start();
    await keep(one, 'mine');
    const file = { kind: 'library', key: 'mine.json' } as const;
    await one.call('scenario.save', { scenario: draft, file, ifExists: 'refuse' });
    const [owner = ''] = await owners();
    const library = path.join(folder, 'library');
    const living = temporaryIn(library);
    const dead = living.replace(`-${process.pid}-`, `-${one.child.pid}-`);
    const another = path.join(library, '.someone.tmp');
    for (const name of [living, dead, another, path.join(owner, path.basename(dead))]) await writeFile(name, 'half');
    // Killed while it made a folder of its own.
    for (const root of ['recovery', 'scratch']) {
      const half = path.join(folder, root, path.basename(dead));
      await mkdir(half, { recursive: true });
      await writeFile(path.join(half, 'owner.json'), '{}');
    }
    // A state without its note, and results that did not fit into memory.
    await writeFile(path.join(owner, 'run-x.h5'), 'half');
    const scratch = path.join(folder, 'scratch', path.basename(owner));
    await mkdir(scratch, { recursive: true });
    await writeFile(path.join(scratch, 'owner.json'), await readFile(path.join(owner, 'owner.json')));
    await writeFile(path.join(scratch, 'owner.lock'), '');
    await one.kill();
    const two = await start();
    const { items } = (await two.call('recovery.list', { pages: [] })).ok as { items: { id: string }[] };
    await two.call('recovery.discard', { id: items[0]?.id });
    await two.end();
    expect((await readdir(library)).filter((name) => name.endsWith('.tmp')).sort()).toEqual(
      [path.basename(living), path.basename(another)].sort(),
    );
    expect(await owners()).toEqual([]);
    expect(await readdir(path.join(folder, 'scratch'))).toEqual([]);
  });

  it('is swept up in a folder of the user when something is written there', async () => {
    const dead = temporaryIn(folder).replace(`-${process.pid}-`, `-${2 ** 22 + 1}-`);
    const earlier = path.join(folder, '.mine.json.0123456789ab.tmp');
    for (const name of [dead, earlier]) await writeFile(name, 'half');
    await utimes(earlier, new Date(0), new Date(0));
    await writeAtomically(path.join(folder, 'mine.json'), '{}', 'refuse');
    expect(await readdir(folder)).toEqual(['mine.json']);
  });
});
