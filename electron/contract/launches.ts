/**
 * Calls of the launch explorer: available kernels, their resources as reported by ptxas, and occupancy as the driver
 * reports it.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();

/** Resources of a kernel on one architecture. */
const kernelResourceSchema = z.strictObject({
  name: z.string(),
  /** Architecture such as `sm_90`. */
  architecture: z.string(),
  registers: count,
  shared_bytes: count,
  constant_bytes: count,
  stack_bytes: count,
  spill_store_bytes: count,
  spill_load_bytes: count,
  barriers: count,
  /** Maximum threads per block from the launch bounds; null without bounds, absent if not recorded. */
  max_threads: z.number().int().positive().nullable().optional(),
});
export type KernelResource = Readonly<z.infer<typeof kernelResourceSchema>>;

export const kernelResourcesSchema = z.strictObject({
  /** Version of the CUDA compiler; null if not reported. */
  compiler: z.string().nullable(),
  kernels: z.array(kernelResourceSchema),
});
export type KernelResources = Readonly<z.infer<typeof kernelResourcesSchema>>;

export const codeLanguages = ['sass', 'ptx'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** An instruction, a label, or a line of PTX. */
const codeLineSchema = z.strictObject({
  /** Offset in bytes from the kernel's first instruction; null if the line is no machine instruction. */
  address: count.nullable(),
  text: z.string(),
  /** Index of the source file in `files`, and line number from 1; null if the compiler does not report them. */
  file: count.nullable(),
  line: count.nullable(),
});
export type CodeLine = Readonly<z.infer<typeof codeLineSchema>>;

const codeSchema = z.strictObject({
  kernel: z.string(),
  /** Architecture: `sm_90` for SASS, `compute_90` for PTX. */
  architecture: z.string(),
  language: z.enum(codeLanguages),
  /** Programs that compiled and disassembled it, such as `nvcc 13.0.88, nvdisasm 13.0.85`. */
  by: z.string(),
  /** Kernels in the same image; for a variant, the kernels that it launches. */
  kernels: z.array(z.string()),
  lines: z.array(codeLineSchema),
  /** Number of lines omitted beyond the limit. */
  dropped: count,
  /** Reason for missing lines; null if there are lines. */
  missing: z.string().nullable(),
  /**
   * Source files by path in the repository, or by the name of a user kernel; text is null if the file is not available.
   */
  files: z.array(z.strictObject({ path: z.string(), text: z.string().nullable() })),
  /** Resources as compiled for the requested GPU; null if not compiled for it. */
  resource: z
    .strictObject({
      registers: count,
      shared_bytes: count,
      /** Bytes of stack per thread: spills, and arrays that do not fit into registers. */
      stack_bytes: count,
      /** Bytes of spilled registers; null if the compiler did not report spills. */
      spill_store_bytes: count.nullable(),
      spill_load_bytes: count.nullable(),
      barriers: count,
      max_threads: z.number().int().positive().nullable(),
    })
    .nullable(),
});
export type Code = Readonly<z.infer<typeof codeSchema>>;

const kernelName = z.string().regex(/^[A-Za-z_$][\w$]{0,254}$/);
const workloadName = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/);

/** Samples or instruction counts by position in one kernel, from Nsight Compute. */
const hotKernelSchema = z.strictObject({
  kernel: z.string(),
  /** Title of the counted column: `Warp Stall Sampling (All Samples)`. */
  counted: z.string(),
  total: z.number(),
  /** Counts by instruction, in order; or by line of a source file. */
  places: z.array(
    z.strictObject({
      /** Offset in bytes from the first instruction; null for a source line. */
      address: count.nullable(),
      file: z.string().nullable(),
      line: count.nullable(),
      value: z.number(),
      /** Most frequent stall reason of the samples; null if not reported. */
      reason: z.string().nullable(),
    }),
  ),
});
export type HotKernel = Readonly<z.infer<typeof hotKernelSchema>>;

/** Kernels of one workload, in every architecture they were compiled for. */
const kernelSetSchema = z.strictObject({
  workload: z.string(),
  /** Version of the CUDA compiler; null if not reported. */
  compiler: z.string().nullable(),
  /** Recorded session that contains these kernels, if they were not compiled here; null for kernels of this build. */
  session: z.string().nullable(),
  kernels: z.array(kernelResourceSchema),
});
export type KernelSet = Readonly<z.infer<typeof kernelSetSchema>>;

/** Properties and occupancy of a loaded kernel, as the driver reports them. */
const driverOccupancySchema = z.strictObject({
  name: z.string(),
  registers: count,
  shared_bytes: count,
  /** Local memory per thread: spills, and arrays that do not fit into registers. */
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
      /** Reason if no kernels, or none from this build, are available; otherwise null. */
      reason: z.string().nullable(),
    }),
  },
  /** PTX or SASS of one kernel. For a user kernel this compiles user code, which requires the user's trust. */
  'launch.code': {
    params: z.strictObject({
      subject: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('kernel'), workload: workloadName, kernel: kernelName }),
        z.strictObject({
          kind: z.literal('variant'),
          variant: z.string().min(1).max(64),
          workload: z.string().max(64),
          bench: z.string().max(64),
          /** Kernel to show; null selects the first that the variant launches. */
          kernel: kernelName.nullable(),
        }),
      ]),
      architecture: z.string().regex(/^sm_\d{2,3}[a-z]?$/),
      language: z.enum(codeLanguages),
    }),
    result: codeSchema,
  },
  /** Reads the source page of a report: `ncu --import FILE --page source --csv`. */
  'launch.hot': {
    params: z.strictObject({ name: z.string().max(255), text: z.string().max(64 * 2 ** 20) }),
    result: z.strictObject({ kernels: z.array(hotKernelSchema) }),
  },
  /** cuOccupancyMaxActiveBlocksPerMultiprocessor of one kernel on a GPU of this machine. */
  'launch.driver': {
    params: z.strictObject({
      /** UUID of the GPU. */
      device: z.string().min(1).max(64),
      workload: workloadName,
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
