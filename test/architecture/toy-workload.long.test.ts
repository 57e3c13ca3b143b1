/**
 * Adds a small workload to a copy of the sources, as the developer's guide describes, and counts the places to change.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root, sourceFiles } from './imports.ts';

const copy = path.join(root, 'dist/toy-workload');
const at = (file: string): string => path.join(copy, file);
const registry = 'electron/contract/scenario/kinds.ts';

const schema = `/** The scenario of the toy: a sum of numbers. */
import { z } from 'zod';
import { count } from '../common-fields.ts';
import { taskSchema } from '../task/workload.ts';

const problem = z.strictObject({ numbers: count({ title: 'Numbers', description: 'To add.', min: 1, max: 9 }) });
export const toySchema = taskSchema('toy', 'Toy', 'a sum of numbers', problem.meta({ title: 'Sum' }));
`;

const object = `/** The toy in the contract. */
import { taskWorkload } from '../task/workload.ts';
import { toySchema } from './index.ts';

export const toy = taskWorkload({
  kind: 'toy',
  title: 'Toy',
  schema: toySchema,
  standIns: [{ path: ['problem', 'numbers'], value: 1 }],
  fresh: { problem: { numbers: 3 } },
  sweepExample: 'problem.numbers=1,2,3',
});
`;

beforeAll(() => {
  rmSync(copy, { recursive: true, force: true });
  for (const folder of [
    'electron/contract',
    'electron/domain',
    'electron/host',
    'electron/cli',
    'electron/server',
    'electron/transports',
  ]) {
    cpSync(path.join(root, folder), at(folder), { recursive: true });
  }
  cpSync(path.join(root, 'renderer'), at('renderer'), { recursive: true });
  for (const name of ['assets', 'package.json']) symlinkSync(path.join(root, name), at(name));
  mkdirSync(at('electron/contract/scenario/toy'));
  writeFileSync(at('electron/contract/scenario/toy/index.ts'), schema);
  writeFileSync(at('electron/contract/scenario/toy/workload.ts'), object);
  const before = readFileSync(at(registry), 'utf8');
  const after = before
    .replace('import { micro }', "import { toy } from './toy/workload.ts';\nimport { micro }")
    .replace('  micro,\n] as const', '  micro,\n  toy,\n] as const');
  writeFileSync(at(registry), after);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

it('a new workload type-checks with one folder and one registry entry', () => {
  const lines = (file: string) => readFileSync(file, 'utf8').split('\n');
  const touched = sourceFiles(['{electron,renderer}/**/*.{ts,tsx}']).filter((file) => {
    if (file.startsWith('electron/build/') || /^electron\/(main|preload)\//.test(file)) return false;
    return readFileSync(path.join(root, file), 'utf8') !== readFileSync(at(file), 'utf8');
  });
  expect(touched).toEqual([registry]);
  const known = new Set(lines(path.join(root, registry)));
  // The registry needs two more lines: an import, and the workload's name in the list.
  expect(lines(at(registry)).filter((line) => !known.has(line))).toHaveLength(2);

  const options = JSON.parse(readFileSync(path.join(root, 'tsconfig.json'), 'utf8')) as { compilerOptions: object };
  writeFileSync(at('tsconfig.json'), JSON.stringify({ ...options, include: ['electron', 'renderer'] }));
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  // Throws with the compiler's messages.
  const kept = ['--incremental', '--tsBuildInfoFile', path.join(root, 'dist/.stamps/toy-types.tsbuildinfo')];
  execFileSync(process.execPath, [compiler, '--noEmit', '--checkers', '1', ...kept, '-p', copy], { encoding: 'utf8' });
});

it('scenarios, messages, exports and layouts recognise a new workload', async () => {
  const load = (file: string) => import(at(file));
  const { validateScenario, newDocument } = await load('electron/contract/scenario/index.ts');
  expect(validateScenario(newDocument('toy')).faults).toEqual([]);
  expect(validateScenario({ ...newDocument('toy'), problem: { numbers: 10 } }).faults).toHaveLength(1);
  const { progressDetailSchema } = await load('electron/contract/run.ts');
  const detail = { workload: 'toy', phase: 'rounds', what: 'plain', round: 2, rounds: 9 };
  expect(progressDetailSchema.parse(detail)).toEqual(detail);
  const { exportsOf } = await load('electron/contract/workload.ts');
  expect(exportsOf('toy').map(({ id }: { readonly id: string }) => id)).toEqual(['table', 'run']);
  const { pageWorkloads } = await load('renderer/workloads/index.ts');
  expect(pageWorkloads.toy.words(detail)).toEqual(['round 3', 'plain']);
  const { defaultLayouts } = await load('renderer/state/layout/defaults.ts');
  expect(JSON.stringify(defaultLayouts(pageWorkloads).toy.simulate.wide)).toContain('results');
});
