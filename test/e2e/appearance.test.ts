/**
 * The workbench at the sizes that it is used in: accessible, and nothing cut off. Accessibility checks of the stories:
 * a part without violations is checked again as soon as its appearance changes. Layouts in a real browser: switching,
 * closing and opening panels, and their state after a reload.
 */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import { accessibilityViolations, partsOf } from './accessible.ts';
import { appearances, checkRunAppearances, inEveryAppearance, quickScenario } from './appearance-page.ts';
import { type BenchPage, waitUntilDrawn } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import { useWorkbench } from './workbench-page.ts';

describe('the accessibility checker', () => {
  const { workbench } = useWorkbench('accessible');

  /** Page of the server outside the workbench, with three columns of thirty lines. */
  let page: Page;
  beforeEach(async () => {
    page = (await workbench()).page;
    await page.goto(new URL('/', page.url()).href);
    await page.evaluate(() => {
      const columns = ['left', 'middle', 'right'].map((id, at) => {
        const column = Object.assign(document.createElement('div'), { id });
        Object.assign(column.style, { position: 'absolute', left: `${at * 200}px`, top: '100px', width: '200px' });
        for (let line = 0; line < 30; line += 1) {
          column.append(Object.assign(document.createElement('p'), { textContent: `line ${line}` }));
        }
        return column;
      });
      columns[2]?.append(Object.assign(document.createElement('input'), { value: 'a', ariaLabel: 'Field' }));
      const title = Object.assign(document.createElement('h1'), { textContent: 'Still' });
      const main = document.createElement('main');
      main.append(title, ...columns);
      [document.title, document.documentElement.lang] = ['Still', 'en'];
      document.body.replaceChildren(main);
    });
    await waitUntilDrawn(page);
  });

  async function violationsAfter(change: () => void): Promise<readonly string[]> {
    await page.evaluate(change);
    return accessibilityViolations(page);
  }

  it('detects each planted error, and reports nothing once the errors are fixed', { tags: 'slow' }, async () => {
    expect(await accessibilityViolations(page)).toEqual([]);
    const faint = await violationsAfter(() => document.querySelector('p')?.style.setProperty('color', '#ddd'));
    expect(faint).toEqual([expect.stringMatching(/^color-contrast: /)]);
    // A part with a violation must not be recorded as checked.
    expect(await accessibilityViolations(page)).toEqual(faint);
    expect(await accessibilityViolations(page, null, 'colours')).toEqual(faint);
    expect(await violationsAfter(() => document.querySelector('p')?.style.removeProperty('color'))).toEqual([]);
    // An ancestor changes.
    const within = await violationsAfter(() => document.documentElement.style.setProperty('color', '#ddd'));
    expect(within).toHaveLength(91);
    expect(await violationsAfter(() => document.documentElement.style.removeProperty('color'))).toEqual([]);
    // Change the text that labels the part; it is elsewhere on the page.
    const named = await violationsAfter(() => {
      const button = document.createElement('button');
      button.setAttribute('aria-labelledby', 'name');
      document.querySelector('#left')?.append(button);
      document
        .querySelector('#right')
        ?.append(Object.assign(document.createElement('span'), { id: 'name', textContent: 'x' }));
    });
    expect(named).toEqual([]);
    const nameless = await violationsAfter(() => document.querySelector('#name')?.replaceChildren());
    expect(nameless).toEqual([expect.stringMatching(/^button-name: /)]);
    // Only rules about the whole page find this violation.
    const untitled = await violationsAfter(() => {
      document.querySelector('button')?.remove();
      document.title = '';
    });
    expect(untitled).toEqual([expect.stringMatching(/^document-title: /)]);
  });

  it('distinguishes elements by overlap, pointer state and text', { tags: 'slow' }, async () => {
    const changed = async (change: () => Promise<unknown>): Promise<number> => {
      const was = new Set(await partsOf(page));
      await change();
      return (await partsOf(page)).filter((look) => !was.has(look)).length;
    };
    const inPage = (change: () => void) => () => page.evaluate(change);
    const over = () => {
      const box = document.createElement('b');
      Object.assign(box.style, { position: 'fixed', left: '10px', top: '150px', width: '20px', height: '20px' });
      document.body.append(box);
    };
    expect(await changed(inPage(() => undefined))).toBe(0);
    // Two parts change: the box itself, and the column under it.
    expect(await changed(inPage(over))).toBe(2);
    expect(await changed(inPage(() => document.querySelector('b')?.remove()))).toBe(1);
    expect(await changed(inPage(() => document.querySelector('#left p')?.replaceChildren('more')))).toBe(1);
    expect(await changed(() => page.hover('#middle p'))).toBeGreaterThan(0);
    expect(await changed(() => page.fill('input', 'b'))).toBeGreaterThan(0);
    // All parts change, and their containers.
    expect(await changed(inPage(() => document.documentElement.setAttribute('data-theme', 'dark')))).toBeGreaterThan(3);
  });
});

describe('appearance of the page', () => {
  const { workbench } = useWorkbench('looks');

  it('the page is accessible and fully visible at usual window sizes and the smallest one: before a run, during a question and after a run', async () => {
    const others = appearances.filter(({ name }) => name === '1024-light' || name === '720-light');
    expect(others).toHaveLength(2);
    await checkRunAppearances(await workbench(), [appearances[0], ...others]);
  });

  it('a focused border between panels is drawn in the accent colour', { tags: 'slow' }, async () => {
    const { page } = await workbench();
    const border = page.getByRole('separator').first();
    const colour = () => border.evaluate((it) => getComputedStyle(it, '::after').backgroundColor);
    await expect.poll(colour).toBe('rgba(0, 0, 0, 0)');
    await page.keyboard.press('Tab');
    await border.focus();
    await expect.poll(colour).toMatch(/^rgb\(/);
  });

  it('a chart is drawn in the smallest available space', { tags: 'slow' }, async () => {
    const { open, page, bench } = await workbench({});
    await bench.drop('half-slab.json', quickScenario);
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
});

const { workbench } = useWorkbench('layouts');

let open: OpenPage;
let bench: BenchPage;

const layout = (name: string) => open.page.getByRole('radio', { name, exact: true });

describe('the layouts', () => {
  beforeEach(async () => {
    ({ open, bench } = await workbench());
  });

  it('can be switched in the bar and by keyboard, and are saved with the theme', { tags: 'slow' }, async () => {
    await expect.poll(() => layout('Simulate').isChecked()).toBe(true);
    await open.page.keyboard.press('Alt+Shift+3');
    await expect.poll(() => layout('Profile').isChecked()).toBe(true);
    expect(await bench.panel('Depth dose').count()).toBe(0);
    const theme = () => open.page.locator('html').getAttribute('data-theme');
    await expect.poll(theme).toBe('light');
    await open.page.getByRole('button', { name: 'Appearance' }).click();
    await open.page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expect.poll(theme).toBe('dark');
    await open.page.reload();
    await expect.poll(() => layout('Profile').isChecked()).toBe(true);
    await expect.poll(theme).toBe('dark');
    await layout('Compare').check();
    await expect.poll(() => layout('Compare').isChecked()).toBe(true);
    await expect.poll(() => bench.panel('Depth dose').count()).toBe(1);
    expect(open.problems).toEqual([]);
  });

  it('are never empty: recorded data is shown until the user has results, and empty panels offer actions', {
    tags: 'slow',
  }, async () => {
    const { page } = open;
    await page.keyboard.press('Alt+Shift+3');
    const blocks = page.getByRole('list', { name: 'Timelines shown' }).getByRole('button');
    await expect.poll(() => blocks.count()).toBe(1);
    await page.getByText('This run was shipped with the program').waitFor();
    await inEveryAppearance(page, async ({ name }) => {
      await open.screenshot(`first-sight-profile-${name}`);
      expect(await accessibilityViolations(page, 'main'), name).toEqual([]);
    });
    await page.keyboard.press('Alt+Shift+2');
    await expect.poll(() => page.getByTestId('compare-row').count()).toBeGreaterThan(1);
    await page.getByTestId('ladder-ladder').waitFor();
    await open.screenshot('first-sight-compare');

    await page.keyboard.press('Alt+Shift+1');
    await bench.drop('tiny.json', JSON.stringify(tinyScenario));
    await expect.poll(() => bench.title.textContent()).toContain(tinyScenario.name);
    await page
      .getByRole('group', { name: 'Ledger', exact: true })
      .getByRole('button', { name: 'Run the scenario' })
      .click();
    await bench.state('Done').waitFor();
    await page.keyboard.press('Alt+Shift+3');
    await expect.poll(() => page.getByText('This run was shipped with the program').count()).toBe(0);
    await expect.poll(() => blocks.count()).toBe(1);
    expect(open.problems).toEqual([]);
  });
});
