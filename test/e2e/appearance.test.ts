/** The workbench at the sizes, scales and themes that it is used in: accessible, and nothing cut off. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isOfKind, panelSlots } from '../../renderer/state/layout/defaults.ts';
import { pageWorkloads } from '../../renderer/workloads/index.ts';
import { accessibilityFaults } from './accessible.ts';
import type { PageOptions } from './browser.ts';
import { inEveryLook, type Look, looks } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('looks');
const quick = JSON.stringify({
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

const starts: readonly Readonly<{ name: string; options: PageOptions; seen: readonly [Look, ...Look[]] }>[] = [
  {
    name: 'from 900 to 2560 pixels, light and dark',
    options: {},
    seen: [...looks, { name: '2560-dark', width: 2560, height: 1440, theme: 'dark' }],
  },
  {
    name: '1440 pixels at 200 %',
    options: { width: 720, height: 450, scale: 2 },
    seen: [{ name: '1440-at-200', width: 720, height: 450, theme: 'light' }],
  },
];

describe.each(starts)('$name', ({ options, seen }) => {
  it('is accessible and whole, before, during a question, and after a run', async () => {
    const { open, bench } = await workbench(options);
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
        // Where the side columns share one place, the run is behind its tab.
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
  });
});

/** Panels that show what a run left, each in sight by itself. */
it('every panel is accessible, light and dark', async () => {
  const { open, page, bench } = await workbench();
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
    for (const theme of ['light', 'dark'] as const) {
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
});

it('a chart is drawn in as little room as there is', async () => {
  const { open, page, bench } = await workbench({});
  await bench.drop('half-slab.json', quick);
  await expect.poll(() => bench.title.textContent()).toContain('Half slab');
  await bench.run.click();
  await bench.r80.waitFor();
  const plot = page.locator('.chart-plot__plot').first();
  for (const height of [60, 40, 30, 20, 10]) {
    for (const width of [400, 60]) {
      await plot.evaluate(
        ({ parentElement: host }, size) => Object.assign(host?.style ?? {}, { flex: 'none', ...size }),
        { width: `${width}px`, height: `${height}px` },
      );
      const drawn = plot.locator('svg').first();
      await expect.poll(() => drawn.getAttribute('width')).toBe(String(width));
      await expect.poll(() => drawn.getAttribute('height')).toBe(String(height));
    }
  }
  expect(open.problems).toEqual([]);
});
