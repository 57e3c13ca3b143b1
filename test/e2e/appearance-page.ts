/** The workbench before, during and after a run, and each of its panels: accessible, and nothing cut off. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { isOfKind, panelSlots } from '../../renderer/state/layout/defaults.ts';
import { pageWorkloads } from '../../renderer/workloads/index.ts';
import { accessibilityFaults } from './accessible.ts';
import { inEveryLook, type Look } from './looks.ts';
import type { Workbench } from './workbench-page.ts';

export const quick = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: 'Half slab',
  beam: { energy_MeV: 70, x_sigma_mm: 1 },
  geometry: { regions: [{ name: 'bone', material: 'bone-compact-icru', x_mm: [0, 6], z_mm: [15, 20] }] },
  grid: { dx_mm: 0.5, dz_mm: 0.5 },
  solver: { stepping: 'depth' },
  output: { keyframes: 16 },
});

/** Controls and words that reach out of the window or are cut at its edge. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const out: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth)
      out.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const element of document.querySelectorAll('.top-bar button, .tabs__tab, .panel-bar button, .status-bar')) {
      const box = element.getBoundingClientRect();
      if (box.width > 0 && (box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1)) {
        out.push(
          `${element.textContent || element.getAttribute('aria-label')}: ${Math.round(box.left)}–${Math.round(box.right)}`,
        );
      }
    }
    return out;
  });
}

/** Looks at a new page, a run and a question in each of `seen`, the first of which is how the page was opened. */
export async function beforeDuringAndAfter(
  { open, bench }: Workbench,
  seen: readonly [Look, ...Look[]],
): Promise<void> {
  const hasNoFaults = async ({ name }: Look): Promise<void> =>
    expect(await accessibilityFaults(open.page), name).toEqual([]);
  await expect.poll(() => bench.run.isEnabled()).toBe(true);
  await inEveryLook(open.page, hasNoFaults, seen);
  await bench.drop('half-slab.json', quick);
  await expect.poll(() => bench.title.textContent()).toContain('Half slab');
  await bench.run.click();
  await inEveryLook(
    open.page,
    async (look) => {
      // If the side columns share one place, the run is behind its tab.
      if (!(await bench.state('Done').isVisible())) await bench.panel('Run').click();
      await bench.r80.waitFor();
      await expect.poll(() => bench.litShare()).toBeGreaterThan(0.001);
      await bench.map.click({ position: { x: 150, y: 60 } });
      await hasNoFaults(look);
      expect(await cutOff(open.page), look.name).toEqual([]);
      await open.screenshot(`looks-${look.name}`);
    },
    seen,
  );

  await bench.panel('Scenario').click();
  await bench.field('Energy').fill('-1');
  await expect.poll(() => open.page.locator('.field__faults').count()).toBe(1);
  await bench.menu('File', 'New scenario');
  await open.page.getByRole('dialog').waitFor();
  await inEveryLook(open.page, hasNoFaults, seen);
  expect(open.problems).toEqual([]);
}

/** Shows each panel of a finished run by itself, in each of `themes`. */
export async function everyPanel({ open, page, bench }: Workbench, themes: readonly Look['theme'][]): Promise<void> {
  await bench.drop('half-slab.json', quick);
  await expect.poll(() => bench.title.textContent()).toContain('Half slab');
  await bench.run.click();
  await bench.r80.waitFor();
  const faults: string[] = [];
  for (const { title } of panelSlots.filter((panel) => isOfKind(panel, 'transport', pageWorkloads))) {
    // With its shortcut behind it, where it has one.
    await bench.menu('View', new RegExp(`^${title}($|Alt|F1)`));
    const tab = bench.panel(title);
    await expect.poll(() => tab.getAttribute('aria-selected')).toBe('true');
    const panel = page.getByRole('tabpanel', { name: title, exact: true });
    await expect.poll(() => panel.textContent()).not.toContain('Loading…');
    const id = `#${await panel.getAttribute('id')}`;
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe(theme);
      // A theme changes colours and nothing else.
      await open.screenshot(`panel-${title.replaceAll(' ', '-')}-${theme}`);
      const found = await accessibilityFaults(page, id, theme === 'light' ? 'everything' : 'colours');
      faults.push(...found.map((fault) => `${title}, ${theme}: ${fault}`));
    }
  }
  expect(faults).toEqual([]);
  expect(open.problems).toEqual([]);
}
