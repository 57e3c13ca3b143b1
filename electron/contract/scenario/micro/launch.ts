/** Row 1 of the claim ledger: what a launch costs, and what fusing saves. */
import { z } from 'zod';
import { count } from '../quantity.ts';

export const launchSchema = z
  .strictObject({
    kind: z.literal('launch'),
    n: count({ title: 'Elements', description: 'Of x and y, FP32.', min: 1, max: 1_000_000_000 }).default(1_000_000),
    steps: count({
      title: 'Steps',
      description: 'Dependent y += a x, one launch each unless they are fused.',
      min: 1,
      max: 10_000,
    }).default(100),
  })
  .meta({ title: 'Launches and fusion' });
