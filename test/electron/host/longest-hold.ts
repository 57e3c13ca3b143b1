/** Longest time for which synchronous work blocks the main thread. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type SessionEntry, sessionSchema } from '../../../electron/contract/bench/session.ts';
import { MAX_SESSION_BYTES } from '../../../electron/host/app/sessions/index.ts';
import { assetsFolder } from './small-run.ts';

/** Limit of a block of the event loop, in ms: too short for a person to notice. */
export const MAX_MS = 50;
/**
 * Maximum number of attempts. The shortest counts, because garbage collection and similar work of this process varies.
 */
const ATTEMPTS = 8;
/** True to make all attempts and print them (`BRAGGBENCH_HOLDS=1`), to show their distance from the limit. */
const PRINTED_MS = process.env['BRAGGBENCH_HOLDS'] === '1';

/** Processor time of this thread since `before`, ms. */
function threadTime_ms(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e3;
}
const pageFaults = (): number => process.resourceUsage().minorPageFault;

/** Usual time in ms to allocate and fill a page of memory. */
const DEFAULT_PAGE_MS = 1.5e-3;
const PAGES_TRIED = 1024;
const PAGE_BYTES = 4096;

/**
 * Time in ms to allocate a page on this machine now. A virtual machine that has returned its memory needs ten times as
 * long.
 */
function pageAllocation_ms(): number {
  const [before, faults] = [process.threadCpuUsage(), pageFaults()];
  Buffer.allocUnsafeSlow(PAGES_TRIED * PAGE_BYTES).fill(1);
  return threadTime_ms(before) / Math.max(1, pageFaults() - faults);
}

/**
 * Converts a time to that on a machine with free memory: subtracts the extra time of the pages, but not more than their
 * share.
 */
function typicalTime_ms(hold_ms: number, pages: number, each_ms: number): number {
  const beyond_ms = pages * Math.max(0, each_ms - DEFAULT_PAGE_MS);
  return Math.max(hold_ms - beyond_ms, hold_ms * Math.min(1, DEFAULT_PAGE_MS / each_ms));
}

/**
 * Longest processor time of the main thread between two iterations of the event loop, in ms. Excludes other programs,
 * and extra time that this machine needs to allocate memory.
 */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const each_ms = pageAllocation_ms();
  let longest = 0;
  let [before, faults] = [process.threadCpuUsage(), pageFaults()];
  const look = (): void => {
    const hold_ms = typicalTime_ms(threadTime_ms(before), pageFaults() - faults, each_ms);
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

/** Shortest time of several attempts. Stops at the first one below the limit. */
export async function shortestAttempt(attempt: () => Promise<number>, what = ''): Promise<number> {
  const all: number[] = [];
  while (all.length < ATTEMPTS && (PRINTED_MS || Math.min(...all) >= MAX_MS)) all.push(await attempt());
  const least = Math.min(...all);
  if (PRINTED_MS)
    console.log(`${expect.getState().currentTestName} ${what}: ${all.map((ms) => ms.toFixed(1)).join(', ')} ms`);
  return least;
}

/** Longest block of an idle thread, in which garbage is collected occasionally. */
export const idleBlock = (): Promise<number> => longestBlock(() => new Promise((resolve) => setTimeout(resolve, 300)));

/** Shortest time of some attempts, minus the time of an idle thread. */
export async function shortestBlock(work: () => Promise<unknown>, what?: string): Promise<number> {
  const idle = await idleBlock();
  return shortestAttempt(async () => (await longestBlock(work)) - idle, what);
}

/** Requests, each checked against the limit; returns those above it, in ms. */
export async function findLongBlocks(
  requested: readonly (readonly [string, () => Promise<unknown>])[],
): Promise<object> {
  const held: Record<string, number> = {};
  for (const [what, ask] of requested) held[what] = Math.round(await shortestBlock(ask, what));
  return Object.fromEntries(Object.entries(held).filter(([, hold_ms]) => hold_ms >= MAX_MS));
}

/**
 * A recorded session with more rounds, so that its file has about `share` of the largest allowed size. The samples of
 * its first `variants` measured variants are repeated.
 */
export function longSession(share: number, variants = Number.POSITIVE_INFINITY): string {
  const text = readFileSync(path.join(assetsFolder, 'runs', 'h200-water-70MeV.json'), 'utf8');
  const session = sessionSchema.parse(JSON.parse(text));
  const [report, ...others] = session.reports;
  if (report === undefined) throw new Error('the session has no report');
  const repeated = report.entries.filter(({ status }) => status === 'measured').slice(0, variants);
  const samplesOf = (entry: SessionEntry) => (entry.status === 'measured' ? entry.samples : []);
  const room = MAX_SESSION_BYTES - JSON.stringify(session).length;
  const times = Math.floor((share * room) / JSON.stringify(repeated.map(samplesOf)).length);
  const entries = report.entries.map((entry) =>
    repeated.includes(entry)
      ? { ...entry, samples: Array.from({ length: times }, () => samplesOf(entry)).flat() }
      : entry,
  );
  return JSON.stringify({ ...session, reports: [{ ...report, entries }, ...others] });
}
