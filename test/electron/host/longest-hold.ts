/** Longest time for which synchronous work blocks the main thread. */
import { expect } from 'vitest';

/** Not noticeable to a person. */
export const MOST_MS = 50;
/** The least of a few counts: what else this process does, such as collecting the garbage of other tests, comes and goes. */
const ATTEMPTS = 8;
/** With `BRAGGBENCH_HOLDS=1` all are made, and said: how far each is from the limit. */
const SAID = process.env['BRAGGBENCH_HOLDS'] === '1';

/** Processor time of this thread since `before`, ms. */
function spent_ms(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e3;
}
const pageFaults = (): number => process.resourceUsage().minorPageFault;

/** Time per page of fresh memory on a machine with free memory, including filling it. */
const USUAL_PAGE_MS = 1.5e-3;
const PAGES_TRIED = 1024;
const PAGE_BYTES = 4096;

/** Time per page here and now: a virtual machine that has returned its memory needs ten times as much. */
function page_ms(): number {
  const [before, faults] = [process.threadCpuUsage(), pageFaults()];
  Buffer.allocUnsafeSlow(PAGES_TRIED * PAGE_BYTES).fill(1);
  return spent_ms(before) / Math.max(1, pageFaults() - faults);
}

/** As on a machine with memory at hand: less what the pages took beyond it, and no less than that machine's part. */
function asUsual(hold_ms: number, pages: number, each_ms: number): number {
  const beyond_ms = pages * Math.max(0, each_ms - USUAL_PAGE_MS);
  return Math.max(hold_ms - beyond_ms, hold_ms * Math.min(1, USUAL_PAGE_MS / each_ms));
}

/**
 * Processor time of the main thread between two of its turns, the longest, ms. What other programs do is not in it, nor
 * is what this machine takes for memory beyond what others take.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const each_ms = page_ms();
  let longest = 0;
  let [before, faults] = [process.threadCpuUsage(), pageFaults()];
  const look = (): void => {
    const hold_ms = asUsual(spent_ms(before), pageFaults() - faults, each_ms);
    [before, faults] = [process.threadCpuUsage(), pageFaults()];
    longest = Math.max(longest, hold_ms);
  };
  const turns = setInterval(look, 1);
  await work();
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(turns);
  look();
  return longest;
}

/** The least of the attempts that it takes to be below the limit. */
export async function leastOf(attempt: () => Promise<number>, what = ''): Promise<number> {
  const all: number[] = [];
  while (all.length < ATTEMPTS && (SAID || Math.min(...all) >= MOST_MS)) all.push(await attempt());
  const least = Math.min(...all);
  if (SAID)
    console.log(`${expect.getState().currentTestName} ${what}: ${all.map((ms) => ms.toFixed(1)).join(', ')} ms`);
  return least;
}

/** The thread when it does nothing: garbage is collected now and then. */
export const idleHold = (): Promise<number> => longestHold(() => new Promise((resolve) => setTimeout(resolve, 300)));

/** The least of some attempts, less what the thread is held when it does nothing. */
export async function leastHold(work: () => Promise<unknown>, what?: string): Promise<number> {
  const idle = await idleHold();
  return leastOf(async () => (await longestHold(work)) - idle, what);
}

/** Requests, each checked against the limit; returns those above it, in ms. */
export async function heldBy(asked: readonly (readonly [string, () => Promise<unknown>])[]): Promise<object> {
  const held: Record<string, number> = {};
  for (const [what, ask] of asked) held[what] = Math.round(await leastHold(ask, what));
  return Object.fromEntries(Object.entries(held).filter(([, hold_ms]) => hold_ms >= MOST_MS));
}
