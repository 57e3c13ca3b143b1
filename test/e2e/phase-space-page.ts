/** The phase-space panel with a run of half a second, for its tests. */
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage, PageOptions } from './browser.ts';
import { type ServedWorkbench, useWorkbench } from './workbench-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
let workbench: ServedWorkbench['workbench'];

/** Opens pages for the tests of phase space. Call this at the top of a test file. */
export function usePhaseSpace(): void {
  ({ workbench } = useWorkbench('phase', ['--scenario', path.join(root, 'assets/scenarios/water-70MeV.json')]));
}

/** A run of a second on two cores, wide enough in angle and energy to be visible in the maps. */
export const scenario = (extra: object = {}): string =>
  JSON.stringify({
    kind: 'transport',
    version: 1,
    name: 'Coarse',
    beam: { energy_MeV: 70, energy_sigma_MeV: 1, angle_sigma_mrad: 5, x_sigma_mm: 2 },
    grid: { dx_mm: 0.5, dz_mm: 0.5 },
    ...extra,
  });

export let open: OpenPage;
export let bench: BenchPage;

export async function openBench(options: PageOptions = {}): Promise<void> {
  ({ open, bench } = await workbench(options));
  await expect.poll(() => bench.title.textContent()).toContain('water-70MeV.json');
}

export async function runToEnd(text = scenario()): Promise<void> {
  await bench.drop('coarse.json', text);
  await expect.poll(() => bench.title.textContent()).toContain('Coarse');
  await bench.run.click();
  await bench.state('Done').waitFor();
}

export function closeBench(): void {
  expect(open.problems).toEqual([]);
}

/** The map, once it contains protons: a map without content cannot be probed. */
export const phaseMap = (title: string): Locator =>
  open.page.getByRole('img', { name: new RegExp(`^Protons over ${title};`) });
export const step = async (): Promise<string> => (await open.page.getByTestId('phase-step').textContent()) ?? '';
export const value = (key: string): Promise<string | null> =>
  open.page.getByTestId(`value-phase-space/${key}`).textContent();
/** Content of a map's canvas, to compare two images. */
export const picture = (title: string): Promise<string> =>
  phaseMap(title).evaluate((canvas) => (canvas.previousElementSibling as HTMLCanvasElement).toDataURL());
/**
 * Content of the map at a step in the middle of a finished run. Waits for it, because the last live frame is shown
 * until the maps load.
 */
export async function middlePicture(title: string): Promise<string> {
  await expect.poll(step).toMatch(/depth 2\d\.\d\d mm\d+ \/ \d+$/);
  await expect
    .poll(async () => (await step()).startsWith(`step ${await phaseMap(title).getAttribute('data-step')}depth`))
    .toBe(true);
  await bench.drawn();
  return picture(title);
}
