/** Studies on a Slurm of this machine: job arrays, and what befalls them. Files are the truth, whatever is killed. */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { scratchFolder } from '../../scratch-folder.ts';
import { noSlurm, type OneNodeSlurm, startSlurm } from '../../slurm.ts';
import { braggbench, entry, environmentWith } from './command.ts';

const folder = scratchFolder('slurm');
const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);
let slurm: OneNodeSlurm;

const options = () => ({ cwd: folder, environment: { ...environmentWith(inFolder('home')), ...slurm.environment } });

async function study(name: string, count: number, minutes?: number): Promise<void> {
  const scenario = {
    ...{ kind: 'transport', version: 1, beam: {} },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 40, theta_max_mrad: 320 },
    solver: { stepping: 'depth', variant: 'depth', threads: 1 },
  };
  const axes = [
    { kind: 'list', path: 'beam.energy_MeV', values: Array.from({ length: count }, (_, i) => 20 + (30 * i) / count) },
  ];
  const budget = minutes === undefined ? {} : { minutes };
  await writeFile(
    inFolder(`${name}.json`),
    JSON.stringify({ kind: 'study', version: 1, base: [{ scenario }], axes, budget }),
  );
}

/** Tasks of few points, and soon given up. */
const ON_SLURM = ['--on', 'slurm', '--silent', '4'];
const SMALL = [...ON_SLURM, '--task-minutes', '0.01'];

const outcomeSchema = z.looseObject({ before: z.number(), done: z.number(), failed: z.number(), left: z.number() });
async function run(what: string, name: string, words: readonly string[] = SMALL) {
  const { code, stdout, stderr } = await braggbench(['study', what, name, ...words, '--json'], options());
  expect(stdout, stderr).not.toBe('');
  return { code, stderr, ...outcomeSchema.parse(JSON.parse(stdout)) };
}

function started(what: string, name: string, words: readonly string[] = SMALL) {
  const { cwd, environment } = options();
  const child = spawn(process.execPath, [entry, 'study', what, name, ...words], {
    ...{ cwd, env: environment, stdio: 'ignore' },
  });
  return { child, ended: new Promise<number | null>((resolve) => child.on('close', resolve)) };
}

async function results(name: string): Promise<readonly string[]> {
  const all = await readdir(inFolder(`${name}.study`, 'results'), { recursive: true }).catch(() => []);
  return all.filter((file) => /[0-9a-f]{16}(\.failed)?\.json$/.test(file));
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + 90_000; Date.now() < end; await sleep(50)) if (await holds()) return;
  throw new Error(`no ${what} within 90 s`);
}

const tags = (name: string): readonly string[] => {
  try {
    return readdirSync(inFolder(`${name}.study`, 'slurm'));
  } catch {
    return [];
  }
};
const noted = (name: string): readonly string[] =>
  tags(name).flatMap((tag) => {
    try {
      return [readFileSync(inFolder(`${name}.study`, 'slurm', tag, 'job'), 'utf8')];
    } catch {
      return [];
    }
  });

/** Processes whose command line has all these words. */
function processes(...words: readonly string[]): readonly number[] {
  return execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => words.every((word) => line.includes(word)))
    .map((line) => Number(line.trim().split(' ')[0]));
}

if (noSlurm !== null) process.stdout.write(`Studies on Slurm are not tested: ${noSlurm}.\n`);

describe.skipIf(noSlurm !== null)('a study on Slurm', () => {
  beforeAll(async () => {
    await mkdir(inFolder('cluster'), { recursive: true });
    slurm = await startSlurm(inFolder('cluster'), 6);
  }, 60_000);
  afterAll(() => slurm.stop(), 30_000);

  test('goes in arrays that the cluster takes; every row says its job and task', { timeout: 240_000 }, async () => {
    await study('arrays', 24);
    // Results that are there tell how long a point takes, and so how many make a task.
    expect(await run('run', 'arrays.json')).toMatchObject({ code: 0, done: 24, failed: 0, left: 0 });
    const [first = ''] = await results('arrays');
    for (const file of await results('arrays')) if (file !== first) await rm(inFolder('arrays.study', 'results', file));
    const again = await run('resume', 'arrays.study', [...ON_SLURM, '--task-minutes', '0.000001', '--at-once', '2']);
    expect(again).toMatchObject({ code: 0, done: 23, failed: 0, left: 0 });
    // Six tasks an array, as the cluster says, and a task for each of the points.
    expect(tags('arrays').length).toBeGreaterThan(3);
    const { stdout } = await braggbench(['study', 'collect', 'arrays.study', '--json'], options());
    const { columns, rows } = z
      .looseObject({ columns: z.array(z.looseObject({ name: z.string() })), rows: z.array(z.array(z.unknown())) })
      .parse(JSON.parse(stdout));
    const at = columns.findIndex(({ name }) => name === 'job');
    expect(rows.every((row) => /^\d+_\d+$/.test(String(row[at])))).toBe(true);
    expect(slurm.call('squeue', '-h')).toBe('');
  });

  test('survives the death of its own process before the job was noted: nothing is submitted twice', {
    timeout: 240_000,
  }, async () => {
    await study('crash', 400);
    const first = started('run', 'crash.json');
    await until('job', () => noted('crash').length > 0);
    first.child.kill('SIGKILL');
    await first.ended;
    for (const tag of tags('crash')) await rm(inFolder('crash.study', 'slurm', tag, 'job'));
    const before = [...tags('crash')];
    expect(await run('resume', 'crash.study')).toMatchObject({ code: 0, failed: 0, left: 0 });
    expect(await results('crash')).toHaveLength(400);
    expect(tags('crash')).toEqual(before);
    // Each task had one attempt: no point was in two jobs. How many tasks there are goes by what a point takes here.
    for (const tag of before) {
      const attempts = await readdir(inFolder('crash.study', 'slurm', tag, 'attempts'));
      expect(attempts.length).toBeGreaterThan(0);
      expect(attempts.filter((name) => !/^\d+-0\.json$/.test(name))).toEqual([]);
    }
  });

  test('survives slurmctld and slurmd being killed while it runs', { timeout: 240_000 }, async () => {
    await study('daemons', 400);
    const going = started('run', 'daemons.json');
    await until('result', async () => (await results('daemons')).length > 10);
    slurm.kill('slurmctld');
    slurm.kill('slurmd');
    await sleep(3000);
    slurm.start('slurmctld');
    slurm.start('slurmd');
    expect(await going.ended).toBe(0);
    expect(await results('daemons')).toHaveLength(400);
  });

  test('gives up a task that Slurm holds for running though its processes are dead', { timeout: 240_000 }, async () => {
    await study('silent', 400);
    const going = started('run', 'silent.json');
    await until('result', async () => (await results('silent')).length > 10);
    for (const pid of processes('slurmstepd: [')) process.kill(pid, 'SIGKILL');
    for (const pid of processes('study', 'task', 'silent.study')) process.kill(pid, 'SIGKILL');
    const there = (await results('silent')).length;
    expect(there).toBeLessThan(400);
    expect(await going.ended).toBe(0);
    expect(await results('silent')).toHaveLength(400);
    const { stdout } = await braggbench(['study', 'status', 'silent.study'], options());
    expect(stdout).toMatch(/task \d+_\d+ on .*: \d+ done, then without a word \(/);
  });

  test('stops within seconds, and cancels its jobs', { timeout: 240_000 }, async () => {
    await study('stopped', 4000);
    const jobs = (): readonly string[] => slurm.call('squeue', '-h', '-o', '%i').split('\n');
    const others = new Set(jobs()); // Slurm holds one whose processes are dead for running
    const going = started('run', 'stopped.json');
    await until('result', async () => (await results('stopped')).length > 10);
    const asked = performance.now();
    // The one that watches, and the task that works.
    expect((await braggbench(['study', 'stop', 'stopped.study'], options())).stdout).toMatch(/^Asked [2-9] to stop/);
    expect(await going.ended).toBe(0);
    expect(performance.now() - asked).toBeLessThan(20_000);
    expect(jobs().filter((job) => !others.has(job))).toEqual([]);
    expect((await results('stopped')).length).toBeLessThan(4000);
  });

  test('tries a task that dies each time thrice, and says at each point how it ended', {
    timeout: 240_000,
  }, async () => {
    await study('dying', 3);
    // Node ends there before it begins.
    const dies = ['--sbatch', '--export=NODE_OPTIONS=--require=/nowhere.cjs'];
    expect(await run('run', 'dying.json', [...SMALL, ...dies])).toMatchObject({ code: 1, done: 0, failed: 3, left: 0 });
    const { stdout } = await braggbench(['study', 'status', 'dying.study'], options());
    expect(
      stdout.match(/failed [0-9a-f]{16}: Its task ended 3 times without a result.*FAILED, exit \d+:\d/g),
    ).toHaveLength(3);
    // Somewhere else the same points can be solved.
    expect(await run('resume', 'dying.study', [...SMALL, '--retry'])).toMatchObject({ code: 0, done: 3, left: 0 });
  });

  test('ends before its limit with what it has solved, and is requeued for the rest', {
    timeout: 240_000,
  }, async () => {
    await study('limit', 20_000);
    // Slurm counts limits in minutes, and warns some seconds early or late.
    const going = started('run', 'limit.json', [...ON_SLURM, '--warning', '50', '--sbatch', '--time=1']);
    const attempts = async (): Promise<readonly { end: string | null; done: number }[]> => {
      const all = tags('limit').map((tag) => inFolder('limit.study', 'slurm', tag, 'attempts'));
      const files = (
        await Promise.all(all.map(async (at) => (await readdir(at)).map((file) => path.join(at, file))))
      ).flat();
      const read = files.filter((file) => /-0\.json$/.test(file)).map((file) => readFile(file, 'utf8'));
      return (await Promise.all(read)).map((text) => JSON.parse(text) as { end: string | null; done: number });
    };
    await until('attempt that ended', async () => (await attempts()).some(({ end }) => end !== null));
    const [first] = (await attempts()).filter(({ end }) => end !== null);
    expect(first).toMatchObject({ end: 'stopped from outside' });
    expect(first?.done).toBeGreaterThan(0);
    expect((await results('limit')).length).toBeGreaterThanOrEqual(first?.done ?? 0);
    // The same task waits for its next go.
    await until('requeued task', () => /PENDING BeginTime/.test(slurm.call('squeue', '-h', '-r', '-o', '%T %r')));
    await braggbench(['study', 'stop', 'limit.study'], options());
    expect(await going.ended).toBe(0);
  });

  test('survives a full disk: it says so, and with room again goes on', { timeout: 240_000 }, async (context) => {
    const place = inFolder('room.study');
    await mkdir(place);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', place], { stdio: 'pipe' });
    } catch {
      return context.skip('no file system can be mounted here');
    }
    try {
      await study('room', 400);
      const full = await braggbench(['study', 'run', 'room.json', ...SMALL, '--json'], options());
      expect(full.code).toBe(1);
      const there = (await results('room')).length;
      expect(there).toBeLessThan(400);
      execFileSync('mount', ['-o', 'remount,size=32m', place], { stdio: 'pipe' });
      expect(full.stderr + full.stdout).toMatch(/no space left|Its task ended/);
      expect(await run('resume', 'room.study', [...SMALL, '--retry'])).toMatchObject({ code: 0, failed: 0, left: 0 });
      expect((await results('room')).filter((file) => !file.includes('.failed'))).toHaveLength(400);
      // Every result is whole.
      const { stdout } = await braggbench(['study', 'collect', 'room.study', '--json'], options());
      expect(JSON.parse(stdout)).toMatchObject({ missing: 0, damaged: [] });
    } finally {
      for (const job of slurm.call('squeue', '-h', '-o', '%A').split('\n')) if (job !== '') slurm.call('scancel', job);
      execFileSync('umount', ['-l', place]);
    }
  });

  test('says what sbatch refuses, and leaves no job', { timeout: 60_000 }, async () => {
    await study('refused', 3);
    const { code, stderr } = await braggbench(
      ['study', 'run', 'refused.json', ...SMALL, '--sbatch', '--partition=nowhere'],
      options(),
    );
    expect([code, stderr]).toEqual([1, expect.stringMatching(/sbatch: .*invalid partition/)]);
    expect(await readFile(inFolder('refused.study', 'slurm', tags('refused')[0] ?? '', 'over'), 'utf8')).toBe('');
  });
});

test.skipIf(noSlurm !== null)('without Slurm on the path it is said so', async () => {
  await study('nowhere', 1);
  const environment = { ...environmentWith(inFolder('home')), PATH: inFolder() };
  const { code, stderr } = await braggbench(['study', 'run', 'nowhere.json', '--on', 'slurm'], {
    cwd: folder,
    environment,
  });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/There is no Slurm here/)]);
});
