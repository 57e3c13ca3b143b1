/** Commands to clusters, and their error messages. A fake program replaces ssh. */
import { cp, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Cluster, newCluster } from '../../../../../electron/contract/study/clusters.ts';
import { keepBrought, lackingHere } from '../../../../../electron/host/app/studies/cluster/bring.ts';
import { Login } from '../../../../../electron/host/app/studies/cluster/login.ts';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import type { Client } from '../../../../../renderer/client/index.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { standInSsh } from '../../../../stand-in-ssh.ts';
import { writeWideStudy } from '../../../../wide-study.ts';
import { tinyScenario } from '../../small-run.ts';
import { openTestHost, type TestHost } from '../../test-host.ts';

const folder = scratchFolder('cluster');
const bin = standInSsh(path.join(folder, 'bin'));
const before = process.env['PATH'] ?? '';
const cluster = (more: Partial<Cluster>): Cluster => ({
  ...newCluster,
  ...{ name: 'X', folder: path.join(folder, 'a b'), ...more },
});
beforeEach(() => {
  process.env['PATH'] = `${bin}${path.delimiter}${before}`;
});
afterEach(() => {
  process.env['PATH'] = before;
});

describe.each([
  ['this machine', ''],
  ['a login host', 'login'],
])('on %s', (_, host) => {
  test('a script runs in the folder, whatever its words; a banner is no part of the answer', async () => {
    const login = new Login(cluster({ host }));
    expect((await login.run("printf '%s' \"it's $((1 + 1))\"; pwd")).toString()).toBe(
      `it's 2${path.join(folder, 'a b')}\n`,
    );
    expect((await login.run('cat', 'handed over')).toString()).toBe('handed over');
    await expect(login.run("echo 'sbatch: error: invalid partition' >&2; exit 1")).rejects.toThrow(
      'X: sbatch: error: invalid partition',
    );
  });

  test('a program that is not there is said so', async () => {
    const login = new Login(cluster({ host, program: 'no-such-braggbench' }));
    await expect(login.run(`${await login.program()} --version`)).rejects.toThrow(
      /^X: no-such-braggbench was not found there \(.*\); name it in the cluster's entry\.$/,
    );
  });
});

test('what ssh says is told as one sentence, and no password is asked for', async () => {
  await expect(new Login(cluster({ host: 'locked' })).run('true')).rejects.toThrow(
    'X: ssh locked failed: user@locked: Permission denied (publickey). Log in once with ssh locked in a terminal, by a key: no password is asked for here.',
  );
  await expect(new Login(cluster({ host: 'away' })).run('true')).rejects.toThrow(
    'X: ssh away failed: ssh: connect to host away port 22: Connection timed out.',
  );
  process.env['PATH'] = path.join(folder, 'empty');
  await expect(new Login(cluster({ host: 'login' })).run('true')).rejects.toThrow(
    'X: there is no ssh on this machine.',
  );
});

test('only results of points of the plan are taken, whole ones, and each once', async () => {
  const [there, here] = [path.join(folder, 'there.study'), path.join(folder, 'here.study')];
  await writeWideStudy(there, 6);
  await cp(there, here, { recursive: true });
  const mine = await StudyFolder.open(here);
  const theirs = await StudyFolder.open(there);
  const [a, b, c] = (await mine.lines()).map(({ id }) => id);
  if (a === undefined || b === undefined || c === undefined) throw new Error('a plan of few points');
  for (const id of [a, b]) await unlink(mine.fileOf(id, 'done'));
  const nameOf = (id: string): string => path.relative(there, theirs.fileOf(id, 'done'));
  const names = [nameOf(a), nameOf(b), nameOf(c), 'results/ff/ffffffffffffffff.json', '../../etc/passwd', 'welcome'];
  const listing = new TextEncoder().encode(names.join('\n'));
  expect(await lackingHere({ folder: here, listing })).toEqual([nameOf(a), nameOf(b)]);
  const text = await readFile(theirs.fileOf(a, 'done'), 'utf8');
  const damaged = (await readFile(theirs.fileOf(b, 'done'), 'utf8')).slice(0, 40);
  const other = await readFile(theirs.fileOf(c, 'done'), 'utf8');
  const lines = new TextEncoder().encode(`${text}${text}${damaged}\n${other}`);
  const brought = await keepBrought({ folder: here, names: [nameOf(a), nameOf(b)], lines });
  expect(brought).toEqual([{ id: a, status: 'done' }]);
  expect(await mine.result(a, 'done')).toEqual(await theirs.result(a, 'done'));
});

describe('entries of the page', () => {
  let test_: TestHost;
  let page: Client;
  beforeAll(async () => {
    test_ = await openTestHost();
    page = await test_.page();
  });
  afterAll(() => test_.close());

  const study = (rest: object) => ({
    document: {
      ...{ kind: 'study', version: 1, name: 'given', base: [{ scenario: tinyScenario }] },
      ...{ axes: [{ kind: 'list', path: 'beam.energy_MeV', values: [20, 25] }], ...rest },
    },
  });

  test('are kept in the settings; faulty ones are refused and lose nothing', async () => {
    const clusters = [cluster({ name: 'login', host: 'me@login.example', modules: ['cuda/13.0'] })];
    await page.call('study.keepClusters', { clusters });
    expect(await page.call('study.clusters', {})).toEqual({ clusters });
    expect(await readFile(path.join(test_.folder, 'settings.json'), 'utf8')).toContain('me@login.example');
    // An option of ssh is no host.
    for (const bad of [{ host: '-oProxyCommand=x' }, { modules: ['a; b'] }, { cores: 0 }, { folder: '' }])
      await expect(page.call('study.keepClusters', { clusters: [cluster(bad)] })).rejects.toThrow();
    await expect(
      page.call('study.keepClusters', { clusters: [cluster({ name: 'a' }), cluster({ name: 'a' })] }),
    ).rejects.toThrow('two clusters have one name');
    expect(await page.call('study.clusters', {})).toEqual({ clusters });
  });

  test('say what is wrong before anything is begun, and at the study afterwards', async () => {
    const away = cluster({ name: 'far away', host: 'away' });
    await page.call('study.keepClusters', { clusters: [away] });
    await expect(page.call('study.tryCluster', { cluster: away })).rejects.toThrow(/^far away: ssh away failed/);
    await expect(page.call('study.start', { ...study({}), on: 'nowhere' })).rejects.toThrow(
      'There is no cluster nowhere; known: far away.',
    );
    const { study: id } = await page.call('study.start', { ...study({}), on: 'far away' });
    const entry = async () => (await page.call('study.list', {})).studies.find((one) => one.id === id);
    await expect.poll(async () => (await entry())?.state).toBe('open');
    expect(await entry()).toMatchObject({
      ...{ on: 'far away', done: 0, failed: 0, points: 2 },
      error: 'far away: ssh away failed: ssh: connect to host away port 22: Connection timed out.',
    });
    // The same study on this machine.
    await page.call('study.resume', { study: id, retry: false, on: null });
    await expect.poll(async () => (await entry())?.state).toBe('whole');
    expect(await entry()).toMatchObject({ on: null, done: 2, error: null });
  });

  test('a search measures on one machine', async () => {
    await page.call('study.keepClusters', { clusters: [cluster({})] });
    const document = {
      ...{ kind: 'study', version: 1, axes: [{ kind: 'tunables', variants: ['cpu-blocks'] }] },
      ...{ base: [{ scenario: { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 64, n: 64, k: 64 } } }] },
      search: { strategy: 'random' },
    };
    await expect(page.call('study.start', { document, on: 'X' })).rejects.toThrow('X has no part in it');
  });

  test('a damaged note of where it was solved is no hindrance', async () => {
    const [first] = (await page.call('study.list', {})).studies;
    await writeFile(path.join(test_.folder, 'library', 'studies', `${first?.id}.study`, 'on.json'), '{"cluster":7}');
    expect((await page.call('study.list', {})).studies[0]).toMatchObject({ id: first?.id, on: null });
  });
});
