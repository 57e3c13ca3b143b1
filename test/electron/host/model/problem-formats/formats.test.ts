/**
 * Converts problems of other benchmarks to problem folders and back. The documents were written for this test, in the
 * formats of these benchmarks.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { validateScenario } from '../../../../../electron/contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../../../electron/contract/scenario/user-problem/index.ts';
import {
  convertFlashInfer,
  exportFlashInfer,
  readDefinition,
  readSolution,
  readTraces,
} from '../../../../../electron/host/model/problem-formats/flashinfer.ts';
import { exportKernelBench } from '../../../../../electron/host/model/problem-formats/kernelbench.ts';
import { readProblemFolder } from '../../../../../electron/host/model/user-kernels/problem-folder.ts';
import { checkProblem } from '../../../../../electron/host/workloads/task/user-problem/definition.ts';
import { assetsFolder } from '../../small-run.ts';

/** `y = x * scale`, with a number of rows that follows from a batch size. */
const scaledProblem = {
  name: 'scaled_rows_c8',
  op_type: 'scale',
  description: 'Rows times a scalar.',
  axes: {
    batch: { type: 'var', description: 'groups of two rows' },
    rows: { type: 'var' },
    columns: { type: 'const', value: 8 },
  },
  constraints: ['rows == 2 * batch'],
  inputs: {
    x: { shape: ['rows', 'columns'], dtype: 'bfloat16' },
    scale: { shape: null, dtype: 'float32' },
  },
  outputs: { y: { shape: ['rows', 'columns'], dtype: 'float16' } },
  reference: 'import torch\n\ndef run(x, scale):\n    return x * scale',
};

const workload = (batch: number, more: object = {}) => ({
  definition: 'scaled_rows_c8',
  workload: {
    ...{ uuid: `w${batch}`, axes: { batch, rows: 2 * batch } },
    inputs: { x: { type: 'random' }, scale: { type: 'scalar', value: 0.5 } },
  },
  ...more,
});
const evaluation = {
  ...{ status: 'PASSED', environment: { hardware: 'NVIDIA_B200' }, performance: { latency_ms: 0.25 } },
};
const lines = [workload(3, { solution: 'fast', evaluation }), workload(5, { solution: null, evaluation: null })]
  .map((one) => JSON.stringify(one))
  .join('\n');

const solution = {
  ...{ name: 'fast', definition: 'scaled_rows_c8', author: 'a', description: 'one kernel' },
  spec: { language: 'triton', target_hardware: [], entry_point: 'main.py::run', destination_passing_style: false },
  sources: [{ path: 'main.py', content: 'def run(x, scale):\n    return (x * scale).half()\n' }],
};

const definitionOf = (changed: object = {}) =>
  readDefinition(JSON.stringify({ ...scaledProblem, ...changed }), 'd.json');
const problemIn = (document: object) => {
  const { filled, faults } = validateScenario(document);
  expect(faults).toEqual([]);
  if (filled?.kind !== USER_PROBLEM) throw new Error('no problem');
  return filled;
};

test('a FlashInfer-Trace definition with workloads, a solution and a trace becomes a problem folder', () => {
  const { document, files, lost } = convertFlashInfer(definitionOf(), readTraces(lines, 'w.jsonl'), [
    readSolution(JSON.stringify(solution), 's.json'),
  ]);
  const problem = problemIn(document);
  expect(checkProblem(problem)).toEqual([]);
  // rows follows from batch, so it is not an axis; the second workload is a suggested size.
  expect(problem.axes).toMatchObject([
    { name: 'batch', about: 'groups of two rows', try: [5] },
    { name: 'columns', min: 8, max: 8 },
  ]);
  expect(problem.problem).toEqual({ batch: 3, columns: 8 });
  expect(problem.arrays).toMatchObject([
    { name: 'x', type: 'bf16', shape: ['(2 * batch)', 'columns'], values: { kind: 'normal' } },
    { name: 'scale', type: 'fp32', shape: [], values: { kind: 'constant', value: 0.5 } },
    { name: 'y', role: 'output', type: 'fp16', tolerance: { absolute: 0.01, relative: 0.01 } },
  ]);
  expect(problem.notes).toContain('Reported: fast: PASSED, 0.25 ms on NVIDIA_B200');
  expect(problem.candidates).toMatchObject([{ file: 'fast.py', changes: 'one kernel' }]);
  expect(files['reference.py']).toContain('_SCALARS = [False, True]');
  expect(files['fast.py']).toContain('_INPUTS = ["bfloat16", "scalar"]');
  expect(lost).toHaveLength(1);
});

test.each([
  ['a scalar without a value', {}, /inputs\.scale: the scalar has no value; allowed: a workload that gives its value/],
  [
    'a type that is not known',
    { inputs: { x: { shape: ['rows'], dtype: 'float8_e4m3fn' } } },
    /inputs\.x: dtype float8_e4m3fn; allowed: float64/,
  ],
  [
    'a constraint on values',
    { constraints: ['rows == indptr[-1].item()'] },
    /"rows == indptr\[-1\]\.item\(\)" depends on values of an array/,
  ],
  ['indices without a range', { inputs: { i: { shape: ['rows'], dtype: 'int32' } } }, /whole numbers without a range/],
  ['a shape of no axis', { inputs: { x: { shape: ['depth'], dtype: 'float32' } } }, /uses depth, which is not an axis/],
])('a definition with %s is rejected with its path', (_name, changed, says) => {
  expect(() => convertFlashInfer(definitionOf(changed))).toThrow(says);
});

test.each([
  [{ spec: { ...solution.spec, language: 'cuda' } }, /language cuda/],
  [{ spec: { ...solution.spec, entry_point: 'other.py::run' } }, /entry point other\.py::run; allowed: main\.py/],
  [{ sources: [...solution.sources, { path: 'b.py', content: '' }] }, /2 source files; allowed: one file/],
  [{ definition: 'gemm' }, /it solves gemm; allowed: solutions of scaled_rows_c8/],
])('a solution that cannot be a candidate is rejected: %j', (changed, says) => {
  const given = readSolution(JSON.stringify({ ...solution, ...changed }), 's.json');
  expect(() => convertFlashInfer(definitionOf(), readTraces(lines, 'w.jsonl'), [given])).toThrow(says);
});

test('damaged files are rejected with the field or the line', () => {
  expect(() => readDefinition('{', 'd.json')).toThrow(/d\.json is not JSON/);
  expect(() => readDefinition('{"name": "a"}', 'd.json')).toThrow(/d\.json: op_type/);
  expect(() => readTraces(`${lines}\n{"definition": 3}`, 'w.jsonl')).toThrow(/w\.jsonl:3: definition/);
});

const softmax = path.join(assetsFolder, 'problems', 'softmax-rows');

async function shippedProblems() {
  const found = await readProblemFolder(softmax);
  if (found === null) throw new Error('no problem');
  const reference = await readFile(path.join(softmax, 'reference.py'), 'utf8');
  return { ...found, sizes: { rows: 4, columns: 6 }, reference };
}

test('a problem converted to FlashInfer-Trace and back has the same axes, shapes and types', async () => {
  const { name, definition, sizes, reference } = await shippedProblems();
  const candidates = { 'numpy.py': await readFile(path.join(softmax, 'numpy.py'), 'utf8') };
  const reported = [
    { solution: 'three-passes.cpp', time_s: 0.002, correct: true, hardware: 'CPU', created: '2026-01-01T00:00:00Z' },
    { solution: 'overflow.cpp', time_s: 0.001, correct: false, hardware: 'CPU', created: '2026-01-01T00:00:00Z' },
  ];
  const { files, lost } = exportFlashInfer({
    ...{ name, definition, sizes, notes: 'n', reference, candidates, reported, uuid: 'u' },
  });
  expect(Object.keys(files)).toEqual([
    'definitions/user/softmax-rows.json',
    'workloads/user/softmax-rows.jsonl',
    'solutions/user/softmax-rows/numpy.json',
    'traces/user/softmax-rows.jsonl',
  ]);
  const traces = readTraces(files['traces/user/softmax-rows.jsonl'] ?? '', 't');
  expect(traces.map(({ evaluation: one }) => [one?.status, one?.performance?.latency_ms])).toEqual([
    ['PASSED', 2],
    ['INCORRECT_NUMERICAL', undefined],
  ]);
  expect(lost).toContain('overflow.cpp (No maximum) cannot be expressed in that format.');
  const back = convertFlashInfer(
    readDefinition(files['definitions/user/softmax-rows.json'] ?? '', 'd'),
    readTraces(files['workloads/user/softmax-rows.jsonl'] ?? '', 'w'),
    [readSolution(files['solutions/user/softmax-rows/numpy.json'] ?? '', 's')],
  );
  const problem = problemIn(back.document);
  expect(problem.problem).toEqual(sizes);
  expect(problem.constraints).toEqual(definition.constraints);
  expect(problem.arrays.map((one) => [one.name, one.role, one.type, one.shape])).toEqual(
    definition.arrays.map((one) => [one.name, one.role, one.type, one.shape]),
  );
});

test('a problem with an in-place array cannot be converted', async () => {
  const folder = path.join(assetsFolder, 'problems', 'softmax-rows');
  const { name, definition, sizes, reference } = await shippedProblems();
  const arrays = definition.arrays.map((one) => ({ ...one, role: 'in-place' as const }));
  const of = { name, sizes, notes: '', reference, candidates: {}, reported: [], uuid: 'u' };
  expect(() => exportFlashInfer({ ...of, definition: { ...definition, arrays } })).toThrow(/changed in place/);
  const ts = { ...definition, reference: 'reference.ts' };
  expect(() => exportKernelBench(ts, sizes, new Map(), folder)).toThrow(/a reference in another language/);
});

test('a problem is converted to one KernelBench module', async () => {
  const { definition, sizes, reference } = await shippedProblems();
  const shapes = new Map([
    ['x', [4, 6]],
    ['y', [4, 6]],
  ]);
  const { text } = exportKernelBench(definition, sizes, shapes, reference);
  expect(text).toContain('return [(80 + (4) * torch.randn((4, 6))).to(torch.float32)]');
  expect(text).toContain('rows = 4\ncolumns = 6');
  expect(text).toContain('def forward(self, x):');
});

test('the table of public problems counts each problem once, as converted or as rejected with a reason', async () => {
  const rows: unknown = JSON.parse(await readFile(path.join(assetsFolder, 'problem-formats.json'), 'utf8'));
  const counted = z
    .array(
      z.object({
        ...{ format: z.string(), part: z.string(), tried: z.int().positive(), converted: z.int().nonnegative() },
        refused: z.array(z.object({ why: z.string().min(1), count: z.int().positive() })),
      }),
    )
    .parse(rows);
  for (const { part, tried, converted, refused } of counted) {
    expect(converted + refused.reduce((sum, { count }) => sum + count, 0), part).toBe(tried);
    expect(new Set(refused.map(({ why }) => why)).size, part).toBe(refused.length);
  }
  expect(new Set(counted.map(({ format, part }) => `${format} ${part}`)).size).toBe(counted.length);
  for (const format of ['FlashInfer-Trace', 'KernelBench']) {
    const tried = counted.filter((row) => row.format === format).reduce((sum, row) => sum + row.tried, 0);
    expect(tried, format).toBeGreaterThanOrEqual(20);
  }
  // The handbook's table has the same rows with the same counts.
  const page = await readFile(path.join(assetsFolder, 'handbook', 'user-problems.md'), 'utf8');
  const shown = [...page.matchAll(/^\| (FlashInfer-Trace|KernelBench) \| ([^|]+) \| (\d+) \| (\d+) \|/gm)];
  expect(shown.map(([, format, part, tried, converted]) => [format, part, Number(tried), Number(converted)])).toEqual(
    counted.map(({ format, part, tried, converted }) => [format, part, tried, converted]),
  );
});
