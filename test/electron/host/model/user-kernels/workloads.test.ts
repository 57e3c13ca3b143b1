/**
 * User kernels of workloads except transport: all outcomes for an image, and templates of all workloads. Also the
 * library that user kernels are linked with, in which a replaceable file is a separate object. Also user kernels that
 * name files by former paths.
 */
import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { correctnessOf } from '../../../../../electron/contract/bench/session.ts';
import { addonFolder, loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { kernelFolders } from '../../../../../electron/host/model/bench/machine.ts';
import {
  currentPath,
  findReplaceableFiles,
  updateIncludes,
} from '../../../../../electron/host/model/user-kernels/file.ts';
import { hostWorkloads, rulesOf } from '../../../../../electron/host/workloads/index.ts';
import { problemOf } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { benchInProcess } from '../../test-host.ts';
import {
  common,
  howFile,
  idOf,
  kernelStoriesOf,
  kinds,
  ownKernels,
  readWithVariant,
  useWorkloadKernels,
} from './workload-kernels.ts';

describe('the core library', () => {
  const MAGIC = '!<arch>\n';
  const HEADER_BYTES = 60;

  /**
   * Names of the objects in a static library of the common `ar` format: short ones end with a slash, long ones are
   * `/offset` into the member `//`.
   */
  function objectsIn(library: Buffer): readonly string[] {
    const names: string[] = [];
    let long = '';
    for (let at = MAGIC.length; at + HEADER_BYTES <= library.length; ) {
      const header = library.toString('latin1', at, at + HEADER_BYTES);
      const size = Number(header.slice(48, 58));
      const name = header.slice(0, 16).trimEnd();
      at += HEADER_BYTES;
      if (name === '//') long = library.toString('latin1', at, at + size);
      else if (/^\/\d+$/.test(name)) names.push(long.slice(Number(name.slice(1))).split('/\n', 1)[0] ?? '');
      else names.push(name.replace(/\/$/, ''));
      at += size + (size % 2);
    }
    return names;
  }

  test('has a separate object for every file that a user kernel may replace', async ({ skip }) => {
    skip(process.platform !== 'linux', 'libraries elsewhere have another format');
    const addon = loadAddon();
    const objects = new Set(objectsIn(readFileSync(path.join(addonFolder(), 'libbraggbench_core.a'))));
    expect(objects).toContain('registry.cpp.o');
    const bases = Object.values(hostWorkloads).flatMap(({ userKernels }) => userKernels.bases(addon));
    const lists = await Promise.all(
      bases
        .filter(({ device }) => device === 'cpu')
        .map((base) => findReplaceableFiles(kernelFolders().sources, base, rulesOf(base))),
    );
    const files = new Set(lists.flatMap((list) => list.files.map((file) => path.posix.basename(file))));
    expect(files.size).toBeGreaterThan(50);
    expect([...files].filter((file) => !objects.has(`${file}.o`))).toEqual([]);
  });
});

describe('former source paths', () => {
  const { sources, images } = kernelFolders();
  const engine = [path.join(images, 'include')];

  test('are resolved by the file name within its own workload', () => {
    const allowed = ['kernels/transport/cpu/gather.cpp', 'kernels/diffraction/cpu/reference.cpp'];
    expect(currentPath('kernels/transport/gather.cpp', allowed)).toBe('kernels/transport/cpu/gather.cpp');
    expect(currentPath('kernels/transport/cpu/gather.cpp', allowed)).toBe('kernels/transport/cpu/gather.cpp');
    expect(currentPath('kernels/transport/reference.cpp', allowed)).toBe('kernels/transport/reference.cpp');
  });

  test('are redirected to the current paths in includes that would fail, and others stay unchanged', () => {
    const folders = { beside: path.join(sources, 'transport/cuda/window'), sources, workload: 'transport', engine };
    const text = [
      '#include "cuda_window_common.cuh"',
      '#  include "cuda_common.cuh"',
      '#include "engine/solver.hpp"',
      '#include "engine/spans.hpp"',
      '#include "problem_error.hpp"',
      '#include "physics/hd.hpp"',
      '#include "nowhere.hpp"',
      '#include <vector>',
    ];
    expect(updateIncludes(text.join('\n'), folders).split('\n')).toEqual([
      '#include "cuda_window_common.cuh"',
      '#  include "transport/cuda/cuda_common.cuh"',
      '#include "transport/run/solver.hpp"',
      '#include "engine/spans.hpp"',
      '#include "engine/problem_error.hpp"',
      '#include "physics/hd.hpp"',
      '#include "nowhere.hpp"',
      '#include <vector>',
    ]);
  });

  test('are unambiguous, since file names are unique in a workload', () => {
    for (const workload of ['transport', 'diffraction', 'micro', 'linear_relu']) {
      const names = globSync(`${workload}/**/*.*`, { cwd: sources }).map((file) => path.basename(file));
      expect(names.length).toBeGreaterThan(20);
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    }
  });
});

describe('user kernels of all workloads', () => {
  useWorkloadKernels('user-kernels-of-workloads');

  const [image] = kinds;
  kernelStoriesOf(image);

  test('affect only their own row in an image benchmark if they crash, and wrong images are reported', async () => {
    const kind = image;
    const reading = await readWithVariant(kind, 'auto');
    if (reading.kind !== 'diffraction') throw new Error('no image');
    const variants = ['diffraction-fp64', idOf(kind)];
    const rows = async (word: string) => {
      await writeFile(howFile(kind), word);
      const problem = { kind: reading.kind, problem: problemOf(reading) };
      const { entries } = await benchInProcess(ownKernels.addon, problem, { ...common, variants });
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

  test('state in one sentence why a source cannot be copied', async () => {
    const reason = async (bench: string, id: string) => {
      const base = ownKernels.bases().find((one) => one.bench === bench && one.id === id);
      if (base === undefined) throw new Error(`there is no ${id}`);
      return (await findReplaceableFiles(kernelFolders().sources, base, rulesOf(base))).reason;
    };
    expect(await reason('', 'cuda-lt-fp32')).toBe(
      'cuda-lt-fp32 calls cuBLASLt, whose source is not available: there is nothing to copy.',
    );
    expect(await reason('gemm', 'cublas-fp32')).toMatch(/calls cuBLAS,/);
    expect(await reason('spmv', 'cusparse')).toMatch(/calls cuSPARSE,/);
    expect(await reason('overlap', 'cuda-streams')).toMatch(/in host code; a CUDA user kernel replaces kernels/);
    // Every other variant has a replaceable file, or a reason for its absence that ends with a full stop.
    for (const base of ownKernels.bases()) {
      const { files, reason: why } = await findReplaceableFiles(kernelFolders().sources, base, rulesOf(base));
      expect([base.workload, base.bench, base.id, files.length > 0 || (why ?? '').endsWith('.')]).toContain(true);
    }
    // The loops of an image are in a file that is compiled for every instruction set.
    const fp64 = ownKernels.bases().find(({ id }) => id === 'diffraction-fp64');
    if (fp64 === undefined) throw new Error('there is no fp64');
    expect((await findReplaceableFiles(kernelFolders().sources, fp64, rulesOf(fp64))).files).toContain(
      'kernels/diffraction/cpu/block.simd.cpp',
    );
    const fused = ownKernels.bases().find(({ bench, id }) => bench === 'fma' && id === 'cpu-fused');
    if (fused === undefined) throw new Error('there is no fma');
    expect((await findReplaceableFiles(kernelFolders().sources, fused, rulesOf(fused))).files[0]).toBe(
      'kernels/micro/arithmetic/fma.cpp',
    );
  });
});
