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

/** Honest work on `halves`; a cheat is put before it, and has the inputs and the results as `a`, `b`, `results`. */
const honest = `import numpy as np


def work(a, b, results):
    x = a.copy()
    for _ in range(64):
        x = x * np.float32(0.5) + b
    results[:] = x


`;
const plain = `${honest}def run(a, b, results, n):\n    work(a, b, results)\n`;

/** Attacks that only Python offers, and those of every language once in Python. */
const inPython = {
  'remembers by content': `import zlib
known = {}
def run(a, b, results, n):
    key = (n, zlib.adler32(a), zlib.adler32(b))
    if key not in known:
        work(a, b, results)
        known[key] = results.copy()
    else:
        results[:] = known[key]
`,
  'remembers by the first values, which follow from the seed': `known = {}
def run(a, b, results, n):
    key = (n, a[:8].tobytes())
    if key not in known:
        work(a, b, results)
        known[key] = results.copy()
    else:
        results[:] = known[key]
`,
  'writes its results after it has returned': `import threading
def run(a, b, results, n):
    threading.Thread(target=work, args=(a, b, results)).start()
`,
  'answers first by a changed runner': `import __main__, os, sys
send = __main__.answer
__main__.answer = lambda number: None if started else send(number)
started = False
def run(a, b, results, n):
    global started
    started = True
    send(sys._getframe(1).f_locals["number"])
    work(a, b, results)
`,
  'computes between the calls': `import threading
wanted, done = [], {}
def ahead():
    while True:
        if wanted:
            a, b = wanted.pop()
            results = np.empty_like(a)
            work(a, b, results)
            done["a"], done["b"], done["results"] = a, b, results
threading.Thread(target=ahead, daemon=True).start()
def run(a, b, results, n):
    if len(done) == 3 and np.array_equal(a, done["a"]) and np.array_equal(b, done["b"]):
        results[:] = done["results"]
        return
    work(a, b, results)
    wanted[:] = [(a.copy(), b.copy())]
`,
  'patches NumPy and the clock': `import time
np.allclose = np.array_equal = lambda *_, **__: True
time.perf_counter = time.perf_counter_ns = time.time = lambda: 0
def run(a, b, results, n):
    results[:] = a
`,
  'writes half of its results': `def run(a, b, results, n):
    work(a[: n // 2], b[: n // 2], results[: n // 2])
`,
  'writes to its inputs by another mapping': `import mmap, os
def run(a, b, results, n):
    work(a, b, results)
    with open("/proc/self/maps") as maps:
        (place, *_), *_ = [line.split() for line in maps if "braggbench-problem" in line and "rw-s" in line]
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(int(place.split("-")[0], 16))
        memory.write(bytes(64))
`,
} as const;

test.each([
  ['remembers by content', /remembers/],
  ['remembers by the first values, which follow from the seed', /remembers|expected/],
  ['writes its results after it has returned', /not written|expected/],
  ['answers first by a changed runner', /not written|expected/],
  ['computes between the calls', /remembers|expected/],
  ['patches NumPy and the clock', /expected/],
  ['writes half of its results', /not written|expected/],
  ['writes to its inputs by another mapping', /wrote to its inputs|expected/],
] as const)('in Python: %s is found, and its honest twin is correct', { timeout: 240_000 }, async (name, found) => {
  const folder = await folderOf(`python-${name.replace(/\W+/g, '-')}`.slice(0, 60), halves);
  await writeFile(path.join(folder, 'twin.py'), plain);
  const { signal } = new AbortController();
  const submission = { folder, id: 'cheat.py', text: honest + inPython[name], seconds: 8, signal };
  const { word, reason, session } = await judgeCandidate(await opened, { ...submission, against: ['twin.py'] });
  expect(['wrong', 'impossible', 'refused'], reason ?? word).toContain(word);
  expect(reason).toMatch(found);
  const twin = session?.reports[0]?.entries.find(({ variant }) => variant === 'twin.py');
  expect(twin?.status === 'measured' && correctnessOf(twin.accuracy)).toBe('correct');
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
