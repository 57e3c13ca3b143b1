/** Constants of a variant's source that may have other values, and the conditions that these must meet together. */
import { z } from 'zod';
import { LONGEST_EXPRESSION } from '../study/expression.ts';
import { workloadSchema } from '../workload.ts';

const tunableSchema = z.strictObject({
  /** The constant's, as the source has it. */
  name: z.string().regex(/^[A-Za-z_]\w{0,63}$/),
  /** In their natural order: neighbours are tried after each other. */
  values: z.array(z.number().int().min(-999_999_999).max(999_999_999)).min(1).max(1000),
  /** What it does, a few words. */
  about: z.string().max(200).default(''),
});
export type Tunable = Readonly<z.infer<typeof tunableSchema>>;

export const spaceShape = {
  tunables: z.array(tunableSchema).max(50),
  /** As those of studies, by the names of the constants: `kTile * kRows <= 1024`. */
  conditions: z.array(z.string().min(1).max(LONGEST_EXPRESSION)).max(100).default([]),
};

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
