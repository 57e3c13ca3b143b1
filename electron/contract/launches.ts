/** Calls of the launch explorer: available kernels, and occupancy as the driver reports it. */
import { z } from 'zod';
import { kernelResourceSchema } from './resources.ts';

const count = z.number().int().nonnegative();

/** Kernels of one workload, in every architecture they were compiled for. */
const kernelSetSchema = z.strictObject({
  workload: z.string(),
  /** CUDA compiler's version; null where it did not say. */
  compiler: z.string().nullable(),
  /** Recorded session that contains these kernels, if they were not compiled here; null for kernels of this build. */
  session: z.string().nullable(),
  kernels: z.array(kernelResourceSchema),
});
export type KernelSet = Readonly<z.infer<typeof kernelSetSchema>>;

/** The driver's properties and occupancy of a loaded kernel. */
const driverOccupancySchema = z.strictObject({
  name: z.string(),
  registers: count,
  shared_bytes: count,
  /** Local memory of a thread: spills, and arrays that registers could not hold. */
  local_bytes: count,
  max_threads: count,
  /** Architecture of the machine code, such as 90. */
  binary_version: count,
  /** Resident blocks per multiprocessor at each of the requested block sizes; 0 if such a block cannot be launched. */
  blocks: z.array(count),
});
export type DriverOccupancy = Readonly<z.infer<typeof driverOccupancySchema>>;

export const launchMethods = {
  'launch.kernels': {
    params: z.strictObject({}),
    result: z.strictObject({
      sets: z.array(kernelSetSchema),
      /** Why nothing, or nothing of this build, is there; null otherwise. */
      reason: z.string().nullable(),
    }),
  },
  /** cuOccupancyMaxActiveBlocksPerMultiprocessor of one kernel on a GPU of this machine. */
  'launch.driver': {
    params: z.strictObject({
      /** UUID. */
      device: z.string().min(1).max(64),
      workload: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
      kernel: z.string().min(1).max(255),
      threads: z.array(z.number().int().min(1).max(1024)).min(1).max(1024),
      dynamic_bytes: z
        .number()
        .int()
        .min(0)
        .max(2 ** 20)
        .default(0),
    }),
    result: driverOccupancySchema,
  },
} as const;
