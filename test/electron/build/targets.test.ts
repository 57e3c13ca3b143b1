/** Targets are read from session files. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gpuImageTargets, imageTargets } from '../../../electron/build/bench/targets.mjs';

const runs = path.resolve(import.meta.dirname, '../../../assets/runs/diffraction');

test('ignores images that are wrong', () => {
  const image = (label: string, verdict: string, ns: number) => ({
    ...{ label, variant: label, verdict, status: 'measured', time_s: 1, accuracy: [{ id: 'bright', value: 1e-6 }] },
    quantities: [{ id: 'per_term', value: ns }],
  });
  const entries = [image('diffraction-fp64', 'reference', 31.4), image('diffraction-mixed', 'wrong', 12)];
  const sessions = new Map([['image-rotation-100-orientations', { reports: [{ entries }] }]]);
  expect(imageTargets(sessions)).toEqual([
    { what: 'lattice factor on one core, diffraction-fp64', wanted: '≤ 33 ns', measured: '31.4 ns', met: true },
    { what: 'lattice factor on one core, diffraction-mixed', wanted: '≤ 33 ns', measured: null, met: null },
  ]);
});

test('reads the fastest correct image of the recorded session', () => {
  const name = 'h200-simple-cubic-1024';
  const sessions = new Map([[name, JSON.parse(readFileSync(path.join(runs, `${name}.json`), 'utf8'))]]);
  const [time, error] = gpuImageTargets(sessions);
  expect(time?.measured).toMatch(/^\d+(\.\d+)? µs$/);
  expect(error?.measured).toMatch(/^\d\.\de-\d+$/);
});
