/**
 * Shows the workbench before, during and after a run, and each of its panels: accessible, and with nothing cut off.
 * Each test stops at a view once and checks it in all sizes and themes, instead of running again for each.
 */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { isOfKind, panelSlots } from '../../renderer/state/layout/defaults.ts';
import { pageWorkloads } from '../../renderer/workloads/index.ts';
import { accessibilityViolations } from './accessible.ts';
import { waitUntilDrawn } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import type { Workbench } from './workbench-page.ts';

export type Appearance = Readonly<{ name: string; width: number; height: number; theme: 'light' | 'dark' }>;

/** Sizes and themes. The page is opened in the first. */
export const appearances: readonly [Appearance, ...Appearance[]] = [
  { name: '1440-light', width: 1440, height: 900, theme: 'light' },
  { name: '1440-dark', width: 1440, height: 900, theme: 'dark' },
  { name: '1024-light', width: 1024, height: 768, theme: 'light' },
  { name: '900-light', width: 900, height: 700, theme: 'light' },
  // A window of 1440 pixels at 200 % zoom: the page's size in CSS pixels.
  { name: '720-light', width: 720, height: 450, theme: 'light' },
];

/**
 * If true, all appearances are checked everywhere (`npm run test:all -- nightly`). Another size or theme needs as much
 * time as all steps of a test, so `npm test` checks only the first appearance. `npm run test:all -- long` checks all
 * appearances of every panel, in `appearance.long.test.ts`.
 */
const ALL_APPEARANCES = process.env['BRAGGBENCH_LOOKS'] === 'all';

/** The appearances to check now: all of `these`, or only the first. */
const requestedAppearances = (these: readonly [Appearance, ...Appearance[]]): readonly [Appearance, ...Appearance[]] =>
  ALL_APPEARANCES ? these : [these[0]];

async function setAppearance(page: Page, { width, height, theme }: Appearance): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe(theme);
  await waitUntilDrawn(page);
}

/** Calls `see` with the page in each of the appearances `these`, and restores the first one afterwards. */
export async function inEveryAppearance(
  page: Page,
  see: (look: Appearance) => Promise<void>,
  these: readonly [Appearance, ...Appearance[]] = requestedAppearances(appearances),
): Promise<void> {
  for (const look of these) {
    await setAppearance(page, look);
    await see(look);
  }
  if (these.length > 1) await setAppearance(page, these[0]);
}

/** Takes a screenshot and checks accessibility in every appearance. */
export function checkVisibility(
  open: OpenPage,
  name: string,
  these: readonly [Appearance, ...Appearance[]] = appearances,
): Promise<void> {
  let before: Appearance | null = null;
  return inEveryAppearance(
    open.page,
    async (look) => {
      await open.screenshot(`${name}-${look.name}`);
      // At the same size, another theme changes only colours, so that the colour rules suffice.
      const rules = look.width === before?.width && look.height === before.height ? 'colours' : 'everything';
      expect(await accessibilityViolations(open.page, undefined, rules), look.name).toEqual([]);
      before = look;
    },
    requestedAppearances(these),
  );
}

export const quickScenario = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: 'Half slab',
  beam: { energy_MeV: 70, x_sigma_mm: 1 },
  geometry: { regions: [{ name: 'bone', material: 'bone-compact-icru', x_mm: [0, 6], z_mm: [15, 20] }] },
  grid: { dx_mm: 0.5, dz_mm: 0.5 },
  solver: { stepping: 'depth' },
  // With products of reactions the ledger has its longest names and numbers.
  physics: { nuclear: 'icru63' },
  output: { keyframes: 16 },
});

/**
 * Finds controls and texts that extend beyond the window, are cut at its edge, or overlap in a bar that is too small.
 */
function findCutOffElements(page: Page): Promise<string[]> {
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
    for (const bar of document.querySelectorAll('.panel-bar, .segmented__option > span')) {
      const lost = Math.max(bar.scrollWidth - bar.clientWidth, bar.scrollHeight - bar.clientHeight);
      if (bar.clientWidth > 0 && lost > 1) out.push(`${bar.textContent}: ${lost} px too small`);
    }
    return out;
  });
}

/** Checks a new page, a run and a question in each of the given appearances. The page was opened in the first one. */
export async function checkRunAppearances(
  { open, bench }: Workbench,
  seen: readonly [Appearance, ...Appearance[]],
): Promise<void> {
  const hasNoFaults = async ({ name }: Appearance): Promise<void> =>
    expect(await accessibilityViolations(open.page), name).toEqual([]);
  await expect.poll(() => bench.run.isEnabled()).toBe(true);
  await inEveryAppearance(open.page, hasNoFaults, seen);
  await bench.drop('half-slab.json', quickScenario);
  await expect.poll(() => bench.title.textContent()).toContain('Half slab');
  await bench.run.click();
  await inEveryAppearance(
    open.page,
    async (look) => {
      // If the side columns share one area, the run is behind its tab.
      if (!(await bench.state('Done').isVisible())) await bench.panel('Run').click();
      await bench.r80.waitFor();
      await expect.poll(() => bench.doseShare()).toBeGreaterThan(0.001);
      await bench.map.click({ position: { x: 150, y: 60 } });
      await hasNoFaults(look);
      expect(await findCutOffElements(open.page), look.name).toEqual([]);
      await open.screenshot(`looks-${look.name}`);
      await bench.panel('Ledger').click();
      const ledger = open.page.locator('.ledger-panel', { has: open.page.locator('table') });
      // The table must not scroll sideways: a number that is partly visible is misread.
      expect(await ledger.evaluate((it) => it.scrollWidth - it.clientWidth), look.name).toBe(0);
    },
    seen,
  );

  await bench.layout('Alt+Shift+2', 'Compare');
  await open.page.getByTestId('compare-row').first().waitFor();
  await inEveryAppearance(
    open.page,
    async (look) => {
      expect(await findCutOffElements(open.page), look.name).toEqual([]);
      await open.screenshot(`looks-compare-${look.name}`);
    },
    seen,
  );

  await bench.layout('Alt+Shift+1', 'Dose map');
  await bench.panel('Scenario').click();
  await bench.field('Energy').fill('-1');
  await expect.poll(() => open.page.locator('.field__faults').count()).toBe(1);
  await bench.menu('File', 'New scenario');
  await open.page.getByRole('dialog').waitFor();
  await inEveryAppearance(open.page, hasNoFaults, seen);
  expect(open.problems).toEqual([]);
}

/** Shows each panel of a finished run alone, in each of `themes`. */
export async function checkPanelAppearances(
  { open, page, bench }: Workbench,
  themes: readonly Appearance['theme'][],
): Promise<void> {
  await bench.drop('half-slab.json', quickScenario);
  await expect.poll(() => bench.title.textContent()).toContain('Half slab');
  await bench.run.click();
  await bench.r80.waitFor();
  const faults: string[] = [];
  for (const { title } of panelSlots.filter((panel) => isOfKind(panel, 'transport', pageWorkloads))) {
    // The entry's text ends with its shortcut, if it has one.
    await bench.menu('View', new RegExp(`^${title}($|Alt|F1)`));
    const tab = bench.panel(title);
    await expect.poll(() => tab.getAttribute('aria-selected')).toBe('true');
    const panel = page.getByRole('tabpanel', { name: title, exact: true });
    await expect.poll(() => panel.textContent()).not.toContain('Loading…');
    const id = `#${await panel.getAttribute('id')}`;
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe(theme);
      // At the same size, another theme changes only colours, so that the colour rules suffice.
      await open.screenshot(`panel-${title.replaceAll(' ', '-')}-${theme}`);
      const found = await accessibilityViolations(page, id, theme === 'light' ? 'everything' : 'colours');
      faults.push(...found.map((fault) => `${title}, ${theme}: ${fault}`));
    }
  }
  expect(faults).toEqual([]);
  expect(open.problems).toEqual([]);
}
