/** `braggbench study clusters`, and studies that are given to one of them. ssh is played by a program of its name. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newCluster } from '../../../electron/contract/study/clusters.ts';
import type { Client } from '../../../renderer/client/index.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { standInSsh } from '../../stand-in-ssh.ts';
import { tinyScenario } from '../host/small-run.ts';
import { openTestHost, type TestHost } from '../host/test-host.ts';
import { braggbenchHere, type Ended, environmentWith } from './command.ts';

const folder = scratchFolder('study-clusters');
let test_: TestHost;
let page: Client;
const call = (...words: readonly string[]): Promise<Ended> => {
  const PATH = `${standInSsh(path.join(folder, 'bin'))}${path.delimiter}${process.env['PATH']}`;
  return braggbenchHere(['study', ...words], { cwd: folder, environment: environmentWith(test_.folder, { PATH }) });
};

beforeAll(async () => {
  test_ = await openTestHost();
  page = await test_.page();
  const axes = [{ kind: 'list', path: 'beam.energy_MeV', values: [20, 25] }];
  const study = { kind: 'study', version: 1, base: [{ scenario: tinyScenario }], axes };
  await writeFile(path.join(folder, 'two.json'), JSON.stringify(study));
  await writeFile(
    path.join(folder, 'search.json'),
    JSON.stringify({
      ...{ kind: 'study', version: 1, axes: [{ kind: 'tunables', variants: ['cpu-blocks'] }] },
      ...{ base: [{ scenario: { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 64, n: 64, k: 64 } } }] },
      search: { strategy: 'random' },
    }),
  );
});
afterAll(() => test_.close());

test('page and command line describe the same clusters, and neither loses what the other added', async () => {
  expect(await call('clusters')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No cluster is described/) });
  const words = ['--host', 'away', '--modules', 'cuda/13.0 gcc', '--sbatch', '--partition=cpu', '--cores', '4'];
  expect(await call('clusters', 'add', 'far', ...words)).toMatchObject({ code: 0 });
  const far = {
    ...newCluster,
    ...{ name: 'far', host: 'away', modules: ['cuda/13.0', 'gcc'], sbatch: '--partition=cpu', cores: 4 },
  };
  expect(await page.call('study.clusters', {})).toEqual({ clusters: [far] });
  const near = { ...newCluster, name: 'near' };
  await page.call('study.keepClusters', { clusters: [far, near] });
  expect(JSON.parse((await call('clusters', 'list', '--json')).stdout)).toEqual({ clusters: [far, near] });
  expect((await call('clusters')).stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
    ['name', 'login host'],
    ['far', 'away'],
    ['near', 'this machine'],
    [''],
  ]);
  const again = await call('clusters', 'add', 'far', '--host', 'login');
  expect(again.code).not.toBe(0);
  expect(again.stderr).toContain('There is a cluster far already. Choose another name, or replace it with --force.');
  expect(await call('clusters', 'add', 'far', '--host', 'login', '--force')).toMatchObject({ code: 0 });
  expect((await page.call('study.clusters', {})).clusters.map(({ host }) => host)).toEqual(['login', '']);
  expect(await call('clusters', 'remove', 'near')).toMatchObject({ code: 0 });
  expect((await page.call('study.clusters', {})).clusters.map(({ name }) => name)).toEqual(['far']);
});

test.each([
  [['clusters', 'remove', 'nowhere'], 'There is no cluster nowhere; known: far.'],
  [['clusters', 'try', 'nowhere'], 'There is no cluster nowhere; known: far.'],
  [['run', 'two.json', '--on', 'nowhere'], 'There is no cluster nowhere; known: far.'],
  [['clusters', 'add', 'slurm'], 'slurm means sbatch of this machine; choose another name'],
  [['clusters', 'add', 'x', '--host', '-oProxyCommand=x'], 'The login host is not what ssh takes for a host'],
  [['clusters', 'add', 'x', '--cores', 'many'], 'Cores: must be a whole number from 1 to 1024'],
  [['clusters', 'add'], 'study clusters add needs the name of a cluster'],
  [['clusters', 'drop', 'far'], '"drop" is not known; allowed: list, add, remove, try'],
  [['run'], 'study run needs a study'],
  [['run', 'two.json', '--on', 'far', '--silent', '9'], '--silent goes with --on slurm alone, not with --on far'],
  [['run', 'search.json', '--on', 'far'], 'A search measures on one machine: far has no part in it.'],
])('study %j says what is wrong', async (words, says) => {
  const { code, stderr } = await call(...words);
  expect(code).not.toBe(0);
  expect(stderr).toContain(says);
});

test('a cluster that does not answer is one sentence, and the study goes on here', async () => {
  expect(await call('clusters', 'add', 'gone', '--host', 'away')).toMatchObject({ code: 0 });
  const says = 'gone: ssh away failed: ssh: connect to host away port 22: Connection timed out.';
  expect((await call('clusters', 'try', 'gone')).stderr).toContain(says);
  expect((await call('run', 'two.json', '--on', 'gone')).stderr).toContain(says);
  expect((await call('status', 'two.json')).stdout).toContain('given to the cluster gone');
  expect(await call('resume', 'two.json')).toMatchObject({ code: 0 });
  expect((await call('status', 'two.json')).stdout).not.toContain('gone');
});
