import { expect, it } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import { checkVisibility } from './appearance-page.ts';
import { enlargeStudies, solveEnergies } from './compare-page.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('studies');

it('the page plans a study of the scenario in the form, solves it, and shows every row', { tags: 'slow' }, async () => {
  const { open, page, bench } = await workbench();
  await enlargeStudies({ page, bench });
  // Starts a prepared question, then one defined by the user.
  await page.getByRole('radio', { name: /Convergence/ }).check();
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await expect
    .poll(() => page.getByTestId('study-plan').textContent())
    .toMatch(/^8 points\. Memory per point: up to .* Lower bound, in sequence:/);
  await expect
    .poll(() => page.getByTestId('study-forecast').textContent())
    .toMatch(/^On .*: (about|more than) .* estimated from (one|\d+) trial points?\./);
  await checkVisibility(open, 'studies-new');
  await solveEnergies({ open, page, bench });
  const rows = page.getByTestId('study-rows');
  // Sorted by range, descending: the largest energy is first.
  await rows.getByRole('button', { name: /^r80_mm/ }).click();
  await rows.getByRole('button', { name: /^r80_mm/ }).click();
  await expect.poll(() => rows.locator('tbody tr').first().textContent()).toContain('29');
  await page.getByLabel('Filter').fill('beam.energy_MeV > 28 && precision == "fp64"');
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('2 of 38 rows');
  await page.getByLabel('Filter').fill('no_such > 1');
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('no_such is not set');
  await page.getByLabel('Filter').fill('');
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('38 of 38 rows');
  await checkVisibility(open, 'studies-table');
  await page.getByRole('radio', { name: 'Plot' }).check();
  await expect
    .poll(() => page.getByRole('img', { name: 'r80_mm over beam.energy_MeV' }).locator('svg').count())
    .toBeGreaterThan(0);
  await checkVisibility(open, 'studies-plot');
  // Shows a heat map of two values, then every point as a line in parallel coordinates.
  await page.getByRole('radio', { name: 'Heat map' }).check();
  const heat = page.getByRole('img', { name: 'r80_mm by beam.energy_MeV and solver.precision' });
  await expect.poll(() => heat.locator('.heatmaplayer image').count()).toBe(1);
  await checkVisibility(open, 'studies-heat');
  await page.getByRole('radio', { name: 'Parallel' }).check();
  const along = (names: string) => page.getByRole('group', { name: `Parallel coordinates: ${names}` });
  const lines = along('beam.energy_MeV, solver.precision, r80_mm').locator('canvas');
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('38');
  // PageUp moves by a tenth of the axis, which excludes two of the nineteen energies.
  const lower = page.getByRole('slider', { name: 'Lower visible end of beam.energy_MeV' });
  await lower.press('PageUp');
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('34');
  await expect.poll(() => page.getByText('34 of 38 lines are shown.').count()).toBe(1);
  await lower.press('Escape');
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('38');
  // Drags the upper end to the middle; then points at a line.
  const box = await lines.boundingBox();
  if (box === null) throw new Error('no place for lines');
  await page.mouse.move(box.x, box.y - 3);
  await page.mouse.down();
  await page.mouse.move(box.x, box.y + box.height * 0.51, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('18');
  await page.mouse.click(box.x, box.y + box.height * 0.25);
  await expect.poll(() => lines.getAttribute('data-lines')).toBe('38');
  await page.getByRole('button', { name: 'r80_mm', exact: true }).press('ArrowLeft');
  await expect.poll(() => along('beam.energy_MeV, r80_mm, solver.precision').count()).toBe(1);
  await page.getByRole('button', { name: 'r80_mm', exact: true }).press('ArrowRight');
  await page.getByText('3 axes').click();
  await page.getByLabel('beam.energy_MeV logarithmic').check();
  await page.getByText('3 axes').click();
  await checkVisibility(open, 'studies-parallel');
  // Opens the scenario of a point.
  await page.getByRole('radio', { name: 'Table' }).check();
  await rows.locator('tbody').getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Open its scenario' }).click();
  await expect.poll(() => bench.panel('Scenario').getAttribute('aria-selected')).toBe('true');
  await open.close();
});

it('a study names the fastest variant and the evidence for it', { tags: 'slow' }, async () => {
  const { open, page, bench } = await workbench();
  await bench.drop('tiny.json', JSON.stringify(tinyScenario));
  await enlargeStudies({ page, bench });
  // If earlier tests have stored studies, the form for a new one is behind a button.
  const anew = page.getByRole('button', { name: 'New study' });
  const question = page.getByRole('radio', { name: /Every variant/ });
  await anew.or(question).first().waitFor();
  if (await anew.isVisible()) await anew.click();
  await question.check();
  await page.getByRole('button', { name: 'Plan and start…' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect
    .poll(() => page.getByTestId('study-state').textContent(), { timeout: 120_000 })
    // Each variant decides its own stepping, so none is rejected.
    .toMatch(/^([5-9]) of \1 points solved$/);
  const said = page.getByTestId('study-advice');
  await expect.poll(() => said.textContent()).toContain('Fastest correct variant on');
  await said.locator('summary').first().click();
  await checkVisibility(open, 'studies-advice');
  await open.close();
});
