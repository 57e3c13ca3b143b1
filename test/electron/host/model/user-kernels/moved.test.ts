/** User kernels that name files as they lay before. */
import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { kernelFolders } from '../../../../../electron/host/model/bench/ceilings.ts';
import { presentFile, presentIncludes } from '../../../../../electron/host/model/user-kernels/moved.ts';

const { sources, images } = kernelFolders();
const engine = [path.join(images, 'include')];

test('a file is found by its name in its own workload', () => {
  const allowed = ['kernels/transport/cpu/gather.cpp', 'kernels/diffraction/cpu/reference.cpp'];
  expect(presentFile('kernels/transport/gather.cpp', allowed)).toBe('kernels/transport/cpu/gather.cpp');
  expect(presentFile('kernels/transport/cpu/gather.cpp', allowed)).toBe('kernels/transport/cpu/gather.cpp');
  expect(presentFile('kernels/transport/reference.cpp', allowed)).toBe('kernels/transport/reference.cpp');
});

test('includes that find nothing are turned to where their files are, and the others stay', () => {
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
  expect(presentIncludes(text.join('\n'), folders).split('\n')).toEqual([
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

test('a workload has every file name once, so that names alone find files', () => {
  for (const workload of ['transport', 'diffraction', 'micro', 'linear_relu']) {
    const names = globSync(`${workload}/**/*.*`, { cwd: sources }).map((file) => path.basename(file));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  }
});
