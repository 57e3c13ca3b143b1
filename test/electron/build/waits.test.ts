/** Arguments of the benches, and rows with a bound. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { gpuTargets, readSessions, targetLines } from '../../../electron/build/bench/targets.mjs';
import { waitsArguments } from '../../../electron/build/bench/waits.mjs';
import { atLeast, atMost, median } from '../../bench/waits/row.ts';
import { rowsOfGpu } from '../../bench/waits/wanted.ts';

it('takes what is for the waits out of the arguments, and leaves the rest for the command line', () => {
  expect(waitsArguments(['--waits', '--only', 'live,beams'])).toEqual({
    ...{ own: ['--only', 'live,beams'], others: [], alone: true },
  });
  const { own, others, alone } = waitsArguments(['water-70MeV', '--smatrix', '/checkout', '--variants', 'depth']);
  expect([own, others, alone]).toEqual([['--smatrix', '/checkout'], ['water-70MeV', '--variants', 'depth'], false]);
});

it('holds times from above and rates from below, and says how far the bound is', () => {
  const ms = (value: number): string => `${value} ms`;
  expect(atMost({ what: 'run', limit: 7, text: ms }, 6, 4)).toEqual({
    ...{ what: 'run', wanted: '≤ 7 ms', measured: '6 ms', met: true, bound: '4 ms', ratio: '1.50×' },
  });
  expect(atLeast({ what: 'beams', limit: 10, text: String }, 8, 16)).toMatchObject({ met: false, ratio: '2.00×' });
  expect(atMost({ what: 'run', limit: 7, text: ms }, null, 4)).toMatchObject({
    measured: null,
    met: null,
    ratio: null,
  });
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
});

it('prints bound and ratio beside what is measured, where there are any', () => {
  const lines = targetLines([
    { what: 'a', wanted: '≤ 1', measured: '2', met: false, bound: '0.5', ratio: '4.00×' },
    { what: 'long name', wanted: '≥ 10', measured: null, met: null },
  ]);
  expect(lines).toEqual(['a          ≤ 1              2  missed  bound 0.5  4.00×', 'long name  ≥ 10  not measured']);
});

it('names what a GPU alone can give, what is wanted of it, and the command that measures it', () => {
  expect(rowsOfGpu().map(({ what, wanted }) => `${what}: ${wanted}`)).toEqual([
    'warm whole run, 65 to 74 MeV, cuda-window, another energy each time: ≤ 7.00 ms',
    'warm whole run, 65 to 74 MeV, cuda-depth, another energy each time: ≤ 4.00 ms',
    'npx braggbench run water-70MeV, cuda-depth, from shell to answer: ≤ 0.700 s',
    'first run of water-70MeV, cuda-window, empty caches, without nvcc: ≤ 5.00 s',
    'first run of water-70MeV, cuda-window, empty caches, kernels compiled by nvcc: ≤ 5.00 s',
    '1,024 beams of 60 to 80 MeV, cuda-window, set-up and read-back included: ≥ 800 beams/s',
    'the same by cuda-window in a process that has solved some: ≥ 800 beams/s',
    '1,024 beams of 60 to 80 MeV, cuda-depth, set-up and read-back included: ≥ 3000 beams/s',
    'the same by cuda-depth in a process that has solved some: ≥ 3000 beams/s',
    'image 4096², whole warm run, FP32: ≤ 12.0 ms',
    'image 4096², whole warm run, FP64: ≤ 12.0 ms',
    'the image in FP32 over FP64: ≤ 1.00×',
    'Live on a GPU, water-70MeV, answers drawn while dragging: ≥ 30.0 answers/s',
  ]);
  for (const line of targetLines(rowsOfGpu())) expect(line).toMatch(/needs a GPU: npm run bench -- gpu --waits$/);
});

it('shows the dense step of the recorded session as a share of a copy', () => {
  const sessions = readSessions(path.resolve(import.meta.dirname, '../../../assets/runs'));
  const step = gpuTargets(sessions).find(({ what }) => what.startsWith('dense-36M, a step'));
  expect(step?.ratio).toMatch(/^\d+ % of copy$/);
  expect(step?.bound).toMatch(/ms, copy$/);
});
