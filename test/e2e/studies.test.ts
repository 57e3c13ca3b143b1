/** Studies in a real browser: planned from the form, solved by real processes, sorted, filtered, plotted, opened. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import { wideRow, writeWideStudy } from '../wide-study.ts';
import { seenWhole } from './looks.ts';
import { enlargeStudies, solveEnergies } from './studies-page.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench, home } = useWorkbench('studies');

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
  // Sorted by range, downwards: the largest energy stands first.
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

it('packs what is chosen for a colleague, and takes in what one has packed', async () => {
  const { open, page, bench } = await workbench();
  await bench.panel('Library').click();
  const dialog = page.getByRole('dialog', { name: 'Pack for a colleague' });
  const begin = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Pack for a colleague…' }).click();
    await dialog.getByRole('checkbox', { name: /38 points/ }).check();
  };
  await begin();
  await seenWhole(open, 'project-pack');
  // Another frame of panels, and so another dialog.
  if ((await dialog.count()) === 0) await begin();
  await dialog.getByLabel('Name of the project').fill('for you');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Pack', exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('for you.braggbench');
  await bench.drop('for you.braggbench', readFileSync(await download.path()), 'application/zip');
  await expect.poll(() => page.getByText('Unpacked for you into the library').count()).toBe(1);
  await expect.poll(() => page.getByText(/1 scenario.*there already/).count()).toBe(1);
  await open.close();
});

it('describes a cluster, says what is wrong with it, and offers it as a place for studies', async () => {
  const { open, page, bench } = await workbench();
  await enlargeStudies({ page, bench });
  const another = page.getByRole('button', { name: 'New study' });
  await another
    .or(page.getByRole('button', { name: 'Plan', exact: true }))
    .first()
    .waitFor();
  const where = page.getByLabel('Where it is solved');
  // What studies and places there are comes a moment after the panel.
  await expect
    .poll(async () => {
      if (await another.isVisible()) await another.click();
      return where.locator('option').allTextContents();
    })
    .toEqual(['this machine']);
  await page.getByRole('button', { name: 'Clusters…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Clusters' });
  const says = page.getByTestId('cluster-says');
  await dialog.getByLabel('Name', { exact: true }).fill('institute');
  await dialog.getByLabel('Login host').fill('-oProxyCommand=x');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => says.textContent()).toMatch(/^The login host is not what ssh takes/);
  await dialog.getByLabel('Login host').fill('');
  await dialog.getByLabel('Braggbench there').fill('no-such-braggbench');
  await dialog.getByLabel('Folder').fill(path.join(home, 'cluster'));
  await dialog.getByRole('button', { name: 'Try it' }).click();
  await expect.poll(() => says.textContent()).toMatch(/^institute: no-such-braggbench was not found there/);
  await seenWhole(open, 'studies-clusters');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => says.textContent()).toBe('institute was kept.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await where.selectOption('institute');
  await seenWhole(open, 'studies-where');
  await open.close();
});

it('stays in sight when fewer rows match, and stamps many points of every view', async () => {
  const count = 2400;
  await writeWideStudy(path.join(home, 'library', 'studies', 'wide.study'), count);
  const { open, page, bench } = await workbench();
  await enlargeStudies({ page, bench });
  await page.getByLabel('Study', { exact: true }).selectOption('wide');
  const rows = page.getByTestId('study-rows');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe(String(count + 1));
  const box = page.getByRole('region', { name: /^Results of/ });
  await box.evaluate((it) => it.scrollTo({ top: it.scrollHeight }));
  await expect.poll(() => rows.locator(`tr[aria-rowindex="${count + 1}"]`).count()).toBe(1);
  await page.getByLabel('Group by').selectOption('solver.variant');
  await page.waitForSelector('[data-testid="study-rows"][aria-rowcount="5"]');
  expect(await box.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)).toBe(true);
  await expect.poll(() => rows.locator('tbody tr[aria-rowindex]').count()).toBe(4);
  await page.getByLabel('Group by').selectOption('no groups');
  const drawnAs = (name: string) => page.getByRole('radio', { name, exact: true }).check();
  // What is read meanwhile is not said to be missing.
  await page.evaluate(() => {
    const said = new Set<string>();
    Reflect.set(globalThis, 'said', said);
    const look = (): void => {
      for (const title of document.querySelectorAll('.studies__plot .empty-state__title')) said.add(title.textContent);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await drawnAs('Plot');
  await drawnAs('Points');
  await page.getByLabel('Coloured by').selectOption({ label: 'one colour' });
  const canvas = page.locator('.studies__plot canvas.chart-plot__dots');
  await expect.poll(() => canvas.getAttribute('data-dots')).toBe(String(count));
  expect(await page.evaluate(() => [...Reflect.get(globalThis, 'said')])).toEqual(['Reading its columns']);
  const pixels = () => canvas.evaluate((it) => Reflect.get(it, 'width') / it.getBoundingClientRect().width);
  expect(await pixels()).toBeCloseTo(1, 2);
  await drawnAs('Heat map');
  await expect.poll(() => canvas.count()).toBe(0);
  await drawnAs('Pareto');
  await expect.poll(() => canvas.getAttribute('data-dots')).toBe(String(count));
  // This chart is pointed at and clicked.
  await drawnAs('Points');
  const plot = page.locator('.studies__plot .js-plotly-plot');
  const last = wideRow(count - 1);
  const at = () =>
    plot.evaluate((it, { n, r80_mm }) => {
      const { xaxis, yaxis } = Reflect.get(it, '_fullLayout');
      const { left, top } = it.getBoundingClientRect();
      return [left + xaxis._offset + xaxis.c2p(n), top + yaxis._offset + yaxis.c2p(r80_mm)] as const;
    }, last);
  await expect.poll(() => page.getByRole('img', { name: /^r80_mm over / }).count()).toBe(1);
  await page.mouse.move(...(await at()));
  await expect.poll(() => plot.locator('.chart-plot__told .hovertext').count()).toBe(1);
  await page.mouse.click(...(await at()));
  await expect.poll(() => page.getByRole('button', { name: 'Open its scenario' }).count()).toBe(1);
  await open.close();
});
