/**
 * `braggbench study plan`: points, their cost, and points that cannot run, without writing a file. `braggbench study
 * clusters`, and studies submitted to a cluster through a fake ssh. Studies of more than a day need confirmation,
 * either because any machine needs that long or because the forecast for this one says so.
 */
import { cpSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { throwIfTooLong } from '../../../electron/cli/studies/run.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';
import { newCluster } from '../../../electron/contract/study/clusters.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { writeFakeSsh } from '../../sshd.ts';
import { tinyScenario } from '../host/small-run.ts';
import { openTestHost, type TestHost } from '../host/test-host.ts';
import { braggbenchInProcess, type CommandResult, environmentWith } from './command.ts';

describe('study clusters', () => {
  const folder = scratchFolder('study-clusters');
  let test_: TestHost;
  let page: Client;
  const call = (...words: readonly string[]): Promise<CommandResult> => {
    const PATH = `${writeFakeSsh(path.join(folder, 'bin'))}${path.delimiter}${process.env['PATH']}`;
    return braggbenchInProcess(['study', ...words], {
      cwd: folder,
      environment: environmentWith(test_.folder, { PATH }),
    });
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

  test('the page and the command line list the same clusters, and neither loses entries added by the other', async () => {
    expect(await call('clusters')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No cluster is configured/),
    });
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
    expect(again.stderr).toContain(
      'A cluster named far already exists. Choose another name, or overwrite it with --force.',
    );
    expect(await call('clusters', 'add', 'far', '--host', 'login', '--force')).toMatchObject({ code: 0 });
    expect((await page.call('study.clusters', {})).clusters.map(({ host }) => host)).toEqual(['login', '']);
    expect(await call('clusters', 'remove', 'near')).toMatchObject({ code: 0 });
    expect((await page.call('study.clusters', {})).clusters.map(({ name }) => name)).toEqual(['far']);
  });

  test.each([
    [['clusters', 'remove', 'nowhere'], 'The cluster nowhere does not exist; known: far.'],
    [['clusters', 'try', 'nowhere'], 'The cluster nowhere does not exist; known: far.'],
    [['run', 'two.json', '--on', 'nowhere'], 'The cluster nowhere does not exist; known: far.'],
    [['clusters', 'add', 'slurm'], 'slurm means sbatch on this machine; choose another name'],
    [['clusters', 'add', 'x', '--host', '-oProxyCommand=x'], 'The login host is not a valid ssh host'],
    [['clusters', 'add', 'x', '--cores', 'many'], 'Cores: must be a whole number from 1 to 1024'],
    [['clusters', 'add'], 'study clusters add needs the name of a cluster'],
    [['clusters', 'drop', 'far'], '"drop" is not known; allowed: list, add, remove, try'],
    [['run'], 'study run needs a study'],
    [
      ['run', 'two.json', '--on', 'far', '--silent', '9'],
      '--silent can only be used with --on slurm, not with --on far',
    ],
    [['run', 'search.json', '--on', 'far'], 'A tuning search runs on one machine, so far cannot be used.'],
  ])('study %j reports the error', async (words, says) => {
    const { code, stderr } = await call(...words);
    expect(code).not.toBe(0);
    expect(stderr).toContain(says);
  });

  test('a cluster that does not answer is reported in one sentence, and the study continues locally', async () => {
    expect(await call('clusters', 'add', 'gone', '--host', 'away')).toMatchObject({ code: 0 });
    const says = 'gone: ssh away failed: ssh: connect to host away port 22: Connection timed out.';
    expect((await call('clusters', 'try', 'gone')).stderr).toContain(says);
    expect((await call('run', 'two.json', '--on', 'gone')).stderr).toContain(says);
    expect((await call('status', 'two.json')).stdout).toContain('sent to the cluster gone');
    expect(await call('resume', 'two.json')).toMatchObject({ code: 0 });
    expect((await call('status', 'two.json')).stdout).not.toContain('gone');
  });
});

describe('a study of many days', () => {
  const DAY_S = 24 * 3600;
  const silent = { isTTY: false, write: () => undefined };
  const terminal = new Terminal(silent, silent, {});
  const begun = (least_s: number | null, here_s: number | null, budget = {}) => ({
    ...{ folder: { folder: 'a.study', head: { least_s, points: 100 } }, here_s, budget },
  });

  test.each([
    [begun(400 * DAY_S, null), 100, 'a.study: the 100 points need at least 1.1 years in sequence.'],
    [begun(3600, 3 * DAY_S), 100, 'a.study: the 100 points need about 3.0 days on this machine.'],
    [begun(null, 3 * DAY_S), 50, 'a.study: the 50 points need about 1.5 days on this machine.'],
  ])('is rejected with %j', async (study, left, says) => {
    await expect(throwIfTooLong({ terminal }, study, left)).rejects.toThrow(`${says} Start anyway with --yes`);
  });

  test.each([
    [begun(3600, null), 100],
    [begun(3600, 3 * DAY_S), 10],
    [begun(400 * DAY_S, null, { minutes: 5 }), 100],
  ])('starts with %j', async (study, left) => {
    await expect(throwIfTooLong({ terminal }, study, left)).resolves.toBeUndefined();
  });
});

describe('braggbench study', () => {
  const folder = scratchFolder('study');
  const inFolder = (name: string): string => path.join(folder, name);
  const call = (...words: readonly string[]): Promise<CommandResult> =>
    braggbenchInProcess(['study', ...words], { cwd: folder, environment: environmentWith(inFolder('home')) });

  const small = {
    kind: 'transport',
    version: 1,
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 40, theta_max_mrad: 320 },
    solver: { stepping: 'depth', variant: 'depth', threads: 1 },
  };

  beforeAll(async () => {
    await writeFile(inFolder('small.json'), JSON.stringify({ ...small, beam: {} }));
    await writeFile(
      inFolder('energies.yaml'),
      `kind: study
version: 1
name: Energies
base:
  - file: small.json
axes:
  - { kind: range, path: beam.energy_MeV, from: 30, to: 60, count: 4 }
  - { kind: list, path: solver.precision, values: [fp32, fp64] }
conditions:
  - beam.energy_MeV < 60 || solver.precision == "fp64"
`,
    );
    await writeFile(
      inFolder('far.yaml'),
      'kind: study\nversion: 1\nbase: [{ file: small.json }]\naxes:\n  - { kind: list, path: beam.energy_MeV, values: [40, 4000] }\n',
    );
    await writeFile(
      inFolder('bad.yaml'),
      'kind: study\nversion: 1\nbase: [{ file: small.json }]\naxes:\n  - { kind: rnage }\n',
    );
  });

  const planSchema = z.looseObject({
    state_bytes: z.number().positive(),
    least_s: z.number().positive(),
    combinations: z.number(),
    forecast: z.looseObject({ expected_s: z.number().positive(), machine: z.string(), isLeast: z.literal(false) }),
    points: z.array(z.looseObject({ id: z.string(), settings: z.record(z.string(), z.unknown()) })),
  });

  test('reports the points, memory and minimum time of a study whose axes complete its base scenario', async () => {
    const { code, stdout } = await call('plan', 'energies.yaml', '--json');
    expect(code).toBe(0);
    const plan = planSchema.parse(JSON.parse(stdout));
    expect([plan.points.length, plan.combinations]).toEqual([7, 8]);
    expect(plan.points[6]?.settings).toEqual({ 'beam.energy_MeV': 60, 'solver.precision': 'fp64' });
    const told = await call('plan', 'energies.yaml');
    expect(told.stdout).toMatch(
      /^Energies\n7 points of 8 combinations \(1 excluded by conditions\)\nMemory per point: up to /,
    );
    expect(told.stdout).toMatch(/Time: at least .* in sequence/);
    expect(told.stdout).toMatch(
      /On .* \(.*\d+ cores?\): about .*, (\d+ points|one point) at a time, up to .*, estimated from (one|[2-4]) trial points?/,
    );
  });

  test('names a point that cannot run, with the reason', async () => {
    const { code, stdout } = await call('plan', 'far.yaml');
    expect(code).toBe(2);
    expect(stdout).toMatch(/cannot be run [0-9a-f]{16} \(beam\.energy_MeV = 4000\): .*too large; allowed/);
  });

  test('names problem sizes that exceed an axis limit or a constraint, and states what is allowed', async () => {
    cpSync(path.resolve('assets/problems/softmax-rows'), path.join(folder, 'softmax'), { recursive: true });
    const axes = [{ kind: 'list', path: 'problem.columns', values: [0, 1_048_577, 1.5, 300_000] }];
    const study = { kind: 'study', version: 1, base: [{ file: 'softmax' }], axes };
    await writeFile(path.join(folder, 'sizes.json'), JSON.stringify(study));
    const { code, stdout } = await call('plan', 'sizes.json');
    expect(code).toBe(2);
    expect(
      [...stdout.matchAll(/^cannot be run [0-9a-f]{16} \((.*?)\): (.*)$/gm)].map(([, at, why]) => [at, why]),
    ).toEqual([
      ['problem.columns = 0', 'problem.columns: 0 is not a size of this axis; allowed: 1 to 1048576'],
      ['problem.columns = 1048577', 'problem.columns: 1048577 is not a size of this axis; allowed: 1 to 1048576'],
      ['problem.columns = 1.5', expect.stringContaining('1.5 is not a whole number')],
      ['problem.columns = 300000', expect.stringContaining('does not hold at rows = 1024, columns = 300000')],
    ]);
    await writeFile(
      path.join(folder, 'sizes.json'),
      JSON.stringify({ ...study, axes: [{ kind: 'list', path: 'problem.depth', values: [1] }] }),
    );
    expect((await call('plan', 'sizes.json')).stdout).toContain('is not the name of an axis; allowed: rows, columns');
  });

  test('reports errors of the file at their lines, and prints nothing else', async () => {
    const { code, stdout, stderr } = await call('plan', 'bad.yaml');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/bad\.yaml:5:\d+: axes\[0\]\.kind: "rnage" is not known \(did you mean range\?\)/);
    expect((await call('plan', 'nowhere.yaml')).stderr).toMatch(/nowhere\.yaml: there is no such file/);
    expect((await call('paln', 'bad.yaml')).stderr).toMatch(/"paln" is not known; allowed: plan/);
  });
});
