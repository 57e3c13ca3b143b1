/** A diffraction scenario in a real browser: opened from the library, run, and read. */
import { expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { bench, image, open, openBench, openExample, useImages } from './image-page.ts';

useImages();

const readout = async (): Promise<string> => (await open.page.getByTestId('image-readout').textContent()) ?? '';

it('a diffraction image is computed from a shipped scenario, and shows each pixel value', {
  tags: 'slow',
}, async () => {
  await openBench();
  await openExample('cubic 512', 'Simple cubic, 512');
  // The form and the panels are those of a diffraction scenario.
  await bench.panel('Scenario').click();
  await expect.poll(() => bench.panel('Image').count()).toBe(1);
  expect(await bench.panel('Dose map').count()).toBe(0);
  const wavelength = bench.field('Wavelength');
  await expect.poll(() => wavelength.inputValue()).toBe('6.2');
  await wavelength.fill('-1');
  await open.page.getByText('-1 Å is too small; allowed: 0.01 to 100 Å').first().waitFor();
  await wavelength.fill('6.2');
  await open.screenshot('image-form');
  await bench.run.click();
  await bench.state('Done').waitFor();
  await image().waitFor();
  const box = await image().boundingBox();
  if (box === null) throw new Error('the image has no place');
  await open.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(readout).toMatch(/^fast \d+ slow \d+[\d.×⁰-⁹−]+ photonsh k l .+ → .+ Å2θ [\d.]+°$/);
  await open.screenshot('image-light');
  expect(await accessibilityViolations(open.page)).toEqual([]);
  // In a small window a screen pixel covers several image pixels. The sum of their maxima would be meaningless, but
  // their means can be added.
  await open.page.setViewportSize({ width: 900, height: 560 });
  await open.page.getByRole('radio', { name: 'region', exact: true }).check();
  const small = await image().boundingBox();
  if (small === null) throw new Error('the image has no place');
  await open.page.mouse.move(small.x + small.width * 0.3, small.y + small.height * 0.3);
  await open.page.mouse.down();
  await open.page.mouse.move(small.x + small.width * 0.7, small.y + small.height * 0.7, { steps: 4 });
  await open.page.mouse.up();
  const numbers = open.page.getByTestId('region-statistics');
  await expect
    .poll(() => numbers.textContent())
    .toMatch(/^Largest154\.6\d photonsLargest at.*Samples\d+ of \d+ cells$/);
  await open.screenshot('image-region');
  await open.page.getByRole('button', { name: 'Display' }).click();
  await open.page.getByRole('radio', { name: 'mean' }).check();
  await expect.poll(() => numbers.textContent()).toMatch(/^Sum over cells[\d.×⁰-⁹]+ photonsMean/);
  await open.page.getByRole('radio', { name: 'largest' }).check();
  await open.page.keyboard.press('Escape');
  await open.page.getByRole('button', { name: 'Close the region' }).click();
  await open.page.getByRole('radio', { name: 'move', exact: true }).check();
  await open.page.setViewportSize({ width: 1440, height: 900 });
  // The brightest spot is on a reflection, and the list navigates to it.
  await bench.panel('Peaks').click();
  await open.page.locator('.peaks-panel tbody button').first().click();
  await expect.poll(readout).toMatch(/^fast 25\d slow 25\d/);
  const photons = await open.page.getByTestId('brightest').textContent();
  expect(photons).toMatch(/^154\.65\d photons$/);
  await open.screenshot('image-pixels');
  await image().focus();
  const before = await readout();
  await open.page.keyboard.press('ArrowDown');
  await expect.poll(readout).not.toBe(before);
  await open.page.keyboard.press('Escape');
  await open.page.getByText('Point at the image to read a pixel').waitFor();
  // The timeline shows the stages of the set-up, then rows on every thread.
  await bench.layout('Alt+Shift+3', 'Timeline');
  const search = open.page.getByLabel('Search spans by name');
  await search.fill('structure factors');
  await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('1');
  await search.fill('rows');
  // Wait for a count above one, because until the new result arrives, the count of the last search is shown.
  await expect.poll(() => open.page.getByTestId('search-count').textContent()).toMatch(/^([2-9]|\d\d+)$/);
  await search.press('Enter');
  await expect.poll(() => open.page.getByTestId('span-details').textContent()).toMatch(/rows.*thread \d.*First row/s);
  await open.screenshot('timeline-image-light');
  expect(open.problems).toEqual([]);
});
