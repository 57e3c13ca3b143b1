import { expect, test } from 'vitest';
import {
  type Candidate,
  candidatesOf,
  type Strategy,
  search,
} from '../../../../../electron/host/model/tuning/search.ts';

/** 16 × 16 × 8 configurations, and two that cannot run. */
const points = Array.from({ length: 2048 }, (_, i) => ({
  id: String(i),
  variant: 'own',
  configuration: { kA: i % 16, kB: Math.floor(i / 16) % 16, kC: Math.floor(i / 256) },
}));
const candidates = candidatesOf(points);

/** A bowl with ripples: its lowest place is at 11, 5, 3. */
function timeOf({ at: [a = 0, b = 0, c = 0] }: Candidate): number | null {
  if (a === 0 && b === 0) return null;
  const ripple = ((a * 7 + b * 3 + c * 5) % 4) * 0.8;
  return 1 + (a - 11) ** 2 / 20 + (b - 5) ** 2 / 20 + (c - 3) ** 2 / 4 + (a === 11 && b === 5 && c === 3 ? 0 : ripple);
}

class Enough extends Error {}

/** The ids in the order in which they were measured, and the lowest time. */
async function measured(strategy: Strategy, seed: number, most: number) {
  const ids: string[] = [];
  let best = Number.POSITIVE_INFINITY;
  const go = search(strategy, candidates, seed, async (one) => {
    if (ids.length >= most) throw new Enough();
    ids.push(one.id);
    const time = timeOf(one);
    best = Math.min(best, time ?? best);
    return time;
  });
  await go.catch((error: unknown) => {
    if (!(error instanceof Enough)) throw error;
  });
  return { ids, best };
}

test.each<Strategy>(['exhaustive', 'random', 'local'])(
  '%s measures each once and the same ones again by its seed',
  async (strategy) => {
    const all = await measured(strategy, 1, 5000);
    expect(new Set(all.ids).size).toBe(2048);
    expect(all.ids).toHaveLength(2048);
    expect(all.best).toBe(1);
    const again = await measured(strategy, 1, 200);
    expect(again.ids).toEqual(all.ids.slice(0, 200));
    const other = await measured(strategy, 2, 200);
    expect(other.ids.join() === again.ids.join()).toBe(strategy === 'exhaustive');
  },
);

test('the local search is nearer to the best than a random one of the same budget, over 20 seeds', async () => {
  const mean = async (strategy: Strategy): Promise<number> => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => measured(strategy, i, 150)));
    return all.reduce((sum, { best }) => sum + best, 0) / all.length;
  };
  expect(await mean('local')).toBeLessThan(await mean('random'));
});

test('a local search begins where it is told to, and names what it most likely measures next', async () => {
  const start = candidates.filter(({ at }) => at.join() === '11,6,3');
  const seen: { id: string; next: readonly string[] }[] = [];
  const go = search(
    'local',
    candidates,
    1,
    async (one, next) => {
      if (seen.length > 30) throw new Enough();
      seen.push({ id: one.id, next: next.map(({ id }) => id) });
      return timeOf(one);
    },
    start,
  );
  await expect(go).rejects.toThrow(Enough);
  expect(seen[0]?.id).toBe(start[0]?.id);
  // The first neighbour that was foreseen is measured next; none that was measured is foreseen.
  expect(seen[0]?.next[0]).toBe(seen[1]?.id);
  expect(seen[0]?.next).toHaveLength(15 + 15 + 7);
  for (const [i, { next }] of seen.entries())
    expect(next.filter((id) => seen.slice(0, i + 1).some((one) => one.id === id))).toEqual([]);
});
