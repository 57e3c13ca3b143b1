/** Which thread does which element along x; the rows along y and z are all alike. */
import type { Launch } from './launch.ts';

interface ThreadPosition {
  /** Along x, counted over the grid. */
  readonly thread: number;
  readonly block: number;
  /** Within its block along x. */
  readonly lane: number;
  /** Warp of the thread, 32 lanes each. */
  readonly warp: number;
  /** Number of elements that the thread processed before this one. */
  readonly turn: number;
}

const WARP = 32;

/** Threads along x in the whole grid: the stride of a grid-stride loop. */
export function threadsAlongX({ grid, request }: Launch): number {
  return grid[0] * request.block[0];
}

export function placeOfThread(launch: Launch, thread: number, turn = 0): ThreadPosition {
  const width = launch.request.block[0];
  const lane = thread % width;
  return { thread, block: Math.floor(thread / width), lane, warp: Math.floor(lane / WARP), turn };
}

/** Thread of an element along x; with one element per thread those behind the end have no element. */
export function threadOfElement(launch: Launch, element: number): ThreadPosition {
  const stride = threadsAlongX(launch);
  return placeOfThread(launch, element % stride, Math.floor(element / stride));
}

/** The first `most` elements of a thread, and how many there are in all. */
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
