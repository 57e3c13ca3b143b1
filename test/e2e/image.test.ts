/** A diffraction scenario in a real browser: opened from the library, run, read, held against another, exported, reopened. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage, PageOptions } from './browser.ts';
import { useWorkbench } from './workbench-page.ts';

const { loaded } = useWorkbench('image');

let open: OpenPage;
let bench: BenchPage;

async function openBench(options: PageOptions = {}): Promise<void> {
  ({ open, bench } = await loaded(options));
  await bench.run.waitFor();
}

const image = () => open.page.getByRole('img', { name: /^Image of/ });
const readout = async (): Promise<string> => (await open.page.getByTestId('image-readout').textContent()) ?? '';

async function openExample(words: string, name: string): Promise<void> {
  await bench.panel('Library').click();
  await open.page
    .getByRole('button', { name: 'Examples' })
    .or(open.page.getByRole('radio', { name: 'Examples' }))
    .first()
    .click();
  await open.page.getByRole('searchbox').fill(words);
  await open.page.locator('.library-entry__main', { hasText: name }).first().click();
  await expect.poll(() => bench.title.textContent()).toContain('simple-cubic-512.json');
}

describe('a diffraction image', () => {
  it('comes from a shipped scenario, and says what every pixel is', async () => {
    await openBench();
    await openExample('cubic 512', 'Simple cubic, 512');
    // The form and the panels are those of the kind.
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
    expect(await accessibilityFaults(open.page)).toEqual([]);
    // In a small window, of the largest of several pixels there is no sum; of their means there is.
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
    // The brightest spot is on a reflection, and the list leads to it.
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
    // Where its time went: the stages of the set-up, then rows on every thread.
    await bench.layout('Alt+Shift+3', 'Timeline');
    const search = open.page.getByLabel('Search spans by name');
    await search.fill('structure factors');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('1');
    await search.fill('rows');
    // More than one: the answer to the search before stands until this one comes.
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toMatch(/^([2-9]|\d\d+)$/);
    await search.press('Enter');
    await expect.poll(() => open.page.getByTestId('span-details').textContent()).toMatch(/rows.*thread \d.*First row/s);
    await open.screenshot('timeline-image-light');
    expect(open.problems).toEqual([]);
  });

  it('is held against another variant, written as files, and opened again', async () => {
    await openBench({ theme: 'dark' });
    await open.page.locator('.run-entry__main').first().or(bench.panel('Runs')).first().click();
    await bench.panel('Runs').click();
    await open.page.locator('.run-entry__main').first().click();
    await image().waitFor();
    await openExample('cubic 512', 'Simple cubic, 512');
    await bench.panel('Scenario').click();
    await bench.section('Solver');
    await open.page.getByRole('button', { name: /^Variant: auto/ }).click();
    await open.page
      .getByRole('menuitemradio', { name: /naive/ })
      .or(open.page.locator('.menu__item', { hasText: 'naive' }))
      .first()
      .click();
    await bench.runToEnd();
    await open.page.getByRole('button', { name: 'Display of the image' }).click();
    const less = open.page.getByLabel('Run to subtract from the image');
    await less.selectOption({ index: 1 });
    await open.page.keyboard.press('Escape');
    const accuracy = open.page.getByTestId('image-accuracy');
    await accuracy.waitFor();
    await expect.poll(() => accuracy.textContent()).toMatch(/relative L2.*max \/ max.*bright pixels.*sum/);
    await open.screenshot('image-difference-dark');
    expect(await accessibilityFaults(open.page)).toEqual([]);
    // Matched, both are shown with one range, whichever is looked at.
    await open.page.getByRole('button', { name: 'Display of the image' }).click();
    await less.selectOption('');
    await open.page.getByLabel('Image to match the limits with').selectOption({ index: 1 });
    const highest = open.page.getByLabel(/^Upper limit of the colours/);
    await expect.poll(() => highest.inputValue()).toMatch(/^154\.65/);
    const matched = await highest.inputValue();
    await open.page.keyboard.press('Escape');
    await open.screenshot('image-matched-dark');
    await bench.panel('Runs').click();
    await open.page.locator('.run-entry__main').nth(1).click();
    await open.page.getByRole('button', { name: 'Display of the image' }).click();
    await expect.poll(() => highest.inputValue()).toBe(matched);
    await open.page.keyboard.press('Escape');
    await open.page.locator('.run-entry__main').first().click();
    const exported = async (entry: RegExp): Promise<{ name: string; bytes: Buffer }> => {
      await open.page.getByRole('button', { name: 'Export the image' }).click();
      const [download] = await Promise.all([
        open.page.waitForEvent('download'),
        open.page.getByRole('menuitem', { name: entry }).click(),
      ]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    expect((await exported(/^Raw float32/)).bytes.length).toBe(4 * 512 * 512);
    expect((await exported(/^SMV/)).bytes.subarray(0, 20).toString()).toBe('{\nHEADER_BYTES=512;\n');
    expect((await exported(/^PNG/)).bytes.subarray(1, 4).toString()).toBe('PNG');
    const svg = (await exported(/^SVG/)).bytes.toString();
    expect(svg).toContain('Å');
    expect(svg).toContain('photons');
    const { name, bytes } = await exported(/^Everything/);
    await bench.drop(name, bytes, 'application/x-hdf5');
    await bench.panel('Runs').click();
    await expect.poll(() => open.page.locator('.run-entry').count()).toBe(3);
    await bench.state('Done').waitFor();
    await image().waitFor();
    expect(open.problems).toEqual([]);
  });
});
