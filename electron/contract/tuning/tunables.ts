/** Constants of a variant's source that may have other values, and the conditions that these must meet together. */
import { z } from 'zod';
import { workloadSchema } from '../workload.ts';
import { spaceShape } from './configured.ts';

const shippedSpaceSchema = z.strictObject({
  workload: workloadSchema,
  bench: z.string().default(''),
  /** All of these are of the same constants. */
  variants: z.array(z.string()).min(1),
  /** The source with the constants. */
  file: z.string(),
  ...spaceShape,
});
export type ShippedSpace = Readonly<z.infer<typeof shippedSpaceSchema>>;

/** A file of assets/tunables. */
export const shippedSpacesSchema = z.strictObject({ spaces: z.array(shippedSpaceSchema) });
