/** Shared start and queries of the tests of the timeline. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage, PageOptions } from './browser.ts';
import { type ServedWorkbench, useWorkbench } from './workbench-page.ts';

export const runs = path.resolve(import.meta.dirname, '../../assets/runs');
export const golden = path.resolve(import.meta.dirname, '../golden');
let workbench: ServedWorkbench['workbench'];

/** Opens pages for the tests of the timeline. Call this at the top of a test file. */
export function useTimeline(): ServedWorkbench {
  const served = useWorkbench('timeline-e2e');
  ({ workbench } = served);
  return served;
}

export let open: OpenPage;
export let bench: BenchPage;

export const canvas = (): Locator => open.page.getByTestId('timeline-canvas');
export const details = (): Locator => open.page.getByTestId('span-details');
export const blocks = (): Locator => open.page.getByRole('list', { name: 'Timelines shown' }).getByRole('button');
export const factLocator = (within: Locator, name: string): Locator =>
  within
    .locator('.timeline-facts > div', { has: open.page.getByText(name, { exact: true }) })
    .locator('dd')
    .first();
export const shownSpan = async (): Promise<string> =>
  (await open.page.locator('.timeline-pointed').textContent()) ?? '';

export async function openProfile(options: PageOptions = {}): Promise<void> {
  ({ open, bench } = await workbench(options));
  await bench.layout('Alt+Shift+3', 'Timeline');
}

/** Opens a recorded run. The default was recorded by an earlier version of cuda-window, which used CUDA graphs. */
export async function openRecorded(file = path.join(golden, 'runs/h200-cuda-window-graphs.h5')): Promise<void> {
  await bench.drop(path.basename(file), readFileSync(file), 'application/x-hdf5');
  await expect.poll(() => blocks().count()).toBeGreaterThan(0);
  await open.page.getByTestId('timeline-summaries').getByText('Kernels by time').first().waitFor();
}

/** Closes all timelines that a test has opened: the host retains them for every page. */
export async function closeAllTimelines(): Promise<void> {
  for (let i = await blocks().count(); i > 0; i -= 1) {
    await blocks().first().click();
    await open.page.getByRole('menu').locator('.menu__item', { hasText: 'Close' }).click();
    await expect.poll(() => blocks().count()).toBe(i - 1);
  }
}

/** Number of pixels in the lanes that have a colour of the series, which means that spans are drawn. */
export function colouredPixels(): Promise<number> {
  return open.page.evaluate(() => {
    const below = document.querySelector<HTMLCanvasElement>('.timeline-panel__body canvas');
    const context = below?.getContext('2d');
    if (!below || !context) return 0;
    const { data } = context.getImageData(0, 0, below.width, below.height);
    let lit = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [red = 0, green = 0, blue = 0] = data.subarray(i, i + 3);
      if (Math.max(red, green, blue) - Math.min(red, green, blue) > 60) lit += 1;
    }
    return lit;
  });
}
