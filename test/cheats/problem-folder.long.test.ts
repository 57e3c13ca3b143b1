/** Cheats as candidates of a problem folder, each in one session with its honest twin: the same audits find them there. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { correctnessOf, reasonOf } from '../../electron/contract/bench/session.ts';
import { judgeCandidate, type ProblemParts } from '../../electron/host/app/user-kernels/problems.ts';
import { UserKernels } from '../../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon, offersOf } from '../../electron/host/io/addon/addon.ts';
import { forkChild } from '../../electron/host/io/processes/link.ts';
import { kernelFolders } from '../../electron/host/model/bench/ceilings.ts';
import { hostWorkloads } from '../../electron/host/workloads/index.ts';
import { openScenarios } from '../../electron/host/workloads/scenarios/index.ts';
import { assetsFolder, memoryLimit_bytes } from '../electron/host/small-run.ts';
import { sameScratchFolder } from '../scratch-folder.ts';

const scratch = sameScratchFolder('problem-cheats');
const cache = path.join(scratch, 'cache');
process.env['BRAGGBENCH_CHEATS_CACHE'] = cache;
const userKernels = new UserKernels({
  addon: loadAddon(),
  folders: { ...kernelFolders(), cache },
  isTrusted: () => false,
  startChild: forkChild,
});
afterAll(() => userKernels.close());

const opened: Promise<ProblemParts> = openScenarios({
  assetsFolder,
  rangeTable: userKernels.addon.rangeTable,
  variants: (kind) => hostWorkloads[kind].variants(userKernels.addon),
  workloads: hostWorkloads,
  extraStraggling: () => Promise.resolve(null),
  offers: offersOf(userKernels.addon),
  memoryLimit_bytes,
}).then((scenarios) => ({ scenarios, userKernels, assetsFolder }));

interface Shape {
  readonly n: number;
  readonly count: number | 'n';
  readonly reference: string;
}

const adds: Shape = { n: 65_536, count: 'n', reference: 'a.map((x, i) => x + b[i])' };
const sums: Shape = { n: 20_000, count: 1, reference: 'Float64Array.of(a.reduce((sum, x) => sum + x * x, 0))' };
const halves: Shape = {
  n: 20_000,
  count: 'n',
  reference: 'a.map((x, i) => { for (let k = 0; k < 64; k += 1) x = x * 0.5 + b[i]; return x; })',
};

const input = (name: string) => ({
  ...{ name, role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'uniform', min: -1, max: 1 } },
});

/** The files of a problem of two vectors, and the kernel with what calls it as `run`. */
async function folderOf(id: string, { n, count, reference }: Shape): Promise<string> {
  const folder = path.join(scratch, id);
  await mkdir(folder, { recursive: true });
  const document = {
    ...{ kind: 'user-problem', version: 1, name: id, problem: { n }, axes: [{ name: 'n', try: [1, 1021, 4097] }] },
    arrays: [
      ...[input('a'), input('b')],
      { name: 'results', role: 'output', type: 'fp32', shape: [count], tolerance: { relative: 1e-5, absolute: 1e-6 } },
    ],
    reference: 'reference.mjs',
  };
  await writeFile(path.join(folder, 'problem.json'), JSON.stringify(document));
  await writeFile(path.join(folder, 'reference.mjs'), `export const reference = (a, b) => ${reference};\n`);
  return folder;
}

async function textOf(id: string, { count }: Shape, cheats: boolean): Promise<string> {
  const kernel = await readFile(path.join(import.meta.dirname, 'kernels', `${id}.cpp`), 'utf8');
  const run = `void run(const float* a, const float* b, float* results, int n) {
  in_parallel(${count}, [=](std::size_t first, std::size_t last) {
    bb::micro::own::compute(a, b, results, n, first, last);
  });
}
`;
  const plain = kernel.replace('#include "own_compute.hpp"', '#include <cstddef>');
  return `${cheats ? '#define CHEAT 1\n' : ''}${plain}${run}`;
}

test.each([
  ['half-of-the-work', adds, /not written|expected/],
  ['only-the-ends', adds, /results\[\d+\] is 0, expected/],
  ['leaves-the-tail', adds, /not written|expected/],
  ['overwrites-its-inputs', adds, /wrote to its inputs/],
  ['constant-for-the-seed', sums, /expected/],
  ['reads-the-answer', sums, /expected|remembers/],
  ['skips-a-standing-result', sums, /not written|remembers/],
  ['remembers-by-content', halves, /remembers/],
  ['replaces-the-clock', adds, /steady_clock::now.*not a kernel's to replace/],
] as const)('%s is found, and its honest twin is correct', { timeout: 240_000 }, async (id, shape, found) => {
  const folder = await folderOf(id, shape);
  await writeFile(path.join(folder, 'twin.cpp'), await textOf(id, shape, false));
  const { signal } = new AbortController();
  const submission = { folder, id: 'cheat.cpp', text: await textOf(id, shape, true), seconds: 8, signal };
  const { word, reason, session } = await judgeCandidate(await opened, { ...submission, against: ['twin.cpp'] });
  expect(['wrong', 'impossible', 'refused'], reason ?? word).toContain(word);
  expect(reason).toMatch(found);
  const twin = session?.reports[0]?.entries.find(({ variant }) => variant === 'twin.cpp');
  if (twin?.status === 'measured') expect(correctnessOf(twin.accuracy)).toBe('correct');
  else expect(session).toBeNull();
});

test.each([
  ['layer-norm', ['two-passes.cpp', 'welford.cpp'], 'sum-of-squares.cpp', /y\[\d+, \d+\] is/],
  [
    'matrix-inverse',
    ['partial-pivot.cpp', 'rows-by-pointer.cpp'],
    'float-reciprocal.cpp',
    /inverse\[\d+, \d+, \d+\] is/,
  ],
  ['heat-step', ['copy.cpp', 'two-rows.cpp'], 'in-place.cpp', /u\[\d+, \d+\] is/],
  ['segment-sum', ['one-thread.cpp', 'by-segments.cpp'], 'race.cpp', /sums\[\d+\] is/],
])(
  '%s: two candidates are correct, and the third is wrong',
  { timeout: 240_000 },
  async (name, correct, wrong, found) => {
    const folder = path.join(assetsFolder, 'problems', name);
    const text = await readFile(path.join(folder, wrong), 'utf8');
    const { signal } = new AbortController();
    const submission = { folder, id: wrong, text, against: correct, seconds: 6, signal };
    const { word, reason, session } = await judgeCandidate(await opened, submission);
    expect(word, reason ?? '').toBe('wrong');
    expect(reason).toMatch(found);
    const entries = session?.reports[0]?.entries ?? [];
    const words = entries.map((one) =>
      one.status === 'measured' ? (reasonOf(one.accuracy) ?? 'correct') : one.reason,
    );
    expect(words.slice(0, 2)).toEqual(['correct', 'correct']);
  },
);
