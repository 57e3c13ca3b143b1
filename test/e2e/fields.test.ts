import { describe, expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { appearances, checkVisibility, inEveryAppearance } from './appearance-page.ts';
import { bench, display, open, openBench, phaseMap, picture, quickBeam, runToEnd, useFields } from './fields-page.ts';

useFields();

describe('phase space', () => {
  it('shows any two axes in each map, and the change since a step', { tags: 'slow' }, async () => {
    await openBench();
    await runToEnd('Axes');
    await open.page.keyboard.press('Alt+2');
    await open.page.keyboard.press('Alt+m');
    await phaseMap('θ – E').waitFor();
    await open.page.getByLabel('Horizontal axis of θ – E').selectOption('z');
    await phaseMap('z – E').waitFor();
    // Choosing an axis that the map already uses swaps its two axes.
    await open.page.getByLabel('Vertical axis of z – E').selectOption('z');
    await phaseMap('E – z').waitFor();
    await open.page.getByLabel('Vertical axis of E – z').selectOption('theta');
    await phaseMap('E – θ').waitFor();
    // For a cut, the host recomputes a step of the stored run. Afterwards the sum shows the stored map.
    await open.page.getByRole('button', { name: /Axes that z – x does not show/ }).click();
    await open.page.getByRole('radiogroup', { name: 'E: sum or cut' }).getByRole('radio', { name: 'cut' }).check();
    await phaseMap('z – x').waitFor();
    await open.page.getByRole('radiogroup', { name: 'E: sum or cut' }).getByRole('radio', { name: 'sum' }).check();
    await open.page.keyboard.press('Escape');
    await phaseMap('z – x').waitFor();

    const before = await picture(phaseMap('z – x'));
    await display('maps of phase space').click();
    await open.page.getByLabel('Lines at fractions of the largest value').check();
    await expect.poll(() => picture(phaseMap('z – x'))).not.toBe(before);
    await open.page.getByRole('button', { name: 'From this step' }).click();
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.page.keyboard.press('Escape');
    await open.page.getByRole('slider', { name: 'Stored step' }).focus();
    for (let i = 0; i < 4; i += 1) await open.page.keyboard.press('ArrowRight');
    const readout = open.page.getByTestId('value-phase-space/z-x');
    await open.page.mouse.move(5, 5);
    await phaseMap('z – x').click({ position: { x: 300, y: 140 } });
    await expect.poll(() => readout.textContent()).toMatch(/protons per cell$/);
    await open.screenshot('fields-difference');
    expect(open.problems).toEqual([]);
  });
});

describe('the dose', () => {
  it('is compared with another run by difference and by gamma index', { tags: 'slow' }, async () => {
    await openBench();
    await runToEnd('Reference');
    await runToEnd('Shifted', { x_mm: 0.5 });
    // The readouts are updated last: once they appear, the complete dose has arrived.
    await bench.r80.waitFor();
    await bench.drawn();
    const dose = await picture(bench.map);
    await display('dose map').click();
    await open.page.getByLabel('Dose to compare with').selectOption({ index: 1 });
    const note = open.page.getByTestId('dose-against');
    await expect.poll(() => note.textContent()).toMatch(/^Less Reference · /);
    await open.page
      .getByRole('radiogroup', { name: 'Comparison of the doses' })
      .getByRole('radio', { name: 'gamma' })
      .check();
    await expect
      .poll(() => note.textContent())
      .toMatch(/^Gamma 1 %\/1 mm of dose per mass against Reference.*: 100\.0 % of \d+ cells pass *$/);
    await open.page.getByLabel('Distance criterion').fill('0.1');
    await expect
      .poll(() => note.textContent())
      .toMatch(/^Gamma 1 %\/0\.1 mm of dose per mass against Reference.*: [\d.]+ % of/);
    const [, passed = ''] = /: ([\d.]+) %/.exec((await note.textContent()) ?? '') ?? [];
    expect(Number(passed)).toBeLessThan(60);
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.screenshot('fields-gamma');
    // The traced pencils become another dose to compare with.
    await open.page.getByRole('button', { name: 'Trace along their axes' }).click();
    await expect
      .poll(() => note.textContent())
      .toMatch(/ of dose per mass against pencils of Shifted.*: [\d.]+ % of \d+ cells pass, in absolute terms *$/);
    await open.screenshot('fields-pencils');
    await open.page.keyboard.press('Escape');
    // The limits are dragged along the colour bar, and reset by a double click.
    await display('dose map').click();
    await open.page.getByLabel('Dose to compare with').selectOption('');
    await open.page.keyboard.press('Escape');
    await expect.poll(() => picture(bench.map)).toBe(dose);
    const box = await bench.map.boundingBox();
    if (box === null) throw new Error('the map has no place');
    const bar = box.x + box.width - 7.5 * 11 + 1.7 * 11;
    await open.page.mouse.move(bar, box.y + 20);
    await open.page.mouse.down();
    await open.page.mouse.move(bar, box.y + 120, { steps: 4 });
    await open.page.mouse.up();
    await expect.poll(() => picture(bench.map)).not.toBe(dose);
    await open.screenshot('fields-limits');
    await open.page.mouse.dblclick(bar, box.y + 100);
    await expect.poll(() => picture(bench.map)).toBe(dose);
    expect(open.problems).toEqual([]);
  });
});

describe('the dose in three dimensions', () => {
  const field = JSON.stringify({
    kind: 'transport',
    version: 2,
    name: 'Two spots',
    beam: {
      x_sigma_mm: 3,
      spots: [
        { energy_MeV: 70, x_mm: -8, y_mm: 10, weight: 3 },
        { energy_MeV: 60, x_mm: 8, y_mm: -10, weight: 2 },
      ],
    },
    geometry: { width_mm: 80, depth_mm: 50 },
    grid: { dz_mm: 0.5 },
    solver: { stepping: 'depth' },
  });

  it('has three slices through a common cursor, a readout, and files', { tags: 'slow', timeout: 180_000 }, async () => {
    await openBench();
    const { page } = open;
    await bench.drop('field.json', field);
    await expect.poll(() => bench.title.textContent()).toContain('Two spots');
    await bench.panel('Dose in 3D').click();
    await checkVisibility(open, 'volume-empty', [appearances[0], ...appearances.slice(1, 2)]);
    await page.getByRole('button', { name: 'Compute the dose' }).click();
    const summary = page.getByTestId('volume-summary');
    await expect
      .poll(() => summary.textContent())
      .toMatch(/^Two spots: 2 spots, \d+ × \d+ × 100 cells in .* Largest dose \d\.\d+ Gy per 10⁹ protons\./);
    const slice = (title: string) =>
      page.getByRole('img', { name: `Dose of ${title}; the arrow keys move the crosshair` });
    const readout = page.getByTestId('volume-readout');
    // The cursor starts at the largest dose: in the peak of the spot with the larger weight.
    await expect
      .poll(() => readout.textContent())
      .toMatch(/^\d\.\d+ Gy per 10⁹ protonsx [-−][79]\.0 mmy (9|11)\.0 mmdepth \d\d\.\d mm$/);
    await bench.drawn();
    await inEveryAppearance(page, async ({ name }) => {
      // Each window size has a separate arrangement of panels.
      await bench.panel('Dose in 3D').click();
      await summary.waitFor();
      await bench.drawn();
      await open.screenshot(`volume-${name}`);
      expect(await accessibilityViolations(page), name).toEqual([]);
    });
    // Moving the position in one slice changes the two other slices.
    const before = await picture(slice('Depth and x'));
    const across = await picture(slice('x and y'));
    await slice('x and y').click({ position: { x: 90, y: 60 } });
    await expect.poll(() => picture(slice('Depth and x'))).not.toBe(before);
    await slice('x and y').focus();
    const at = await readout.textContent();
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => readout.textContent()).not.toBe(at);
    await slice('Depth and x').focus();
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => picture(slice('x and y'))).not.toBe(across);
    // The pointer reads a value without moving the cursor.
    const pinned = await readout.textContent();
    await slice('Depth and y').hover({ position: { x: 120, y: 50 } });
    await expect.poll(() => readout.textContent()).not.toBe(pinned);
    await display('slices').click();
    await page.getByRole('radiogroup', { name: 'Scale' }).getByRole('radio', { name: 'log', exact: true }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export the slices' }).click();
    const [dose] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'NRRD (.nrrd)' }).click(),
    ]);
    expect(dose.suggestedFilename()).toBe('Two spots-dose.nrrd');
    await page.getByRole('button', { name: 'Export the slices' }).click();
    const [table] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^CSV/ }).click(),
    ]);
    expect(table.suggestedFilename()).toBe('Two spots-slices.csv');
    // The dose is now that of all protons of the field.
    await page.getByRole('button', { name: 'Settings of the dose in three dimensions' }).click();
    await page.getByRole('radiogroup', { name: 'Dose per' }).getByRole('radio', { name: 'field' }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compute again' }).click();
    await expect.poll(() => summary.textContent()).toMatch(/Largest dose \S+ Gy\. /);
    // Different materials next to each other are not supported, and the page shows this reason.
    const bone = { x_mm: [0, 20], z_mm: [10, 20], material: 'bone-compact-icru' };
    const beside = {
      ...JSON.parse(field),
      name: 'Half bone',
      geometry: { width_mm: 80, depth_mm: 50, regions: [bone] },
    };
    await bench.drop('half-bone.json', JSON.stringify(beside));
    await expect.poll(() => summary.textContent()).toContain('The form has changed since');
    await page.getByRole('button', { name: 'Compute again' }).click();
    await page.getByRole('alert').filter({ hasText: 'are side by side' }).waitFor();
    await checkVisibility(open, 'volume-failed', [appearances[0], ...appearances.slice(1, 2)]);
    expect(open.problems).toEqual([]);
  });
});

describe('the depth dose of a run', () => {
  it('has an uncertainty band, and a table with the share of each input', async () => {
    await openBench();
    const { page } = open;
    await bench.drop('beam.json', quickBeam('Beam'));
    await expect.poll(() => bench.title.textContent()).toContain('Beam');
    await bench.runToEnd();
    await page.getByRole('button', { name: 'Uncertainty of the depth dose' }).click();
    const shown = page.getByTestId('uncertainty');
    await page.getByRole('button', { name: 'Compute the band' }).click();
    // At 60 MeV the range in water is 30.9 mm, with an uncertainty of 0.35 mm.
    await expect.poll(() => shown.textContent()).toMatch(/R80 30\.\d\d ± 0\.3\d mm/);
    await expect.poll(() => shown.getByRole('row', { name: /^Density, water 1(\.0)? % −0\.3\d\d/ }).count()).toBe(1);
    await checkVisibility(open, 'uncertainty', [appearances[0], ...appearances.slice(1, 2)]);
    await page.getByRole('button', { name: 'Remove the band' }).click();
    await expect.poll(() => shown.textContent()).toBe('');
  }, 180_000);
});
