/** An image compared with another variant's, exported to every file type, and opened again. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { bench, image, open, openBench, openExample, useImages } from './image-page.ts';

useImages();

it('a diffraction image is compared with another variant, exported to files, and reopened', async () => {
  await openBench({ theme: 'dark' });
  await openExample('cubic 512', 'Simple cubic, 512');
  await bench.panel('Scenario').click();
  await bench.runToEnd();
  await image().waitFor();
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
  expect(await accessibilityViolations(open.page)).toEqual([]);
  // With matched limits both images have one range, whichever is shown.
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
