import { expect, it } from 'vitest';
import { seenWhole } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('claims');

it('opens the table of claims: a verdict for each part of a sweep, its map, its session and the note’s error', async () => {
  const { open, page, bench } = await workbench();
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Claims').click();
  await page.getByRole('button', { name: 'Enlarge Claims' }).click();
  const claims = page.getByTestId('claim');
  await expect.poll(() => claims.count()).toBeGreaterThan(70);
  await page.getByLabel('Search the claims').fill('bank conflicts stride');
  await expect.poll(() => claims.count()).toBe(1);
  const claim = claims.first();
  expect(await claim.textContent()).toContain('true when stride is 16');
  await claim.locator('summary').click();
  // One for each card's sweep.
  await claim.getByTestId('claim-map').first().waitFor();
  expect(await claim.textContent()).toContain('It is about:');
  await expect.poll(() => claim.locator('.js-plotly-plot .plotly, svg').count()).toBeGreaterThan(0);
  await seenWhole(open, 'claims');
  // A claim about another GPU says so, and shows the measurements.
  await page.getByLabel('Search the claims').fill('consumer GPUs');
  await expect.poll(() => claims.count()).toBe(3);
  expect(await claims.first().textContent()).toContain('cannot be judged here: needs a consumer GPU');
  // Which machines say it, and what each says.
  await page.getByLabel('Search the claims').fill('');
  const recordedOn = page.getByLabel('Recorded on');
  const both = recordedOn.locator('option', { hasText: 'NVIDIA H100 80GB HBM3, NVIDIA H200' });
  expect(await both.count()).toBe(1);
  await recordedOn.selectOption((await both.getAttribute('value')) ?? '');
  await page.getByLabel('Search the claims').fill('kernel fusion');
  await expect.poll(() => claims.first().textContent()).toContain('Kernel fusion');
  await claims.first().locator('summary').click();
  await expect.poll(() => claims.first().textContent()).toMatch(/On NVIDIA H100 80GB HBM3: .+\. On NVIDIA H200: .+\./);
  await seenWhole(open, 'claims-by-card');
  // One answer at a time, with the count of those that are left.
  await page.getByLabel('Search the claims').fill('');
  await recordedOn.selectOption('');
  await page.getByLabel('Answer').selectOption('not-true');
  await expect
    .poll(() => page.locator('.panel-readout').textContent())
    .toMatch(/^0 true, 0 true when, \d+ not true, 0 open/);
  await page.getByLabel('Answer').selectOption('');
  await recordedOn.selectOption('');
  // The session behind a number, with its sources.
  await page.getByLabel('Search the claims').fill('36 million');
  await claims.first().locator('summary').click();
  await claims.first().getByRole('button').first().click();
  await expect.poll(() => bench.panel('Compare').getAttribute('aria-selected')).toBe('true');
  await open.close();
});
