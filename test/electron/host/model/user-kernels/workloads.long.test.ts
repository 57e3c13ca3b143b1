/** The tests of workloads.test.ts for user kernels of every other workload. */
import { kernelStoriesOf, kinds, useWorkloadKernels } from './workload-kernels.ts';

useWorkloadKernels('user-kernels-of-other-workloads');

for (const kind of kinds.slice(1)) kernelStoriesOf(kind);
