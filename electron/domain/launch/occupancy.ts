/**
 * Occupancy: blocks of a kernel resident on a multiprocessor at once. Same arithmetic as NVIDIA's cuda_occupancy.h
 * (CUDA 13.0), for the default split between shared memory and L1. Tested against it and against the driver.
 *
 * Hardware limits of a GPU's multiprocessor. Those of installed devices come from the driver, others from NVIDIA's
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
  /** Registers are allocated to warps in multiples of this. */
  readonly registers: number;
  readonly shared_bytes: number;
  /** Number of partitions of a multiprocessor, which share its registers and warps equally. */
  readonly partitions: number;
}

export interface LaunchLimits {
  /** Device name: `NVIDIA H200`. */
  readonly name: string;
  /** Architecture such as `sm_90`. */
  readonly architecture: string;
  readonly origin: 'driver' | 'published';
  readonly multiprocessors: number;
  readonly warpThreads: number;
  readonly threadsPerBlock: number;
  /** Largest number of threads on a multiprocessor. */
  readonly threads: number;
  readonly blocks: number;
  readonly registers: number;
  readonly shared_bytes: number;
  /** Number of block barriers; null if they are not limiting. */
  readonly barriers: number | null;
  /** Shared memory of one block by default, and after opting in with cuFuncSetAttribute. */
  readonly sharedPerBlock_bytes: number;
  readonly sharedPerBlockOptIn_bytes: number;
  /** Shared memory that the system reserves in every block. */
  readonly sharedReserved_bytes: number;
  readonly granularity: Granularity;
}

/** Largest extents of a grid and of a block along x, y and z; unchanged since compute capability 3.0. */
export const gridLimits = [2 ** 31 - 1, 65_535, 65_535] as const;
export const blockLimits = [1024, 1024, 64] as const;

const KIB = 1024;
/** Allocation granularity, equal on all these architectures. */
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
    // All shared memory except the part that the system reserves in a block.
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

/** `sm_90` for `9.0` and for `sm_90a`. */
export function architectureName(text: string): string {
  return /^\d+\.\d+$/.test(text) ? `sm_${text.replace('.', '')}` : text.replace(/[a-z]+$/, '');
}

/** Published limits of an architecture such as `sm_90a`; null for an unknown one. */
export function publishedFor(architecture: string): LaunchLimits | null {
  return publishedLimits.find((one) => one.architecture === architectureName(architecture)) ?? null;
}

/**
 * Limits from the driver; values that it does not report are those of the architecture or, for a newer one, of the
 * newest known.
 */
export function limitsOf(device: CudaDevice): LaunchLimits {
  const architecture = architectureName(device.computeCapability);
  const known = publishedFor(architecture);
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

/** Kernel properties that determine occupancy; the same fields as in `KernelResource`. */
export interface LaunchedKernel {
  readonly registers: number;
  /** Static shared memory in bytes. */
  readonly shared_bytes: number;
  /** Number of named barriers that a block uses. */
  readonly barriers: number;
  /** Largest number of threads from its launch bounds; absent or null without bounds. */
  readonly max_threads?: number | null | undefined;
}

/**
 * The kernel with the properties that a driver reports after loading it, which may include compilation from PTX or
 * source.
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
  /** Number of blocks resident on a multiprocessor; 0 if such a block cannot be launched. */
  readonly blocks: number;
  readonly warps: number;
  /** Resident warps relative to the maximum, 0 to 1. */
  readonly share: number;
  /** Resources that limit occupancy; several if they allow the same number of blocks. */
  readonly limitedBy: readonly Limiter[];
  /** Number of blocks that each resource alone would allow; Infinity if it is not limiting. */
  readonly allows: Readonly<Record<Limiter, number>>;
}

const MAX_REGISTERS_PER_THREAD = 255;

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

function blocksByRegisters({ registers }: LaunchedKernel, limits: LaunchLimits, warps: number): number {
  const { granularity } = limits;
  if (registers === 0) return Number.POSITIVE_INFINITY;
  if (registers > MAX_REGISTERS_PER_THREAD) return 0;
  const perWarp = roundUp(registers * limits.warpThreads, granularity.registers);
  // The hardware allocates registers as if the block's warps filled every partition evenly.
  if (perWarp * roundUp(warps, granularity.partitions) > limits.registers) return 0;
  const perPartition = Math.floor(limits.registers / granularity.partitions / perWarp);
  return Math.floor((perPartition * granularity.partitions) / warps);
}

function blocksBySharedMemory({ shared_bytes }: LaunchedKernel, limits: LaunchLimits, dynamic_bytes: number): number {
  if (shared_bytes + dynamic_bytes > limits.sharedPerBlockOptIn_bytes) return 0;
  const perBlock = roundUp(shared_bytes + dynamic_bytes + limits.sharedReserved_bytes, limits.granularity.shared_bytes);
  return perBlock === 0 ? Number.POSITIVE_INFINITY : Math.floor(limits.shared_bytes / perBlock);
}

/** `threads` is the number per block, at least one; `dynamic_bytes` is its dynamic shared memory. */
export function occupancyOf(
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
