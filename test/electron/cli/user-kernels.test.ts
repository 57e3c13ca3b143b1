/** User kernels on the command line, as the README shows it. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { cacheWithUserKernels, sameScratchFolder } from '../../scratch-folder.ts';
import { braggbenchHere, type Ended, environmentWith } from './command.ts';

const root = join(import.meta.dirname, '../../..');
const small = {
  kind: 'transport',
  version: 1,
  name: 'Small',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 10, depth_mm: 10 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, energy: { kind: 'range', step_mm: 0.5 } },
  solver: { step_mm: 0.5 },
};
const folder = sameScratchFolder('user-kernels-typed');
const cache = cacheWithUserKernels(folder);

beforeAll(async () => {
  await writeFile(join(folder, 'small.json'), JSON.stringify(small));
  await copyFile(join(root, 'kernels/transport/cpu/gather.cpp'), join(folder, 'my.cpp'));
  // The handbook's own example.
  const page = await readFile(join(root, 'assets/handbook/user-kernels.md'), 'utf8');
  const [, json = ''] = /```json\n(\{ "kind": "variant"[^`]*)```/.exec(page) ?? [];
  await writeFile(join(folder, 'my.json'), json);
});

function run(...words: readonly string[]): Promise<Ended> {
  // The kernels compute little, and compiling them is most of the time.
  const more = { BRAGGBENCH_CACHE: cache, CXXFLAGS: '-O0' };
  return braggbenchHere(words, { cwd: folder, environment: environmentWith(join(folder, 'home'), more) });
}

test('runs after the user has said that they trust it, and says whether it is right', async () => {
  const refused = await run('run', 'small.json', '--variant', './my.cpp');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /my\.cpp takes the place of kernels\/transport\/cpu\/gather\.cpp in gather\. .*--trust/,
  );
  const trusted = await run('run', 'small.json', '--variant', './my.cpp', '--trust');
  expect(trusted.stderr).toBe('');
  expect(trusted.stdout).toMatch(/^my\.cpp, fp32/m);
  expect(trusted.stdout).toMatch(/Dose error +ok +Relative L2 difference of the dose from the FP64 reference/);
  expect(trusted.stdout).toContain('The user kernel is correct on this scenario.');
  expect(trusted.code).toBe(0);
  // A scenario names it too, and the trust is remembered.
  await writeFile(
    join(folder, 'named.json'),
    JSON.stringify({ ...small, solver: { ...small.solver, variant: 'my.cpp' } }),
  );
  const named = await run('run', 'named.json', '--json');
  expect(named.stderr).toBe('');
  expect(JSON.parse(named.stdout)).toMatchObject({ checks: { right: true, bitwise: true } });
});

test('is listed in its folder', async () => {
  const { stdout, stderr } = await run('variants');
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^my\.cpp +cpu .*gather +Blocks of rows as large as the first cache/m);
});

test('is benchmarked beside ours', async () => {
  const { stdout, code } = await run(
    'bench',
    'small.json',
    '--variants',
    'gather,./my.cpp',
    '--trust',
    ...['--rounds', '3', '--processes', '1', '--json'],
  );
  expect(code).toBe(0);
  const { entries } = JSON.parse(stdout) as { entries: { label: string; status: string; title: string }[] };
  expect(entries.map(({ label, status, title }) => [label, status, title])).toEqual([
    ['gather', 'measured', 'Gather'],
    ['my.cpp', 'measured', 'My gather'],
  ]);
});

test('a wrong one is said to be wrong, one that does not compile where', async () => {
  const text = await readFile(join(folder, 'my.cpp'), 'utf8');
  const wrong = text.replace('    sum_ = {};\n', '    sum_ = {};\n    for (T& p : state_.psi) p *= T(1.001);\n');
  await writeFile(join(folder, 'my.cpp'), wrong);
  expect((await run('run', 'small.json', '--variant', './my.cpp')).stderr).toContain('--trust');
  const ended = await run('run', 'small.json', '--variant', './my.cpp', '--trust');
  expect(ended.stdout).toContain('The user kernel is WRONG on this scenario.');
  expect(ended.code).toBe(1);
  await writeFile(join(folder, 'my.cpp'), `oops\n${text}`);
  const broken = await run('run', 'small.json', '--variant', './my.cpp', '--trust');
  expect(broken.stderr).toMatch(/^error my\.cpp:1:1: /);
  expect(broken.code).toBe(2);
});
