/** The order and the expected times of `npm run bench -- gpu`, from synthetic sessions. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  byImportance,
  expectedOf,
  isDone,
  planLines,
  stateOf,
  wordsOf,
} from '../../../electron/build/bench/gpu-plan.mjs';
import { GPU_SESSIONS } from '../../../electron/build/bench/gpu-sessions.mjs';
import { scratchFolder } from '../../scratch-folder.ts';

const folder = scratchFolder('gpu-plan');
const planned = (file: string, ...words: readonly string[]) => ({ file, words: ['bench', 'a', ...words] });
const keep = (file: string, ...reports: readonly object[]): void => {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), JSON.stringify({ reports }));
};

const layer = planned('linear-relu/layer.json', '--rounds', '21', '--time', '20');
const beam = planned('h200-water.json', '--rounds', '21', '--time', '20');
const image = planned('diffraction/h200-cubic.json', '--rounds', '21', '--time', '20');
const never = planned('micro/sweep-scan.json', '--sweep', 'problem.n=1,2,3', '--rounds', '12', '--time', '6');
const program = { commit: 'c0ffee' };
keep(layer.file, { rounds: 7, elapsed_s: 3.5 });
keep(beam.file, { rounds: 7, elapsed_s: 35, judged: {}, program });
keep('diffraction/h100-cubic.json', { rounds: 10, elapsed_s: 1 });

test('what was never recorded comes first, then what has no instances; beams before images before layers', () => {
  expect([layer, beam, image, never].map((one) => stateOf(folder, one))).toEqual([
    ...['without-instances', 'recorded', 'without-instances', 'unrecorded'],
  ]);
  expect(byImportance(folder, [beam, layer, image, never])).toEqual([never, image, layer, beam]);
});

test('a session takes as long as its rounds took, to its limit, and at most its limits where none is kept', () => {
  const start = expectedOf(folder, layer).seconds - 10.5;
  expect(start).toBeGreaterThan(0);
  expect(expectedOf(folder, image).seconds - start).toBeCloseTo(2.1, 6);
  expect(expectedOf(folder, beam).seconds - start).toBeCloseTo(25, 6); // 20 s, and the round that is under way then
  expect(expectedOf(folder, never)).toEqual({ known: false, seconds: start + 18 });
  expect(planLines(folder, [never, layer]).at(-1)).toBe(
    `2 sessions, ${((2 * start + 28.5) / 60).toFixed(1)} minutes at most`,
  );
});

test('only what this commit recorded is left out of what goes on', () => {
  expect([beam, layer, never].map((one) => isDone(folder, one, 'c0ffee'))).toEqual([true, false, false]);
  expect(isDone(folder, beam, 'decade')).toBe(false);
  expect(isDone(folder, beam, null)).toBe(false);
});

test('a program of the user is measured where claims are about it, and nowhere else', () => {
  const none = { nanobragg: null, 'smatrix-2d': null };
  const nanoBragg = { ...none, nanobragg: '/opt/nanoBragg' };
  const beside = GPU_SESSIONS.filter((one) => wordsOf(one, nanoBragg) !== one.words);
  expect(beside.map(({ file }) => file)).toEqual([
    'diffraction/h200-sweep-programs.json',
    'diffraction/h200-sweep-first-runs.json',
    'diffraction/h200-programs-1024.json',
  ]);
  for (const one of beside) {
    const words = wordsOf(one, nanoBragg);
    expect(words[words.indexOf('--external') + 1]).toMatch(/^torch-image,.*,nanobragg=\/opt\/nanoBragg$/);
    expect(wordsOf(one, none)).toBe(one.words);
  }
  const smatrix = { ...none, 'smatrix-2d': '/smatrix/run_simulation.py' };
  const [own, ...more] = GPU_SESSIONS.filter((one) => wordsOf(one, smatrix) !== one.words);
  expect([own?.file, more]).toEqual(['transport/h200-smatrix-uniform-grid-70MeV.json', []]);
  expect(own && wordsOf(own, smatrix)).toContain('cupy-array,smatrix-2d=/smatrix/run_simulation.py');
});

/** From the recording plan: twenty rounds in all, ten per point. A state is reused for up to three. */
test('every session asks for enough rounds to be judged', () => {
  for (const { file, words } of GPU_SESSIONS) {
    const rounds = Number(words[words.indexOf('--rounds') + 1]);
    expect(rounds, file).toBeGreaterThanOrEqual(words.includes('--sweep') ? 10 : 20);
    expect(words, file).toContain('--time');
  }
});
