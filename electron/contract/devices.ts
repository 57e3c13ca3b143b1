/** CUDA support of a machine, with one readable reason for everything missing. Reported by native/cuda/report. */
import { z } from 'zod';

const count = z.number().int().nonnegative();
const bytes = z.number().nonnegative();
const positive = z.number().positive();

/** A library of NVIDIA's, opened at run time. */
const libraryStateSchema = z.strictObject({
  available: z.boolean(),
  /** Why not, as one sentence for the user; null when available. */
  reason: z.string().nullable(),
  /** As the library states it. */
  version: z.string().nullable(),
  /** Path it was loaded from. */
  file: z.string().nullable(),
});
export type LibraryState = Readonly<z.infer<typeof libraryStateSchema>>;

/** Peak performance of a device, measured by the kernels of kernels/probe. */
export const ceilingsSchema = z.strictObject({
  /** Bytes read plus bytes written by a copy, fastest of the samples. */
  copy_bytes_per_s: positive,
  /** Method of the fastest copy. */
  copyBy: z.enum(['kernel', 'cuMemcpyDtoD']),
  /** A fused multiply-add is two operations. */
  fp32_flops_per_s: positive,
  fp64_flops_per_s: positive,
  /** Between launches of an empty kernel queued back to back, wall time. */
  launchInterval_s: positive,
  /** One empty launch and its synchronisation, wall time. */
  launchRoundTrip_s: positive,
  /** Each further empty kernel in a graph's chain, device time. */
  graphNode_s: z.number(),
  /** Launch of a one-node graph and its synchronisation, wall time. */
  graphRoundTrip_s: positive,
  /** Multiprocessor clock after the arithmetic; null without NVML. */
  sm_MHz: positive.nullable(),
  /** A throttle reason stood while measuring. */
  throttled: z.boolean(),
  /** Driver they were measured with. */
  driver: z.string(),
});
export type Ceilings = Readonly<z.infer<typeof ceilingsSchema>>;

/** NVML's reading at one moment; null is what the device does not report. */
const clockStateSchema = z.strictObject({
  sm_MHz: count.nullable(),
  memory_MHz: count.nullable(),
  power_W: z.number().nonnegative().nullable(),
  powerLimit_W: z.number().nonnegative().nullable(),
  temperature_C: z.number().nullable(),
  /** Since the driver was loaded; absent in older reports. Counts on some tens of times a second. */
  energy_J: z.number().nonnegative().nullable().optional(),
  /** Why the clock is not higher, such as `software-power-cap`, `hardware-thermal`, `idle`. */
  reasons: z.array(z.string()),
  /** Whether one of them is heat, power or a partner GPU. */
  throttled: z.boolean(),
});
export type ClockState = Readonly<z.infer<typeof clockStateSchema>>;

const cudaDeviceSchema = z.strictObject({
  /** As the driver counts, after CUDA_VISIBLE_DEVICES. */
  index: count,
  name: z.string(),
  uuid: z.string(),
  pciBusId: z.string(),
  usable: z.boolean(),
  /** Why runs cannot use it; null when usable. */
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
  /** Limit for kernels that opt in. */
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
  /** The driver stays loaded while nobody uses the device; null where it does not say, absent in older reports. */
  persistenceMode: z.boolean().nullable().optional(),
  integrated: z.boolean(),
  /** The system ends kernels that run for seconds (a display is attached). */
  kernelTimeout: z.boolean(),
  cooperativeLaunch: z.boolean(),
  clusterLaunch: z.boolean(),
  /** At the time of the report; null without NVML. */
  clocks: clockStateSchema.nullable(),
  /** Null if `measureCeilings` has not run with this driver. */
  ceilings: ceilingsSchema.nullable(),
});
export type CudaDevice = Readonly<z.infer<typeof cudaDeviceSchema>>;

export const deviceReportSchema = z.strictObject({
  cuda: z.strictObject({
    /** Whether a device is there that runs can use. */
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
