import { expect, it } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import { seenWhole } from './looks.ts';
import { enlargeStudies, solveEnergies } from './studies-page.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('studies');

it('plans a study of the form, solves it, and shows every row of it', async () => {
  const { open, page, bench } = await workbench();
  await enlargeStudies({ page, bench });
  // A question that is ready-made; then one of my own.
  await page.getByRole('radio', { name: /Convergence/ }).check();
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await expect
    .poll(() => page.getByTestId('study-plan').textContent())
    .toMatch(/^8 points\. Memory of one: up to .* Lower bound, in sequence:/);
  await expect
    .poll(() => page.getByTestId('study-forecast').textContent())
    .toMatch(/^On .*: (about|more than) .* estimated from (one|\d+) trial points?\./);
  await seenWhole(open, 'studies-new');
  await solveEnergies({ open, page, bench });
  const rows = page.getByTestId('study-rows');
  // Sorted by range, descending: the largest energy comes first.
  await rows.getByRole('button', { name: /^r80_mm/ }).click();
  await rows.getByRole('button', { name: /^r80_mm/ }).click();
  await expect.poll(() => rows.locator('tbody tr').first().textContent()).toContain('29');
  await page.getByLabel('Filter').fill('beam.energy_MeV > 28 && precision == "fp64"');
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('2 of 38 rows');
  await page.getByLabel('Filter').fill('no_such > 1');
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('no_such is not set');
  await page.getByLabel('Filter').fill('');
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('38 of 38 rows');
  await seenWhole(open, 'studies-table');
  await page.getByRole('radio', { name: 'Plot' }).check();
  await expect
    .poll(() => page.getByRole('img', { name: 'r80_mm over beam.energy_MeV' }).locator('svg').count())
    .toBeGreaterThan(0);
  await seenWhole(open, 'studies-plot');
  // Colours by two values, and every point as a line.
  await page.getByRole('radio', { name: 'Heat map' }).check();
  const heat = page.getByRole('img', { name: 'r80_mm by beam.energy_MeV and solver.precision' });
  await expect.poll(() => heat.locator('.heatmaplayer image').count()).toBe(1);
  await seenWhole(open, 'studies-heat');
  await page.getByRole('radio', { name: 'Parallel' }).check();
  const along = (names: string) => page.getByRole('group', { name: `Parallel coordinates: ${names}` });
  const lines = along('beam.energy_MeV [MeV], solver.precision, r80_mm [mm]').locator('canvas');
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('38');
  // A tenth of an axis is two of its nineteen energies.
  const lower = page.getByRole('slider', { name: 'Lower end kept of beam.energy_MeV [MeV]' });
  await lower.press('PageUp');
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('34');
  await expect.poll(() => page.getByText('34 of 38 lines are kept.').count()).toBe(1);
  await lower.press('Escape');
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('38');
  // By the pointer: the upper end down to the middle; then a line.
  const box = await lines.boundingBox();
  if (box === null) throw new Error('no place for lines');
  await page.mouse.move(box.x, box.y - 3);
  await page.mouse.down();
  await page.mouse.move(box.x, box.y + box.height * 0.51, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('18');
  await page.mouse.click(box.x, box.y + box.height * 0.25);
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('38');
  await page.getByRole('button', { name: 'r80_mm [mm]', exact: true }).press('ArrowLeft');
  await expect.poll(() => along('beam.energy_MeV [MeV], r80_mm [mm], solver.precision').count()).toBe(1);
  await page.getByRole('button', { name: 'r80_mm [mm]', exact: true }).press('ArrowRight');
  await page.getByText('3 axes').click();
  await page.getByLabel('beam.energy_MeV [MeV] logarithmic').check();
  await page.getByText('3 axes').click();
  await seenWhole(open, 'studies-parallel');
  // The scenario of a point.
  await page.getByRole('radio', { name: 'Table' }).check();
  await rows.locator('tbody').getByRole('button').first().click();
  await page.getByRole('button', { name: 'Open its scenario' }).click();
  await expect.poll(() => bench.panel('Scenario').getAttribute('aria-selected')).toBe('true');
  await open.close();
});

it('says which variant is the fastest, and what that stands on', async () => {
  const { open, page, bench } = await workbench();
  await bench.drop('tiny.json', JSON.stringify(tinyScenario));
  await enlargeStudies({ page, bench });
  // With studies of other stories there, a new one is a button away.
  const anew = page.getByRole('button', { name: 'New study' });
  const question = page.getByRole('radio', { name: /Every variant/ });
  await anew.or(question).first().waitFor();
  if (await anew.isVisible()) await anew.click();
  await question.check();
  await page.getByRole('button', { name: 'Plan and start…' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect
    .poll(() => page.getByTestId('study-state').textContent(), { timeout: 120_000 })
    // Each variant decides its own stepping: none is refused.
    .toMatch(/^([5-9]) of \1 points solved$/);
  const said = page.getByTestId('study-advice');
  await expect.poll(() => said.textContent()).toContain('Fastest right variant on');
  await said.locator('summary').first().click();
  await seenWhole(open, 'studies-advice');
  await open.close();
});
