/**
 * Studies that the page submits to a cluster: a real Slurm on this machine, by its own sbatch and through `ssh`. A fake
 * ssh locally runs the commands that ssh would run on the cluster.
 */
import { spawn } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { exitCodes } from '../../../electron/cli/verb.ts';
import { type Cluster, newCluster } from '../../../electron/contract/study/clusters.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { noSlurm, type OneNodeSlurm, startSlurm, writeFakeSsh } from '../../sshd.ts';
import { unless } from '../../unless.ts';
import { openTestHost, type TestHost } from '../host/test-host.ts';
import { braggbench, entry } from './command.ts';

const folder = scratchFolder('page-cluster');
const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);
/** Far longer than a test needs, even on a busy machine. */
const MAX_MS = 600_000;
const PATH = process.env['PATH'] ?? '';

const cluster = (name: string, more: Partial<Cluster> = {}): Cluster => ({
  ...newCluster,
  ...{ name, folder: inFolder(name), program: `${process.execPath} ${entry}`, ...more },
});

const study = (name: string, count: number) => ({
  document: {
    ...{ kind: 'study', version: 1, name, measures: ['readouts', 'times'] },
    base: [
      {
        scenario: {
          ...{ kind: 'transport', version: 1, beam: {} },
          grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 40, theta_max_mrad: 320 },
          solver: { stepping: 'depth', variant: 'depth', threads: 1 },
        },
      },
    ],
    axes: [{ kind: 'range', path: 'beam.energy_MeV', from: 10, to: 20, count }],
  },
});

describe('a study started on a cluster from the page', unless(noSlurm), () => {
  let slurm: OneNodeSlurm;
  let test_: TestHost;
  let page: Client;
  beforeAll(async () => {
    await mkdir(inFolder('slurm'), { recursive: true });
    slurm = await startSlurm(inFolder('slurm'), 50);
    process.env['SLURM_CONF'] = slurm.environment.SLURM_CONF;
    process.env['PATH'] = `${writeFakeSsh(inFolder('bin'))}${path.delimiter}${PATH}`;
    process.env['BRAGGBENCH_HOME'] = inFolder('home');
    test_ = await openTestHost();
    page = await test_.page();
    await page.call('study.keepClusters', {
      clusters: [
        cluster('here'),
        cluster('there', { host: 'login', sbatch: '--comment=given' }),
        cluster('refusing', { host: 'login', sbatch: '--partition=nowhere' }),
      ],
    });
  }, 240_000);
  afterAll(async () => {
    await test_.close();
    for (const name of ['SLURM_CONF', 'BRAGGBENCH_HOME']) delete process.env[name];
    process.env['PATH'] = PATH;
    await slurm.stop();
  }, 240_000);

  const entryOf = async (id: string) => (await page.call('study.list', {})).studies.find((one) => one.id === id);
  const until = async (id: string, holds: (found: NonNullable<Awaited<ReturnType<typeof entryOf>>>) => boolean) => {
    for (const end = Date.now() + MAX_MS / 2; Date.now() < end; await sleep(200)) {
      const found = await entryOf(id);
      if (found !== undefined && holds(found)) return found;
    }
    throw new Error(`not within ${MAX_MS / 2000} s: ${JSON.stringify(await entryOf(id))}`);
  };
  const jobs = (): string => slurm.call('squeue', '-h', '-o', '%i %j');

  test.each(['here', 'there'])(
    '%s: returns results during the study, each with its job',
    { timeout: MAX_MS },
    async (on) => {
      const { clusters } = await page.call('study.clusters', {});
      const found = clusters.find(({ name }) => name === on);
      if (found === undefined) throw new Error(on);
      const { says } = await page.call('study.tryCluster', { cluster: found });
      expect(says).toMatch(/^\S.* and slurm[ -].*; partitions: local\.$/);
      const { study: id } = await page.call('study.start', { ...study(`given ${on}`, 60), on });
      expect(await until(id, ({ state }) => state === 'whole' || state === 'open')).toMatchObject({
        ...{ state: 'whole', points: 60, done: 60, failed: 0, error: null, on },
      });
      const { columns, rows } = await page.call('study.rows', {
        study: id,
        filter: '',
        sort: null,
        from: 0,
        count: 100,
      });
      const at = columns.findIndex(({ name }) => name === 'job');
      expect(rows.map((row) => /^\d+_\d+$/.test(String(row[at])))).toEqual(rows.map(() => true));
      await expect.poll(jobs).toBe('');
    },
  );

  test('can be stopped from the page, and resumes', { timeout: MAX_MS }, async () => {
    const { study: id } = await page.call('study.start', { ...study('stopped', 20_000), on: 'there' });
    const some = await until(id, ({ done }) => done > 0);
    expect(some).toMatchObject({ state: 'running', points: 20_000, on: 'there' });
    await page.call('study.stop', { study: id });
    const stopped = await until(id, ({ state }) => state === 'open');
    expect(stopped.error).toBeNull();
    expect(stopped.done).toBeLessThan(20_000);
    await expect.poll(jobs).toBe('');
    // Points that had ended before the stop are in the remote folder too.
    const there = await readdir(inFolder('there', 'studies', 'stopped.study', 'results'), { recursive: true });
    expect(there.filter((name) => /[0-9a-f]{16}\.json$/.test(name)).length).toBeGreaterThanOrEqual(stopped.done);
    await page.call('study.resume', { study: id, retry: false, on: 'there' });
    await until(id, ({ done }) => done > stopped.done);
    await page.call('study.stop', { study: id });
    expect((await until(id, ({ state }) => state === 'open')).error).toBeNull();
  });

  test('survives the end of the program, and the next start collects its results', { timeout: MAX_MS }, async () => {
    const first = await openTestHost();
    const other = await first.page();
    await other.call('study.keepClusters', { clusters: [cluster('there', { host: 'login' })] });
    const { study: id } = await other.call('study.start', { ...study('left', 2000), on: 'there' });
    const noted = async () =>
      (await readdir(inFolder('there', 'studies', 'left.study', 'slurm')).catch(() => [])).length;
    await expect.poll(noted, { timeout: 100_000 }).toBeGreaterThan(0);
    await expect.poll(() => jobs() !== '', { timeout: 100_000 }).toBe(true);
    await first.close();
    // Starts the same study on the same cluster, from another library.
    const { study: again } = await page.call('study.start', { ...study('left', 2000), on: 'there' });
    expect(again).toBe(id);
    expect(await until(again, ({ state }) => state === 'whole' || state === 'open')).toMatchObject({
      ...{ state: 'whole', done: 2000, failed: 0, error: null },
    });
  });

  test('can also be started by the command line; Ctrl+C leaves its jobs, and stop ends them', {
    timeout: MAX_MS,
  }, async () => {
    const here = (name: string): string => inFolder(`${name}.json`);
    const options = { cwd: folder, environment: { ...process.env, BRAGGBENCH_HOME: test_.folder } };
    const collected = async (name: string) => {
      const { stdout } = await braggbench(['study', 'collect', here(name), '--json'], options);
      return z
        .looseObject({ columns: z.array(z.looseObject({ name: z.string() })), rows: z.array(z.array(z.unknown())) })
        .parse(JSON.parse(stdout));
    };
    await writeFile(here('by name'), JSON.stringify(study('by name', 40).document));
    const ran = await braggbench(['study', 'run', here('by name'), '--on', 'there', '--json'], options);
    expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject({ done: 40, failed: 0, left: 0, end: 'whole' });
    const { columns, rows } = await collected('by name');
    const at = columns.findIndex(({ name }) => name === 'job');
    expect(rows.map((row) => /^\d+_\d+$/.test(String(row[at])))).toEqual(Array.from({ length: 40 }, () => true));
    await writeFile(here('left alone'), JSON.stringify(study('left alone', 20_000).document));
    const child = spawn(process.execPath, [entry, 'study', 'run', here('left alone'), '--on', 'there'], {
      ...{ cwd: folder, env: options.environment, stdio: 'ignore' },
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await expect.poll(() => jobs() !== '', { timeout: 100_000 }).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toBe(exitCodes.interrupted);
    expect(jobs()).not.toBe('');
    const stopped = await braggbench(['study', 'stop', here('left alone')], options);
    expect(stopped.stdout, stopped.stderr).toMatch(/^Requested a stop on there; .* --on "there" goes on\.$/m);
    await expect.poll(jobs, { timeout: 100_000 }).toBe('');
  });

  test('reports an error of sbatch in one sentence', { timeout: MAX_MS }, async () => {
    const { study: id } = await page.call('study.start', { ...study('refused', 3), on: 'refusing' });
    const refused = await until(id, ({ state }) => state === 'open');
    expect(refused.error).toMatch(/^refusing: sbatch: .*invalid partition/i);
    expect(refused).toMatchObject({ done: 0, failed: 0 });
  });
});
