import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from '../../../../electron/build/setup/root.mjs';
import { includedBy } from '../../../../electron/build/steps/cuda-sources.mjs';
import { cudaWorkloads, ofGpus } from '../../../../electron/build/steps/kernels.mjs';

it('a workload is compiled again for what it includes, and not for the kernels of another', () => {
  const transport = includedBy('kernels/transport/transport.cu');
  expect(transport).toContain('kernels/transport/transport.cu');
  // Included from the workload's file, from a file next to it, and from the folder of all kernels.
  expect(transport).toContain('kernels/transport/cuda/window/cuda_window_stream.cuh');
  expect(transport.filter((file) => /kernels\/(micro|diffraction|linear_relu)\//.test(file))).toEqual([]);
  expect(transport.filter((file) => file.endsWith('.cpp'))).toEqual([]);
});

it('every CUDA file of the kernels is part of some workload', () => {
  const all = new Set(cudaWorkloads().flatMap((workload) => includedBy(`kernels/${workload}/${workload}.cu`)));
  expect(
    globSync('kernels/**/*.{cu,cuh}', { cwd: root }).filter((file) => !all.has(file.replaceAll('\\', '/'))),
  ).toEqual([]);
});

it('kernels are compiled for the GPUs of this machine, and for all GPUs where one of them runs none of the code', () => {
  expect(ofGpus('9.0\n9.0\n')).toEqual([90]);
  // Code of sm_86 runs on 8.7, that of another major version does not.
  expect(ofGpus('8.7\n12.1\n')).toEqual([86, 120]);
  expect(ofGpus('9.0\n7.5\n')).toEqual([80, 86, 89, 90, 100, 120]);
  expect(ofGpus('')).toEqual([80, 86, 89, 90, 100, 120]);
});
