/** Sessions as files keep them, by the name of their format; a further workload's is one entry here. */
import { z } from 'zod';
import { benchSessionSchema } from './bench.ts';
import { imageSessionSchema } from './image-bench.ts';
import { taskSessionSchema } from './task-bench.ts';

export const keptSessionSchema = z.discriminatedUnion('format', [
  benchSessionSchema,
  imageSessionSchema,
  taskSessionSchema,
]);
export type KeptSession = Readonly<z.infer<typeof keptSessionSchema>>;
export const keptFormats: readonly string[] = keptSessionSchema.options.map(({ shape }) => shape.format.value);
