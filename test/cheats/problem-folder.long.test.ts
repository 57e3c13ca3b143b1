/**
 * Candidates as agents submit them: cheats in Python, each in one session with its honest twin, and the shipped
 * problems.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { correctnessOf, correctnessReason } from '../../electron/contract/bench/session.ts';
import { USER_PROBLEM } from '../../electron/contract/scenario/user-problem/index.ts';
import {
  type Judgement,
  judgeCandidate,
  type ProblemParts,
  type Submission,
} from '../../electron/host/app/user-kernels/problems.ts';
import { UserKernels } from '../../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon, variantOptionsOf } from '../../electron/host/io/addon/addon.ts';
import { forkChild } from '../../electron/host/io/processes/link.ts';
import { kernelFolders } from '../../electron/host/model/bench/machine.ts';
import { hostWorkloads } from '../../electron/host/workloads/index.ts';
import { openScenarios } from '../../electron/host/workloads/scenarios/scenarios.ts';
import { assetsFolder, memoryLimit_bytes } from '../electron/host/small-run.ts';
import { fixedScratchFolder } from '../scratch-folder.ts';
import { DETECTED_VERDICTS, isMemoryDoubtful, shapes, writeProblem } from './cheats.ts';

const scratch = fixedScratchFolder('problem-cheats');
const cache = path.join(scratch, 'cache');
process.env['BRAGGBENCH_CHEATS_CACHE'] = cache;
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

/**
 * Judges a submission, repeatedly if necessary. On a busy machine a session may end without knowing whether the kernel
 * remembers results.
 */
async function judgeSubmission(submission: Omit<Submission, 'signal'>): Promise<Judgement> {
  const { signal } = new AbortController();
  for (let sessions = 1; ; sessions += 1) {
    const found = await judgeCandidate(await scenarioParts, { ...submission, signal });
    const entries = found.session?.reports[0]?.entries ?? [];
    const open = entries.some((one) => one.status === 'measured' && correctnessOf(one.accuracy) === 'not checked');
    if (!open || sessions === 3) return found;
  }
}

/** Honest work on `halves`. A cheat's code is put in front of it, and uses the arrays `a`, `b` and `results`. */
const honestSource = `import numpy as np


def work(a, b, results):
    x = a.copy()
    for _ in range(64):
        x = x * np.float32(0.5) + b
    results[:] = x


`;
const honestCandidate = `${honestSource}def run(a, b, results, n):\n    work(a, b, results)\n`;

/** Attacks that only Python offers, and those that work in every language. */
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
  ['remembers by the first values, which follow from the seed', /after some of the inputs changed/],
  ['writes its results after it has returned', /not written|expected/],
  ['answers first by a changed runner', /not written|expected/],
  ['computes between the calls', /remembers|expected|between its calls/],
  ['patches NumPy and the clock', /expected/],
  ['writes half of its results', /not written|expected/],
  ['writes to its inputs by another mapping', /wrote to its inputs|expected/],
] as const)(
  'Python: %s is detected, and its honest counterpart is correct',
  { timeout: 240_000 },
  async (name, found) => {
    const folder = path.join(scratch, `python-${name.replace(/\W+/g, '-')}`.slice(0, 60));
    await writeProblem(folder, { ...shapes.halves, name: path.basename(folder) });
    await writeFile(path.join(folder, 'twin.py'), honestCandidate);
    const submission = { folder, id: 'cheat.py', text: honestSource + inPython[name], seconds: 8 };
    const { word, reason, session } = await judgeSubmission({ ...submission, against: ['twin.py'] });
    const entries = session?.reports[0]?.entries ?? [];
    const [twin, cheat] = ['twin.py', 'cheat.py'].map((id) => entries.find(({ variant }) => variant === id));
    if (twin?.status !== 'measured') throw new Error('the twin was not measured');
    expect(correctnessOf(twin.accuracy)).toBe('correct');
    if (name === 'computes between the calls' && cheat?.status === 'measured' && !DETECTED_VERDICTS.includes(word)) {
      // On busy cores the cheat's thread is late. The verdict is then *not checked*, or the cheat is as slow as an
      // honest kernel.
      expect(isMemoryDoubtful({ word, reason }) || cheat.time_s > 0.9 * twin.time_s, `${word}: ${cheat.time_s} s`).toBe(
        true,
      );
      return;
    }
    expect(DETECTED_VERDICTS, reason ?? word).toContain(word);
    expect(reason).toMatch(found);
  },
);

test('processor time between calls includes processes started by a Python candidate', async () => {
  const folder = path.join(scratch, 'python-starts');
  await writeProblem(folder, { ...shapes.halves, name: path.basename(folder) });
  const busy = `import subprocess, sys\nsubprocess.Popen([sys.executable, "-c", "while True: pass"])\n`;
  const kernel = await userKernels.open(path.join(folder, 'busy.py'), busy + honestCandidate);
  userKernels.trustInProcess(kernel);
  await userKernels.prepare([kernel.id], { workload: USER_PROBLEM, bench: path.basename(folder) });
  const reading = await (await scenarioParts).scenarios.read(path.join(folder, 'problem.json'));
  if (reading.kind !== USER_PROBLEM || reading.problem === null) throw new Error(JSON.stringify(reading.issues));
  const task = userKernels.addon.createTask({ ...reading.problem(), variant: kernel.id });
  await task.prepare();
  let cpu_s = 0;
  // The calls themselves use no processor time between them, so that all of the measured time is that of the child
  // process.
  await expect
    .poll(async () => {
      cpu_s += (await task.sample({ mode: 'warm', at_least_s: 0 }))?.between?.cpu_s ?? 0;
      return cpu_s;
    })
    .toBeGreaterThan(0.2);
  await task.close();
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
  '%s: two candidates are judged correct and the third wrong',
  { timeout: 240_000 },
  async (name, correct, wrong, found) => {
    const folder = path.join(assetsFolder, 'problems', name);
    const text = await readFile(path.join(folder, wrong), 'utf8');
    const { word, reason, session } = await judgeSubmission({ folder, id: wrong, text, against: correct, seconds: 6 });
    expect(word, reason ?? '').toBe('wrong');
    expect(reason).toMatch(found);
    const entries = session?.reports[0]?.entries ?? [];
    const words = entries.map((one) =>
      one.status === 'measured' ? (correctnessReason(one.accuracy) ?? 'correct') : one.reason,
    );
    // Whether a twin was not accused. On a busy machine the twin may be *not checked*, which is no accusation.
    const isInnocent = (said: string): boolean => said === 'correct' || said.startsWith('It may remember results');
    expect(words.slice(0, 2).filter((said) => !isInnocent(said))).toEqual([]);
    expect(words).toHaveLength(3);
  },
);
