/** Kernel resources as reported by ptxas. */
import { z } from 'zod';

const count = z.number().int().nonnegative();

/** Resources of a kernel on one architecture. */
export const kernelResourceSchema = z.strictObject({
  name: z.string(),
  /** Such as `sm_90`. */
  architecture: z.string(),
  registers: count,
  shared_bytes: count,
  constant_bytes: count,
  stack_bytes: count,
  spill_store_bytes: count,
  spill_load_bytes: count,
  barriers: count,
  /** Most threads of a block, by its launch bounds; null without any, absent where it was not recorded. */
  max_threads: z.number().int().positive().nullable().optional(),
});
export type KernelResource = Readonly<z.infer<typeof kernelResourceSchema>>;

export const kernelResourcesSchema = z.strictObject({
  /** CUDA compiler's version; null where it did not say. */
  compiler: z.string().nullable(),
  kernels: z.array(kernelResourceSchema),
});
export type KernelResources = Readonly<z.infer<typeof kernelResourcesSchema>>;
