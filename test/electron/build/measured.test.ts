/** Targets that were met or missed are saved with machine, load and day, and read back. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { keepTargets, readTargets } from '../../../electron/build/bench/measured.ts';
import { scratchFolder } from '../../scratch-folder.ts';

const root = scratchFolder('measured');
const rows = [
  { what: 'a run', wanted: '≤ 0.5 s', measured: '0.61 s', met: false, bound: '0.30 s', ratio: '2.03×' },
  { what: 'on a GPU', wanted: '≤ 7 ms', measured: null, met: null, needs: 'a GPU: npm run bench -- gpu' },
];

test('rows are kept with machine, load and day; what was missed or not measured stays in them', async () => {
  const file = await keepTargets(root, 'cpu', { command: 'npm run bench -- cpu', load: 0.126, rows });
  expect(path.relative(root, file)).toBe(path.join('assets', 'measured', 'cpu.json'));
  const kept = readTargets(root, 'cpu');
  expect(kept).toMatchObject({
    command: 'npm run bench -- cpu',
    commit: null,
    machine: { load: 0.13, node: process.version },
  });
  expect(kept.machine.cores).toBeGreaterThan(0);
  expect(Date.parse(kept.created)).not.toBeNaN();
  expect(kept.rows).toEqual([
    { ...rows[0], needs: null },
    { ...rows[1], bound: null, ratio: null },
  ]);
});

test('the commit of a checkout is named', async () => {
  const commit = 'c'.repeat(40);
  await mkdir(path.join(root, '.git'), { recursive: true });
  await writeFile(path.join(root, '.git', 'HEAD'), `${commit}\n`);
  await keepTargets(root, 'start', { command: 'npm run bench -- start', load: 0, rows: [] });
  expect(readTargets(root, 'start').commit).toBe(commit);
});

test('a file of another form is refused', async () => {
  const file = await keepTargets(root, 'maps', { command: 'npm run bench -- maps', load: 0, rows: [] });
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"format_version": 1', '"format_version": 2'));
  expect(() => readTargets(root, 'maps')).toThrow(/format_version/);
});
