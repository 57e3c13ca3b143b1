import { Failure, say } from '../setup/say.mjs';
import { build } from '../steps/all.mjs';
import { cudaCheckStep, cudaWorkloads, findNvcc } from '../steps/kernels.mjs';
import { FAILED, PASSED, skipped, sum } from './result.mjs';

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
    /** @type {import('./result.mjs').Result} */
    let result = { passed: 0, failed: 0, skipped: [] };
    for (const workload of workloads) {
      try {
        await build([cudaCheckStep(nvcc, workload)]);
        result = sum(result, PASSED);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        say(error.message);
        result = sum(result, FAILED);
      }
    }
    return result;
  },
};
