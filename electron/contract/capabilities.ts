/**
 * Capabilities of this build on this machine, with a reason for each missing one. The CUDA part comes from
 * native/cuda/report.
 */
import { z } from 'zod';
import { fileRefSchema } from './files.ts';

const count = z.number().int().nonnegative();
const bytes = z.number().nonnegative();
const positiveNumber = z.number().positive();

/** Availability of an NVIDIA library, which is loaded at run time. */
const libraryStateSchema = z.strictObject({
  available: z.boolean(),
  /** Reason why it is not available, as one sentence for the user; null if it is available. */
  reason: z.string().nullable(),
  /** Version as the library reports it. */
  version: z.string().nullable(),
  /** Path of the loaded library. */
  file: z.string().nullable(),
});
export type LibraryState = Readonly<z.infer<typeof libraryStateSchema>>;

/** Measured limits of a device's speed, from the kernels in kernels/probe. */
export const ceilingsSchema = z.strictObject({
  /** Bytes read plus bytes written per second in the fastest copy. */
  copy_bytes_per_s: positiveNumber,
  /** Method used for the fastest copy. */
  copyBy: z.enum(['kernel', 'cuMemcpyDtoD']),
  /** Operations per second; a fused multiply-add counts as two. */
  fp32_flops_per_s: positiveNumber,
  fp64_flops_per_s: positiveNumber,
  /** Wall time per launch when empty kernels are queued back to back. */
  launchInterval_s: positiveNumber,
  /** Wall time of launching one empty kernel and synchronising. */
  launchRoundTrip_s: positiveNumber,
  /** Device time that each additional empty kernel adds to a chain of graph nodes. */
  graphNode_s: z.number(),
  /** Wall time of launching a graph with one node and synchronising. */
  graphRoundTrip_s: positiveNumber,
  /** Multiprocessor clock directly after the arithmetic test; null without NVML. */
  sm_MHz: positiveNumber.nullable(),
  /** Whether a throttle reason was active while measuring. */
  throttled: z.boolean(),
  /** Driver version with which the limits were measured. */
  driver: z.string(),
});
export type Ceilings = Readonly<z.infer<typeof ceilingsSchema>>;

/** One reading of the clocks by NVML; a field is null if the device does not report it. */
const clockStateSchema = z.strictObject({
  sm_MHz: count.nullable(),
  memory_MHz: count.nullable(),
  power_W: z.number().nonnegative().nullable(),
  powerLimit_W: z.number().nonnegative().nullable(),
  temperature_C: z.number().nullable(),
  /**
   * Energy used since the driver was loaded; absent in older reports. The device updates the counter some tens of times
   * per second.
   */
  energy_J: z.number().nonnegative().nullable().optional(),
  /** Reasons why the clock is below its maximum, such as `software-power-cap`, `hardware-thermal` or `idle`. */
  reasons: z.array(z.string()),
  /** Whether heat, power or a synchronised partner GPU lowers the clock. */
  throttled: z.boolean(),
});
export type ClockState = Readonly<z.infer<typeof clockStateSchema>>;

const cudaDeviceSchema = z.strictObject({
  /** Index in the driver's order, counted after CUDA_VISIBLE_DEVICES is applied. */
  index: count,
  name: z.string(),
  uuid: z.string(),
  pciBusId: z.string(),
  usable: z.boolean(),
  /** Reason why runs cannot use the device; null if they can. */
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
  /** Shared memory per block for kernels that opt in to more than the default. */
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
  /** Whether the system kills kernels that run for seconds, as it does on a GPU with a display. */
  kernelTimeout: z.boolean(),
  cooperativeLaunch: z.boolean(),
  clusterLaunch: z.boolean(),
  /** Clock state when the report was made; null without NVML. */
  clocks: clockStateSchema.nullable(),
  /** Measured limits; null if `measureCeilings` has not run with this driver version. */
  ceilings: ceilingsSchema.nullable(),
});
export type CudaDevice = Readonly<z.infer<typeof cudaDeviceSchema>>;

export const deviceReportSchema = z.strictObject({
  cuda: z.strictObject({
    /** Whether runs can use at least one device. */
    available: z.boolean(),
    reason: z.string().nullable(),
    /** Driver version, such as `580.159.04`; null without NVML. */
    driver: z.string().nullable(),
    /** Newest CUDA version that the driver supports, such as `13.0`. */
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
  /** Variant id, unique within one benchmark. */
  id: z.string(),
  workload: z.string(),
  /** Name of the benchmark if the workload has several; otherwise empty. */
  bench: z.string(),
  title: z.string(),
  /** Differences from the variant that it builds on, for display. */
  changes: z.string(),
  buildsOn: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  precisions: z.array(z.string()),
  /** Whether this machine can run it. */
  available: z.boolean(),
  /** Reason why it cannot run, as one sentence; null if it can. */
  reason: z.string().nullable(),
  /** Path of its source file in the repository. */
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

/** Whether both keys identify the same variant. */
export function sameVariant(a: VariantKey, b: VariantKey): boolean {
  return a.id === b.id && a.workload === b.workload && a.bench === b.bench;
}

/**
 * Features of the program that hosts the page (Electron or a browser server). The page tests for features, never for a
 * program.
 */
const shellSchema = z.strictObject({
  kind: z.enum(['desktop', 'browser', 'none']),
  /** Whether there are native file dialogs, so that `file.choose` works. */
  dialogs: z.boolean(),
  /**
   * Whether the shell owns the window's title and its closing. If so, the page reports unsaved changes with
   * `shell.document`.
   */
  window: z.boolean(),
  /** Whether menus are native. If so, the page sends their commands with `shell.menu`. */
  menus: z.boolean(),
  /** Path of the library folder, which `library` file references are relative to. */
  libraryFolder: z.string(),
  /**
   * If this host serves a page on another machine, the name of this host as the user gave it to ssh; otherwise null.
   */
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
  /** Upper limit on the memory of one run, bytes. */
  memoryLimit_bytes: z.number().positive(),
  /** Scenario to open at the start, from the command line or a double-clicked file; null if there is none. */
  openFirst: fileRefSchema.nullable(),
  /** Whether to run that scenario immediately (`--run`). */
  runFirst: z.boolean(),
});
export type Capabilities = Readonly<z.infer<typeof capabilitiesSchema>>;

/** Build progress of the solver. On the first start, the host serves pages while the solver is being compiled. */
export const solverStateSchema = z.strictObject({
  /** Compiled part. `first`: transport on the CPU; `whole`: all workloads and the GPU. */
  stage: z.enum(['none', 'first', 'whole']),
  /** Progress such as `34 of 66 files`; null before the compiler starts and after the last file. */
  progress: z.string().nullable(),
  /** Reason why the remaining files cannot be compiled; null if they can. */
  failed: z.string().nullable(),
});
export type SolverState = Readonly<z.infer<typeof solverStateSchema>>;
export type SolverStage = SolverState['stage'];

export const solverFrameSchema = z.strictObject({
  ...solverStateSchema.shape,
  /**
   * Whether GPU kernels are still being compiled, on a machine without nvcc. Until they are, `auto` selects the CPU.
   */
  gpuKernels: z.boolean(),
});
export type SolverFrame = Readonly<z.infer<typeof solverFrameSchema>>;
