/**
 * A lock distinguishes the files of an ended process from those of a running one; clocks and process ids cannot. kill
 * -9 while scenarios, labels and edits are saved: no acknowledged save is lost, no file is half-written, and no
 * temporary file remains. `npm run test:all -- kills` does this forty times. Also a full disk, and folders without
 * permission: messages match the outcome.
 */
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProcessFolders } from '../../../../../electron/host/io/files/owned-folder.ts';
import { temporaryPathIn } from '../../../../../electron/host/io/files/write-file.ts';
import { seededRandom } from '../../../../../electron/host/model/bench/statistics.ts';
import { writeAtomically } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { asRoot } from '../../../../unless.ts';
import { smallScenario } from '../../small-run.ts';
import { openTestHost } from '../../test-host.ts';
import { type Answer, type Server, startServer } from './servers.ts';

describe('interrupted saves', () => {
  const KILLS = Number(process.env['BRAGGBENCH_KILLS'] ?? 4);
  const FILES = 3;
  /** Number of requested saves, more than are done before the kill. */
  const REQUESTED_SAVES = 2000;

  /** Seed of the delays before kills. With the same seed, the same numbers of saves are done before each kill. */
  const seed = Number(process.env['BRAGGBENCH_FUZZ_SEED'] ?? 20_261_128);
  const chance = seededRandom(seed);

  const folder = scratchFolder('kills');

  interface SaveRecord {
    asked: number;
    acknowledged: number;
  }

  /** Numbers of the last requested and the last acknowledged save of each kind. */
  const scenarios = Array.from({ length: FILES }, (): SaveRecord => ({ asked: -1, acknowledged: -1 }));
  const labels: SaveRecord = { asked: -1, acknowledged: -1 };
  const drafts: SaveRecord = { asked: -1, acknowledged: -1 };
  let next = 0;
  let count = 0;

  async function recordCall(told: SaveRecord, call: (n: number) => Promise<Answer>): Promise<void> {
    next += 1;
    const n = next;
    const requested = call(n);
    told.asked = n;
    if ((await requested).ok === undefined) return;
    told.acknowledged = n;
    count += 1;
  }

  const fileOf = (i: number) => ({ kind: 'library', key: `file-${i}.json` }) as const;
  const named = (n: number) => ({ ...smallScenario, name: `n${n}` });

  async function saveUntil(server: Server, isOver: () => boolean): Promise<void> {
    for (let i = 0; i < REQUESTED_SAVES && !isOver(); i += 1) {
      const file = fileOf(i % FILES);
      const told = scenarios[i % FILES] ?? drafts;
      await recordCall(told, (n) => server.call('scenario.save', { scenario: named(n), file, ifExists: 'replace' }));
      await recordCall(labels, (n) => server.call('library.label', { file: fileOf(0), tags: [`n${n}`], remark: '' }));
      await recordCall(drafts, (n) =>
        server.call('recovery.keep', { page: 'page-one', title: `n${n}`, file: null, draft: named(n) }),
      );
    }
  }

  /** Expects the content of the last acknowledged save or of a later request. Later kills must not lose it. */
  function expectSaved(text: string | undefined, told: SaveRecord): void {
    const found = text === undefined ? -1 : Number(text.slice(1));
    expect(found).toBeGreaterThanOrEqual(told.acknowledged);
    expect(found).toBeLessThanOrEqual(told.asked);
    told.acknowledged = found;
  }

  it(`lose nothing that was acknowledged, in ${KILLS} kills`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      drafts.asked = -1;
      drafts.acknowledged = -1;
      const server = await startServer({ dataFolder: folder });
      let over = false;
      const saving = saveUntil(server, () => over);
      const before = count;
      const until = before + 2 + chance.integerBelow(30);
      while (count < until) await sleep(1);
      // The kill happens between two answers, during a save.
      await sleep(chance.next() * 10);
      over = true;
      await server.kill();
      await saving;

      const library = path.join(folder, 'library');
      for (const [i, told] of scenarios.entries()) {
        const text = await readFile(path.join(library, fileOf(i).key), 'utf8').catch(() => null);
        expectSaved(text === null ? undefined : JSON.parse(text).name, told);
      }
      const kept = await readFile(path.join(library, '.braggbench', 'labels.json'), 'utf8').catch(() => null);
      expectSaved(kept === null ? undefined : JSON.parse(kept).labels[fileOf(0).key]?.tags[0], labels);

      const after = await startServer({ dataFolder: folder });
      const { items } = (await after.call('recovery.list', { pages: [] })).ok as {
        items: { id: string; title: string }[];
      };
      expectSaved(items[0]?.title, drafts);
      for (const { id } of items) await after.call('recovery.discard', { id });
      await after.end();
      const left = await readdir(folder, { recursive: true });
      expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([]);
      // Recovery folders are empty, or were removed with their last file.
      expect(left.filter((name) => name.startsWith(`recovery${path.sep}`))).toEqual([]);
    }
    console.log(`${KILLS} kills, ${count} acknowledged saves, none lost (seed ${seed})`);
    expect(count).toBeGreaterThan(KILLS);
  });
});

describe('disks that reject writes', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-refusing-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  const file = { kind: 'library', key: 'mine.json' } as const;
  const scenario = { ...smallScenario };

  function mountSmallDisk(place: string): boolean {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', place], { stdio: 'pipe' });
      return true;
    } catch {
      return false;
    }
  }

  describe('a full disk', asRoot, () => {
    it('moves to the trash exactly the files it reports, and keeps the labels of the others', async (context) => {
      const library = path.join(folder, 'library');
      await mkdir(library);
      if (!mountSmallDisk(library)) return context.skip('no file system can be mounted here');
      const test = await openTestHost({ dataFolder: folder });
      try {
        const page = await test.page();
        const labelled = { kind: 'library', key: 'labelled.json' } as const;
        for (const each of [file, labelled])
          await page.call('scenario.save', { scenario, file: each, ifExists: 'refuse' });
        await page.call('library.label', { file: labelled, tags: ['mine'], remark: '' });
        await writeFile(path.join(library, 'fill'), Buffer.alloc(2 ** 20)).catch(() => undefined);
        // Without a label, moving to the trash writes no file, so that it succeeds.
        const { id } = await page.call('library.trash', { file });
        expect(await readdir(path.join(library, '.trash'))).toEqual([id]);
        // With a label the trash needs space that the disk lacks: the file stays, and the error says so.
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

  describe('a read-only disk', asRoot, () => {
    it('is reported when a draft is saved on it', async (context) => {
      const data = path.join(folder, 'data');
      await mkdir(data);
      if (!mountSmallDisk(data)) return context.skip('no file system can be mounted here');
      execFileSync('mount', ['-o', 'remount,ro', data]);
      const test = await openTestHost({ dataFolder: data });
      try {
        const page = await test.page();
        const kept = page.call('recovery.keep', { page: 'page-one', title: 'x', file: null, draft: scenario });
        await expect(kept).rejects.toThrow(/is read-only/);
      } finally {
        await test.close().catch(() => undefined);
        execFileSync('umount', ['-l', data]);
      }
    });
  });

  describe('a user without write permission', asRoot, () => {
    const NOBODY = 65_534;

    it('gets the reason in one sentence, and files of other users do not change', async () => {
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
        // The server's own data folder is still writable.
        expect(
          await server.call('recovery.keep', { page: 'page-one', title: 'x', file: null, draft: scenario }),
        ).toEqual({ ok: {} });
      } finally {
        await server.kill();
      }
    });
  });
});

describe('owned folders', () => {
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
    it('is left alone while the process lives, whatever the clock, and is offered after the process was killed', async () => {
      const one = await start();
      expect((await keep(one, 'mine')).ok).toEqual({});
      const [owner = ''] = await owners();
      // Modification times as after the clock was set forward by a day.
      const past = new Date(Date.now() - 86_400_000);
      await utimes(path.join(owner, 'owner.json'), past, past);
      const two = await start();
      expect(await offered(two)).toEqual([]);
      await one.kill();
      // Modification times as after the clock was set back by a day.
      const future = new Date(Date.now() + 86_400_000);
      await utimes(path.join(owner, 'owner.json'), future, future);
      expect(await offered(two)).toEqual(['mine']);
    });

    const unshare = ['unshare', '--pid', '--fork', '--kill-child'];
    it('is left alone if the process is in another PID namespace, as in containers', asRoot, async () => {
      const one = await start();
      await keep(one, 'mine');
      const two = await start(unshare);
      expect(await offered(two)).toEqual([]);
      // The first process is not offered the files of the second one either.
      await keep(two, 'theirs');
      expect(await offered(one)).toEqual([]);
    });

    it('is offered only after a long silence if it comes from another machine, whose lock may be invisible here', async () => {
      const theirs = path.join(folder, 'recovery', 'theirs');
      await mkdir(theirs, { recursive: true });
      await writeFile(path.join(theirs, 'owner.lock'), '');
      await writeFile(path.join(theirs, 'owner.json'), JSON.stringify({ machine: 'another', boot: 'another' }));
      const folders = new ProcessFolders(path.join(folder, 'recovery'));
      const minute = 60_000;
      expect(await folders.orphans(0)).toEqual([]);
      expect(await folders.orphans(2 * minute)).toEqual([]);
      // Imitate a heartbeat of the owner, which changes the time of the file.
      await utimes(path.join(theirs, 'owner.json'), new Date(1000), new Date(1000));
      expect(await folders.orphans(3 * minute)).toEqual([]);
      expect(await folders.orphans(5 * minute)).toEqual([]);
      expect(await folders.orphans(6 * minute)).toEqual([theirs]);
    });
  });

  describe('a data folder deleted while the program runs', () => {
    it('is recreated, so that edits, scenarios and labels are saved', async () => {
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
      expect(JSON.parse(await readFile(path.join(folder, 'library', 'mine.json'), 'utf8'))).toMatchObject({
        version: 1,
      });
    });
  });

  it('is complete from its first moment', async () => {
    const root = path.join(folder, 'owned');
    const [mine, theirs] = [new ProcessFolders(root), new ProcessFolders(root)];
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

  describe('partial files of killed processes', () => {
    it('are removed at the next start, except those of a living process', async () => {
      const one = await start();
      await keep(one, 'mine');
      const file = { kind: 'library', key: 'mine.json' } as const;
      await one.call('scenario.save', { scenario: draft, file, ifExists: 'refuse' });
      const [owner = ''] = await owners();
      const library = path.join(folder, 'library');
      const living = temporaryPathIn(library);
      const dead = living.replace(`-${process.pid}-`, `-${one.child.pid}-`);
      const another = path.join(library, '.someone.tmp');
      for (const name of [living, dead, another, path.join(owner, path.basename(dead))]) await writeFile(name, 'half');
      // Imitates a process killed while it created its folder.
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

    it("are removed from a user's folder at the next write there", async () => {
      const dead = temporaryPathIn(folder).replace(`-${process.pid}-`, `-${2 ** 22 + 1}-`);
      const earlier = path.join(folder, '.mine.json.0123456789ab.tmp');
      for (const name of [dead, earlier]) await writeFile(name, 'half');
      await utimes(earlier, new Date(0), new Date(0));
      await writeAtomically(path.join(folder, 'mine.json'), '{}', 'refuse');
      expect(await readdir(folder)).toEqual(['mine.json']);
    });
  });
});
