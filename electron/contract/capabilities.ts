/**
 * Capabilities of this build on this machine, with a reason for everything unavailable. The CUDA part is reported by
 * native/cuda/report.
 */
import { z } from 'zod';
import { fileRefSchema } from './files.ts';

const count = z.number().int().nonnegative();
const bytes = z.number().nonnegative();
const positiveNumber = z.number().positive();

/** State of an NVIDIA library that is opened at run time. */
const libraryStateSchema = z.strictObject({
  available: z.boolean(),
  /** Reason, as one sentence for the user; null if the library is available. */
  reason: z.string().nullable(),
  /** Version as the library reports it. */
  version: z.string().nullable(),
  /** Path from which it was loaded. */
  file: z.string().nullable(),
});
export type LibraryState = Readonly<z.infer<typeof libraryStateSchema>>;

/** Peak performance of a device, measured by the kernels of kernels/probe. */
export const ceilingsSchema = z.strictObject({
  /** Bytes read plus bytes written per second by a copy, from the fastest sample. */
  copy_bytes_per_s: positiveNumber,
  /** Method of the fastest copy. */
  copyBy: z.enum(['kernel', 'cuMemcpyDtoD']),
  /** A fused multiply-add is two operations. */
  fp32_flops_per_s: positiveNumber,
  fp64_flops_per_s: positiveNumber,
  /** Time between launches of an empty kernel queued back to back, wall time. */
  launchInterval_s: positiveNumber,
  /** Time of one empty launch and its synchronisation, wall time. */
  launchRoundTrip_s: positiveNumber,
  /** Time of each further empty kernel in a chain of graph nodes, device time. */
  graphNode_s: z.number(),
  /** Time of launching a one-node graph and its synchronisation, wall time. */
  graphRoundTrip_s: positiveNumber,
  /** Multiprocessor clock after the arithmetic test; null without NVML. */
  sm_MHz: positiveNumber.nullable(),
  /** Whether a throttle reason was active while measuring. */
  throttled: z.boolean(),
  /** Driver version during the measurement. */
  driver: z.string(),
});
export type Ceilings = Readonly<z.infer<typeof ceilingsSchema>>;

/** One reading by NVML; fields are null if the device does not report them. */
const clockStateSchema = z.strictObject({
  sm_MHz: count.nullable(),
  memory_MHz: count.nullable(),
  power_W: z.number().nonnegative().nullable(),
  powerLimit_W: z.number().nonnegative().nullable(),
  temperature_C: z.number().nullable(),
  /**
   * Energy since the driver was loaded; absent in older reports. The counter is updated some tens of times per second.
   */
  energy_J: z.number().nonnegative().nullable().optional(),
  /** Reasons why the clock is not higher, such as `software-power-cap`, `hardware-thermal`, `idle`. */
  reasons: z.array(z.string()),
  /** Whether one of the reasons is heat, power or a partner GPU. */
  throttled: z.boolean(),
});
export type ClockState = Readonly<z.infer<typeof clockStateSchema>>;

const cudaDeviceSchema = z.strictObject({
  /** Index in the driver's order, after CUDA_VISIBLE_DEVICES. */
  index: count,
  name: z.string(),
  uuid: z.string(),
  pciBusId: z.string(),
  usable: z.boolean(),
  /** Reason why runs cannot use it; null if usable. */
  reason: z.string().nullable(),
  computeCapability: z.string().regex(/^\d+\.\d+$/),
  multiprocessors: count,
  memory_bytes: bytes,
  /** Null if NVML is not available. */
  memoryFree_bytes: bytes.nullable(),
  memoryBus_bits: count,
  l2_bytes: bytes,
  persistingL2_bytes: bytes,
  sharedPerBlock_bytes: count,
  /** Shared memory limit for kernels that opt in. */
  sharedPerBlockOptIn_bytes: count,
  sharedPerMultiprocessor_bytes: count,
  sharedReservedPerBlock_bytes: count,
  registersPerMultiprocessor: count,
  threadsPerMultiprocessor: count,
  blocksPerMultiprocessor: count,
  threadsPerBlock: count,
  warpThreads: count,
  clockMax_MHz: count.nullable(),
  memoryClockMax_MHz: count.nullable(),
  ecc: z.boolean(),
  /**
   * Whether the driver stays loaded while no program uses the device; null if not reported, absent in older reports.
   */
  persistenceMode: z.boolean().nullable().optional(),
  integrated: z.boolean(),
  /** Whether the system ends kernels that run for seconds, as with an attached display. */
  kernelTimeout: z.boolean(),
  cooperativeLaunch: z.boolean(),
  clusterLaunch: z.boolean(),
  /** Clock state at the time of the report; null without NVML. */
  clocks: clockStateSchema.nullable(),
  /** Null if `measureCeilings` has not run with this driver. */
  ceilings: ceilingsSchema.nullable(),
});
export type CudaDevice = Readonly<z.infer<typeof cudaDeviceSchema>>;

export const deviceReportSchema = z.strictObject({
  cuda: z.strictObject({
    /** Whether there is a device that runs can use. */
    available: z.boolean(),
    reason: z.string().nullable(),
    /** The driver's version, such as `580.159.04`; null without NVML. */
    driver: z.string().nullable(),
    /** CUDA version that the driver supports, such as `13.0`. */
    version: z.string().nullable(),
    devices: z.array(cudaDeviceSchema),
  }),
  nvrtc: libraryStateSchema,
  nvml: libraryStateSchema,
  cupti: libraryStateSchema,
  cublas: libraryStateSchema,
  cublasLt: libraryStateSchema,
});
export type DeviceReport = Readonly<z.infer<typeof deviceReportSchema>>;

const cpuSchema = z.strictObject({
  name: z.string(),
  logicalCores: z.number().int().positive(),
  /** Instruction set that the engine chose, such as `avx2`. */
  isa: z.string(),
  memory_bytes: z.number().nonnegative(),
  os: z.string(),
});

export const variantSchema = z.strictObject({
  /** Unique within one benchmark. */
  id: z.string(),
  workload: z.string(),
  /** Name of the benchmark if the workload has several; otherwise empty. */
  bench: z.string(),
  title: z.string(),
  /** Changes from the variant it builds on. */
  changes: z.string(),
  buildsOn: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  precisions: z.array(z.string()),
  /** Whether this machine can run it. */
  available: z.boolean(),
  /** Reason why not, as one sentence; null if available. */
  reason: z.string().nullable(),
  /** Path of its source in the repository. */
  source: z.string(),
});
export type Variant = Readonly<z.infer<typeof variantSchema>>;

/** Identity of a variant. */
export const variantKeySchema = z.strictObject({
  workload: z.string().max(64),
  bench: z.string().max(64),
  id: z.string().max(64),
});
export type VariantKey = Readonly<z.infer<typeof variantKeySchema>>;

/** Whether both name the same variant. */
export function sameVariant(a: VariantKey, b: VariantKey): boolean {
  return a.id === b.id && a.workload === b.workload && a.bench === b.bench;
}

/** Features of the program that hosts the page. The page checks these, never which shell hosts it. */
const shellSchema = z.strictObject({
  kind: z.enum(['desktop', 'browser', 'none']),
  /** Whether there are native file dialogs, so that `file.choose` works. */
  dialogs: z.boolean(),
  /**
   * Whether the shell owns the window title and closing: the page then reports unsaved changes with `shell.document`.
   */
  window: z.boolean(),
  /** Whether menus are native, built from the command table that `shell.menu` sends. */
  menus: z.boolean(),
  /** Folder of `library` file references, as shown to the user. */
  libraryFolder: z.string(),
  /** Host name as the user gave it to ssh, if this host serves pages of another machine; otherwise null. */
  remote: z.string().max(200).nullable(),
});
export type Shell = Readonly<z.infer<typeof shellSchema>>;

export const capabilitiesSchema = z.strictObject({
  version: z.string(),
  build: z.string(),
  compiler: z.string(),
  cpu: cpuSchema,
  devices: deviceReportSchema,
  variants: z.array(variantSchema),
  shell: shellSchema,
  /** Upper bound on the state of one run, bytes. */
  memoryLimit_bytes: z.number().positive(),
  /** File reference of the scenario to open first, from the command line or a double click; else null. */
  openFirst: fileRefSchema.nullable(),
  /** Whether to run that scenario at once (`--run`). */
  runFirst: z.boolean(),
});
export type Capabilities = Readonly<z.infer<typeof capabilitiesSchema>>;

/** Build state of the solver: on a first start, pages are served while it is being compiled. */
export const solverStateSchema = z.strictObject({
  /** Compiled so far. `first`: transport on the CPU; `whole`: every workload and the GPU. */
  stage: z.enum(['none', 'first', 'whole']),
  /** Progress such as `34 of 66 files`; null before the compiler starts and once everything is compiled. */
  progress: z.string().nullable(),
  /** Reason why the remaining files cannot be compiled, or null. */
  failed: z.string().nullable(),
});
export type SolverState = Readonly<z.infer<typeof solverStateSchema>>;
export type SolverStage = SolverState['stage'];

export const solverFrameSchema = z.strictObject({
  ...solverStateSchema.shape,
  /** Whether the GPU's kernels are still being compiled on a machine without nvcc; `auto` uses the CPU meanwhile. */
  gpuKernels: z.boolean(),
});
export type SolverFrame = Readonly<z.infer<typeof solverFrameSchema>>;
