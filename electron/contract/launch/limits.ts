/**
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
import type { CudaDevice } from '../devices.ts';

interface Granularity {
  /** Registers are given to a warp in these units. */
  readonly registers: number;
  readonly shared_bytes: number;
  /** Parts of a multiprocessor: each holds a quarter of the registers and of the warps. */
  readonly partitions: number;
}

export interface LaunchLimits {
  /** Device name: `NVIDIA H200`. */
  readonly name: string;
  /** Such as `sm_90`. */
  readonly architecture: string;
  readonly origin: 'driver' | 'published';
  readonly multiprocessors: number;
  readonly warpThreads: number;
  readonly threadsPerBlock: number;
  /** Threads that a multiprocessor holds. */
  readonly threads: number;
  readonly blocks: number;
  readonly registers: number;
  readonly shared_bytes: number;
  /** Block barriers; null where they do not limit. */
  readonly barriers: number | null;
  /** Shared memory of one block without asking, and after asking with cuFuncSetAttribute. */
  readonly sharedPerBlock_bytes: number;
  readonly sharedPerBlockOptIn_bytes: number;
  /** The system's own in every block. */
  readonly sharedReserved_bytes: number;
  readonly granularity: Granularity;
}

/** Largest extents of a grid and of a block along x, y and z; the same since compute capability 3.0. */
export const gridLimits = [2 ** 31 - 1, 65_535, 65_535] as const;
export const blockLimits = [1024, 1024, 64] as const;

const KIB = 1024;
/** The same on all these architectures. */
const granularity: Granularity = { registers: 256, shared_bytes: 128, partitions: 4 };

function published(
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
    // All but what the system keeps of one block.
    sharedPerBlockOptIn_bytes: (shared_KiB - 1) * KIB,
    sharedReserved_bytes: KIB,
    granularity,
  };
}

export const publishedLimits: readonly LaunchLimits[] = [
  published('NVIDIA A100', 'sm_80', 108, [64, 32, null, 164]),
  published('GeForce RTX 3090', 'sm_86', 82, [48, 16, null, 100]),
  published('GeForce RTX 4090', 'sm_89', 128, [48, 24, null, 100]),
  published('NVIDIA H200', 'sm_90', 132, [64, 32, 64, 228]),
  published('NVIDIA H100 SXM', 'sm_90', 132, [64, 32, 64, 228]),
  published('NVIDIA B200', 'sm_100', 148, [64, 32, 64, 228]),
  published('GeForce RTX 5090', 'sm_120', 170, [48, 24, 24, 100]),
];

/** `sm_90` of `9.0`, and of `sm_90a`. */
export function architectureName(text: string): string {
  return /^\d+\.\d+$/.test(text) ? `sm_${text.replace('.', '')}` : text.replace(/[a-z]+$/, '');
}

/** Limits of an architecture such as `sm_90a`; null for one that is not known here. */
export function publishedFor(architecture: string): LaunchLimits | null {
  return publishedLimits.find((one) => one.architecture === architectureName(architecture)) ?? null;
}

/** As the driver states them; what it does not state is the architecture's, or of a newer one the newest known. */
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
