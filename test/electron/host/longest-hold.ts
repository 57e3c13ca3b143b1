/** How long the main thread is held by what is done at once. */
import { expect } from 'vitest';

/** What a person does not notice. */
export const MOST_MS = 50;
/** The least of a few counts: what else this process does, such as collecting the garbage of other tests, comes and goes. */
const ATTEMPTS = 5;
/** With `BRAGGBENCH_HOLDS=1` all are made, and said: how far each is from the limit. */
const SAID = process.env['BRAGGBENCH_HOLDS'] === '1';

/** Processor time of the main thread between two of its turns, the longest, ms: what other programs do is not in it. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1e3);
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

/** Ways to ask, each of which is held to the limit; what takes longer, in ms. */
export async function heldBy(asked: readonly (readonly [string, () => Promise<unknown>])[]): Promise<object> {
  const held: Record<string, number> = {};
  for (const [what, ask] of asked) held[what] = Math.round(await leastHold(ask, what));
  return Object.fromEntries(Object.entries(held).filter(([, hold_ms]) => hold_ms >= MOST_MS));
}
