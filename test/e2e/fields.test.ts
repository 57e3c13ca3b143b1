import { describe, expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { bench, display, open, openBench, phaseMap, picture, runToEnd, useFields } from './fields-page.ts';

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
    // A cut of a stored run recomputes its step. Afterwards the sum shows the stored map.
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
    // The readouts come last: once they are shown, the complete dose has arrived.
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
