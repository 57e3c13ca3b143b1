/** User kernels of workloads except transport: an image's in all its outcomes, and the starting points of all. */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { correctnessOf } from '../../../../../electron/contract/bench/session.ts';
import { kernelFolders } from '../../../../../electron/host/model/bench/ceilings.ts';
import { replaceable } from '../../../../../electron/host/model/user-kernels/file.ts';
import { rulesOf } from '../../../../../electron/host/workloads/index.ts';
import { problemOf } from '../../../../../electron/host/workloads/scenarios/index.ts';
import { benchHere } from '../../bench-here.ts';
import { common, howFile, idOf, kinds, own, read, tellKernelOf, useWorkloadKernels } from './workload-kernels.ts';

useWorkloadKernels('user-kernels-of-workloads');

const [image] = kinds;
tellKernelOf(image);

test('in a benchmark of images a crash costs its own row, and a wrong image is called so', async () => {
  const kind = image;
  const reading = await read(kind, 'auto');
  if (reading.kind !== 'diffraction') throw new Error('no image');
  const variants = ['diffraction-fp64', idOf(kind)];
  const rows = async (word: string) => {
    await writeFile(howFile(kind), word);
    const problem = { kind: reading.kind, problem: problemOf(reading) };
    const { entries } = await benchHere(own.addon, problem, { ...common, variants });
    return entries.map((entry) =>
      entry.status === 'refused'
        ? [entry.variant, entry.reason, null]
        : [entry.variant, null, correctnessOf(entry.accuracy)],
    );
  };
  expect(await rows('wrong')).toEqual([
    ['diffraction-fp64', null, 'correct'],
    [idOf(kind), null, 'wrong'],
  ]);
  expect(await rows('null')).toEqual([
    ['diffraction-fp64', null, 'correct'],
    [idOf(kind), expect.stringContaining('SIGSEGV'), null],
  ]);
});

test('what cannot be copied says why in a sentence', async () => {
  const reason = async (bench: string, id: string) => {
    const base = own.bases().find((one) => one.bench === bench && one.id === id);
    if (base === undefined) throw new Error(`there is no ${id}`);
    return (await replaceable(kernelFolders().sources, base, rulesOf(base))).reason;
  };
  expect(await reason('', 'cuda-lt-fp32')).toBe(
    'cuda-lt-fp32 calls cuBLASLt, whose code is not here: there is nothing to copy.',
  );
  expect(await reason('gemm', 'cublas-fp32')).toMatch(/calls cuBLAS,/);
  expect(await reason('spmv', 'cusparse')).toMatch(/calls cuSPARSE,/);
  expect(await reason('overlap', 'cuda-streams')).toMatch(/in host code; a user kernel on CUDA replaces kernels/);
  // Every other variant has a file that can be replaced, and the rows of the ledger each their own.
  for (const base of own.bases()) {
    const { files, reason: why } = await replaceable(kernelFolders().sources, base, rulesOf(base));
    expect([base.workload, base.bench, base.id, files.length > 0 || (why ?? '').endsWith('.')]).toContain(true);
  }
  // The loops of an image lie in a file for every instruction set.
  const fp64 = own.bases().find(({ id }) => id === 'diffraction-fp64');
  if (fp64 === undefined) throw new Error('there is no fp64');
  expect((await replaceable(kernelFolders().sources, fp64, rulesOf(fp64))).files).toContain(
    'kernels/diffraction/cpu/block.simd.cpp',
  );
  const fused = own.bases().find(({ bench, id }) => bench === 'fma' && id === 'cpu-fused');
  if (fused === undefined) throw new Error('there is no fma');
  expect((await replaceable(kernelFolders().sources, fused, rulesOf(fused))).files[0]).toBe(
    'kernels/micro/arithmetic/fma.cpp',
  );
});
