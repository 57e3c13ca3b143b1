/**
 * The README's first steps, as a newcomer takes them. The first hour: the gallery of questions next to the solved beam,
 * used by keyboard alone, dismissed and found again.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { appearances, checkVisibility } from './appearance-page.ts';
import { focused } from './bench-page.ts';
import { useWorkbench } from './workbench-page.ts';

describe('claims page', () => {
  const { workbench } = useWorkbench('claims');

  it('opens the table of claims with a verdict for each part of a sweep, its map and session, and the error in the note', {
    tags: 'slow',
  }, async () => {
    const { open, page, bench } = await workbench();
    await bench.layout('Alt+Shift+2', 'Compare');
    await bench.panel('Claims').click();
    await page.getByRole('button', { name: 'Enlarge Claims' }).click();
    const claims = page.getByTestId('claim');
    // The command line generates the README, so that its counts are those of the claims table.
    const readme = readFileSync(path.resolve(import.meta.dirname, '../../README.md'), 'utf8');
    const counts = /\d+ true, \d+ true when, \d+ not true, \d+ open of (\d+) claims/.exec(readme);
    await expect.poll(() => claims.count()).toBe(Number(counts?.[1]));
    expect(await page.locator('.panel-readout').textContent()).toBe(counts?.[0]);
    await page.getByLabel('Search the claims').fill('bank conflicts stride');
    await expect.poll(() => claims.count()).toBe(1);
    const claim = claims.first();
    expect(await claim.textContent()).toContain('true when stride is 16');
    await claim.locator('summary').click();
    // Each card has one map of the claim over the sweep.
    await claim.getByTestId('claim-map').first().waitFor();
    expect(await claim.textContent()).toContain('Subject:');
    await expect.poll(() => claim.locator('.js-plotly-plot .plotly, svg').count()).toBeGreaterThan(0);
    await checkVisibility(open, 'claims');
    // A claim about another GPU is marked as such, and shows the measurements.
    await page.getByLabel('Search the claims').fill('consumer GPUs');
    await expect.poll(() => claims.count()).toBe(3);
    expect(await claims.first().textContent()).toContain('cannot be judged here: needs a consumer GPU');
    // Filters by the machines of a claim, and shows its verdict on each.
    await page.getByLabel('Search the claims').fill('');
    const recordedOn = page.getByLabel('Recorded on');
    const both = recordedOn.locator('option', { hasText: 'NVIDIA H100 80GB HBM3, NVIDIA H200' });
    expect(await both.count()).toBe(1);
    await recordedOn.selectOption((await both.getAttribute('value')) ?? '');
    await page.getByLabel('Search the claims').fill('kernel fusion');
    const fusion = claims.filter({ hasText: 'Kernel fusion in a beam' });
    await expect.poll(() => fusion.count()).toBe(1);
    await fusion.locator('summary').click();
    await expect.poll(() => fusion.textContent()).toMatch(/On NVIDIA H100 80GB HBM3: .+\. On NVIDIA H200: .+\./);
    await checkVisibility(open, 'claims-by-card');
    // The list shows one answer at a time, with the number of remaining claims.
    await page.getByLabel('Search the claims').fill('');
    await recordedOn.selectOption('');
    await page.getByLabel('Answer').selectOption('not-true');
    await expect
      .poll(() => page.locator('.panel-readout').textContent())
      .toMatch(/^0 true, 0 true when, \d+ not true, 0 open/);
    await page.getByLabel('Answer').selectOption('');
    await recordedOn.selectOption('');
    // Opens the session behind a number, with its sources.
    await page.getByLabel('Search the claims').fill('36 million');
    await claims.first().locator('summary').click();
    await claims.first().getByRole('button').first().click();
    await expect.poll(() => bench.panel('Compare').getAttribute('aria-selected')).toBe('true');
    await open.close();
  });
});

/** Timeout for solving a beam of 120 MeV on the default grid, on cores that other tests keep busy. */
const solveTimeout = { timeout: 120_000 } as const;

describe('a newcomer', () => {
  const { workbench } = useWorkbench('newcomer');

  it('sees a Bragg peak at another energy, and enlarges a box that the beam leaves', { tags: 'slow' }, async () => {
    const { open, page, bench } = await workbench();
    const r80 = async (): Promise<number> => Number.parseFloat((await bench.r80.textContent()) ?? '');
    const runAt = async (): Promise<void> => {
      await expect.poll(() => bench.run.isEnabled()).toBe(true);
      await bench.run.click();
    };
    await bench.field('Energy').fill('120');
    await runAt();
    // The range of 120 MeV in water is 106.6 mm (NIST PSTAR).
    await expect.poll(r80, solveTimeout).toBeCloseTo(106.6, 0);
    // A box of 50 mm.
    await bench.field('Depth').fill('50');
    await runAt();
    await page.getByText('No range: most protons leave the box before stopping.').waitFor();
    await page.getByRole('button', { name: 'Fit the box to the range and run' }).click();
    await expect.poll(r80, solveTimeout).toBeCloseTo(106.6, 0);
    expect(await bench.field('Depth').inputValue()).toBe('');
    await open.close();
  });
});

const { workbench } = useWorkbench('questions', ['--scenario', 'assets/scenarios/water-70MeV.json', '--run']);

/** Presses Tab until the wanted control has the focus, at most as often as there are controls before it. */
async function tabToControl(page: Page, name: RegExp): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    if (name.test(await focused(page)())) return;
    await page.keyboard.press('Tab');
  }
  expect(await focused(page)()).toMatch(name);
}

describe('the first hour of use', () => {
  it('begins with questions next to the solved beam; one question can be completed by keyboard alone', {
    tags: 'slow',
  }, async () => {
    const { open, page, bench } = await workbench({ firstVisit: true });
    await expect.poll(() => bench.panel('Questions').getAttribute('aria-selected')).toBe('true');
    await bench.state('Done').waitFor();
    await expect.poll(() => bench.r80.textContent()).toContain('40.7');
    expect(await page.locator('.question').count()).toBe(7);
    // Every picture has loaded, in the theme of the page.
    await expect
      .poll(() =>
        page
          .locator('.question__picture img:visible')
          .evaluateAll((all) => all.filter((one) => (one as HTMLImageElement).naturalWidth > 0).length),
      )
      .toBeGreaterThan(3);
    await checkVisibility(open, 'questions');

    await tabToControl(page, /^Which variant is fastest/);
    await page.keyboard.press('Enter');
    await expect.poll(focused(page)).toBe('Hint 1 of 3: Which variant is fastest here, and is it correct?');
    const row = page.getByTestId('compare-row');
    await expect.poll(() => row.count()).toBe(6);
    await expect.poll(() => row.filter({ hasText: 'cuda-ignored' }).textContent()).toContain('wrong, though faster');
    await expect.poll(() => bench.title.textContent()).toContain('views');
    await checkVisibility(open, 'question-fastest', [appearances[0], ...appearances.slice(2)]);
    await tabToControl(page, /^Next$/);
    await page.keyboard.press('Enter');
    await expect.poll(focused(page)).toMatch(/^Hint 2 of 3/);
    await tabToControl(page, /^Next$/);
    await page.keyboard.press('Enter');
    await expect.poll(focused(page)).toMatch(/^Hint 3 of 3/);
    await tabToControl(page, /^Dismiss hint 3$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.panel-hint').count()).toBe(2);
    expect(open.problems).toEqual([]);
  });
});
