/**
 * Studies as a page requests them, solved by real processes. Also the commands sent to clusters and their error
 * messages, with a fake ssh.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cp, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultViewSettings, type StudyEntry } from '../../../../../electron/contract/study/calls.ts';
import { type Cluster, newCluster } from '../../../../../electron/contract/study/clusters.ts';
import { idAt } from '../../../../../electron/contract/study/result.ts';
import { missingLocally, saveDownloaded } from '../../../../../electron/host/app/studies/cluster/download.ts';
import { Login } from '../../../../../electron/host/app/studies/cluster/engine.ts';
import { lockStudy } from '../../../../../electron/host/app/studies/plan.ts';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import type { Client } from '../../../../../renderer/data/client/client.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { writeFakeSsh } from '../../../../sshd.ts';
import { writeWideStudy } from '../../../../wide-study.ts';
import { tinyScenario } from '../../small-run.ts';
import { hostOfFile, openTestHost, type TestHost } from '../../test-host.ts';

describe('a cluster for studies', () => {
  const folder = scratchFolder('cluster');
  const bin = writeFakeSsh(path.join(folder, 'bin'));
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
  ])('reached by %s', (_, host) => {
    test('runs a script in the folder unchanged, and does not take a login banner for the answer', async () => {
      const login = new Login(cluster({ host }));
      expect((await login.run("printf '%s' \"it's $((1 + 1))\"; pwd")).toString()).toBe(
        `it's 2${path.join(folder, 'a b')}\n`,
      );
      expect((await login.run('cat', 'handed over')).toString()).toBe('handed over');
      await expect(login.run("echo 'sbatch: error: invalid partition' >&2; exit 1")).rejects.toThrow(
        'X: sbatch: error: invalid partition',
      );
    });

    test('keeps the code of an internal error of the remote Braggbench', async () => {
      const study = path.join(folder, `held${host}.study`);
      await writeWideStudy(study, 1);
      const lock = await lockStudy(await StudyFolder.open(study));
      const program = `${process.execPath} ${path.resolve('electron/cli/main.ts')}`;
      const login = new Login(cluster({ host, program }));
      const resume = login.run(`${await login.program()} study resume '${study}' --json --yes`);
      await expect(resume).rejects.toMatchObject({ code: 'exists', message: expect.stringMatching(/^X: .*another/) });
      lock.release();
      await expect(login.run("echo '{'; echo No >&2; exit 1")).rejects.toMatchObject({ code: 'unsupported' });
    });

    test('reports a missing program', async () => {
      const login = new Login(cluster({ host, program: 'no-such-braggbench' }));
      await expect(login.run(`${await login.program()} --version`)).rejects.toThrow(
        /^X: no-such-braggbench was not found there \(.*\); set its path in the cluster's description\.$/,
      );
    });
  });

  test('reports ssh errors in one sentence, and requests no password', async () => {
    await expect(new Login(cluster({ host: 'locked' })).run('true')).rejects.toThrow(
      'X: ssh locked failed: user@locked: Permission denied (publickey). Log in once with ssh locked in a terminal, using a key: passwords are not supported here.',
    );
    await expect(new Login(cluster({ host: 'away' })).run('true')).rejects.toThrow(
      'X: ssh away failed: ssh: connect to host away port 22: Connection timed out.',
    );
    process.env['PATH'] = path.join(folder, 'empty');
    await expect(new Login(cluster({ host: 'login' })).run('true')).rejects.toThrow(
      'X: ssh is not installed on this machine.',
    );
  });

  test('returns only complete results of planned points, each once', async () => {
    const [there, here] = [path.join(folder, 'there.study'), path.join(folder, 'here.study')];
    await writeWideStudy(there, 6);
    await cp(there, here, { recursive: true });
    const mine = await StudyFolder.open(here);
    const theirs = await StudyFolder.open(there);
    const [a, b, c] = (await mine.readLines()).map(({ id }) => id);
    if (a === undefined || b === undefined || c === undefined) throw new Error('a plan of few points');
    for (const id of [a, b]) await unlink(mine.fileOf(id, 'done'));
    const nameOf = (id: string): string => path.relative(there, theirs.fileOf(id, 'done'));
    const names = [nameOf(a), nameOf(b), nameOf(c), 'results/ff/ffffffffffffffff.json', '../../etc/passwd', 'welcome'];
    const listing = new TextEncoder().encode(names.join('\n'));
    expect(await missingLocally({ folder: here, listing })).toEqual([nameOf(a), nameOf(b)]);
    const text = await readFile(theirs.fileOf(a, 'done'), 'utf8');
    const damaged = (await readFile(theirs.fileOf(b, 'done'), 'utf8')).slice(0, 40);
    const other = await readFile(theirs.fileOf(c, 'done'), 'utf8');
    const lines = new TextEncoder().encode(`${text}${text}${damaged}\n${other}`);
    const brought = await saveDownloaded({ folder: here, names: [nameOf(a), nameOf(b)], lines });
    expect(brought).toEqual([{ id: a, status: 'done' }]);
    expect(await mine.readResult(a, 'done')).toEqual(await theirs.readResult(a, 'done'));
  });

  describe('cluster entries on the page', () => {
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

    test('are saved in the settings; invalid ones are rejected, and no entry is lost', async () => {
      const clusters = [cluster({ name: 'login', host: 'me@login.example', modules: ['cuda/13.0'] })];
      await page.call('study.keepClusters', { clusters });
      expect(await page.call('study.clusters', {})).toEqual({ clusters });
      expect(await readFile(path.join(test_.folder, 'settings.json'), 'utf8')).toContain('me@login.example');
      // An ssh option is not a valid host.
      for (const bad of [{ host: '-oProxyCommand=x' }, { modules: ['a; b'] }, { cores: 0 }, { folder: '' }])
        await expect(page.call('study.keepClusters', { clusters: [cluster(bad)] })).rejects.toThrow();
      await expect(
        page.call('study.keepClusters', { clusters: [cluster({ name: 'a' }), cluster({ name: 'a' })] }),
      ).rejects.toThrow('two clusters have the same name');
      expect(await page.call('study.clusters', {})).toEqual({ clusters });
    });

    test('report errors before a study starts, and afterwards at the study', async () => {
      const away = cluster({ name: 'far away', host: 'away' });
      await page.call('study.keepClusters', { clusters: [away] });
      await expect(page.call('study.tryCluster', { cluster: away })).rejects.toThrow(/^far away: ssh away failed/);
      await expect(page.call('study.start', { ...study({}), on: 'nowhere' })).rejects.toThrow(
        'The cluster nowhere does not exist; known: far away.',
      );
      const { study: id } = await page.call('study.start', { ...study({}), on: 'far away' });
      const entry = async () => (await page.call('study.list', {})).studies.find((one) => one.id === id);
      await expect.poll(async () => (await entry())?.state).toBe('open');
      expect(await entry()).toMatchObject({
        ...{ on: 'far away', done: 0, failed: 0, points: 2 },
        error: 'far away: ssh away failed: ssh: connect to host away port 22: Connection timed out.',
      });
      // Resumes the same study on this machine.
      await page.call('study.resume', { study: id, retry: false, on: null });
      await expect.poll(async () => (await entry())?.state).toBe('whole');
      expect(await entry()).toMatchObject({ on: null, done: 2, error: null });
    });

    test('are not offered for a search, which measures on one machine', async () => {
      await page.call('study.keepClusters', { clusters: [cluster({})] });
      const document = {
        ...{ kind: 'study', version: 1, axes: [{ kind: 'tunables', variants: ['cpu-blocks'] }] },
        ...{ base: [{ scenario: { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 64, n: 64, k: 64 } } }] },
        search: { strategy: 'random' },
      };
      await expect(page.call('study.start', { document, on: 'X' })).rejects.toThrow('so X cannot be used');
    });

    test('ignore a damaged record of the solving machine', async () => {
      const [first] = (await page.call('study.list', {})).studies;
      await writeFile(path.join(test_.folder, 'library', 'studies', `${first?.id}.study`, 'on.json'), '{"cluster":7}');
      expect((await page.call('study.list', {})).studies[0]).toMatchObject({ id: first?.id, on: null });
    });
  });
});

describe('studies in the host', async () => {
  const { test_, page } = await hostOfFile();

  const study = (name: string, energies: readonly number[], rest: object = {}) => ({
    document: {
      kind: 'study',
      version: 1,
      name,
      base: [{ scenario: { ...tinyScenario } }],
      axes: [
        { kind: 'list', path: 'beam.energy_MeV', values: energies },
        { kind: 'list', path: 'solver.precision', values: ['fp32', 'fp64'] },
      ],
      measures: ['readouts', 'times'],
      ...rest,
    },
  });

  async function entryOf(id: string): Promise<StudyEntry> {
    const { studies } = await page.call('study.list', {});
    const found = studies.find((one) => one.id === id);
    if (found === undefined) throw new Error(`no study ${id}`);
    return found;
  }

  async function waitForStudyEnd(id: string): Promise<StudyEntry> {
    const until = Date.now() + 110_000;
    for (;;) {
      const entry = await entryOf(id);
      if (entry.state !== 'running' && entry.state !== 'stopping') return entry;
      if (Date.now() > until) throw new Error(`${id} did not end: ${JSON.stringify(entry)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  const rowsOf = (id: string, look: object = {}) =>
    page.call('study.rows', { study: id, filter: '', sort: null, from: 0, count: 500, ...look });

  const R80 = 'measure r80_mm';
  const ENERGY = 'axis beam.energy_MeV';

  test('a study of variants reports the fastest one, and a scenario is offered its claims and tunables', async () => {
    const scenario = { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 64, n: 64, k: 64 } };
    const { tunable, claims } = await page.call('study.offers', { document: scenario });
    expect(tunable).toContain('cpu-blocks');
    expect(Array.isArray(claims)).toBe(true);
    const { study: id } = await page.call('study.start', {
      document: {
        ...{ kind: 'study', version: 1, name: 'variants', base: [{ scenario: { ...tinyScenario } }], timing: 'alone' },
        ...{ repeats: 5, axes: [{ kind: 'list', path: 'solver.variant', values: ['window', 'gather'] }] },
      },
    });
    expect(await waitForStudyEnd(id)).toMatchObject({ state: 'whole', done: 2, failed: 0 });
    const { lines } = await page.call('study.advice', { study: id, error_mm: 0.1 });
    expect(lines[0]?.text).toMatch(/^Fastest correct variant on .*: (window|gather|undecided)\.$/);
    expect(lines[0]?.evidence.join()).toMatch(/readouts of the variants differ by at most/);
  });

  describe('a study of two axes', () => {
    let id = '';
    beforeAll(async () => {
      const plan = await page.call('study.plan', study('ranges', [20, 25, 30]));
      expect(plan).toMatchObject({ points: 6, combinations: 6, looked: 6, refused: [] });
      expect(plan.state_bytes).toBeGreaterThan(1000);
      ({ study: id } = await page.call('study.start', study('ranges', [20, 25, 30])));
      expect(await waitForStudyEnd(id)).toMatchObject({
        id: 'ranges',
        state: 'whole',
        points: 6,
        done: 6,
        failed: 0,
        error: null,
      });
    });

    test('returns its rows in the order of the plan, sorted by a column, filtered, and in parts', async () => {
      const all = await rowsOf(id);
      expect([all.all, all.matching, all.rows.length]).toEqual([6, 6, 6]);
      const at = (key: string): number => all.columns.findIndex((column) => column.key === key);
      expect(all.columns[at(ENERGY)]).toMatchObject({ unit: 'MeV', numeric: true, equal: false });
      expect(all.columns[at('point workload')]).toMatchObject({ equal: true, numeric: false });
      expect(all.rows.map((row) => row[at(ENERGY)])).toEqual([20, 20, 25, 25, 30, 30]);
      const ranges = all.rows.map((row) => Number(row[at(R80)]));
      expect(ranges[4]).toBeGreaterThan((ranges[0] ?? 0) * 1.8);
      const falling = await rowsOf(id, { sort: { key: R80, descending: true }, from: 1, count: 2 });
      expect(falling.rows.map((row) => row[at(R80)])).toEqual(ranges.toSorted((a, b) => b - a).slice(1, 3));
      const some = await rowsOf(id, { filter: 'beam.energy_MeV > 20 && precision == "fp64" && r80_mm < 8' });
      expect(some.rows.map((row) => [row[at(ENERGY)], row[at('axis solver.precision')]])).toEqual([[25, 'fp64']]);
      expect([some.matching, some.all]).toEqual([1, 6]);
    });

    test('returns groups, the saved data of a point, and its saved views', async () => {
      const groups = await rowsOf(id, { groups: ['axis solver.precision'] });
      expect(groups.rows.map((row) => row.slice(0, 2))).toEqual([
        ['fp32', 3],
        ['fp64', 3],
      ]);
      const { rows, columns } = await rowsOf(id);
      const point = String(rows[0]?.[columns.findIndex(({ key }) => key === 'point point')]);
      const { settings, result } = await page.call('study.result', { study: id, point });
      expect(settings).toBe('beam.energy_MeV = 20, solver.precision = "fp32"');
      expect(result).toMatchObject({ id: point, status: 'done' });
      await expect(page.call('study.result', { study: id, point: '0'.repeat(16) })).rejects.toThrow('has no point');
      const views = [{ name: 'mine', look: { ...defaultViewSettings, groups: ['axis solver.precision'] } }];
      await page.call('study.keepViews', { study: id, views });
      expect(await page.call('study.views', { study: id })).toEqual({ views });
      // A single variant offers no choice.
      expect(await page.call('study.advice', { study: id, error_mm: 0.1 })).toEqual({ lines: [] });
    });

    test('returns complete columns of numbers and of texts', async () => {
      const { points, columns } = await page.call('study.values', {
        ...{ study: id, filter: 'beam.energy_MeV == 30', keys: [R80, 'axis solver.precision'] },
      });
      expect(points).toHaveLength(4);
      expect(columns[0]?.numbers).toHaveLength(2);
      expect(columns[1]?.texts).toEqual({ different: ['fp32', 'fp64'], of: Uint32Array.of(0, 1) });
      const none = await page.call('study.values', { study: id, filter: 'beam.energy_MeV == 31', keys: [R80] });
      expect(none).toMatchObject({ points: new Uint32Array(), columns: [{ numbers: new Float64Array() }] });
    });

    test('does not resend points that the page has, except points of other rows', async () => {
      const ask = (filter: string, known: string | null) =>
        page.call('study.values', { study: id, filter, keys: [R80], known });
      const all = await ask('', null);
      expect(all.points).toHaveLength(12);
      expect(await ask('', all.rows)).toEqual({ ...all, points: null });
      const some = await ask('beam.energy_MeV == 30', all.rows);
      expect(some.points).toHaveLength(4);
      expect(some.rows).not.toBe(all.rows);
    });

    test('rejects invalid conditions, columns and studies', async () => {
      await expect(rowsOf(id, { filter: 'beam.energy >' })).rejects.toMatchObject({ code: 'invalid' });
      await expect(rowsOf(id, { filter: 'r99_mm > 3' })).rejects.toThrow(/r99_mm is not set/);
      await expect(rowsOf(id, { sort: { key: 'measure r99_mm', descending: false } })).rejects.toMatchObject({
        code: 'not-found',
      });
      await expect(rowsOf('elsewhere')).rejects.toMatchObject({ code: 'not-found' });
      await expect(rowsOf('../ranges')).rejects.toMatchObject({ code: 'bad-request' });
    });

    test('opens a point as the scenario that was solved', async () => {
      const { points } = await page.call('study.values', { study: id, filter: 'beam.energy_MeV == 25', keys: [R80] });
      const { scenario, name } = await page.call('study.point', {
        study: id,
        point: idAt(points ?? new Uint32Array(), 1) ?? '',
      });
      expect(scenario).toMatchObject({ kind: 'transport', beam: { energy_MeV: 25 }, solver: { precision: 'fp64' } });
      expect(name).toContain('beam.energy_MeV = 25');
      await expect(page.call('study.point', { study: id, point: '0123456789abcdef' })).rejects.toThrow(/has no point/);
    });

    test.each(['csv', 'parquet', 'h5', 'json'] as const)('exports its table as %s', async (format) => {
      const { name, bytes } = await page.call('study.export', { study: id, format });
      expect(name).toBe(`ranges.${format}`);
      const starts = { csv: 'point,', parquet: 'PAR1', h5: '\x89HDF', json: '{"columns"' } as const;
      expect(Buffer.from(bytes).toString('latin1').startsWith(starts[format])).toBe(true);
    });

    test('solves nothing when repeated, and puts another study with the same name into a separate folder', async () => {
      expect(await page.call('study.start', study('ranges', [20, 25, 30]))).toEqual({ study: 'ranges' });
      expect(await waitForStudyEnd('ranges')).toMatchObject({ done: 6 });
      const { study: other } = await page.call('study.start', study('ranges', [21]));
      expect(other).toBe('ranges 2');
      expect(await waitForStudyEnd(other)).toMatchObject({ state: 'whole', points: 2, done: 2 });
    });
  });

  test('can be stopped, keeps its results, and resumes', async () => {
    const energies = Array.from({ length: 400 }, (_, i) => 20 + i / 40);
    const { study: id } = await page.call('study.start', study('long', energies));
    await expect.poll(async () => (await entryOf(id)).done).toBeGreaterThan(2);
    await expect(page.call('study.resume', { study: id, retry: false })).rejects.toMatchObject({ code: 'exists' });
    await page.call('study.stop', { study: id });
    const stopped = await waitForStudyEnd(id);
    expect(stopped.state).toBe('open');
    expect(stopped.done).toBeLessThan(800);
    await page.call('study.resume', { study: id, retry: false });
    await expect.poll(async () => (await entryOf(id)).done).toBeGreaterThan(stopped.done);
    await page.call('study.stop', { study: id });
    await waitForStudyEnd(id);
  });

  test('estimates its cost from some of its points, and a newer request cancels the previous one', async () => {
    const requested = study('forecast', [20, 25, 30], { repeats: 2 });
    const [first, second] = await Promise.all([
      page.call('study.forecast', requested),
      page.call('study.forecast', requested),
    ]);
    expect(first.forecast).toBeNull();
    expect(second.forecast).toMatchObject({ isLeast: false, gpus: 0 });
    expect(second.forecast?.expected_s).toBeGreaterThan(0);
    expect(second.forecast?.probed).toBeGreaterThanOrEqual(2);
    const { state_bytes } = await page.call('study.plan', requested);
    const { at_once = 0, memory_bytes } = second.forecast ?? {};
    expect(memory_bytes).toBe(at_once * (state_bytes ?? 0));
    // The forecast leaves no run behind; a search and an unsolvable study have no forecast.
    expect((await page.call('run.list', {})).runs).toEqual([]);
    expect((await page.call('study.forecast', study('hopeless', [9000]))).forecast).toBeNull();
  });

  test('reports its own errors, and points that cannot run', async () => {
    const wrong = study('wrong', [20], { conditions: ['beam.energy_MeV >'] });
    await expect(page.call('study.start', wrong)).rejects.toMatchObject({ code: 'invalid' });
    const plan = await page.call('study.plan', study('beyond', [20, 9000]));
    expect(plan.refused[0]?.settings).toContain('beam.energy_MeV = 9000');
    expect(plan.refused[0]?.message).toMatch(/energy/);
    await expect(page.call('study.start', study('hopeless', [9000]))).rejects.toThrow(/None of the points/);
  });

  test('is not listed for a folder that contains no study', async () => {
    const folder = path.join(test_.folder, 'library', 'studies', 'foreign.study');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'plan.json'), '{"format":"other"}');
    const { studies } = await page.call('study.list', {});
    expect(studies.map(({ id }) => id)).not.toContain('foreign');
  });

  test('reads its rows once, however many requests arrive at the same time', async () => {
    const { study: id } = await page.call('study.start', study('kept', [20, 22]));
    await waitForStudyEnd(id);
    expect((await rowsOf(id)).rows).toHaveLength(4);
    // Damage the files: rows that were read again would be missing in the answers below.
    const results = path.join(test_.folder, 'library', 'studies', `${id}.study`, 'results');
    const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
    for (const file of files) writeFileSync(path.join(results, file), 'damaged');
    const asked = await Promise.all([rowsOf(id), rowsOf(id, { sort: { key: R80, descending: true } }), rowsOf(id)]);
    expect(asked.map(({ rows, columns }) => [rows.length, columns.some(({ key }) => key === R80)])).toEqual(
      asked.map(() => [4, true]),
    );
  });
});
