/**
 * Occupancy: blocks of a kernel resident on a multiprocessor at once. Same arithmetic as NVIDIA's cuda_occupancy.h
 * (CUDA 13.0), for the default split between shared memory and L1. Tested against it and against the driver.
 *
 * Hardware limits of a GPU multiprocessor. Those of installed devices come from the driver, others from NVIDIA's
 * publications:
 *
 * - warps, blocks, registers, shared memory: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute
 *   Capability";
 * - barriers, and the allocation units of registers and shared memory, which no driver reports: cuda_occupancy.h of
 *   CUDA 13.0;
 * - multiprocessors of a product: NVIDIA's architecture white papers of GA100, GA102, AD102, GH100 and of the RTX
 *   Blackwell; of the H200 its driver; of the B200 its data sheet.
 */
import type { CudaDevice } from '../../contract/capabilities.ts';

interface Granularity {
  /** Granularity of register allocation per warp. */
  readonly registers: number;
  readonly shared_bytes: number;
  /** Number of partitions of a multiprocessor, among which registers and warps are divided equally. */
  readonly partitions: number;
}

export interface LaunchLimits {
  /** Device name, such as `NVIDIA H200`. */
  readonly name: string;
  /** Architecture such as `sm_90`. */
  readonly architecture: string;
  readonly origin: 'driver' | 'published';
  readonly multiprocessors: number;
  readonly warpThreads: number;
  readonly threadsPerBlock: number;
  /** Largest number of resident threads on a multiprocessor. */
  readonly threads: number;
  readonly blocks: number;
  readonly registers: number;
  readonly shared_bytes: number;
  /** Number of block barriers of a multiprocessor; null if they are no limit. */
  readonly barriers: number | null;
  /** Largest shared memory of a block: by default, and after opting in with cuFuncSetAttribute. */
  readonly sharedPerBlock_bytes: number;
  readonly sharedPerBlockOptIn_bytes: number;
  /** Shared memory in each block that the system reserves. */
  readonly sharedReserved_bytes: number;
  readonly granularity: Granularity;
}

/** Largest grid and block along x, y and z; the same for all GPUs since compute capability 3.0. */
export const gridLimits = [2 ** 31 - 1, 65_535, 65_535] as const;
export const blockLimits = [1024, 1024, 64] as const;

const KIB = 1024;
/** Allocation granularity, which is the same for all listed architectures. */
const granularity: Granularity = { registers: 256, shared_bytes: 128, partitions: 4 };

function publishedGpu(
  name: string,
  architecture: string,
  multiprocessors: number,
  [warps, blocks, barriers, shared_KiB]: readonly [
    warps: number,
    blocks: number,
    barriers: number | null,
    shared_KiB: number,
  ],
): LaunchLimits {
  return {
    name,
    architecture,
    origin: 'published',
    multiprocessors,
    warpThreads: 32,
    threadsPerBlock: 1024,
    threads: warps * 32,
    blocks,
    registers: 64 * KIB,
    shared_bytes: shared_KiB * KIB,
    barriers,
    sharedPerBlock_bytes: 48 * KIB,
    // A block can use all shared memory except for the part that the system reserves.
    sharedPerBlockOptIn_bytes: (shared_KiB - 1) * KIB,
    sharedReserved_bytes: KIB,
    granularity,
  };
}

export const publishedLimits: readonly LaunchLimits[] = [
  publishedGpu('NVIDIA A100', 'sm_80', 108, [64, 32, null, 164]),
  publishedGpu('GeForce RTX 3090', 'sm_86', 82, [48, 16, null, 100]),
  publishedGpu('GeForce RTX 4090', 'sm_89', 128, [48, 24, null, 100]),
  publishedGpu('NVIDIA H200', 'sm_90', 132, [64, 32, 64, 228]),
  publishedGpu('NVIDIA H100 SXM', 'sm_90', 132, [64, 32, 64, 228]),
  publishedGpu('NVIDIA B200', 'sm_100', 148, [64, 32, 64, 228]),
  publishedGpu('GeForce RTX 5090', 'sm_120', 170, [48, 24, 24, 100]),
];

/** Name of an architecture: `sm_90` for `9.0` and for `sm_90a`. */
export function architectureName(text: string): string {
  return /^\d+\.\d+$/.test(text) ? `sm_${text.replace('.', '')}` : text.replace(/[a-z]+$/, '');
}

/** Published limits of an architecture such as `sm_90a`; null if it is not in the list. */
export function publishedLimitsOf(architecture: string): LaunchLimits | null {
  return publishedLimits.find((one) => one.architecture === architectureName(architecture)) ?? null;
}

/**
 * Limits reported by the driver. Values that it does not report come from the published limits of the architecture, or
 * from the newest one for an unknown architecture.
 */
export function launchLimitsOf(device: CudaDevice): LaunchLimits {
  const architecture = architectureName(device.computeCapability);
  const known = publishedLimitsOf(architecture);
  return {
    name: device.name,
    architecture,
    origin: 'driver',
    multiprocessors: device.multiprocessors,
    warpThreads: device.warpThreads,
    threadsPerBlock: device.threadsPerBlock,
    threads: device.threadsPerMultiprocessor,
    blocks: device.blocksPerMultiprocessor,
    registers: device.registersPerMultiprocessor,
    shared_bytes: device.sharedPerMultiprocessor_bytes,
    barriers: known?.barriers ?? null,
    sharedPerBlock_bytes: device.sharedPerBlock_bytes,
    sharedPerBlockOptIn_bytes: device.sharedPerBlockOptIn_bytes,
    sharedReserved_bytes: device.sharedReservedPerBlock_bytes,
    granularity,
  };
}

/** Kernel properties that determine its occupancy, named as in `KernelResource`. */
export interface LaunchedKernel {
  readonly registers: number;
  /** Static shared memory per block, bytes. */
  readonly shared_bytes: number;
  /** Number of named barriers per block. */
  readonly barriers: number;
  /** Largest number of threads per block by the launch bounds; absent or null without them. */
  readonly max_threads?: number | null | undefined;
}

/**
 * Replaces properties of a kernel by those that the driver reports for the loaded kernel. They may differ, because
 * loading can compile PTX or source.
 */
export function withLoadedProperties(
  kernel: LaunchedKernel,
  said: { readonly registers: number; readonly shared_bytes: number; readonly max_threads: number },
): LaunchedKernel {
  const { registers, shared_bytes, max_threads } = said;
  return { barriers: kernel.barriers, registers, shared_bytes, max_threads };
}

export const limiters = ['registers', 'shared memory', 'threads', 'blocks', 'barriers'] as const;
export type Limiter = (typeof limiters)[number];

export interface Occupancy {
  /** Number of resident blocks per multiprocessor; 0 if such a block cannot be launched. */
  readonly blocks: number;
  readonly warps: number;
  /** Occupancy: resident warps divided by the largest number, 0 to 1. */
  readonly share: number;
  /** Resources that limit the occupancy; several if they allow the same number of blocks. */
  readonly limitedBy: readonly Limiter[];
  /** Number of blocks that each resource would allow by itself; Infinity if it is no limit. */
  readonly allows: Readonly<Record<Limiter, number>>;
}

const MAX_REGISTERS_PER_THREAD = 255;

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

function blocksByRegisters({ registers }: LaunchedKernel, limits: LaunchLimits, warps: number): number {
  const { granularity } = limits;
  if (registers === 0) return Number.POSITIVE_INFINITY;
  if (registers > MAX_REGISTERS_PER_THREAD) return 0;
  const perWarp = roundUp(registers * limits.warpThreads, granularity.registers);
  // The hardware allocates registers as if warps were spread evenly over all partitions.
  if (perWarp * roundUp(warps, granularity.partitions) > limits.registers) return 0;
  const perPartition = Math.floor(limits.registers / granularity.partitions / perWarp);
  return Math.floor((perPartition * granularity.partitions) / warps);
}

function blocksBySharedMemory({ shared_bytes }: LaunchedKernel, limits: LaunchLimits, dynamic_bytes: number): number {
  if (shared_bytes + dynamic_bytes > limits.sharedPerBlockOptIn_bytes) return 0;
  const perBlock = roundUp(shared_bytes + dynamic_bytes + limits.sharedReserved_bytes, limits.granularity.shared_bytes);
  return perBlock === 0 ? Number.POSITIVE_INFINITY : Math.floor(limits.shared_bytes / perBlock);
}

/** Occupancy for blocks of `threads` threads with `dynamic_bytes` of dynamic shared memory. */
export function computeOccupancy(
  kernel: LaunchedKernel,
  limits: LaunchLimits,
  threads: number,
  dynamic_bytes = 0,
): Occupancy {
  const warps = Math.ceil(threads / limits.warpThreads);
  const mostWarps = Math.floor(limits.threads / limits.warpThreads);
  const fits = threads <= Math.min(limits.threadsPerBlock, kernel.max_threads ?? Number.POSITIVE_INFINITY);
  const allows: Readonly<Record<Limiter, number>> = {
    registers: blocksByRegisters(kernel, limits, warps),
    'shared memory': blocksBySharedMemory(kernel, limits, dynamic_bytes),
    threads: fits ? Math.floor(mostWarps / warps) : 0,
    blocks: limits.blocks,
    barriers:
      limits.barriers === null || kernel.barriers === 0
        ? Number.POSITIVE_INFINITY
        : Math.floor(limits.barriers / kernel.barriers),
  };
  const blocks = Math.min(...limiters.map((limiter) => allows[limiter]));
  return {
    blocks,
    warps: blocks * warps,
    share: (blocks * warps) / mostWarps,
    limitedBy: limiters.filter((limiter) => allows[limiter] === blocks),
    allows,
  };
}
