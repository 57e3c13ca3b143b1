/** Doses and curves of other programs compared with a run's, and the maps in small windows. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { doseOf, type Phantom } from '../electron/host/io/volumes/phantom.ts';
import { accessibilityViolations } from './accessible.ts';
import { checkVisibility } from './appearance-page.ts';
import { bench, display, drag, open, openBench, phaseMap, runToEnd, scenario, useFields } from './fields-page.ts';

useFields();

describe('the dose map', () => {
  it('is compared with the dose of another program by gamma index, with the stated axis positions', async () => {
    await openBench();
    await runToEnd('Planned');
    await bench.r80.waitFor();
    await open.page.getByRole('button', { name: 'Export the dose map' }).click();
    const [download] = await Promise.all([
      open.page.waitForEvent('download'),
      open.page.getByRole('menuitem', { name: 'Dose map (NRRD)' }).click(),
    ]);
    const buffer = readFileSync(await download.path());
    await display('dose map').click();
    const choose = open.page.getByTestId('against-file');
    await choose.setInputFiles({ name: 'cut.nrrd', mimeType: '', buffer: buffer.subarray(0, -9) });
    await expect
      .poll(() => open.page.locator('body').textContent())
      .toMatch(/cut\.nrrd could not be read.*it is truncated/);
    await choose.setInputFiles({ name: 'plan.nrrd', mimeType: '', buffer });
    const note = open.page.getByTestId('dose-against');
    const all = /^Gamma 1 %\/1 mm of dose per mass against plan\.nrrd: 100\.0 % of \d+ cells pass, both scaled/;
    await expect.poll(() => note.textContent()).toMatch(all);
    expect(await open.page.getByLabel('Axis of the file that is depth').inputValue()).toBe('y');
    await open.page.getByLabel('Added to the depths of the file').fill('4');
    await expect.poll(() => note.textContent()).not.toMatch(/100\.0 %/);
    await expect.poll(() => note.textContent()).toMatch(/: [\d.]+ % of \d+ cells pass/);
    const own = (await open.page.getByTestId('gamma-histogram').getAttribute('aria-label')) ?? '';
    expect(own).toMatch(/3\.0: \d+/);
    await open.page.getByLabel('Axis of the file that is depth').selectOption('x');
    expect(await open.page.getByLabel('Axis of the file that is the lateral position').inputValue()).toBe('y');
    await open.page.getByLabel('Axis of the file that is depth').selectOption('y');
    await open.page.getByLabel('Added to the depths of the file').fill('0');
    await expect.poll(() => note.textContent()).toMatch(all);
    // Doses agree in absolute terms only in the unit in which the file was written.
    const unit = open.page.getByLabel('Unit of the doses in the file');
    expect(await unit.locator('option').first().textContent()).toMatch(/^not known/);
    await unit.selectOption('MeV/mm2');
    await expect
      .poll(() => note.textContent())
      .toMatch(/of energy per area against plan\.nrrd: 100\.0 % of \d+ cells pass, in absolute terms/);
    await open.screenshot('gamma-absolute');
    await unit.selectOption('nGy mm');
    await expect.poll(() => note.textContent()).toMatch(/: 0 % of \d+ cells pass, in absolute terms/);
    await open.page.getByLabel('Dose to compare with').selectOption('');
    await expect.poll(() => note.count()).toBe(0);
    await open.page.getByLabel('Dose to compare with').selectOption({ label: 'file plan.nrrd' });
    await expect.poll(() => note.textContent()).toMatch(all);
    await checkVisibility(open, 'gamma-of-a-file');
    expect(open.problems).toEqual([]);
  });

  it('is compared for a single beam with a note that it is not a full plan, in both themes', async () => {
    await openBench();
    await runToEnd('Beam');
    await bench.r80.waitFor();
    await display('dose map').click();
    const grid: Phantom = {
      ...{ columns: 51, rows: 51, slices: 3, spacing_mm: [1, 1, 1], origin_mm: [-25, 0.5, -1] },
      hu: (i, j) => Math.round(1000 * Math.exp(-(((i - 25) / 4) ** 2) - ((j - 38) / 5) ** 2)),
    };
    const buffer = Buffer.from(doseOf(grid, { '3004000a': ['CS', 'BEAM'], '30040014': ['CS', 'IMAGE\\WATER'] }));
    await open.page.getByTestId('against-file').setInputFiles({ name: 'beam.dcm', mimeType: '', buffer });
    const notes = open.page.getByTestId('dose-note');
    await expect
      .poll(() => notes.allTextContents())
      .toEqual([
        'beam.dcm: Its values are in Gy.',
        'beam.dcm: DoseSummationType is BEAM: not the dose of a whole plan.',
        'beam.dcm: TissueHeterogeneityCorrection is WATER: computed as if the patient were water.',
      ]);
    await expect
      .poll(() => open.page.getByTestId('dose-against').textContent())
      .toMatch(/against beam\.dcm: [\d.]+ % of \d+ cells pass/);
    await open.page.getByLabel('Axis of the file that is depth').selectOption('y');
    for (const colorScheme of ['light', 'dark'] as const) {
      await open.page.emulateMedia({ colorScheme });
      await notes.last().scrollIntoViewIfNeeded();
      expect(await accessibilityViolations(open.page)).toEqual([]);
      await open.screenshot(`dose-notes-${colorScheme}`);
    }
    expect(open.problems).toEqual([]);
  });

  it('overlays other curves, and reports an invalid file', async () => {
    await openBench();
    await runToEnd('Reference');
    await runToEnd('Deeper', { energy_MeV: 72 });
    await bench.drop('bad.csv', 'depth_mm,dose\n0,1\n1,two\n1,3\n', 'text/csv');
    const notices = open.page.locator('body');
    await expect
      .poll(() => notices.textContent())
      .toMatch(/bad\.csv could not be read.*bad\.csv:3: the dose "two" is not a number; allowed: a finite number\./);
    const rows = Array.from({ length: 40 }, (_, i) => `${i},${1 + 3 * Math.exp(-((i - 36) ** 2) / 10)}`);
    await bench.drop('measured.csv', `depth_mm,dose\n${rows.join('\n')}\n`, 'text/csv');
    const plot = open.page.getByTestId('depth-dose-plot');
    await expect.poll(() => plot.textContent()).toMatch(/measured\.csv/);
    await open.page.getByRole('button', { name: /Curves over the depth dose/ }).click();
    await open.page.getByLabel('Run to overlay').selectOption({ index: 1 });
    await expect.poll(() => plot.textContent()).toMatch(/Reference · /);
    await open.page.getByLabel('Quantity for the gamma index').selectOption('absolute');
    const laid = open.page.locator('.depth-dose__overlay');
    await expect
      .poll(() => laid.filter({ hasText: 'measured.csv' }).textContent())
      .toMatch(/no γ: the file gives no unit$/);
    await expect.poll(() => laid.filter({ hasText: 'Reference' }).textContent()).toMatch(/γ [\d.]+ %/);
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.screenshot('fields-overlay');
    await open.page.getByRole('button', { name: 'Remove measured.csv' }).click();
    await expect.poll(() => plot.textContent()).not.toMatch(/measured\.csv/);
    expect(open.problems).toEqual([]);
  });
});

describe.each([
  { name: '900', width: 900, height: 700, scale: 1 },
  { name: '1440-at-200', width: 720, height: 450, scale: 2 },
] as const)('maps at $name', ({ name, ...size }) => {
  it('are fully visible and accessible, and so are their controls', async () => {
    await openBench(size);
    await bench.drop('small.json', scenario('Small'));
    await expect.poll(() => bench.title.textContent()).toContain('Small');
    await bench.run.click();
    await open.page.keyboard.press('Alt+2');
    await phaseMap('z – x').waitFor();
    await open.page.keyboard.press('Alt+m');
    await phaseMap('z – x').waitFor();
    await display('maps of phase space').click();
    const panel = open.page.getByRole('dialog', { name: 'Display of the maps of phase space' });
    const box = await panel.boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 1e9) <= size.width).toBe(true);
    expect((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 1e9) <= size.height).toBe(true);
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.screenshot(`fields-${name}`);
    expect(open.problems).toEqual([]);
  });
});

describe('phase space', () => {
  it('can be cut along an axis during a run', async () => {
    await openBench();
    await bench.dropLongRun();
    await open.page.keyboard.press('Alt+2');
    await bench.run.click();
    await phaseMap('z – x').waitFor();
    await open.page.getByRole('button', { name: /Axes that z – x does not show/ }).click();
    await open.page.getByRole('radiogroup', { name: 'θ: sum or cut' }).getByRole('radio', { name: 'cut' }).check();
    const heading = open.page.getByRole('button', { name: /Axes that z – x does not show/ });
    await expect.poll(() => heading.textContent()).toMatch(/θ −?\d+\.\d mrad, ΣE/);
    await open.page.keyboard.press('Escape');
    await expect.poll(() => open.page.getByTestId('phase-step').textContent()).toMatch(/live$/);
    await phaseMap('z – x').waitFor();
    await open.screenshot('fields-live-cut');
    await open.page.keyboard.press('Control+.');
    await bench.state('Stopped').waitFor();
    expect(open.problems).toEqual([]);
  });

  it('shows values along a line and statistics of a region, and exports them', async () => {
    await openBench({ theme: 'dark' });
    await runToEnd('Marked');
    await open.page.keyboard.press('Alt+2');
    await open.page.keyboard.press('Alt+m');
    await phaseMap('θ – E').waitFor();
    await open.page.getByRole('radio', { name: 'region', exact: true }).check();
    await drag(phaseMap('θ – E'), [0.2, 0.1], [0.7, 0.7]);
    const numbers = open.page.getByTestId('region-statistics');
    await expect.poll(() => numbers.textContent()).toMatch(/Sum over cells(0\.99\d+|1\.0000) protonsMean/);
    await expect.poll(() => numbers.textContent()).toMatch(/σ along θ[\d.]+ mrad.*σ along E[\d.]+ MeV/);
    await open.screenshot('fields-region-dark');
    await open.page.getByRole('radio', { name: 'line', exact: true }).check();
    await drag(phaseMap('θ – x'), [0.2, 0.4], [0.75, 0.45]);
    await open.page.getByRole('img', { name: /^Protons from θ/ }).waitFor();
    await open.page.getByRole('button', { name: 'Export the profile' }).click();
    const [download] = await Promise.all([
      open.page.waitForEvent('download'),
      open.page.getByRole('menuitem', { name: /^CSV/ }).click(),
    ]);
    const [head = ''] = readFileSync(await download.path(), 'utf8').split('\n');
    expect(head).toBe('Fraction_of_the_line,Protons_protons_per_cell,theta_mrad,x_mm');
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.page.getByRole('button', { name: 'Close the profile' }).click();
    expect(open.problems).toEqual([]);
  });
});

describe('the lateral profile', () => {
  it('shows profiles at several depths with fitted widths, and compares the width with theory', async () => {
    await openBench({ theme: 'dark' });
    await runToEnd('Widths');
    await open.page.keyboard.press('Alt+4');
    const readout = open.page.getByTestId('lateral-readout');
    await expect.poll(() => readout.textContent()).toMatch(/σx 2\.0\d\d mmfit 2\.0\d\d mm/);
    await open.page.getByRole('button', { name: /^Keep this depth/ }).click();
    await bench.map.click({ position: { x: 420, y: 150 } });
    await expect.poll(() => readout.textContent()).not.toMatch(/^z 20\./);
    await expect
      .poll(() => open.page.getByRole('list', { name: 'Saved depths' }).textContent())
      .toMatch(/z 20\.\d\d mmσx fit 2\.0\d\d mm/);
    await open.screenshot('fields-profiles-dark');
    await open.page.getByRole('radio', { name: 'width', exact: true }).check();
    await expect.poll(() => open.page.getByTestId('width-legend').textContent()).toMatch(/Fermi–Eyges/);
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.screenshot('fields-width-dark');
    expect(open.problems).toEqual([]);
  });
});
