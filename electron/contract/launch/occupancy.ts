/**
 * Occupancy: blocks of a kernel resident on a multiprocessor at once. Same arithmetic as NVIDIA's cuda_occupancy.h
 * (CUDA 13.0), for the default split between shared memory and L1. Tested against it and against the driver.
 */
import type { LaunchLimits } from './limits.ts';

/** Kernel properties that determine occupancy; the same fields as in `KernelResource`. */
export interface LaunchedKernel {
  readonly registers: number;
  /** Static shared memory. */
  readonly shared_bytes: number;
  /** Named barriers that a block uses. */
  readonly barriers: number;
  /** From its launch bounds; absent or null: whatever the device takes. */
  readonly max_threads?: number | null | undefined;
}

/** The kernel as a driver has loaded it: it may have compiled it itself, from PTX or source. */
export function asLoaded(
  kernel: LaunchedKernel,
  said: { readonly registers: number; readonly shared_bytes: number; readonly max_threads: number },
): LaunchedKernel {
  const { registers, shared_bytes, max_threads } = said;
  return { barriers: kernel.barriers, registers, shared_bytes, max_threads };
}

export const limiters = ['registers', 'shared memory', 'threads', 'blocks', 'barriers'] as const;
export type Limiter = (typeof limiters)[number];

export interface Occupancy {
  /** Blocks that a multiprocessor holds at once; 0: such a block cannot be launched. */
  readonly blocks: number;
  readonly warps: number;
  /** Warps held over the most that can be, 0 to 1. */
  readonly share: number;
  /** Resources that limit occupancy; several if they allow the same number of blocks. */
  readonly limitedBy: readonly Limiter[];
  /** Blocks that each would allow by itself; Infinity where it sets no limit. */
  readonly allows: Readonly<Record<Limiter, number>>;
}

const MOST_REGISTERS_PER_THREAD = 255;

const up = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

function byRegisters({ registers }: LaunchedKernel, limits: LaunchLimits, warps: number): number {
  const { granularity } = limits;
  if (registers === 0) return Number.POSITIVE_INFINITY;
  if (registers > MOST_REGISTERS_PER_THREAD) return 0;
  const perWarp = up(registers * limits.warpThreads, granularity.registers);
  // The hardware admits a block as if its warps filled every partition evenly.
  if (perWarp * up(warps, granularity.partitions) > limits.registers) return 0;
  const perPartition = Math.floor(limits.registers / granularity.partitions / perWarp);
  return Math.floor((perPartition * granularity.partitions) / warps);
}

function byShared({ shared_bytes }: LaunchedKernel, limits: LaunchLimits, dynamic_bytes: number): number {
  if (shared_bytes + dynamic_bytes > limits.sharedPerBlockOptIn_bytes) return 0;
  const perBlock = up(shared_bytes + dynamic_bytes + limits.sharedReserved_bytes, limits.granularity.shared_bytes);
  return perBlock === 0 ? Number.POSITIVE_INFINITY : Math.floor(limits.shared_bytes / perBlock);
}

/** `threads` of a block, one or more; `dynamic_bytes` of shared memory given at launch. */
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
    registers: byRegisters(kernel, limits, warps),
    'shared memory': byShared(kernel, limits, dynamic_bytes),
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
