/**
 * Studies on a Slurm of this machine: job arrays, and their failures. The files of a study are its only state, even if
 * a process is killed.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { scratchFolder } from '../../scratch-folder.ts';
import { noSlurm, type OneNodeSlurm, startSlurm } from '../../sshd.ts';
import { unless } from '../../unless.ts';
import { braggbench, entry, environmentWith } from './command.ts';

const folder = scratchFolder('slurm');
/** Far longer than a test needs, even on a busy machine. */
const MAX_MS = 400_000;
const SOME_RESULTS = 10;
const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);
let slurm: OneNodeSlurm;

const options = () => ({ cwd: folder, environment: { ...environmentWith(inFolder('home')), ...slurm.environment } });

async function writeStudy(name: string, count: number, minutes?: number): Promise<void> {
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

/** All points in one task. Otherwise the number of points per task depends on the time of a point on this machine. */
const SLURM_FLAGS = ['--on', 'slurm', '--task-minutes', '10000'];
const ONE_POINT_PER_TASK = ['--on', 'slurm', '--task-minutes', '0.000001'];

const outcomeSchema = z.looseObject({ before: z.number(), done: z.number(), failed: z.number(), left: z.number() });
async function run(what: string, name: string, words: readonly string[] = SLURM_FLAGS) {
  const { code, stdout, stderr } = await braggbench(['study', what, name, ...words, '--json'], options());
  expect(stdout, stderr).not.toBe('');
  return { code, stderr, ...outcomeSchema.parse(JSON.parse(stdout)) };
}

const children = new Set<ChildProcess>();
function startCommand(what: string, name: string, words: readonly string[] = SLURM_FLAGS) {
  const { cwd, environment } = options();
  const child = spawn(process.execPath, [entry, 'study', what, name, ...words], {
    ...{ cwd, env: environment, stdio: ['ignore', 'ignore', 'pipe'] },
  });
  children.add(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  return { child, said: () => said, ended: new Promise<number | null>((resolve) => child.on('close', resolve)) };
}

async function resultFiles(name: string): Promise<readonly string[]> {
  const all = await readdir(inFolder(`${name}.study`, 'results'), { recursive: true }).catch(() => []);
  return all.filter((file) => /[0-9a-f]{16}(\.failed)?\.json$/.test(file));
}

async function waitUntil(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + MAX_MS / 2; Date.now() < end; await sleep(50)) if (await holds()) return;
  throw new Error(`no ${what} within ${MAX_MS / 2000} s`);
}

const someResults = (name: string): Promise<void> =>
  waitUntil('result', async () => (await resultFiles(name)).length > SOME_RESULTS);

const tags = (name: string): readonly string[] => {
  try {
    return readdirSync(inFolder(`${name}.study`, 'slurm'));
  } catch {
    return [];
  }
};
const notesOf = (name: string): readonly string[] =>
  tags(name).flatMap((tag) => {
    try {
      return [readFileSync(inFolder(`${name}.study`, 'slurm', tag, 'job'), 'utf8')];
    } catch {
      return [];
    }
  });

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly words: string;
}

function allProcesses(): readonly Process[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, words = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), words }];
  });
}

/** Stops the task's processes, so that signals sent meanwhile do not race with the end of the task. */
function pauseTask(name: string): { goOn(): void; kill(): void } {
  const all = allProcesses();
  const tasks = all.filter(({ words }) => words.includes(' study task ') && words.includes(inFolder(`${name}.study`)));
  expect(tasks.length).toBeGreaterThan(0);
  // Only the slurmstepd above this task: others may belong to another Slurm.
  const above = ({ parent }: Process): readonly Process[] => {
    const found = all.find(({ pid }) => pid === parent);
    return found === undefined ? [] : [found, ...above(found)];
  };
  const watchers = tasks.flatMap(above).filter(({ words }) => words.startsWith('slurmstepd: ['));
  expect(watchers.length).toBeGreaterThan(0);
  const send = (to: readonly Process[], signal: NodeJS.Signals): void => {
    for (const { pid } of to) process.kill(pid, signal);
  };
  send(tasks, 'SIGSTOP');
  return { goOn: () => send(tasks, 'SIGCONT'), kill: () => send([...watchers, ...tasks], 'SIGKILL') };
}

/** Jobs and array tasks that Slurm lists. */
const jobs = (): readonly string[] =>
  slurm
    .call('squeue', '-h', '-o', '%i')
    .split('\n')
    .filter((job) => job !== '');

if (noSlurm !== null) process.stdout.write(`Studies on Slurm are not tested: ${noSlurm}.\n`);

describe('a study on Slurm', { timeout: MAX_MS, ...unless(noSlurm) }, () => {
  beforeAll(async () => {
    await mkdir(inFolder('cluster'), { recursive: true });
    slurm = await startSlurm(inFolder('cluster'), 6);
  }, MAX_MS);
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await slurm.stop();
  }, MAX_MS);

  test('is submitted as job arrays within the limits of the cluster, and every row names its job and task', async () => {
    await writeStudy('arrays', 14);
    expect(await run('run', 'arrays.json')).toMatchObject({ code: 0, done: 14, failed: 0, left: 0 });
    expect(tags('arrays')).toHaveLength(1);
    const [first = ''] = await resultFiles('arrays');
    for (const file of await resultFiles('arrays'))
      if (file !== first) await rm(inFolder('arrays.study', 'results', file));
    const again = await run('resume', 'arrays.study', [...ONE_POINT_PER_TASK, '--at-once', '2']);
    expect(again).toMatchObject({ code: 0, done: 13, failed: 0, left: 0 });
    // Three job arrays of at most six tasks (the cluster's limit) contain one task for each point; one job existed
    // before.
    expect(tags('arrays')).toHaveLength(1 + 3);
    const { stdout } = await braggbench(['study', 'collect', 'arrays.study', '--json'], options());
    const { columns, rows } = z
      .looseObject({ columns: z.array(z.looseObject({ name: z.string() })), rows: z.array(z.array(z.unknown())) })
      .parse(JSON.parse(stdout));
    const at = columns.findIndex(({ name }) => name === 'job');
    expect(rows.every((row) => /^\d+_\d+$/.test(String(row[at])))).toBe(true);
    await waitUntil('end of its jobs', () => jobs().length === 0);
  });

  test('submits nothing twice if its process dies before a job is recorded', async () => {
    await writeStudy('crash', 40);
    // The job is on hold until the next process has found it.
    const first = startCommand('run', 'crash.json', [...SLURM_FLAGS, '--sbatch', '--hold']);
    await waitUntil('job', () => notesOf('crash').length > 0);
    first.child.kill('SIGKILL');
    await first.ended;
    const [job = ''] = notesOf('crash');
    const [tag = '', ...more] = tags('crash');
    expect(more).toEqual([]);
    await rm(inFolder('crash.study', 'slurm', tag, 'job'));
    const second = startCommand('resume', 'crash.study');
    await waitUntil('job', () => notesOf('crash').length > 0);
    expect(notesOf('crash')).toEqual([job]);
    slurm.call('scontrol', 'release', job);
    expect(await second.ended, second.said()).toBe(0);
    expect(await resultFiles('crash')).toHaveLength(40);
    expect(tags('crash')).toEqual([tag]);
    // A single attempt did all points, so none was in two jobs.
    expect(await readdir(inFolder('crash.study', 'slurm', tag, 'attempts'))).toEqual(['0-0.json']);
  });

  test('survives if slurmctld and slurmd are killed while it runs', async () => {
    await writeStudy('daemons', 400);
    const going = startCommand('run', 'daemons.json');
    await someResults('daemons');
    const task = pauseTask('daemons');
    expect((await resultFiles('daemons')).length).toBeLessThan(400);
    slurm.kill('slurmctld');
    slurm.kill('slurmd');
    task.goOn();
    await sleep(3000);
    slurm.start('slurmctld');
    slurm.start('slurmd');
    expect(await going.ended, going.said()).toBe(0);
    expect(await resultFiles('daemons')).toHaveLength(400);
  });

  test('gives up a task that Slurm lists as running although its processes are dead', async () => {
    await writeStudy('silent', 400);
    // The limit of 20 s is long enough that a task which has just started on a busy machine does not count as silent.
    const going = startCommand('run', 'silent.json', [...SLURM_FLAGS, '--silent', '20']);
    await someResults('silent');
    const task = pauseTask('silent');
    expect((await resultFiles('silent')).length).toBeLessThan(400);
    task.kill();
    expect(await going.ended, going.said()).toBe(0);
    expect(await resultFiles('silent')).toHaveLength(400);
    const { stdout } = await braggbench(['study', 'status', 'silent.study'], options());
    expect(stdout).toMatch(/task \d+_\d+ on .*: \d+ done, then ended without a report \(/);
  });

  test('cancels its jobs when it is stopped', async () => {
    await writeStudy('stopped', 4000);
    const others = new Set(jobs()); // Slurm lists a job as running although its processes are dead
    const going = startCommand('run', 'stopped.json');
    await someResults('stopped');
    // Two processes are stopped: the one that watches the study, and the task that solves points.
    expect((await braggbench(['study', 'stop', 'stopped.study'], options())).stdout).toMatch(
      /^Requested a stop of [2-9]/,
    );
    expect(await going.ended, going.said()).toBe(0);
    await waitUntil('end of its jobs', () => jobs().every((job) => others.has(job)));
    expect((await resultFiles('stopped')).length).toBeLessThan(4000);
  });

  test('tries a crashing task three times, and reports at each point how it ended', async () => {
    await writeStudy('dying', 3);
    // The preload file does not exist, so that Node fails when it starts.
    const dies = ['--sbatch', '--export=NODE_OPTIONS=--require=/nowhere.cjs'];
    expect(await run('run', 'dying.json', [...SLURM_FLAGS, ...dies])).toMatchObject({
      code: 1,
      done: 0,
      failed: 3,
      left: 0,
    });
    const { stdout } = await braggbench(['study', 'status', 'dying.study'], options());
    expect(
      stdout.match(/failed [0-9a-f]{16}: Its task ended 3 times without a result.*FAILED, exit \d+:\d/g),
    ).toHaveLength(3);
    // Without the variable that makes them crash, the same points can be solved.
    expect(await run('resume', 'dying.study', [...SLURM_FLAGS, '--retry'])).toMatchObject({
      code: 0,
      done: 3,
      left: 0,
    });
  });

  test('resubmits the points of vanished jobs on resume, without counting them as failed attempts', async () => {
    await writeStudy('gone', 3);
    expect(await run('run', 'gone.json')).toMatchObject({ code: 0, done: 3, left: 0 });
    // Imitates a third attempt whose process died before it noticed that the disk was full.
    const [tag = ''] = tags('gone');
    const submission = inFolder('gone.study', 'slurm', tag, 'submission');
    await writeFile(submission, JSON.stringify({ ...JSON.parse(await readFile(submission, 'utf8')), attempt: 3 }));
    await rm(inFolder('gone.study', 'slurm', tag, 'over'));
    for (const file of await resultFiles('gone')) await rm(inFolder('gone.study', 'results', file));
    expect(await run('resume', 'gone.study')).toMatchObject({ code: 0, done: 3, failed: 0, left: 0 });
  });

  test('ends before its time limit with the solved points, and is requeued for the rest', async () => {
    await writeStudy('limit', 4000);
    const going = startCommand('run', 'limit.json', [...SLURM_FLAGS, '--warning', '50', '--sbatch', '--time=60']);
    await someResults('limit');
    const [job = ''] = notesOf('limit');
    // Slurm sends its warning up to a minute early, and not within the first minute; the test sends the signal at once.
    slurm.call('scancel', '--batch', '--signal=USR1', `${job}_0`);
    const [tag = ''] = tags('limit');
    const attempt = async (): Promise<{ readonly end: string | null; readonly done: number }> =>
      JSON.parse(await readFile(inFolder('limit.study', 'slurm', tag, 'attempts', '0-0.json'), 'utf8'));
    await waitUntil('attempt that ended', async () => (await attempt()).end !== null);
    const { end, done } = await attempt();
    expect(end).toBe('stopped from outside');
    expect(done).toBeGreaterThan(0);
    expect((await resultFiles('limit')).length).toBeGreaterThanOrEqual(done);
    // The same task is requeued and waits.
    await waitUntil('requeued task', () => /PENDING BeginTime/.test(slurm.call('squeue', '-h', '-r', '-o', '%T %r')));
    await braggbench(['study', 'stop', 'limit.study'], options());
    expect(await going.ended, going.said()).toBe(0);
  });

  test('reports a full disk, and resumes once there is free space', async (context) => {
    const place = inFolder('room.study');
    await mkdir(place);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', place], { stdio: 'pipe' });
    } catch {
      return context.skip('no file system can be mounted here');
    }
    // Unmounts even if the test runs out of time.
    context.onTestFinished(() => void execFileSync('umount', ['-l', place]));
    // Each result needs a disk block, and there are more results than free blocks, whichever process writes first.
    await writeStudy('room', 100);
    const full = await braggbench(['study', 'run', 'room.json', ...SLURM_FLAGS, '--json'], options());
    expect(full.code).toBe(1);
    expect(full.stderr + full.stdout).toMatch(/no space left|Its task ended/);
    expect((await resultFiles('room')).length).toBeLessThan(100);
    execFileSync('mount', ['-o', 'remount,size=32m', place], { stdio: 'pipe' });
    expect(await run('resume', 'room.study', [...SLURM_FLAGS, '--retry'])).toMatchObject({
      code: 0,
      failed: 0,
      left: 0,
    });
    expect((await resultFiles('room')).filter((file) => !file.includes('.failed'))).toHaveLength(100);
    // Every result is complete.
    const { stdout } = await braggbench(['study', 'collect', 'room.study', '--json'], options());
    expect(JSON.parse(stdout)).toMatchObject({ missing: 0, damaged: [] });
  });

  test('reports an error of sbatch, and leaves no job behind', async () => {
    await writeStudy('refused', 3);
    const { code, stderr } = await braggbench(
      ['study', 'run', 'refused.json', ...SLURM_FLAGS, '--sbatch', '--partition=nowhere'],
      options(),
    );
    expect([code, stderr]).toEqual([2, expect.stringMatching(/sbatch: .*invalid partition/)]);
    expect(await readFile(inFolder('refused.study', 'slurm', tags('refused')[0] ?? '', 'over'), 'utf8')).toBe('');
  });
});

test('a study reports if Slurm is not on the path', unless(noSlurm), async () => {
  await writeStudy('nowhere', 1);
  const environment = { ...environmentWith(inFolder('home')), PATH: inFolder() };
  const { code, stderr } = await braggbench(['study', 'run', 'nowhere.json', '--on', 'slurm'], {
    cwd: folder,
    environment,
  });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/Slurm is not available here/)]);
});
