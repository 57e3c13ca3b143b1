/** The launch explorer in a real browser: from a kernel and a block size to their consequences. */
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import type { OpenPage } from './browser.ts';
import { factText, useExplorer } from './workbench-page.ts';

const openExplorer = useExplorer();
const notes = ({ page }: OpenPage): Locator => page.getByRole('list', { name: 'Notes on this launch' });

it('the launch explorer follows the selected kernel, problem, block size and GPU', { tags: 'slow' }, async () => {
  const { open } = await openExplorer();
  const { page } = open;
  await page.getByLabel('Kernel', { exact: true }).selectOption('transport/sweep_f32');
  await expect.poll(() => factText(open, 'Limited by')).toBe('registers');
  await expect.poll(() => factText(open, 'Grid')).toBe('1\u202f954 × 1 × 1 blocks');
  await expect.poll(() => factText(open, 'Occupancy')).toBe('50.0 %');
  await expect.poll(() => factText(open, 'Waves')).toBe('7.402');
  // Moves the slider by keys: with one warp fewer per block, one more block fits.
  const slider = page.getByRole('slider', { name: 'Threads along x' });
  await slider.focus();
  for (let i = 0; i < 8; i += 1) await slider.press('ArrowLeft');
  await expect.poll(() => factText(open, 'Resident blocks')).toBe('4 per SM');
  await page.getByLabel('Block along x').fill('100');
  await expect.poll(() => notes(open).textContent()).toContain('not a multiple of 32');
  await page.getByLabel('Block along x').fill('1024');
  await expect.poll(() => notes(open).textContent()).toContain('the launch bounds of this kernel allow 512');
  await page.getByLabel('Block along x').fill('256');
  // Choose another GPU, which has other limits.
  await page.getByLabel('GPU', { exact: true }).selectOption('sm_86');
  await expect.poll(() => factText(open, 'Multiprocessors')).toBe('82');
  await expect.poll(() => factText(open, 'Occupancy')).toBe('66.7 %');
  // Limits along y and z differ from those along x.
  await page.getByLabel('Elements along y').fill('70000');
  await expect.poll(() => notes(open).textContent()).toContain('blocks along y; a grid can have at most 65 535');
  await page.getByLabel('Elements along y').fill('1');
  // A grid-stride loop: the selected thread processes more than one element.
  await page.getByRole('radio', { name: 'Grid-stride' }).check();
  await expect.poll(() => factText(open, 'Waves')).toBe('1.000');
  await page.getByLabel('Thread whose elements are outlined').fill('300');
  await expect.poll(() => page.locator('.launch-thread').textContent()).toContain('block 1, thread 44 of it, warp 1');
  const map = page.getByTestId('launch-map').locator('svg');
  await expect.poll(() => map.locator('title', { hasText: 'after 1 others' }).count()).toBeGreaterThan(0);
  await page.getByLabel('How a block computes the sum').selectOption('divergent');
  const tree = page.getByTestId('launch-reduction').locator('svg');
  await expect
    .poll(() => tree.locator('title', { hasText: '16 of 32 lanes add, divergent' }).count())
    .toBeGreaterThan(0);
  // The loop plays over the data to its last iteration; the sum continues thread by thread.
  const loop = page.getByTestId('launch-loop');
  await loop.getByRole('button', { name: 'Play the loop' }).click();
  const turns = await loop.getByRole('slider', { name: 'Iteration of the loop' }).getAttribute('max');
  await expect
    .poll(() => loop.locator('output').textContent())
    .toBe(`iteration ${Number(turns) + 1} of ${Number(turns) + 1}`);
  await expect
    .poll(() => loop.locator('svg title').first().textContent())
    .toContain(`iteration ${Number(turns) + 1} of`);
  const sum = page.getByTestId('launch-values');
  const at = sum.getByRole('slider', { name: 'Step of the sum' });
  await at.focus();
  await at.press('ArrowRight');
  await expect.poll(() => page.getByTestId('sum-step').textContent()).toBe('after t % 2 = 0: s[t] += s[t + 1]');
  await expect.poll(() => sum.locator('title', { hasText: 's[2] = 2: 1 + 1 of s[3]' }).count()).toBeGreaterThan(0);
  await at.press('End');
  await expect.poll(() => sum.locator('title', { hasText: /^s\[0\] = 256: / }).count()).toBeGreaterThan(0);
  await sum.getByRole('radio', { name: 'Numbers' }).check();
  await expect.poll(() => sum.locator('title', { hasText: /^s\[0\] = 32.640: / }).count()).toBeGreaterThan(0);
  // The selection persists after a reload.
  await page.reload();
  await page.getByTestId('launch-numbers').waitFor();
  await expect.poll(() => factText(open, 'Multiprocessors')).toBe('82');
  // Figures can be exported as files.
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export Occupancy by block size' }).click();
  await page.getByRole('menu').locator('.menu__item', { hasText: 'CSV' }).click();
  expect((await download).suggestedFilename()).toBe('sweep_f32 Occupancy by block size.csv');
  expect(open.problems).toEqual([]);
});
