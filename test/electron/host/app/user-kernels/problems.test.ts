/** User problems through the interface for agents: the source of one candidate is built, checked and measured. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Judgement,
  judgeCandidate,
  listProblems,
  type ProblemParts,
  readProblem,
} from '../../../../../electron/host/app/user-kernels/problems.ts';
import { UserKernels } from '../../../../../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon, variantOptionsOf } from '../../../../../electron/host/io/addon/addon.ts';
import { forkChild } from '../../../../../electron/host/io/processes/link.ts';
import { kernelFolders } from '../../../../../electron/host/model/bench/machine.ts';
import { readConstants } from '../../../../../electron/host/model/tuning/constants.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { openScenarios } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { isMemoryDoubtful } from '../../../../cheats/cheats.ts';
import { cacheWithUserKernels, fixedScratchFolder } from '../../../../scratch-folder.ts';
import { assetsFolder, memoryLimit_bytes } from '../../small-run.ts';

const scratch = fixedScratchFolder('problems');
const cache = cacheWithUserKernels(scratch);
const userKernels = new UserKernels({
  addon: loadAddon(),
  folders: { ...kernelFolders(), cache },
  isTrusted: () => false,
  startChild: forkChild,
});
afterAll(() => userKernels.close());

const scenarioParts: Promise<ProblemParts> = openScenarios({
  assetsFolder,
  rangeTable: userKernels.addon.rangeTable,
  variants: (kind) => hostWorkloads[kind].variants(userKernels.addon),
  workloads: hostWorkloads,
  extraStraggling: () => Promise.resolve(null),
  offers: variantOptionsOf(userKernels.addon),
  memoryLimit_bytes,
}).then((scenarios) => ({ scenarios, userKernels, assetsFolder }));

const problems = path.join(assetsFolder, 'problems');
const softmax = path.join(problems, 'softmax-rows');
/** A copy of the problem with fewer rows, because its Python reference is called for every seed and size. */
const smallProblem = path.join(scratch, 'softmax-rows');

beforeAll(async () => {
  await cp(softmax, smallProblem, { recursive: true });
  const document = path.join(smallProblem, 'problem.json');
  await writeFile(document, (await readFile(document, 'utf8')).replace('"rows": 1024', '"rows": 64'));
});

async function judgeKernel(id: string, text?: string) {
  const source = text ?? (await readFile(path.join(smallProblem, id), 'utf8'));
  const signal = new AbortController().signal;
  return judgeCandidate(await scenarioParts, { folder: smallProblem, id, text: source, seconds: 2, signal });
}

/**
 * Expects a correct result. On a busy machine the kernel may also be *not checked*, if it could not be ruled out that
 * it remembers results.
 */
function expectCorrect(judgement: Pick<Judgement, 'word' | 'reason'>): void {
  const { word, reason } = judgement;
  if (!isMemoryDoubtful(judgement)) expect({ word, reason }).toEqual({ word: 'correct', reason: null });
}

test('the host lists the folders with a problem, and reads a problem with its signature', async () => {
  expect(await listProblems(problems)).toContain(softmax);
  const { scenarios } = await scenarioParts;
  expect(await readProblem({ scenarios }, softmax)).toMatchObject({
    name: 'softmax-rows',
    sizes: { rows: 1024, columns: 1000 },
    signature: 'void run(const float* x, float* y, int rows, int columns)',
    candidates: ['three-passes.cpp', 'online.cpp', 'numpy.py', 'overflow.cpp'],
  });
});

test('a correct candidate is correct at every tested size', async () => {
  const judgement = await judgeKernel('online.cpp');
  expectCorrect(judgement);
  const facts = judgement.session?.reports[0]?.facts.map(([, text]) => text).join(' ') ?? '';
  expect(facts).toContain('rows = 1, columns = 33');
  expect(facts).toContain('alternating');
  const { audits_s = 0, all_s = 0 } = judgement.session?.reports[0]?.audits ?? {};
  expect([audits_s > 0, all_s > audits_s]).toEqual([true, true]);
  expect(facts).toContain(`${audits_s.toPrecision(2)} s, ${((100 * audits_s) / all_s).toFixed(1)} % of the time`);
  expect(facts).toMatch(/[1-9]\d* with some inputs changed/);
});

test('a candidate that overflows is wrong, with the first value beyond its tolerance', async () => {
  const { word, reason } = await judgeKernel('overflow.cpp');
  expect(word).toBe('wrong');
  expect(reason).toMatch(/y\[\d+, \d+\] is (-?nan|inf|0), expected \S+; \d+ of \d+ values are wrong/);
});

test('a submission that does not compile is rejected at its line', async () => {
  const { word, issues } = await judgeKernel('mine.cpp', '#include <cmath>\nvoid run(const float* x) { y = x; }\n');
  expect(word).toBe('refused');
  expect(issues[0]).toMatchObject({ file: 'mine.cpp', line: 2 });
});

test('a submission with different parameters is rejected', { tags: 'slow' }, async () => {
  const { word, reason } = await judgeKernel('mine.cpp', 'void run(float* x, float* y, int rows) {}\n');
  expect(word).toBe('refused');
  expect(reason).toMatch(/no matching function|too many arguments|could not convert|invalid conversion/);
});

test('a submission must not replace the engine', { tags: 'slow' }, async () => {
  const text = `#include "engine/task.hpp"
namespace bb::user_problem { engine::TaskBench bench() { return {}; } }
void run(const float*, float*, int, int) {}
`;
  const { word, reason } = await judgeKernel('mine.cpp', text);
  expect(word).toBe('refused');
  expect(reason).toMatch(/bb::user_problem::bench.*which a kernel must not replace/);
});

test('a Python candidate is judged like a C++ one: correct at every size, and wrong if it omits the maximum', {
  tags: 'slow',
}, async () => {
  const judgement = await judgeKernel('numpy.py');
  expectCorrect(judgement);
  expect(judgement.session?.reports[0]?.facts.map(([, text]) => text).join(' ')).toContain('rows = 1, columns = 33');
  const text = await readFile(path.join(softmax, 'numpy.py'), 'utf8');
  const naive = await judgeKernel(
    'mine.py',
    text.replace('np.subtract(x, x.max(axis=1, keepdims=True), out=y)', 'y[:] = x'),
  );
  expect(naive.word).toBe('wrong');
  expect(naive.reason).toMatch(/y\[\d+, \d+\] is (-?nan|0), expected/);
});

test.each([
  ['def run(x, y, rows, columns):\n    y[: = x\n', 2, /invalid syntax/],
  ['def run(x, y):\n    pass\n', 1, /run has 2 parameters; allowed: x, y, rows, columns/],
  ['def softmax(x, y, rows, columns):\n    pass\n', null, /no function run/],
])('a Python submission that cannot run is rejected at its line: %s', async (text, line, says) => {
  const { word, reason, issues } = await judgeKernel('mine.py', text);
  expect(word).toBe('refused');
  expect(reason).toMatch(says);
  expect(issues[0]).toMatchObject({ file: 'mine.py', line });
});

test.each([
  ['    raise ValueError("no")', /mine\.py:2: ValueError: no/],
  ['    return x', /run returned a value; allowed: None/],
  ['    x[0, 0] = 0', /mine\.py:2: ValueError: assignment destination is read-only/],
  ['    import os; os._exit(3)', /its Python process has ended/],
  ['    import os; os.write(5, b"12345678")', /its Python process wrote to the engine's pipe/],
])('an error in a Python candidate is shown in its row: %s', async (body, says) => {
  const { word, reason } = await judgeKernel('mine.py', `def run(x, y, rows, columns):\n${body}\n`);
  expect(word).toBe('refused');
  expect(reason).toMatch(says);
});

test('candidate and reference read the input from a file, and a problem with only file inputs is rejected', async () => {
  const folder = path.join(scratch, 'from-file');
  await mkdir(folder, { recursive: true });
  const input = (name: string, values: object) => ({ name, role: 'input', type: 'fp32', shape: ['n'], values });
  const weights = input('w', { kind: 'file', path: 'w.bin' });
  const document = {
    ...{ kind: 'user-problem', version: 1, name: 'from-file', problem: { n: 3 }, axes: [{ name: 'n' }] },
    arrays: [
      weights,
      input('x', { kind: 'uniform', min: -1, max: 1 }),
      { name: 'y', role: 'output', type: 'fp32', shape: ['n'], tolerance: { relative: 1e-6 } },
    ],
    reference: 'reference.mjs',
  };
  const save = (changed: object) => writeFile(path.join(folder, 'problem.json'), JSON.stringify(changed));
  await save(document);
  await writeFile(path.join(folder, 'w.bin'), Float32Array.of(2, 3, 5));
  await writeFile(
    path.join(folder, 'reference.mjs'),
    'export const reference = (w, x) => x.map((a, i) => a * w[i]);\n',
  );
  const signal = new AbortController().signal;
  const text = (factors: string) =>
    `void run(const float* w, const float* x, float* y, int n) { const float f[] = {${factors}}; for (int i = 0; i < n; ++i) y[i] = x[i] * f[i]; }\n`;
  const submit = async (source: string) =>
    judgeCandidate(await scenarioParts, { folder, id: 'c.cpp', text: source, seconds: 1, signal });
  expectCorrect(await submit(text('w[0], w[1], w[2]')));
  // This result shows that the reference has the values of the file too.
  expect(await submit(text('2, 3, 4'))).toMatchObject({ word: 'wrong', reason: expect.stringContaining('y[2] is') });
  await save({ ...document, arrays: [weights, ...document.arrays.slice(2)] });
  await expect(submit(text('2, 3, 5'))).rejects.toThrow(
    /could cache the results; allowed: at least one input with random values/,
  );
});

test('a configuration of a CUDA candidate has its own launches and their constants', async () => {
  const folder = path.join(scratch, 'tuned');
  await mkdir(folder, { recursive: true });
  const launches = [{ kernel: 'softmax', grid: ['ceil(rows / kThreads)'], block: ['kThreads'] }];
  const candidate = { file: 'rows.cu', launches, tunables: [{ name: 'kThreads', values: [64, 128] }] };
  const document: unknown = JSON.parse(await readFile(path.join(softmax, 'problem.json'), 'utf8'));
  await writeFile(path.join(folder, 'problem.json'), JSON.stringify({ ...Object(document), candidates: [candidate] }));
  await writeFile(path.join(folder, 'reference.py'), await readFile(path.join(softmax, 'reference.py'), 'utf8'));
  await writeFile(path.join(folder, 'rows.cu'), 'constexpr int kThreads = 64;\n');
  const kernel = await userKernels.open(path.join(folder, 'rows.cu'));
  const id = 'rows.cu[kThreads=128]';
  await userKernels.openFromFolders([folder], id, { workload: kernel.base.workload, bench: kernel.base.bench });
  const tuned = userKernels.find(id);
  if (tuned === null) throw new Error(`${id} is not known`);
  expect(tuned.candidate?.launches).toEqual(kernel.candidate?.launches);
  expect(readConstants(tuned.expandedText, tuned.candidate?.constants ?? [], tuned.id)).toEqual({ kThreads: 128 });
});
