/** Labels of sessions: which variant, in which precision, on which GPU; one form for every workload. */

import { expect, test } from 'vitest';
import { askedFor } from '../../../../../electron/host/model/bench/label.ts';
import { limitsOf } from '../../../../../electron/host/model/bench/stopping.ts';
import { imageCandidates } from '../../../../../electron/host/workloads/diffraction/candidates.ts';
import { taskCandidates } from '../../../../../electron/host/workloads/task/candidates.ts';
import { benchHere } from '../../bench-here.ts';
import { smallProblem } from '../../workloads/image.ts';
import { addon } from '../scenarios/open.ts';

const known = [
  { id: 'gather', device: 'cpu', precisions: ['fp32', 'fp64'] },
  { id: 'cuda-fused', device: 'cuda', precisions: ['fp32'] },
] as const;
const ask = (...labels: string[]) => askedFor(labels, known, ({ precisions }) => precisions);

test('a label names a variant and, where they are asked for, a precision and a GPU', () => {
  expect(
    ask('gather@fp64', 'cuda-fused', 'cuda-fused:1', 'cuda-fused@fp32:12').map(({ variant, precision, gpu }) => [
      ...[variant.id, precision, gpu],
    ]),
  ).toEqual([
    ['gather', 'fp64', null],
    ['cuda-fused', null, null],
    ['cuda-fused', null, 1],
    ['cuda-fused', 'fp32', 12],
  ]);
});

test('what cannot be asked for is refused with what can', () => {
  expect(() => ask('gathr')).toThrow('did you mean gather?');
  expect(() => ask('gather', 'gather')).toThrow('the variant gather is listed twice');
  expect(() => ask('cuda-fused@fp64')).toThrow('cuda-fused@fp64 is not known; allowed: cuda-fused@fp32');
  expect(() => askedFor(['cuda-fused@fp64'], known)).toThrow('allowed: cuda-fused, which computes in one precision');
  expect(() => ask('cuda-fused:one')).toThrow('allowed: cuda-fused:0 and further GPUs');
  expect(() => ask('gather:1')).toThrow('allowed: gather, which runs on the CPU');
});

test('the GPU of a label goes to the engine, of images and of small workloads alike', async () => {
  const problem = await smallProblem();
  const [usual, second] = imageCandidates(
    problem,
    ['diffraction-cuda-mixed', 'diffraction-cuda-mixed:1'],
    addon.diffractionVariants(),
  );
  expect(usual?.problem.solver).not.toHaveProperty('device');
  expect(second?.problem.solver).toMatchObject({ variant: 'diffraction-cuda-mixed', device: '1' });
  // The engine reads it, also where there is no GPU that it could name.
  expect(
    addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant: 'diffraction-fp64', device: '1' } })
      .plan.variant,
  ).toBe('diffraction-fp64');
  const layer = { workload: 'linear-relu', bench: '', variant: 'auto', threads: 0, memory_limit_bytes: 1e9, seed: 1 };
  const [task] = taskCandidates(
    { ...layer, numbers: { batch: 8, inputs: 8, outputs: 8 }, words: {}, switches: { bias: true } },
    ['cuda-naive:1'],
    addon.taskVariants('linear-relu'),
  );
  expect(task?.problem).toMatchObject({ variant: 'cuda-naive', device: '1' });
});

test('rows of a session of images are told by their labels', async () => {
  const problem = await smallProblem();
  const report = await benchHere(
    addon,
    { kind: 'diffraction', problem },
    {
      scenario: 'Small',
      variants: ['diffraction-fp64', 'diffraction-cuda-mixed:7'],
      seed: 1,
      limits: limitsOf(1, 60),
    },
  );
  const [cpu, gpu] = report.entries;
  expect(report.reference).toBe('diffraction-fp64');
  expect(cpu).toMatchObject({ label: 'diffraction-fp64', flagged: 0, samples: [{ sm_MHz: null, flag: null }] });
  expect(gpu).toMatchObject({ label: 'diffraction-cuda-mixed:7', variant: 'diffraction-cuda-mixed', gpu: 7 });
  expect(gpu?.status).toBe('refused');
});
