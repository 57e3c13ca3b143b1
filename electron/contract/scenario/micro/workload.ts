/** The small workloads of one claim each in the contract. */
import { taskWorkload } from '../task/workload.ts';
import { microSchema } from './index.ts';

export const micro = taskWorkload({
  kind: 'micro',
  title: 'Small workloads',
  schema: microSchema,
  standIns: [{ path: ['problem'], value: { kind: 'launch' } }],
  fresh: { problem: { kind: 'launch' } },
  sweepExample: 'problem.steps=10,100,1000',
});
