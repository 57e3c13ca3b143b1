/** Shared start and actions of the tests of Live, which solves again while a value is dragged. */
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { type ServedWorkbench, useWorkbench, type Workbench } from './workbench-page.ts';

let workbench: ServedWorkbench['workbench'];

/** Opens pages for the tests of Live. Call this at the top of a test file. */
export function useLive(): void {
  ({ workbench } = useWorkbench('live'));
}

/** Opens a page and waits until Run can be pressed. */
export const openWorkbench = (): Promise<Workbench> => workbench();

/** A scenario that is solved in a hundredth of a second, so that the page dominates the measured time. */
export const scenario = {
  kind: 'transport',
  version: 1,
  name: 'Slab',
  beam: { energy_MeV: 60 },
  geometry: {
    width_mm: 24,
    depth_mm: 48,
    regions: [{ name: 'Bone', material: 'bone-compact-icru', z_mm: [10, 16], x_mm: [-12, 12] }],
  },
  grid: { dx_mm: 1, dz_mm: 0.25, dtheta_mrad: 20, theta_max_mrad: 400 },
  solver: { stepping: 'depth' },
  output: { keyframes: 8 },
};

export const liveSwitch = ({ page }: Workbench): Locator =>
  page.getByRole('banner').getByRole('button', { name: /^Live/ });
export const note = ({ page }: Workbench): Locator => page.getByTestId('live-note');
export const r80 = async ({ bench }: Workbench): Promise<number> =>
  Number.parseFloat((await bench.r80.textContent()) ?? '');

export async function openWithLive(): Promise<Workbench> {
  const opened = await workbench();
  await opened.bench.drop('slab.json', JSON.stringify(scenario));
  await expect.poll(() => opened.bench.title.textContent()).toContain('Slab');
  await liveSwitch(opened).click();
  await expect.poll(() => note(opened).textContent()).toContain('At rest');
  await opened.bench.r80.waitFor();
  return opened;
}

/** Drags in steps of the pointer, like a hand. */
export async function drag(
  { page }: Workbench,
  from: readonly [number, number],
  to: readonly [number, number],
  steps = 30,
) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps });
}

export async function handleOf(locator: Locator): Promise<readonly [number, number]> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('the handle has no place');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

export const unitOf = ({ bench }: Workbench, name: string): Locator =>
  bench.field(name).locator('xpath=..').locator('.number-field__unit');

/** Counts the distinct answers that were drawn. */
export const answersOf = ({ page }: Workbench) =>
  page.evaluateHandle(() => {
    const seen = { count: 0, last: '' };
    const look = (): void => {
      const now = document.querySelector<HTMLElement>('[data-testid="live-note"]')?.dataset['answer'] ?? '';
      if (now !== '' && now !== seen.last) seen.count += 1;
      seen.last = now;
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    return seen;
  });

export const picture = (map: Locator): Promise<string> =>
  map.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
