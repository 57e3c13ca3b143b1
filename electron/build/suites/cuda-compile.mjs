import { say } from '../setup/say.mjs';
import { buildBeside } from '../steps/all.mjs';
import { cudaCheckStep, cudaWorkloads, findNvcc } from '../steps/kernels.mjs';
import { skipped } from './result.mjs';

/**
 * Compiles every workload's CUDA kernels for one architecture, warnings as errors; one test each.
 * @type {import('./result.mjs').Suite}
 */
export const cudaCompile = {
  name: 'CUDA kernels compile',
  run: async () => {
    const workloads = cudaWorkloads();
    const nvcc = findNvcc();
    if (!nvcc) return skipped('CUDA kernels compile', 'no nvcc here');
    const failures = await buildBeside(
      'Checking that the CUDA kernels compile',
      workloads.map((workload) => cudaCheckStep(nvcc, workload)),
    );
    for (const { message } of failures) say(message);
    return { passed: workloads.length - failures.length, failed: failures.length, skipped: [] };
  },
};
