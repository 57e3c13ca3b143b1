/** Optimisations alone and combined, chosen and read on the page; and a user's program given by its path. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { checkVisibility } from './appearance-page.ts';
import { BenchPage } from './bench-page.ts';
import { type OpenPage, useChromium } from './browser.ts';
import { type RunningServer, serve } from './served.ts';

const chrome = useChromium();
const home = mkdtempSync(path.join(tmpdir(), 'braggbench-factorial-'));
/** A run of milliseconds. With one thread, it never waits for another thread on a loaded machine. */
const smallScenario = JSON.stringify({
  ...{ kind: 'transport', version: 2, name: 'Small beam', beam: { energy_MeV: 30 } },
  geometry: { width_mm: 10, depth_mm: 10 },
  grid: { dx_mm: 1, dz_mm: 1, dtheta_mrad: 80, energy: { kind: 'uniform', step_MeV: 1 } },
  solver: { threads: 1, stepping: 'path' },
  physics: { nuclear: 'off' },
});

const spots = JSON.stringify({
  ...{ kind: 'diffraction', version: 1, name: 'Few spots', beam: { wavelength_A: 1 } },
  crystal: { lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 }, cells: { a: 5, b: 5, c: 5 } },
  ...{ structure_factors: { default_electrons: 100 }, detector: { width: 96, height: 96 } },
});

let server: RunningServer;
beforeAll(async () => {
  server = await serve([], { BRAGGBENCH_HOME: home });
});
afterAll(async () => {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

async function openCompareChoice(
  file = 'small.json',
  text = smallScenario,
  title = 'Small beam',
): Promise<{ open: OpenPage; bench: BenchPage; page: Page }> {
  const open = await chrome.open(server.url);
  const { page } = open;
  const bench = new BenchPage(page);
  await bench.waitUntilRunnable();
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.drop(file, text);
  await expect.poll(() => bench.title.textContent()).toContain(title);
  await page.getByRole('button', { name: 'Enlarge Compare' }).click();
  await page.locator('.segmented__option', { hasText: /^Choose$/ }).click();
  return { open, bench, page };
}

it('a factorial study selects the variants with each optimisation, measures them, and shows their joint effect', async () => {
  const { open, bench, page } = await openCompareChoice();
  const name = 'Single precision, one pass and the moving window on the CPU';
  await page.getByRole('group', { name: 'Alone and together' }).getByRole('button', { name }).click();
  const variants = page.getByRole('group', { name: 'Variants to benchmark' });
  const ticked = (): Promise<string[]> => variants.locator('.compare-tick:has(input:checked)').allTextContents();
  await expect
    .poll(async () => (await ticked()).map((text) => /^fp\d\d|^[a-z]+/.exec(text)?.[0]))
    .toEqual([...['gather', 'fused', 'window', 'fp32', 'fp64']]);
  await page.getByLabel('Rounds').selectOption('7');
  await page.getByLabel('Instances').selectOption('5');
  await page.getByLabel('Cold processes').selectOption('0');
  await checkVisibility(open, 'factorial-choose');
  await page.getByRole('button', { name: 'Benchmark', exact: true }).click();
  await expect.poll(() => page.getByTestId('compare-row').count()).toBe(6);

  await page.getByRole('button', { name: 'Show all panels' }).click();
  await bench.panel('Speedup ladder').click();
  await page.getByRole('button', { name: 'Enlarge Speedup ladder' }).click();
  await page.getByLabel('Session', { exact: true }).selectOption({ index: 0 });
  const section = page.getByTestId('ladder-factorial-cpu-passes');
  await expect.poll(() => section.textContent()).toContain('moving window (the window is written for the one pass)');
  await expect.poll(() => section.textContent()).toMatch(/Fastest is \w+@fp\d\d, .+: [\d.]+×/);
  await section.scrollIntoViewIfNeeded();
  await checkVisibility(open, 'factorial-ladder');
  expect(open.problems).toEqual([]);
});

it('the ladder shows a recorded 2×2 factorial of streams and page-locked memory', async () => {
  const { open, bench, page } = await openCompareChoice();
  await page.getByRole('button', { name: 'Show all panels' }).click();
  await bench.panel('Speedup ladder').click();
  await page.getByRole('button', { name: 'Enlarge Speedup ladder' }).click();
  await page.getByLabel('Workload of the session').selectOption('micro');
  await page.getByLabel('Session', { exact: true }).selectOption('recorded~micro/overlap.json');
  const section = page.getByTestId('ladder-factorial-copies');
  await section.scrollIntoViewIfNeeded();
  await expect.poll(() => section.textContent()).toContain('page-locked memory + streams');
  await expect.poll(() => section.textContent()).toContain('more together than their product');
  await checkVisibility(open, 'factorial-overlap');
  expect(open.problems).toEqual([]);
});

it('a user program is selected by its file path, and an invalid path is reported', async () => {
  const { open, page } = await openCompareChoice('spots.json', spots, 'Few spots');
  const others = page.getByRole('group', { name: 'Other programs' });
  await others.getByText('nanobragg').first().waitFor();
  const field = others.getByLabel(/^Path of nanobragg: the program that nanoBragg\.c compiles to/);
  // Without Python and NumPy the page shows a reason instead.
  if ((await field.count()) === 0) {
    expect(await others.textContent()).toMatch(/Not here: .*nanobragg/);
    return;
  }
  const box = others.locator('.compare-own', { hasText: 'nanobragg' }).getByRole('checkbox');
  expect(await box.isEnabled()).toBe(false);
  await field.fill(path.join(home, 'gone'));
  await box.check();
  await page.getByLabel('Rounds').selectOption('7');
  await page.getByLabel('Cold processes').selectOption('0');
  await checkVisibility(open, 'own-program');
  await page.getByRole('button', { name: 'Benchmark', exact: true }).click();
  await page
    .getByRole('list', { name: 'Not run' })
    .getByText(/^nanobragg.*: not run, .*gone is not there/)
    .waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(open.problems).toEqual([]);
});
