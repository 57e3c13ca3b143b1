/**
 * The files of a study are its only state, even if a process is killed or the disk is full: `braggbench study run`,
 * `resume`, `stop`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { asRoot, onLinux } from '../../unless.ts';
import {
  braggbench,
  call,
  energies,
  entry,
  inFolder,
  options,
  resultFiles,
  runStudyCommand,
  smallScenario,
  studyTable,
  useStudies,
  writeStudy,
} from './command.ts';

useStudies();

/** Waits for at least `count` results, while the process lives. */
async function waitForResults(name: string, count: number): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(20)) {
    if ((await resultFiles(name)).length >= count) return;
  }
  throw new Error(`${name} has no ${count} results after a minute`);
}

const childrenOf = (pid: number): readonly number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [] : [Number(line)]));

function startStudy(...words: readonly string[]) {
  const { cwd, environment } = options();
  const child = spawn(process.execPath, [entry, 'study', ...words], { cwd, env: environment, stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, pid: child.pid ?? 0, ended };
}

describe('a study whose processes are killed', onLinux, () => {
  test('loses only the points being solved, whichever process is killed', async () => {
    await writeStudy('killed.json', energies(200));
    const whole = startStudy('run', 'killed.json');
    await waitForResults('killed.study', 20);
    whole.child.kill('SIGKILL');
    await whole.ended;
    const there = await resultFiles('killed.study');
    expect(there.length).toBeLessThan(200);
    // The worker has ended with its parent, and every existing file is complete.
    await sleep(500);
    const later = await resultFiles('killed.study');
    expect(later.length - there.length).toBeLessThan(10);
    const again = startStudy('resume', 'killed.study');
    await waitForResults('killed.study', later.length + 20);
    // A worker process is killed too: another one solves its points.
    for (const worker of childrenOf(again.pid)) process.kill(worker, 'SIGKILL');
    expect(await again.ended).toBe(0);
    expect(await resultFiles('killed.study')).toHaveLength(200);
    expect(await studyTable('killed.json')).toMatchObject({ missing: 0, damaged: [] });
    const left = await readdir(inFolder('killed.study', 'results'), { recursive: true });
    expect(left.filter((file) => file.endsWith('.tmp')).length).toBeLessThan(10);
  });

  test('ends its running points when it is stopped by Ctrl+C or by braggbench study stop', async () => {
    // Each point needs far longer than the complete test.
    const long = { ...smallScenario, beam: { energy_MeV: 150 }, grid: { dx_mm: 0.2, dz_mm: 0.1, dtheta_mrad: 2 } };
    await writeFile(inFolder('long.json'), JSON.stringify(long));
    await writeStudy('long-study.json', energies(4, 150), { base: [{ file: 'long.json' }] });
    const interrupted = startStudy('run', 'long-study.json', '--yes');
    await waitForHeartbeat('long-study.study');
    interrupted.child.kill('SIGINT');
    expect(await interrupted.ended).toBe(130);
    const second = startStudy('resume', 'long-study.study', '--yes');
    await waitForHeartbeat('long-study.study');
    expect((await call('run', 'long-study.study', '--yes')).stderr).toMatch(/is being run by another process/);
    expect((await call('stop', 'long-study.study')).stdout).toMatch(/Requested a stop of 1/);
    expect(await second.ended).toBe(0);
    expect(await resultFiles('long-study.study')).toEqual([]);
  });
});

async function waitForHeartbeat(name: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50)) {
    const beats = await readdir(inFolder(name, 'running')).catch(() => []);
    // A heartbeat file shows that the worker has begun too.
    if (beats.some((file) => file.endsWith('.json'))) return void (await sleep(700));
  }
  throw new Error(`nobody works on ${name}`);
}

function isMounted(place: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', place], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

describe('a study on a full disk', asRoot, () => {
  test('ends with that reason, and resumes once there is free space', async (context) => {
    const place = inFolder('full');
    await mkdir(place);
    if (!isMounted(place)) return context.skip('no file system can be mounted here');
    try {
      await writeStudy('room.json', energies(80), { measures: ['readouts', 'curves'] });
      const full = await braggbench(['study', 'run', 'room.json', '--out', place], options());
      expect([full.code, full.stderr]).toEqual([1, expect.stringMatching(/no space left/)]);
      const there = (await resultFiles('full')).length;
      expect(there).toBeGreaterThan(0);
      expect(there).toBeLessThan(80);
      execFileSync('mount', ['-o', 'remount,size=8m', place], { stdio: 'pipe' });
      expect(await runStudyCommand('resume', place)).toMatchObject({
        code: 0,
        before: there,
        done: 80 - there,
        failed: 0,
      });
    } finally {
      execFileSync('umount', ['-l', place]);
    }
  });
});
