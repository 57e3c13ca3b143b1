/** Studies in a real browser: planned from the form, solved by real processes, sorted, filtered, plotted, opened. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import { writeWideStudy } from '../wide-study.ts';
import { seenWhole } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench, home } = useWorkbench('studies');

it('plans a study of the form, solves it, and shows every row of it', async () => {
  const { open, page, bench } = await workbench();
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
  // A question that is ready-made; then one of my own.
  await page.getByRole('radio', { name: /Convergence/ }).check();
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await expect
    .poll(() => page.getByTestId('study-plan').textContent())
    .toMatch(/^8 points\. Memory of one: up to .* One after the other at least/);
  await expect
    .poll(() => page.getByTestId('study-forecast').textContent())
    .toMatch(/^On .*: (about|more than) .* by \d+ points? solved for this\./);
  await seenWhole(open, 'studies-new');
  await bench.drop('tiny.json', JSON.stringify(tinyScenario));
  await page.getByRole('radio', { name: /One of my own/ }).check();
  await page.getByRole('button', { name: 'Add an axis' }).click();
  await page.getByLabel('What changes', { exact: true }).selectOption('beam.energy_MeV');
  await page.getByLabel('from of beam.energy_MeV').fill('20');
  await page.getByLabel('to of beam.energy_MeV').fill('29');
  await page.getByLabel('count of beam.energy_MeV').fill('19');
  await page.getByRole('button', { name: 'Add an axis' }).click();
  await page.getByLabel('What changes', { exact: true }).last().selectOption('solver.precision');
  await page.getByLabel('Values of solver.precision').fill('fp32, fp64');
  await page.getByRole('button', { name: 'Plan and start…' }).click();
  await expect.poll(() => page.getByTestId('study-plan').textContent()).toContain('38 points.');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect.poll(() => page.getByTestId('study-state').textContent()).toBe('38 of 38 points solved');
  const rows = page.getByTestId('study-rows');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('39');
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

it('groups, transposes, keeps views, and compares two points as runs', async () => {
  const { open, page, bench } = await workbench();
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
  const rows = page.getByTestId('study-rows');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('39');
  // What it says, and by what.
  const said = page.getByTestId('study-advice');
  await expect.poll(() => said.count()).toBe(0);
  await page.getByLabel('Group by').selectOption('solver.precision');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('3');
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('2 groups of 38 of 38 rows');
  expect(await rows.locator('tbody tr').first().textContent()).toContain('20…29');
  await seenWhole(open, 'studies-groups');
  // Kept with the study, also for the next page.
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByLabel('Name of the view').fill('by precision');
  await page.getByLabel('Name of the view').press('Enter');
  await expect.poll(() => page.getByLabel('Saved view').inputValue()).toBe('by precision');
  // The rows of a group.
  await rows.getByRole('button', { name: '19', exact: true }).first().click();
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('19 of 38 rows');
  expect(await page.getByLabel('Filter').inputValue()).toBe('solver.precision == "fp32"');
  await page.getByRole('checkbox', { name: 'Transpose' }).check();
  await expect.poll(() => rows.getAttribute('aria-colcount')).toBe('20');
  await expect.poll(() => rows.getByRole('rowheader', { name: /beam\.energy_MeV/ }).count()).toBe(1);
  await seenWhole(open, 'studies-transposed');
  await page.reload();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
  await page.getByLabel('Saved view').selectOption('by precision');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('3');
  await page.getByLabel('Group by').selectOption('no groups');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('39');
  // Two points.
  await rows.locator('tbody').getByRole('button').nth(0).click();
  await rows.locator('tbody').getByRole('button').nth(3).click();
  const difference = page.getByTestId('study-difference');
  await expect.poll(() => difference.getByRole('row', { name: /^r80_mm/ }).count()).toBe(1);
  await seenWhole(open, 'studies-two-points');
  await page.getByRole('button', { name: 'Run both and compare' }).click();
  await expect.poll(() => bench.panel('Compare').getAttribute('aria-selected')).toBe('true');
  await expect.poll(() => page.getByText(/beam\.energy_MeV = 20/).count()).toBeGreaterThan(0);
  await bench.panel('Studies').click();
  // One of them as a run, and its scenario.
  await rows.locator('tbody').getByRole('button').nth(0).click();
  await page.getByRole('button', { name: 'Open as a run' }).first().click();
  await expect.poll(() => bench.panel('Runs').getAttribute('aria-selected')).toBe('true');
  await open.close();
});

it('lets the kernel in the form be tuned', async () => {
  const { open, page, bench } = await workbench();
  const scenario = { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 96, n: 96, k: 96 } };
  await bench.drop('product.json', JSON.stringify(scenario));
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
  await page.getByRole('button', { name: 'New study' }).click();
  await page.getByRole('radio', { name: /Tune this kernel/ }).check();
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await expect.poll(() => page.getByTestId('study-plan').textContent()).toMatch(/^\d+ points/);
  await seenWhole(open, 'studies-questions');
  await open.close();
});

it('says which variant is the fastest, and what that stands on', async () => {
  const { open, page, bench } = await workbench();
  await bench.drop('tiny.json', JSON.stringify(tinyScenario));
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
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
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
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

it('stays in sight when fewer rows match, and draws many points of every view on one canvas of WebGL', async () => {
  const count = 2400;
  await writeWideStudy(path.join(home, 'library', 'studies', 'wide.study'), count);
  const { open, page, bench } = await workbench();
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
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
  // One series has all points, and WebGL draws it.
  const drawnAs = (name: string) => page.getByRole('radio', { name, exact: true }).check();
  await drawnAs('Plot');
  await drawnAs('Points');
  await page.getByLabel('Coloured by').selectOption({ label: 'one colour' });
  const canvas = page.locator('.studies__plot canvas.gl-canvas-context');
  await expect.poll(() => canvas.count()).toBe(1);
  const first = await canvas.elementHandle();
  await drawnAs('Heat map');
  await expect.poll(() => canvas.count()).toBe(0);
  await drawnAs('Pareto');
  await expect.poll(() => canvas.count()).toBe(1);
  expect(await canvas.evaluate((now, before) => now === before, first)).toBe(true);
  // What listened to the chart before is gone; this one is pointed at and clicked.
  await drawnAs('Points');
  const plot = page.locator('.studies__plot .js-plotly-plot');
  const at = () =>
    plot.evaluate((it) => {
      const { xaxis, yaxis } = Reflect.get(it, '_fullLayout');
      const [{ x, y }] = Reflect.get(it, 'data');
      const { left, top } = it.getBoundingClientRect();
      const i = x.length - 1;
      return [left + xaxis._offset + xaxis.c2p(x[i]), top + yaxis._offset + yaxis.c2p(y[i])] as const;
    });
  await expect.poll(() => page.getByRole('img', { name: /^r80_mm over / }).count()).toBe(1);
  await page.mouse.move(...(await at()));
  await expect.poll(() => plot.locator('.hoverlayer .hovertext').count()).toBe(1);
  await page.mouse.click(...(await at()));
  await expect.poll(() => page.getByRole('button', { name: 'Open its scenario' }).count()).toBe(1);
  await open.close();
});
