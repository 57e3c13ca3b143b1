/**
 * Calls of the launch explorer: compiled kernels, their resources according to ptxas, and their occupancy according to
 * the driver.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();

/** Registers and memory that a kernel uses on one architecture. */
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
  /**
   * Largest number of threads per block by the kernel's launch bounds. Null without launch bounds, absent if not
   * recorded.
   */
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
  /** Offset from the kernel's first instruction, bytes; null if the line is not a machine instruction. */
  address: count.nullable(),
  text: z.string(),
  /** Index of the source file in `files`, and line number starting at 1. Null without line information. */
  file: count.nullable(),
  line: count.nullable(),
});
export type CodeLine = Readonly<z.infer<typeof codeLineSchema>>;

const codeSchema = z.strictObject({
  kernel: z.string(),
  /** Architecture: `sm_90` for SASS, `compute_90` for PTX. */
  architecture: z.string(),
  language: z.enum(codeLanguages),
  /** Programs that compiled and disassembled the kernel, such as `nvcc 13.0.88, nvdisasm 13.0.85`. */
  by: z.string(),
  /** Names of all kernels in the same binary; for a variant, of those that it launches. */
  kernels: z.array(z.string()),
  lines: z.array(codeLineSchema),
  /** Number of lines that exceed the limit and are omitted. */
  dropped: count,
  /** Reason why there are no lines; null if there are. */
  missing: z.string().nullable(),
  /**
   * Source files, named by their path in the repository or as a user kernel. `text` is null if the file is not
   * available.
   */
  files: z.array(z.strictObject({ path: z.string(), text: z.string().nullable() })),
  /** Resources on the requested architecture; null if the kernel was not compiled for it. */
  resource: z
    .strictObject({
      registers: count,
      shared_bytes: count,
      /** Stack per thread, bytes: spilled registers, and arrays that do not fit into registers. */
      stack_bytes: count,
      /** Bytes stored and loaded by register spills; null if the compiler did not report them. */
      spill_store_bytes: count.nullable(),
      spill_load_bytes: count.nullable(),
      barriers: count,
      max_threads: z.number().int().positive().nullable(),
    })
    .nullable(),
});
export type Code = Readonly<z.infer<typeof codeSchema>>;

const kernelNameSchema = z.string().regex(/^[A-Za-z_$][\w$]{0,254}$/);
const workloadNameSchema = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/);

/** Samples or instruction counts of one kernel by position in its code, from Nsight Compute. */
const kernelProfileSchema = z.strictObject({
  kernel: z.string(),
  /** Title of the counted column in the report: `Warp Stall Sampling (All Samples)`. */
  counted: z.string(),
  total: z.number(),
  /** Counts in the order of the instructions, or of the lines of a source file. */
  places: z.array(
    z.strictObject({
      /** Offset in bytes from the first instruction; null for a source line. */
      address: count.nullable(),
      file: z.string().nullable(),
      line: count.nullable(),
      value: z.number(),
      /** Most frequent stall reason; null if not reported. */
      reason: z.string().nullable(),
    }),
  ),
});
export type KernelProfile = Readonly<z.infer<typeof kernelProfileSchema>>;

/** Kernels of one workload, compiled for one or more architectures. */
const kernelSetSchema = z.strictObject({
  workload: z.string(),
  /** Version of the CUDA compiler; null if not reported. */
  compiler: z.string().nullable(),
  /**
   * Recorded session that the data come from, if the kernels were not compiled here; null for kernels of this build.
   */
  session: z.string().nullable(),
  kernels: z.array(kernelResourceSchema),
});
export type KernelSet = Readonly<z.infer<typeof kernelSetSchema>>;

/** Properties and occupancy of a loaded kernel, from the driver. */
const driverOccupancySchema = z.strictObject({
  name: z.string(),
  registers: count,
  shared_bytes: count,
  /** Local memory per thread, bytes: spilled registers, and arrays that do not fit into registers. */
  local_bytes: count,
  max_threads: count,
  /** Compute capability of the machine code, such as 90. */
  binary_version: count,
  /** Resident blocks per multiprocessor for each requested block size; 0 if blocks of this size cannot be launched. */
  blocks: z.array(count),
});
export type DriverOccupancy = Readonly<z.infer<typeof driverOccupancySchema>>;

export const launchMethods = {
  'launch.kernels': {
    params: z.strictObject({}),
    result: z.strictObject({
      sets: z.array(kernelSetSchema),
      /** Reason why kernels of this build are missing; null if they are available. */
      reason: z.string().nullable(),
    }),
  },
  /** Returns PTX or SASS of one kernel. A user kernel is compiled first, which requires the user's trust. */
  'launch.code': {
    params: z.strictObject({
      subject: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('kernel'), workload: workloadNameSchema, kernel: kernelNameSchema }),
        z.strictObject({
          kind: z.literal('variant'),
          variant: z.string().min(1).max(64),
          workload: z.string().max(64),
          bench: z.string().max(64),
          /** Kernel to show; null selects the first one that the variant launches. */
          kernel: kernelNameSchema.nullable(),
        }),
      ]),
      architecture: z.string().regex(/^sm_\d{2,3}[a-z]?$/),
      language: z.enum(codeLanguages),
    }),
    result: codeSchema,
  },
  /** Parses the source page of an Nsight Compute report, written by `ncu --import FILE --page source --csv`. */
  'launch.hot': {
    params: z.strictObject({ name: z.string().max(255), text: z.string().max(64 * 2 ** 20) }),
    result: z.strictObject({ kernels: z.array(kernelProfileSchema) }),
  },
  /**
   * Queries the driver's occupancy of one kernel (cuOccupancyMaxActiveBlocksPerMultiprocessor) on a GPU of this
   * machine.
   */
  'launch.driver': {
    params: z.strictObject({
      /** UUID of the GPU. */
      device: z.string().min(1).max(64),
      workload: workloadNameSchema,
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
