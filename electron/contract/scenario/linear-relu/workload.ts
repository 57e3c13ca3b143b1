/** The linear layer with ReLU in the contract. */
import { taskWorkload } from '../task/workload.ts';
import { linearReluSchema } from './index.ts';

export const linearRelu = taskWorkload({
  kind: 'linear-relu',
  title: 'Linear layer with ReLU',
  schema: linearReluSchema,
  standIns: (['batch', 'inputs', 'outputs'] as const).map((size) => ({ path: ['problem', size], value: 1 })),
  fresh: { problem: { batch: 256, inputs: 256, outputs: 512 } },
  sweepExample: 'problem.batch=64,256,1024',
});
