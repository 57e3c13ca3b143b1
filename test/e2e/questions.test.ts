/** The first hour: the gallery of questions next to the solved beam, by keyboard alone, dismissed and found again. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { focused } from './focused.ts';
import { looks, seenWhole } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('questions', ['--scenario', 'assets/scenarios/water-70MeV.json', '--run']);

/** Presses Tab until the focus is on what is sought: as many times as there are controls before it. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    if (name.test(await focused(page)())) return;
    await page.keyboard.press('Tab');
  }
  expect(await focused(page)()).toMatch(name);
}

describe('the first hour', () => {
  it('begins with questions beside the solved beam, and goes through one by keyboard alone', async () => {
    const { open, page, bench } = await workbench({ firstVisit: true });
    await expect.poll(() => bench.panel('Questions').getAttribute('aria-selected')).toBe('true');
    await bench.state('Done').waitFor();
    await expect.poll(() => bench.r80.textContent()).toContain('40.7');
    expect(await page.locator('.question').count()).toBe(7);
    // Every picture is there, in the theme that is shown.
    await expect
      .poll(() =>
        page
          .locator('.question__picture img:visible')
          .evaluateAll((all) => all.filter((one) => (one as HTMLImageElement).naturalWidth > 0).length),
      )
      .toBeGreaterThan(3);
    await seenWhole(open, 'questions');

    await tabTo(page, /^Which variant is fastest/);
    await page.keyboard.press('Enter');
    await expect.poll(focused(page)).toBe('Hint 1 of 3: Which variant is fastest here, and is it right?');
    const row = page.getByTestId('compare-row');
    await expect.poll(() => row.count()).toBe(6);
    await expect.poll(() => row.filter({ hasText: 'cuda-ignored' }).textContent()).toContain('wrong, though faster');
    await expect.poll(() => bench.title.textContent()).toContain('views');
    await seenWhole(open, 'question-fastest', [looks[0], ...looks.slice(2)]);
    await tabTo(page, /^Next$/);
    await page.keyboard.press('Enter');
    await expect.poll(focused(page)).toMatch(/^Hint 2 of 3/);
    await tabTo(page, /^Next$/);
    await page.keyboard.press('Enter');
    await expect.poll(focused(page)).toMatch(/^Hint 3 of 3/);
    await tabTo(page, /^Dismiss hint 3$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.panel-hint').count()).toBe(2);
    expect(open.problems).toEqual([]);
  });
});
