/**
 * Properties of a kernel launch on a GPU: grid, occupancy, waves and problems. Also the mapping between threads and
 * elements along x, which is the same for all y and z.
 */
import { shareText } from '../values/units.ts';
import {
  architectureName,
  blockLimits,
  computeOccupancy,
  gridLimits,
  type LaunchedKernel,
  type LaunchLimits,
  type Occupancy,
} from './occupancy.ts';

/** Numbers along x, y and z. */
export type Extent = readonly [x: number, y: number, z: number];

export interface LaunchRequest {
  /** Size of the problem: elements along x, y and z. */
  readonly elements: Extent;
  /** Block size: threads along x, y and z. */
  readonly block: Extent;
  /**
   * `one-per-thread`: thread i processes element i. `grid-stride`: along x, each thread processes every n-th element,
   * where n is the number of threads in the grid. Along y and z, each thread has one element.
   */
  readonly mapping: 'one-per-thread' | 'grid-stride';
  /** Number of blocks along x for `grid-stride`; null for as many as the GPU can run concurrently. */
  readonly blocks: number | null;
  /** Dynamic shared memory per block, bytes. */
  readonly dynamic_bytes: number;
}

interface LaunchNote {
  /** `refused`: the driver would reject the launch. */
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
  /** Largest number of elements that one thread processes. */
  readonly elementsPerThread: number;
  /** Fraction of threads that process at least one element, 0 to 1. */
  readonly threadsUsed: number;
  /** Fraction of threads in the last block along each axis that have an element, 0 to 1. */
  readonly lastBlockUsed: number;
  readonly occupancy: Occupancy;
  /** Number of blocks that the complete GPU runs concurrently. */
  readonly residentBlocks: number;
  /** Number of blocks divided by `residentBlocks`; null if no block fits. */
  readonly waves: number | null;
  /** Fraction of block slots used in the last wave, 0 to 1; null if no block fits. */
  readonly lastWaveUsed: number | null;
  /** Fraction of block slots times duration that is idle, if all blocks need equal time; null if no block fits. */
  readonly tail: number | null;
  readonly notes: readonly LaunchNote[];
}

/** Smallest fraction of idle time or threads for which a note is shown. */
const NOTED_SHARE = 0.1;
/** Largest index that fits into a signed 32-bit integer. */
const MAX_INT32 = 2 ** 31 - 1;
const axes = ['x', 'y', 'z'] as const;

const product = ([x, y, z]: Extent): number => x * y * z;
const percent = (share: number): string => shareText(share, 2);
const formatCount = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ');

function gridSize({ elements, block, mapping, blocks }: LaunchRequest, resident: number): Extent {
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
              text: `${threads} threads along ${axis}; a block can have at most ${mostThreads}.`,
            } as const,
          ]
        : []),
      ...(blocks > mostBlocks
        ? [
            {
              severity: 'refused',
              about: 'grid',
              text: `${formatCount(blocks)} blocks along ${axis}; a grid can have at most ${formatCount(mostBlocks)}. Put the long axis on x, or let each thread process several elements.`,
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
    const text = `${threads} threads are not a multiple of ${limits.warpThreads}: ${idle} lanes in the last warp of each block are idle (${percent(idle / (threads + idle))} of its lanes).`;
    notes.push({ severity: 'warning', about: 'block', text });
  }
  return notes;
}

function sharedNotes(kernel: LaunchedKernel, limits: LaunchLimits, dynamic_bytes: number): LaunchNote[] {
  const bytes = kernel.shared_bytes + dynamic_bytes;
  if (bytes > limits.sharedPerBlockOptIn_bytes) {
    const text = `${formatCount(bytes)} bytes of shared memory; a block can have at most ${formatCount(limits.sharedPerBlockOptIn_bytes)}.`;
    return [{ severity: 'refused', about: 'shared memory', text }];
  }
  if (bytes <= limits.sharedPerBlock_bytes || dynamic_bytes === 0) return [];
  const text = `More than ${formatCount(limits.sharedPerBlock_bytes)} bytes of shared memory must be requested with cuFuncSetAttribute.`;
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
    const text = `${formatCount(blocks)} blocks: ${formatCount(limits.multiprocessors - blocks)} of ${limits.multiprocessors} multiprocessors are idle.`;
    notes.push({ severity: 'warning', about: 'waves', text });
  } else if (blocks < residentBlocks) {
    const text = `${formatCount(blocks)} blocks do not fill the GPU, which can run ${formatCount(residentBlocks)} at a time.`;
    notes.push({ severity: 'warning', about: 'waves', text });
  } else if (tail > NOTED_SHARE) {
    const text = `The last of ${Math.ceil(waves)} waves is not full: ${percent(tail)} of the GPU's time is lost if all blocks take the same time.`;
    notes.push({ severity: 'warning', about: 'tail', text });
  }
  if (1 - threadsUsed > NOTED_SHARE) {
    notes.push({
      severity: 'warning',
      about: 'tail',
      text: `${percent(1 - threadsUsed)} of the threads have no element to process.`,
    });
  }
  return notes;
}

/**
 * Computes the properties of a launch. Extents and, if given, the number of blocks must be positive integers.
 * `dynamic_bytes` must be a non-negative integer.
 */
export function explainLaunch(kernel: LaunchedKernel, limits: LaunchLimits, request: LaunchRequest): Launch {
  const { elements, block, dynamic_bytes } = request;
  const threadsPerBlock = product(block);
  const occupancy = computeOccupancy(kernel, limits, threadsPerBlock, dynamic_bytes);
  const residentBlocks = occupancy.blocks * limits.multiprocessors;
  const grid = gridSize(request, residentBlocks);
  const [blocks, threads] = [product(grid), product(grid) * threadsPerBlock];
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
    elements: product(elements),
    elementsPerThread: Math.ceil(elements[0] / along(0)),
    threadsUsed: product(used as unknown as Extent) / threads,
    lastBlockUsed: product(inLast as unknown as Extent),
    occupancy,
    residentBlocks,
    waves,
    lastWaveUsed: last,
    tail: waves === null ? null : 1 - waves / Math.ceil(waves),
  };
  const overflow: LaunchNote[] =
    Math.max(threads, launch.elements) > MAX_INT32
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

/** Occupancy for all block sizes that are multiples of the warp size. */
export function occupancyCurve(
  kernel: LaunchedKernel,
  limits: LaunchLimits,
  dynamic_bytes: number,
): readonly CurvePoint[] {
  const count = Math.floor(limits.threadsPerBlock / limits.warpThreads);
  return Array.from({ length: count }, (_, i) => {
    const threads = (i + 1) * limits.warpThreads;
    return { threads, occupancy: computeOccupancy(kernel, limits, threads, dynamic_bytes) };
  });
}

/** Finds the limits of a GPU by architecture (`sm_90`, `9.0`) or by part of its name (`h200`). Null if unknown. */
export function findLimits(all: readonly LaunchLimits[], text: string): LaunchLimits | null {
  const wanted = text.trim().toLowerCase();
  const exact = all.find(({ architecture }) => architecture === architectureName(wanted));
  return exact ?? all.find(({ name }) => name.toLowerCase().includes(wanted)) ?? null;
}

interface ThreadPosition {
  /** Index of the thread along x in the grid. */
  readonly thread: number;
  readonly block: number;
  /** Index of the thread along x in its block. */
  readonly lane: number;
  /** Index of the thread's warp in the block; a warp has 32 threads. */
  readonly warp: number;
  /** Number of elements that the thread processes before this one. */
  readonly turn: number;
}

const WARP = 32;

/** Number of threads along x in the grid, by which a grid-stride loop advances. */
export function threadsAlongX({ grid, request }: Launch): number {
  return grid[0] * request.block[0];
}

export function threadPosition(launch: Launch, thread: number, turn = 0): ThreadPosition {
  const width = launch.request.block[0];
  const lane = thread % width;
  return { thread, block: Math.floor(thread / width), lane, warp: Math.floor(lane / WARP), turn };
}

/** Thread that processes the element at this index along x. */
export function threadOfElement(launch: Launch, element: number): ThreadPosition {
  const stride = threadsAlongX(launch);
  return threadPosition(launch, element % stride, Math.floor(element / stride));
}

/** First elements of a thread, at most `most`, and their total number. */
export function elementsOfThread(
  launch: Launch,
  thread: number,
  most: number,
): { readonly first: readonly number[]; readonly count: number } {
  const stride = threadsAlongX(launch);
  const [elements] = launch.request.elements;
  const count = thread >= elements ? 0 : Math.ceil((elements - thread) / stride);
  return { first: Array.from({ length: Math.min(most, count) }, (_, turn) => thread + turn * stride), count };
}
