/** The command palette: search, run, and commands that are unavailable. */
import { expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { useWorkbench } from './workbench-page.ts';

/** Defines the stories of the palette in one theme. Call this at the top of a test file. */
export function paletteStories(theme: 'light' | 'dark'): void {
  const { workbench } = useWorkbench('palette');
  it('the palette lists every menu command with its shortcut, and runs one', { tags: 'slow' }, async () => {
    const { open, page } = await workbench({ theme });

    // The palette lists exactly the commands of the menus.
    const entries: string[] = [];
    for (const menu of await page.getByRole('menubar').getByRole('menuitem').all()) {
      await menu.click();
      await page.locator('.menu__label').first().waitFor();
      entries.push(...(await page.locator('.menu__label').allTextContents()));
      await page.keyboard.press('Escape');
    }
    // Tab stops once at the menu bar, at the last used menu. The arrow keys cycle through the menus.
    const menus = page.getByRole('menubar').getByRole('menuitem');
    const stops = page.getByRole('menubar').locator('[role="menuitem"][tabindex="0"]');
    expect(await stops.allTextContents()).toEqual([await menus.last().textContent()]);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => menus.first().evaluate((menu) => menu === document.activeElement)).toBe(true);
    expect(await stops.allTextContents()).toEqual([await menus.first().textContent()]);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Commands' });
    await palette.waitFor();
    await expect.poll(() => palette.locator('.palette__title').allTextContents()).toEqual(entries);
    await expect.poll(() => palette.getByRole('option', { name: /^Open scenario/ }).textContent()).toContain('Ctrl+O');
    expect(await accessibilityViolations(page)).toEqual([]);
    await open.screenshot(`palette-${theme}`);

    await page.keyboard.type('profile');
    await expect.poll(() => palette.getByRole('option').first().textContent()).toMatch(/^Profile.*Alt\+Shift\+3/);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('radio', { name: 'Profile' }).isChecked()).toBe(true);
    expect(await palette.count()).toBe(0);

    // A command that is unavailable states the reason, and the palette stays open.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('undo');
    await expect.poll(() => palette.getByRole('option', { name: /^Undo/ }).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    await palette.waitFor();
    await page.keyboard.type(' nothing of the kind');
    await expect.poll(() => palette.getByRole('status').textContent()).toContain('Nothing matches');
    await page.keyboard.press('Escape');
    await expect.poll(() => palette.count()).toBe(0);

    // Entries beyond the menus: examples, actions of panels, materials, headings of the handbook.
    const finds: readonly (readonly [string, RegExp])[] = [
      ['benchmark', /^Benchmark…Run/],
      ['gamma', /Overlay a curve on the depth dose…Depth dose/],
      ['sobp', /range or spots of the beamScenario/],
      ['units', /Display of the dose map…Dose map/],
      ['r80', /Depth doseView/],
      ['export png', /Export the dose map…Dose map/],
      ['perfetto', /TimelineView/],
      ['occupancy', /Launch explorerView/],
      ['water-70', /Water, 70 MeVExamples › water-70MeV\.json/],
      ['lead', /LeadBackground material/],
      ['phase space', /Phase spaceHandbook › Reading results/],
    ];
    await page.keyboard.press('Control+k');
    const field = palette.getByRole('combobox', { name: 'Find a command' });
    for (const [query, name] of finds) {
      await field.fill(query);
      await palette.getByRole('option').filter({ hasText: name }).first().waitFor();
    }
    await open.screenshot(`palette-found-${theme}`);
    await page.keyboard.press('Escape');

    // Choosing the action of a hidden panel shows the panel, then presses the button.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('overlay a curve');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Curves over the depth dose' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('background lead');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('[data-path="geometry.background"] select').inputValue()).toBe('lead');
    await page.keyboard.press('Control+z');

    // A command that opens another dialog.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('about');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Braggbench' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('show the log');
    await page.keyboard.press('Enter');
    const log = page.getByRole('dialog', { name: 'Log' });
    await expect.poll(() => log.getByRole('log').textContent()).toMatch(/ info {4}Braggbench .* has started\./);
    expect(await accessibilityViolations(page)).toEqual([]);
    await open.screenshot(`log-${theme}`);
    expect(open.problems).toEqual([]);
  });
}
