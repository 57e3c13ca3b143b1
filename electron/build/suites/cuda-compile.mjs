import { Failure, say } from '../setup/say.mjs';
import { build } from '../steps/all.mjs';
import { cudaWorkloads, findNvcc, kernelSteps } from '../steps/kernels.mjs';
import { FAILED, PASSED, skipped, sum } from './result.mjs';

/**
 * Compiles every workload's CUDA kernels for all architectures, warnings as
 * errors; one test each. The build has usually done it already.
 * @type {import('./result.mjs').Suite}
 */
export const cudaCompile = {
  name: 'CUDA kernels compile',
  run: async () => {
    const workloads = cudaWorkloads();
    if (!findNvcc()) return skipped('CUDA kernels compile', 'no nvcc here');
    let result = { passed: 0, failed: 0, skipped: /** @type {readonly string[]} */ ([]) };
    for (const workload of workloads) {
      try {
        await build(kernelSteps().filter((step) => step.name === `cuda-${workload}`));
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
