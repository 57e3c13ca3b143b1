/** Ten thousand points by both engines: on this machine, and on a local Slurm. Each point has exactly one result. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { noSlurm, startSlurm } from '../../sshd.ts';
import { unless } from '../../unless.ts';
import { WIDE_POINTS, wideBeams } from '../../wide-study.ts';
import { braggbench, environmentWith } from './command.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-study-sizes-'));
// The folder contains twenty thousand files.
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }), 600_000);
const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);

async function solveStudy(name: string, words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<void> {
  await writeFile(inFolder(`${name}.json`), JSON.stringify(wideBeams));
  const environment = environmentWith(inFolder('home'), more);
  const { code, stdout, stderr } = await braggbench(['study', 'run', `${name}.json`, '--json', ...words], {
    cwd: folder,
    environment,
  });
  expect(stdout, stderr).not.toBe('');
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ done: WIDE_POINTS, failed: 0, left: 0 })]);
  const files = await readdir(inFolder(`${name}.study`, 'results'), { recursive: true });
  expect(files.filter((file) => /[0-9a-f]{16}\.json$/.test(file))).toHaveLength(WIDE_POINTS);
}

test('a study solves ten thousand beams on this machine', { timeout: 900_000 }, () => solveStudy('here', []));

test('a study solves ten thousand beams on Slurm, in tasks of many points', {
  timeout: 900_000,
  ...unless(noSlurm),
}, async () => {
  await mkdir(inFolder('cluster'), { recursive: true });
  const slurm = await startSlurm(inFolder('cluster'), 1001);
  try {
    await solveStudy('there', ['--on', 'slurm', '--silent', '60'], slurm.environment);
    const tags = await readdir(inFolder('there.study', 'slurm'));
    const attempts = await Promise.all(
      tags.map((tag) => readdir(inFolder('there.study', 'slurm', tag, 'attempts')).catch(() => [])),
    );
    // Slurm starts some dozen tasks a second, so tasks of one point each would be too slow.
    expect(attempts.flat().length).toBeLessThan(WIDE_POINTS / 20);
  } finally {
    await slurm.stop();
  }
});
