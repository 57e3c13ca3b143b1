/**
 * How many threads of a kernel a multiprocessor holds at once. Limits by
 * compute capability: CUDA C++ Programming Guide 13, table "Technical
 * Specifications per Compute Capability"; units of allocation as in NVIDIA's
 * occupancy calculator (cuda_occupancy.h).
 */
import type { KernelResource } from '../../../electron/contract/bench.ts';

interface Multiprocessor {
  readonly warps: number;
  readonly blocks: number;
  readonly shared_bytes: number;
}

const REGISTERS = 65_536;
const WARP = 32;
/** Registers are given to a warp in these units. */
const REGISTER_UNIT = 256;
/** Warps are held in groups of one per scheduler. */
const WARP_UNIT = 4;
const SHARED_UNIT = 128;
/** The system keeps this much shared memory of every block, from compute capability 8.0 on. */
const SHARED_RESERVED = 1024;

const multiprocessors: Readonly<Record<string, Multiprocessor>> = {
  sm_80: { warps: 64, blocks: 32, shared_bytes: 164 * 1024 },
  sm_86: { warps: 48, blocks: 16, shared_bytes: 100 * 1024 },
  sm_89: { warps: 48, blocks: 24, shared_bytes: 100 * 1024 },
  sm_90: { warps: 64, blocks: 32, shared_bytes: 228 * 1024 },
  sm_100: { warps: 64, blocks: 32, shared_bytes: 228 * 1024 },
  sm_120: { warps: 48, blocks: 24, shared_bytes: 100 * 1024 },
};

export interface Occupancy {
  /** Warps held over the most that can be, 0 to 1. */
  readonly share: number;
  readonly limitedBy: 'registers' | 'shared memory' | 'blocks' | 'warps';
}

const unit = (value: number, size: number): number => Math.ceil(value / size) * size;

/** Null for an architecture whose limits are not known here. Counts static shared memory only. */
export function occupancyOf(kernel: KernelResource, threads: number): Occupancy | null {
  const limits = multiprocessors[kernel.architecture.replace(/[a-z]$/, '')];
  if (limits === undefined) return null;
  const warps = Math.ceil(threads / WARP);
  const perWarp = unit(Math.max(1, kernel.registers) * WARP, REGISTER_UNIT);
  const byRegisters = Math.floor((Math.floor(REGISTERS / perWarp / WARP_UNIT) * WARP_UNIT) / warps);
  const byShared = Math.floor(limits.shared_bytes / unit(kernel.shared_bytes + SHARED_RESERVED, SHARED_UNIT));
  const byWarps = Math.floor(limits.warps / warps);
  const blocks = Math.min(byRegisters, byShared, byWarps, limits.blocks);
  const limitedBy =
    blocks === byWarps
      ? 'warps'
      : blocks === byRegisters
        ? 'registers'
        : blocks === byShared
          ? 'shared memory'
          : 'blocks';
  return { share: (blocks * warps) / limits.warps, limitedBy };
}
