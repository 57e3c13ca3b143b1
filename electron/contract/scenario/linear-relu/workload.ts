/** Contract of the workload "linear layer with ReLU". */

import { z } from 'zod';
import { count } from '../common-fields.ts';
import { taskSchema, taskWorkload } from '../task/workload.ts';

/** Schema of a matrix dimension in the layer Z = X Wᵀ + b, Y = max(Z, 0). */
const size = (title: string, description: string) => count({ title, description, min: 1, max: 65_536 });

const problemSchema = z.strictObject({
  batch: size('Batch', 'Rows of X, dY and Y.'),
  inputs: size('Inputs', 'Columns of X and W.'),
  outputs: size('Outputs', 'Rows of W, columns of Y.'),
  direction: z
    .enum(['forward', 'backward', 'through'])
    .meta({
      title: 'Direction',
      description:
        'forward: computes Y. backward: computes dX, dW and db from dY, masked by the ReLU. through: computes the gradient dY W, masked by the ReLU before the layer, and its sums.',
    })
    .default('forward'),
  activation: z
    .enum(['relu', 'gelu', 'none'])
    .meta({
      title: 'Function',
      description:
        'relu: max(Z, 0). gelu: the approximation by a hyperbolic tangent, as in the libraries. none: the product with its bias. Only relu is available in the backward direction.',
    })
    .default('relu'),
  residual: z
    .boolean()
    .meta({ title: 'Residual', description: 'Adds a matrix of the same size as Y before the activation.' })
    .default(false),
  bias: z
    .boolean()
    .meta({ title: 'Bias', description: 'Adds the bias b, and computes its gradient in the backward direction.' })
    .default(true),
  values: z
    .enum(['uniform', 'with-nan', 'zero'])
    .meta({
      title: 'Values',
      description:
        'uniform: in [-1, 1). with-nan: some rows of X contain NaN, which must propagate to Y. zero: W and b are zero, so that Z is exactly 0 and its gradient is zero.',
    })
    .default('uniform'),
});

const linearReluSchema = taskSchema(
  'linear-relu',
  'Linear layer with ReLU',
  'a linear layer and its ReLU, fused or not',
  problemSchema.meta({ title: 'Layer' }),
);

export const linearRelu = taskWorkload({
  kind: 'linear-relu',
  title: 'Linear layer with ReLU',
  schema: linearReluSchema,
  standIns: (['batch', 'inputs', 'outputs'] as const).map((size) => ({ path: ['problem', size], value: 1 })),
  fresh: { problem: { batch: 256, inputs: 256, outputs: 512 } },
  sweepExample: 'problem.batch=64,256,1024',
});
