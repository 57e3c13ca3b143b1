/** How long the main thread is held by what is done at once. */

/** What a person does not notice. */
export const MOST_MS = 50;
const ATTEMPTS = 3;

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

/** The least of some attempts, less what the thread is held when it does nothing: garbage is collected now and then. */
export async function leastHold(work: () => Promise<unknown>): Promise<number> {
  const idle = await longestHold(() => new Promise((resolve) => setTimeout(resolve, 300)));
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= MOST_MS; attempt += 1) {
    least = Math.min(least, (await longestHold(work)) - idle);
  }
  return least;
}
