/** Layouts in a real browser: switching, closing and opening panels, and what is left of it after a reload. */
import { beforeEach, describe, expect, it } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import { accessibilityFaults } from './accessible.ts';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import { inEveryLook } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('layouts');

let open: OpenPage;
let bench: BenchPage;

const layout = (name: string) => open.page.getByRole('radio', { name, exact: true });

describe('the layouts', () => {
  beforeEach(async () => {
    ({ open, bench } = await workbench());
  });

  it('are switched in the bar and by keys, and kept with the theme', async () => {
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

  it('are never empty: what was recorded stands there until there is something of one’s own, and an empty panel acts', async () => {
    const { page } = open;
    await page.keyboard.press('Alt+Shift+3');
    const blocks = page.getByRole('list', { name: 'Timelines shown' }).getByRole('button');
    await expect.poll(() => blocks.count()).toBe(1);
    await page.getByText('This run came with the program').waitFor();
    await inEveryLook(page, async ({ name }) => {
      await open.screenshot(`first-sight-profile-${name}`);
      expect(await accessibilityFaults(page, 'main'), name).toEqual([]);
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
    await expect.poll(() => page.getByText('This run came with the program').count()).toBe(0);
    await expect.poll(() => blocks.count()).toBe(1);
    expect(open.problems).toEqual([]);
  });
});
