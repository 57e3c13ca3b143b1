/**
 * Results of reference implementations, computed by real interpreters and the installed C++ compiler from inputs of the
 * engine.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { validateScenario } from '../../../../../electron/contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../../../electron/contract/scenario/user-problem/index.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import type { TaskProblem } from '../../../../../electron/host/io/addon/task.ts';
import { ReferencePrograms } from '../../../../../electron/host/model/user-kernels/answer.ts';
import { problemValues } from '../../../../../electron/host/workloads/task/user-problem/definition.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { eventually } from '../../test-host.ts';

const folder = scratchFolder('answers');
const addon = loadAddon();
const closeController = new AbortController();
afterAll(() => closeController.abort());
const referencesIn = (name: string, time_ms = 120_000): ReferencePrograms =>
  new ReferencePrograms({
    ...{ addon, cache: path.join(folder, name), signal: closeController.signal },
    limits: { time_ms, memory_bytes: 2 ** 36, file_bytes: 2 ** 30, output_bytes: 2 ** 16 },
  });

/** A problem of `n` random numbers with two results. */
function randomProblem(seed: number, n = 3): TaskProblem {
  const { filled } = validateScenario({
    ...{ kind: USER_PROBLEM, version: 1, name: 'p', problem: { n }, axes: [{ name: 'n' }], reference: 'reference.py' },
    arrays: [
      { name: 'x', role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'uniform', min: 0, max: 1 } },
      { name: 'y', role: 'output', type: 'fp32', shape: [2], tolerance: { absolute: 1e-3 } },
    ],
  });
  if (filled?.kind !== USER_PROBLEM) throw new Error('no problem');
  return {
    ...{ workload: USER_PROBLEM, bench: 'p', variant: 'problem-cpu', threads: 1, memory_limit_bytes: 2 ** 30, seed },
    ...{ switches: {}, ...problemValues(filled, ['', '']) },
  };
}

async function computeAnswer(
  references: ReferencePrograms,
  name: string,
  text: string,
  of: TaskProblem,
): Promise<readonly number[]> {
  const file = await references.answer({ referenceProgram: { name, text } }, of);
  if (file === null) throw new Error('there is no answer');
  return [...new Float64Array(new Uint8Array(await readFile(file)).buffer)];
}

/** Each reference returns its process id and the number of its calls, counted in its own variables. */
const countingReferences = [
  [
    'reference.py',
    'import os\ncalls = 0\ndef reference(x, n):\n    global calls\n    calls += 1\n    print("\\nok\\n")\n    return [[os.getpid(), calls]]\n',
  ],
  [
    'reference.ts',
    'let calls: number = 0;\nexport const reference = () => {\n  calls += 1;\n  console.log("ok");\n  return [process.pid, calls];\n};\n',
  ],
] as const;

test.each(countingReferences)(
  '%s: one process answers all problems, each with new variables, and ends with the host',
  async (name, text) => {
    const own = new AbortController();
    const references = new ReferencePrograms({ addon, cache: path.join(folder, `one-${name}`), signal: own.signal });
    const [first, second] = [
      await computeAnswer(references, name, text, randomProblem(1)),
      await computeAnswer(references, name, text, randomProblem(2)),
    ];
    expect([first[1], second[1]]).toEqual([1, 1]);
    expect(second[0]).toBe(first[0]);
    const isThere = (): boolean => {
      try {
        return process.kill(Number(first[0]), 0);
      } catch {
        return false;
      }
    };
    expect(isThere()).toBe(true);
    own.abort();
    await eventually(() => !isThere());
  },
);

test('a failure that earlier answers may have caused is checked again in a new process', async () => {
  const references = referencesIn('again');
  const once =
    'globalThis.used = (globalThis.used ?? 0) + 1;\nexport const reference = (x) => {\n  if (globalThis.used > 1) throw new Error("used up");\n  return [process.pid, x.length];\n};\n';
  const [first, second] = [
    await computeAnswer(references, 'r.mjs', once, randomProblem(1)),
    await computeAnswer(references, 'r.mjs', once, randomProblem(2, 5)),
  ];
  expect(first[1]).toBe(3);
  expect(second[1]).toBe(5);
  expect(second[0]).not.toBe(first[0]);
  const never = 'export const reference = (x) => { if (x.length > 3) throw new Error("too long"); return [0, 0]; };\n';
  await computeAnswer(references, 'r.mjs', never, randomProblem(1));
  await expect(computeAnswer(references, 'r.mjs', never, randomProblem(2, 5))).rejects.toThrow(
    /r\.mjs returned no result: .*too long/s,
  );
  // A new process starts again at zero calls and returns results.
  expect(await computeAnswer(references, 'r.mjs', never, randomProblem(3))).toEqual([0, 0]);
});

test('each answer has its own time limit, and a process that ends is replaced', async () => {
  const references = referencesIn('limits', 6_000);
  const text =
    'export const reference = (x) => {\n  if (x.length === 5) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\n  if (x.length === 7) process.exit(3);\n  return [process.pid, 1];\n};\n';
  const [first] = await computeAnswer(references, 'r.mjs', text, randomProblem(1));
  await expect(computeAnswer(references, 'r.mjs', text, randomProblem(2, 5))).rejects.toThrow(
    'r.mjs did not finish within 6 s',
  );
  const [second] = await computeAnswer(references, 'r.mjs', text, randomProblem(3));
  expect(second).not.toBe(first);
  await expect(computeAnswer(references, 'r.mjs', text, randomProblem(4, 7))).rejects.toThrow(
    'r.mjs returned no result',
  );
});

test('a reference in C++ is compiled once for all sizes', async () => {
  const references = referencesIn('cpp');
  const text =
    'void reference(const double* x, double* y, int n) { y[0] = n; y[1] = 0; for (int i = 0; i < n; ++i) y[1] += x[i]; }\n';
  expect((await computeAnswer(references, 'r.cpp', text, randomProblem(1)))[0]).toBe(3);
  const programs = path.join(folder, 'cpp/references');
  const made = await readdir(programs);
  expect(made).toHaveLength(1);
  const [n, sum] = await computeAnswer(references, 'r.cpp', text, randomProblem(1, 64));
  expect(n).toBe(64);
  expect(sum).toBeGreaterThan(10);
  expect(await readdir(programs)).toEqual(made);
  await expect(computeAnswer(references, 'r.cpp', `${text}wrong`, randomProblem(1))).rejects.toThrow(
    /r\.cpp returned no result: .*wrong/s,
  );
  expect(await readdir(programs)).toEqual(made);
});
