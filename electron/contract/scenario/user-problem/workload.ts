/** Problems of the user in the contract. */
import { taskWorkload } from '../task/workload.ts';
import { problemSchema, USER_PROBLEM } from './index.ts';

export const userProblem = taskWorkload({
  kind: USER_PROBLEM,
  title: 'Problem of the user',
  schema: problemSchema,
  standIns: [
    { path: ['problem'], value: {} },
    { path: ['axes'], value: [] },
    { path: ['arrays'], value: [{ name: 'y', role: 'output', type: 'int32', shape: [] }] },
    { path: ['reference'], value: 'reference.py' },
  ],
  fresh: {
    name: 'axpy',
    problem: { n: 1_000_000 },
    axes: [{ name: 'n' }],
    arrays: [
      { name: 'x', role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'uniform', min: -1, max: 1 } },
      { name: 'y', role: 'output', type: 'fp32', shape: ['n'], tolerance: { relative: 1e-6 } },
    ],
    reference: 'reference.py',
  },
  sweepExample: 'problem.n=1000,100000',
});
