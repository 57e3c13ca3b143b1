/** Comparing variants and reading the ladder of recorded sessions, as a user does it. */
import { describe, expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { checkVisibility } from './appearance-page.ts';
import { finerScenario, row, smallAppearances, useCompare, view } from './compare-page.ts';

const { openCompare, openSmall } = useCompare();

describe('Compare when first opened', () => {
  it('shows a recorded session with its answer, and pre-selects the variants that fit the time limit', {
    tags: 'slow',
  }, async () => {
    const { open, page } = await openCompare();
    await row(page, 'cuda-window').waitFor();
    const advice = page.getByTestId('compare-advice');
    await expect
      .poll(() => advice.textContent())
      .toMatch(
        /^cuda-[\w-]+ (is the fastest|looks fastest) on NVIDIA H200.* times .*\. Its answer is correct \(dose error .*, ledger closes\)\./,
      );
    await page.getByText('No GPU here, so these are recorded results.').waitFor();
    await checkVisibility(open, 'compare-first', smallAppearances);
    await view(page, 'Choose');
    const variants = page.getByRole('group', { name: 'Variants to benchmark' });
    await expect.poll(() => variants.textContent()).toMatch(/gather.*about [\d.]+ m?s per run/s);
    await expect.poll(() => variants.locator('input:checked').count()).toBeGreaterThan(1);
    await variants.getByText(/^Variants that finish within .* are preselected\./).waitFor();
    // A sentence that spans several controls must not break at a semicolon when it wraps.
    expect(await page.locator('.compare-options').innerText()).not.toMatch(/^ *;/m);
    await checkVisibility(open, 'compare-first-choose', smallAppearances);
    expect(open.problems).toEqual([]);
  });
});

describe('benchmarking', () => {
  it('measures two variants and shows their numbers, doses and differences', async () => {
    const { open, page, bench } = await openSmall();
    await page.getByLabel('Rounds').selectOption('7');
    await page.getByLabel('Cold processes').selectOption('0');
    await page.getByRole('group', { name: 'Precisions' }).getByText('fp32').click();
    await page.getByRole('group', { name: 'Precisions' }).getByText('fp64').click();
    const measuring = await bench.willAppear('[data-testid=bench-progress]');
    await page.getByRole('button', { name: 'Benchmark', exact: true }).click();
    await measuring();
    await row(page, 'window@fp64').waitFor();
    await expect.poll(() => page.getByTestId('compare-row').count()).toBe(4);
    await expect.poll(() => row(page, 'gather@fp32').textContent()).toContain('reference');
    await open.screenshot('compare-measured-table');

    // Selects another reference, order and colour, and removes a row.
    await page.getByRole('button', { name: 'Row window@fp64' }).click();
    await page.getByRole('menuitemradio', { name: /^Reference/ }).click();
    await expect.poll(() => row(page, 'window@fp64').textContent()).toContain('reference');
    await page.getByRole('button', { name: 'Steps', exact: true }).click();
    const order = (): Promise<string[]> => page.locator('[data-testid=compare-row] th').allTextContents();
    const rising = await order();
    await page.getByRole('button', { name: 'Steps', exact: true }).click();
    await expect.poll(order).toEqual([...rising].reverse());
    await page.getByRole('button', { name: 'Row gather@fp64' }).click();
    await page.getByRole('menuitemradio', { name: 'pink' }).click();
    await page.getByRole('button', { name: 'Row gather@fp32' }).click();
    await page.getByRole('menuitem', { name: 'Hide' }).click();
    await expect.poll(() => page.getByTestId('compare-row').count()).toBe(3);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemradio', { name: /^Ledger/ }).click();
    await expect.poll(() => page.getByRole('columnheader', { name: 'Ledger' }).count()).toBe(0);

    await view(page, 'Maps');
    await expect.poll(() => page.locator('.map-tile').count()).toBe(3);
    await expect.poll(() => page.getByRole('img', { name: /^Dose of window@fp64/ }).count()).toBe(1);
    await open.screenshot('compare-maps');
    await page.locator('.segmented__option', { hasText: /^difference$/ }).click();
    await expect.poll(() => page.locator('.map-tile').count()).toBe(2);
    await open.screenshot('compare-maps-difference');
    expect(await accessibilityViolations(page)).toEqual([]);
    await view(page, 'Curves');
    await page.locator('.compare-figure svg path.js-line').first().waitFor();
    await open.screenshot('compare-curves');
    expect(await accessibilityViolations(page)).toEqual([]);
    await view(page, 'Samples');
    await open.screenshot('compare-measured-samples');

    await view(page, 'Source');
    await page.getByLabel('Left variant').selectOption('cuda-gather');
    await page.getByLabel('Right variant').selectOption('cuda-tiled');
    await expect
      .poll(() => page.getByLabel('Left file').inputValue())
      .toBe('kernels/transport/cuda/dense/cuda_gather.cu');
    await expect.poll(() => page.locator('.code .code-cuda').count()).toBeGreaterThan(5);
    await expect.poll(() => page.locator('.code tr[data-kind=changed] mark').count()).toBeGreaterThan(3);
    await open.screenshot('compare-source-cuda');
    await page.getByLabel('Right variant').selectOption('cuda-gather');
    await page.getByText('no line differs').waitFor();
    await page.getByRole('button', { name: 'Only differences' }).click();
    await expect.poll(() => page.locator('.code tr').count()).toBe(1);
    expect(open.problems).toEqual([]);
  });

  it('reports progress, and keeps completed measurements when it is stopped', { tags: 'slow' }, async () => {
    const { open, page, bench } = await openSmall(finerScenario);
    await page.getByLabel('Rounds').selectOption('500');
    // Extend the time, because on a busy machine the default time would end before the second round.
    await page.getByLabel('Time', { exact: true }).selectOption('300');
    const progress = /round ([2-9]|\d\d+): .*at most .* left/;
    const measuring = await bench.willAppear('[data-testid=bench-progress]', progress, 180_000);
    await page.getByRole('button', { name: 'Benchmark', exact: true }).click();
    await measuring();
    await expect.poll(() => page.getByTestId('compare-live').locator('tbody tr').count()).toBe(2);
    // Stop the benchmark immediately: on an idle machine the noise settles, and the benchmark would end by itself
    // within seconds.
    await page.getByRole('button', { name: 'Stop benchmark' }).click();
    await page.getByRole('button', { name: 'Benchmark', exact: true }).waitFor();
    await row(page, 'window').first().waitFor();
    expect(open.problems).toEqual([]);
  });
});
