/** Tasks of KernelBench with a real PyTorch: conversion, and the model itself as a candidate. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validateScenario } from '../../../../../electron/contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../../../electron/contract/scenario/user-problem/index.ts';
import { judgeCandidate, type ProblemParts } from '../../../../../electron/host/app/user-kernels/problems.ts';
import { UserKernels } from '../../../../../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon, variantOptionsOf } from '../../../../../electron/host/io/addon/addon.ts';
import { forkChild } from '../../../../../electron/host/io/processes/link.ts';
import { kernelFolders } from '../../../../../electron/host/model/bench/machine.ts';
import { convertKernelBench } from '../../../../../electron/host/model/problem-formats/kernelbench.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { openScenarios } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { checkProblem } from '../../../../../electron/host/workloads/task/user-problem/definition.ts';
import { fixedScratchFolder } from '../../../../scratch-folder.ts';
import { unless } from '../../../../unless.ts';
import { assetsFolder, memoryLimit_bytes } from '../../small-run.ts';

/** Path of a Python that has PyTorch; null if none on this system has it. */
const torchPath = ((): string | null => {
  for (const folder of ['', '/usr/bin']) {
    const PATH = folder === '' ? process.env['PATH'] : `${folder}:${process.env['PATH']}`;
    try {
      execFileSync('python3', ['-c', 'import torch, numpy'], { env: { ...process.env, PATH }, stdio: 'ignore' });
      return PATH ?? null;
    } catch {
      // PyTorch is missing: try the next Python
    }
  }
  return null;
})();

const task = `import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x, scale):
        return torch.relu(self.linear(x)) * scale

def get_inputs():
    return [torch.randn(5, 3), 2]

def get_init_inputs():
    return [3, 4]
`;

const scratch = fixedScratchFolder('kernelbench');
const cache = path.join(scratch, 'cache');
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

describe(
  'a KernelBench task in PyTorch',
  unless(torchPath === null && 'python3 with PyTorch and NumPy is not installed'),
  () => {
    const before = process.env['PATH'];
    beforeAll(() => {
      process.env['PATH'] = torchPath ?? '';
    });
    afterAll(() => {
      process.env['PATH'] = before;
    });

    test('becomes a problem with its parameters as inputs', { timeout: 120_000 }, async () => {
      const { document, files } = await convertKernelBench({ file: 'task.py', source: task });
      const { filled, faults } = validateScenario(document);
      expect(faults).toEqual([]);
      if (filled?.kind !== USER_PROBLEM) throw new Error('no problem');
      expect(checkProblem(filled)).toEqual([]);
      expect(filled.arrays.map(({ name, role, type, shape }) => [name, role, type, shape])).toEqual([
        ['x', 'input', 'fp32', [5, 3]],
        ['scale', 'input', 'fp64', []],
        ['linear_weight', 'input', 'fp32', [4, 3]],
        ['linear_bias', 'input', 'fp32', [4]],
        ['result', 'output', 'fp32', [5, 4]],
      ]);
      expect(Object.keys(files)).toEqual(['reference.py', 'eager.py']);
      const refused = (source: string) => convertKernelBench({ file: 'task.py', source });
      await expect(refused(task.replace('class Model', 'class Net'))).rejects.toThrow(/it has no Model/);
      await expect(refused(task.replace('torch.randn(5, 3)', 'torch.tril(torch.randn(5, 3))'))).rejects.toThrow(
        /input 0 is computed from random values/,
      );
      await expect(refused(`import nothing_of_this_name\n${task}`)).rejects.toThrow(/the module does not load/);
    });

    test('has its model judged: correct if unchanged, and wrong without the bias', { timeout: 240_000 }, async () => {
      const wrong = task.replace('class Model', 'class ModelNew').replace('self.linear(x)', 'x @ self.linear.weight.T');
      const { document, files } = await convertKernelBench({
        file: 'task.py',
        source: task,
        solutions: { 'new.py': wrong },
      });
      const folder = path.join(scratch, 'task');
      await mkdir(folder, { recursive: true });
      for (const [name, text] of Object.entries({ ...files, 'problem.json': JSON.stringify(document) }))
        await writeFile(path.join(folder, name), text);
      const { signal } = new AbortController();
      const submission = {
        folder,
        id: 'new.py',
        text: files['new.py'] ?? '',
        seconds: 4,
        signal,
        against: ['eager.py'],
      };
      const { word, reason, session } = await judgeCandidate(await scenarioParts, submission);
      expect([word, reason]).toEqual(['wrong', expect.stringMatching(/result\[\d+, \d+\] is/)]);
      const [eager] = session?.reports[0]?.entries ?? [];
      expect(eager?.status === 'measured' && eager.accuracy.every(({ holds }) => holds)).toBe(true);
    });
  },
);
