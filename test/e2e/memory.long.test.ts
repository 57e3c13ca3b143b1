/** The page's memory over a live run: a leak per frame would add up over hours. */
import type { CDPSession } from 'playwright-core';
import { expect, it } from 'vitest';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('memory');

/** Thousands of short steps, so that a frame is available whenever the page can draw one. It is run repeatedly. */
const longScenario = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: 'Long',
  beam: { energy_MeV: 150 },
  grid: { dx_mm: 1, dz_mm: 1, dtheta_mrad: 20, energy: { kind: 'range', step_mm: 1 } },
  solver: { step_mm: 0.02, variant: 'window' },
});

/**
 * Limit of memory growth in bytes per frame. A frame has tens of kilobytes, and a leak of whole frames would exceed
 * this limit tenfold.
 */
const BYTES_PER_FRAME = 4096;
/** Allowance in bytes for caches that fill only once. */
const SETTLED_BYTES = 3 * 2 ** 20;
const SAMPLES = 6;
/** Frames between two samples of the memory. Counted in frames because a loaded machine needs longer for each. */
const FRAMES_PER_SAMPLE = 50;

/** Bytes in use: JavaScript's heap, and the array buffers outside it. */
async function usedBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const usage = (await session.send('Runtime.getHeapUsage')) as { usedSize: number; backingStorageSize?: number };
  return usage.usedSize + (usage.backingStorageSize ?? 0);
}

it('memory use stays constant while runs are drawn live', async () => {
  const { open, page, bench } = await workbench();
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  await bench.drop('long.json', longScenario);
  await expect.poll(() => bench.title.textContent()).toContain('Long');
  await bench.run.click();
  const step = async (): Promise<string> => (await page.locator('.run-strip__text').textContent()) ?? '';
  await expect.poll(step).toMatch(/step \d/);
  // Counts changes of the progress text, each of which is a drawn frame; starts another run when one has ended.
  await page.evaluate(() => {
    const counter = { frames: 0 };
    Reflect.set(globalThis, 'shownFrames', counter);
    const strip = document.querySelector('.top-bar');
    if (strip === null) return;
    const count = (): void => {
      counter.frames += 1;
    };
    new MutationObserver(count).observe(strip, { subtree: true, characterData: true, childList: true });
    setInterval(() => document.querySelector<HTMLElement>('.run-strip .button--primary')?.click(), 100);
  });
  const frames = (): Promise<number> =>
    page.evaluate(() => (Reflect.get(globalThis, 'shownFrames') as { frames: number }).frames);
  const samples: number[] = [];
  const first = await frames();
  for (let i = 1; i <= SAMPLES; i += 1) {
    await expect.poll(frames).toBeGreaterThanOrEqual(first + i * FRAMES_PER_SAMPLE);
    samples.push(await usedBytes(session));
  }
  const shown = (await frames()) - first;
  // Compares the smallest of several samples, because frames that are being drawn come and go.
  const half = SAMPLES / 2;
  const grown = Math.min(...samples.slice(half)) - Math.min(...samples.slice(0, half));
  expect(grown).toBeLessThan(SETTLED_BYTES + BYTES_PER_FRAME * shown);
  expect(open.problems).toEqual([]);
});
