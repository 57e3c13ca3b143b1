/** Shared start and actions of the tests of a run's maps and curves. */
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage, PageOptions } from './browser.ts';
import { type ServedWorkbench, useWorkbench } from './workbench-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
let workbench: ServedWorkbench['workbench'];

/** Opens pages for the tests of maps and curves. Call this at the top of a test file. */
export function useFields(): void {
  ({ workbench } = useWorkbench('fields', ['--scenario', path.join(root, 'assets/scenarios/water-70MeV.json')]));
}

/** A grid coarse enough for a run in a fraction of a second. */
export const scenario = (name: string, beam: Record<string, unknown> = {}): string =>
  JSON.stringify({
    kind: 'transport',
    version: 1,
    name,
    beam: { energy_MeV: 70, energy_sigma_MeV: 1, angle_sigma_mrad: 5, x_sigma_mm: 2, ...beam },
    geometry: { depth_mm: 50, width_mm: 50 },
    grid: { dx_mm: 0.5, dz_mm: 0.5 },
    output: { keyframes: 16 },
  });

export let open: OpenPage;
export let bench: BenchPage;

export async function openBench(options: PageOptions = {}): Promise<void> {
  ({ open, bench } = await workbench(options));
  await expect.poll(() => bench.title.textContent()).toContain('water-70MeV.json');
}

export async function runToEnd(name: string, beam: Record<string, unknown> = {}): Promise<void> {
  await bench.drop(`${name}.json`, scenario(name, beam));
  await expect.poll(() => bench.title.textContent()).toContain(name);
  await bench.run.click();
  await expect
    .poll(() => open.page.locator('.run-head').textContent())
    .toMatch(new RegExp(`${name}.*Done|Done.*${name}`));
}

export async function drag(on: Locator, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  const box = await on.boundingBox();
  if (box === null) throw new Error('the map has no place');
  const { mouse } = open.page;
  await mouse.move(box.x + box.width * from[0], box.y + box.height * from[1]);
  await mouse.down();
  await mouse.move(box.x + box.width * to[0], box.y + box.height * to[1], { steps: 4 });
  await mouse.up();
}

export const phaseMap = (title: string): Locator =>
  open.page.getByRole('img', { name: new RegExp(`^Protons over ${title};`) });
export const picture = (map: Locator): Promise<string> =>
  map.evaluate((canvas) => (canvas.previousElementSibling as HTMLCanvasElement).toDataURL());
export const display = (what: string): Locator => open.page.getByRole('button', { name: `Display of the ${what}` });

/** Scenario text of a beam that is solved with depth stepping within a moment. */
export const quickBeam = (name: string): string =>
  JSON.stringify({
    kind: 'transport',
    version: 1,
    name,
    beam: { energy_MeV: 60, x_sigma_mm: 2 },
    geometry: { width_mm: 60 },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 20 },
    solver: { stepping: 'depth' },
    output: { keyframes: 16 },
  });
