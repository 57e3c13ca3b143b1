/** Phase space, ledger and lateral profile of a finished run, in a real browser. */
import { describe, expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import {
  bench,
  closeBench,
  middlePicture,
  open,
  openBench,
  picture,
  runToEnd,
  scenario,
  step,
  usePhaseSpace,
} from './phase-space-page.ts';

usePhaseSpace();

describe('the phase space of a run', () => {
  it('cuts the maps of a finished run, and returns to sums', async () => {
    await openBench();
    await open.page.keyboard.press('Alt+2');
    await runToEnd();
    const summed = await middlePicture('z – x');
    await open.page.getByRole('button', { name: 'Axes that z – x does not show' }).click();
    await open.page.getByRole('radiogroup', { name: 'θ: sum or cut' }).getByRole('radio', { name: 'cut' }).check();
    const cell = open.page.getByRole('slider', { name: 'Cell of θ' });
    await cell.waitFor();
    // The step is recomputed, and the map changes.
    await expect.poll(() => picture('z – x')).not.toBe(summed);
    await expect.poll(() => open.page.locator('.phase-cell__computing').count()).toBe(0);
    expect(await open.page.locator('.phase-cell__trouble').count()).toBe(0);
    const cut = await picture('z – x');
    await open.screenshot('phase-space-cut');
    await cell.press('ArrowRight');
    await expect.poll(() => picture('z – x')).not.toBe(cut);
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.page.getByRole('radiogroup', { name: 'θ: sum or cut' }).getByRole('radio', { name: 'sum' }).check();
    await expect.poll(() => picture('z – x')).toBe(summed);
    closeBench();
  });

  it('reports if a run saved no phase space', async () => {
    await openBench();
    await open.page.keyboard.press('Alt+2');
    await runToEnd(scenario({ output: { keyframes: 0 } }));
    // Reloads, because the maps of the last live frame stay visible; a reopened page has none.
    await open.page.reload();
    await open.page.keyboard.press('Alt+2');
    await bench.panel('Runs').click();
    await open.page.locator('.run-entry').first().click();
    await open.page.getByText('This run has no saved phase space').waitFor();
    closeBench();
  });
});

describe('the ledger per step', () => {
  it('shows the protons at every step, and moves the maps to a selected step', async () => {
    await openBench();
    await runToEnd();
    await open.page.keyboard.press('Alt+2');
    await expect.poll(step).toMatch(/depth 2\d\.\d\d mm/);
    await open.page.keyboard.press('Alt+6');
    const legend = open.page.getByTestId('ledger-legend');
    // Half-way through the run, nearly all protons are in flight.
    await expect.poll(() => legend.textContent()).toMatch(/In flight(100\.0|99\.\d+) %/);
    await open.screenshot('ledger-steps-light');
    const plot = open.page.getByRole('img', { name: /^Protons by step: distribution/ });
    const box = await plot.boundingBox();
    if (box === null) throw new Error('the ledger has no place');
    await open.page.mouse.click(box.x + box.width * 0.9, box.y + box.height * 0.4);
    await expect.poll(() => legend.textContent()).toMatch(/^Step8\d/);
    await expect.poll(step).toMatch(/^step 8\d/);
    await open.page.getByRole('radio', { name: 'energy' }).check();
    await expect.poll(() => legend.textContent()).toMatch(/Deposited9\d\.\d/);
    await open.page.emulateMedia({ colorScheme: 'dark' });
    await open.screenshot('ledger-steps-dark');
    closeBench();
  });
});

describe('the lateral profile', () => {
  it('is taken at the depth of the crosshair, and shows the beam width there', async () => {
    await openBench();
    await runToEnd();
    await open.page.keyboard.press('Alt+4');
    const readout = open.page.getByTestId('lateral-readout');
    // Without a pointer the depth is half of R80, and the width is from the run's table at that depth.
    await expect.poll(() => readout.textContent()).toMatch(/^z 20\.\d\d mmσx 2\.0\d\d mmfit 2\.0\d\d mm$/);
    const box = await bench.map.boundingBox();
    if (box === null) throw new Error('the map has no place');
    await open.page.mouse.click(box.x + box.width * 0.55, box.y + box.height * 0.45);
    await expect
      .poll(() => readout.textContent())
      .toMatch(/^z [23]\d\.\d\d mmσx 2\.\d+ mmfit 2\.\d+ mmx .* mmdose [\d.]+ MeV\/mm²$/);
    await open.screenshot('lateral-light');
    closeBench();
  });

  it('is not offered for a grid that is one cell wide', async () => {
    await openBench();
    await runToEnd(scenario({ grid: { dx_mm: 40, dz_mm: 1 }, geometry: { width_mm: 40, depth_mm: 50 } }));
    await open.page.keyboard.press('Alt+4');
    await open.page.getByText('One cell has no profile').waitFor();
    expect(await open.page.getByTestId('lateral-readout').count()).toBe(0);
    await open.screenshot('lateral-one-cell');
    closeBench();
  });
});
