/** Properties of a kernel launch on a GPU: grid, occupancy, waves and problems. */
import { shareText } from '../units.ts';
import { architectureName, blockLimits, gridLimits, type LaunchLimits } from './limits.ts';
import { type LaunchedKernel, type Occupancy, occupancyOf } from './occupancy.ts';

/** Along x, y and z. */
export type Extent = readonly [x: number, y: number, z: number];

export interface LaunchRequest {
  /** Elements of the problem. */
  readonly elements: Extent;
  /** Threads of a block. */
  readonly block: Extent;
  /**
   * `one-per-thread`: thread i does element i. `grid-stride`: along x each thread goes on by the
   * number of threads in the grid until the elements end; y and z are one per thread.
   */
  readonly mapping: 'one-per-thread' | 'grid-stride';
  /** Blocks along x with `grid-stride`; null: as many as the GPU holds at once. */
  readonly blocks: number | null;
  /** Shared memory given at launch. */
  readonly dynamic_bytes: number;
}

interface LaunchNote {
  /** `refused`: the driver will not launch it. */
  readonly severity: 'refused' | 'warning';
  readonly about: 'block' | 'grid' | 'shared memory' | 'registers' | 'waves' | 'tail' | 'index' | 'occupancy';
  readonly text: string;
}

export interface Launch {
  readonly request: LaunchRequest;
  readonly grid: Extent;
  readonly blocks: number;
  readonly threadsPerBlock: number;
  readonly threads: number;
  readonly elements: number;
  /** Elements that the busiest thread does. */
  readonly elementsPerThread: number;
  /** Threads that do at least one, over all, 0 to 1. */
  readonly threadsUsed: number;
  /** Threads with an element in the last block along each axis, over its threads, 0 to 1. */
  readonly lastBlockUsed: number;
  readonly occupancy: Occupancy;
  /** Blocks that the whole GPU holds at once. */
  readonly residentBlocks: number;
  /** Blocks over those; null where none fits. */
  readonly waves: number | null;
  /** Places of the last wave that have a block, 0 to 1; null where none fits. */
  readonly lastWaveUsed: number | null;
  /** Share of the time for which block slots are idle, if all blocks take equally long. */
  readonly tail: number | null;
  readonly notes: readonly LaunchNote[];
}

/** More than this of the time or the threads lost is worth a word. */
const WORTH_SAYING = 0.1;
/** Indices of 32 bits with sign end here. */
const LARGEST_INDEX = 2 ** 31 - 1;
const axes = ['x', 'y', 'z'] as const;

const volume = ([x, y, z]: Extent): number => x * y * z;
const percent = (share: number): string => shareText(share, 2);
const number = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ');

function gridOf({ elements, block, mapping, blocks }: LaunchRequest, resident: number): Extent {
  const [x, y, z] = elements.map((count, axis) => Math.ceil(count / (block[axis] ?? 1))) as [number, number, number];
  if (mapping === 'one-per-thread') return [x, y, z];
  const fill = Math.max(1, Math.floor(resident / (y * z)));
  return [blocks ?? Math.min(x, fill), y, z];
}

function extentNotes({ block }: LaunchRequest, grid: Extent): LaunchNote[] {
  return axes.flatMap((axis, i): LaunchNote[] => {
    const [mostBlocks, mostThreads] = [gridLimits[i] ?? 0, blockLimits[i] ?? 0];
    const [blocks, threads] = [grid[i] ?? 0, block[i] ?? 0];
    return [
      ...(threads > mostThreads
        ? [
            {
              severity: 'refused',
              about: 'block',
              text: `${threads} threads along ${axis}; a block takes ${mostThreads}.`,
            } as const,
          ]
        : []),
      ...(blocks > mostBlocks
        ? [
            {
              severity: 'refused',
              about: 'grid',
              text: `${number(blocks)} blocks along ${axis}; a grid takes ${number(mostBlocks)}. Put the long axis on x, or let threads do several elements.`,
            } as const,
          ]
        : []),
    ];
  });
}

function blockNotes(kernel: LaunchedKernel, limits: LaunchLimits, threads: number): LaunchNote[] {
  const notes: LaunchNote[] = [];
  const most = Math.min(limits.threadsPerBlock, kernel.max_threads ?? Number.POSITIVE_INFINITY);
  if (threads > most) {
    const why = most < limits.threadsPerBlock ? 'the launch bounds of this kernel allow' : 'a block takes';
    notes.push({ severity: 'refused', about: 'block', text: `${threads} threads; ${why} ${most}.` });
  }
  const idle = (limits.warpThreads - (threads % limits.warpThreads)) % limits.warpThreads;
  if (idle > 0) {
    const text = `${threads} threads are no multiple of ${limits.warpThreads}: ${idle} lanes of each block's last warp do nothing (${percent(idle / (threads + idle))} of its lanes).`;
    notes.push({ severity: 'warning', about: 'block', text });
  }
  return notes;
}

function sharedNotes(kernel: LaunchedKernel, limits: LaunchLimits, dynamic_bytes: number): LaunchNote[] {
  const bytes = kernel.shared_bytes + dynamic_bytes;
  if (bytes > limits.sharedPerBlockOptIn_bytes) {
    const text = `${number(bytes)} bytes of shared memory; a block takes ${number(limits.sharedPerBlockOptIn_bytes)}.`;
    return [{ severity: 'refused', about: 'shared memory', text }];
  }
  if (bytes <= limits.sharedPerBlock_bytes || dynamic_bytes === 0) return [];
  const text = `More than ${number(limits.sharedPerBlock_bytes)} bytes of shared memory have to be asked for with cuFuncSetAttribute.`;
  return [{ severity: 'warning', about: 'shared memory', text }];
}

function fillNotes(launch: Omit<Launch, 'notes'>, limits: LaunchLimits): LaunchNote[] {
  const { blocks, waves, tail, occupancy, residentBlocks, threadsUsed } = launch;
  if (waves === null || tail === null) {
    if (occupancy.limitedBy.includes('registers')) {
      const text = 'The registers of one block are more than a multiprocessor has.';
      return [{ severity: 'refused', about: 'registers', text }];
    }
    return [];
  }
  const notes: LaunchNote[] = [];
  if (blocks < limits.multiprocessors) {
    const text = `${number(blocks)} blocks: ${number(limits.multiprocessors - blocks)} of ${limits.multiprocessors} multiprocessors have none.`;
    notes.push({ severity: 'warning', about: 'waves', text });
  } else if (blocks < residentBlocks) {
    const text = `${number(blocks)} blocks do not fill the GPU once: it holds ${number(residentBlocks)} at a time.`;
    notes.push({ severity: 'warning', about: 'waves', text });
  } else if (tail > WORTH_SAYING) {
    const text = `The last of ${Math.ceil(waves)} waves is not full: ${percent(tail)} of the GPU's time, were all blocks to take the same.`;
    notes.push({ severity: 'warning', about: 'tail', text });
  }
  if (1 - threadsUsed > WORTH_SAYING) {
    notes.push({
      severity: 'warning',
      about: 'tail',
      text: `${percent(1 - threadsUsed)} of the threads have no element.`,
    });
  }
  return notes;
}

/** Each extent and the blocks, where given, are whole numbers from 1; `dynamic_bytes` from 0. */
export function explainLaunch(kernel: LaunchedKernel, limits: LaunchLimits, request: LaunchRequest): Launch {
  const { elements, block, dynamic_bytes } = request;
  const threadsPerBlock = volume(block);
  const occupancy = occupancyOf(kernel, limits, threadsPerBlock, dynamic_bytes);
  const residentBlocks = occupancy.blocks * limits.multiprocessors;
  const grid = gridOf(request, residentBlocks);
  const [blocks, threads] = [volume(grid), volume(grid) * threadsPerBlock];
  const along = (axis: number): number => (grid[axis] ?? 1) * (block[axis] ?? 1);
  const used = elements.map((count, axis) => Math.min(count, along(axis)));
  const inLast = elements.map((count, axis) => {
    const before = along(axis) - (block[axis] ?? 1);
    return Math.max(0, Math.min(1, (count - before) / (block[axis] ?? 1)));
  });
  const waves = residentBlocks === 0 ? null : blocks / residentBlocks;
  const last = waves === null ? null : waves - Math.ceil(waves) + 1;
  const launch = {
    request,
    grid,
    blocks,
    threadsPerBlock,
    threads,
    elements: volume(elements),
    elementsPerThread: Math.ceil(elements[0] / along(0)),
    threadsUsed: volume(used as unknown as Extent) / threads,
    lastBlockUsed: volume(inLast as unknown as Extent),
    occupancy,
    residentBlocks,
    waves,
    lastWaveUsed: last,
    tail: waves === null ? null : 1 - waves / Math.ceil(waves),
  };
  const overflow: LaunchNote[] =
    Math.max(threads, launch.elements) > LARGEST_INDEX
      ? [
          {
            severity: 'warning',
            about: 'index',
            text: 'More than 2 147 483 647 threads or elements: an index in a 32-bit int overflows.',
          },
        ]
      : [];
  return {
    ...launch,
    notes: [
      ...extentNotes(request, grid),
      ...blockNotes(kernel, limits, threadsPerBlock),
      ...sharedNotes(kernel, limits, dynamic_bytes),
      ...fillNotes(launch, limits),
      ...overflow,
    ],
  };
}

interface CurvePoint {
  readonly threads: number;
  readonly occupancy: Occupancy;
}

/** At every block size of whole warps that the GPU takes. */
export function occupancyCurve(
  kernel: LaunchedKernel,
  limits: LaunchLimits,
  dynamic_bytes: number,
): readonly CurvePoint[] {
  const count = Math.floor(limits.threadsPerBlock / limits.warpThreads);
  return Array.from({ length: count }, (_, i) => {
    const threads = (i + 1) * limits.warpThreads;
    return { threads, occupancy: occupancyOf(kernel, limits, threads, dynamic_bytes) };
  });
}

/** Limits by what a user would type: `sm_90`, `9.0`, or part of a name such as `h200`. */
export function findLimits(all: readonly LaunchLimits[], text: string): LaunchLimits | null {
  const wanted = text.trim().toLowerCase();
  const exact = all.find(({ architecture }) => architecture === architectureName(wanted));
  return exact ?? all.find(({ name }) => name.toLowerCase().includes(wanted)) ?? null;
}
