/** Compare, and the ladder of other workloads, of sweeps, of session files and of suggested measurements. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionSchema } from '../../electron/contract/bench/session.ts';
import { accessibilityViolations } from './accessible.ts';
import { checkVisibility, inEveryAppearance } from './appearance-page.ts';
import { row, smallScenario, tickOnly, tickSession, useCompare, view } from './compare-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { chrome, home, openCompare, openSmall } = useCompare();

describe('Compare when first opened, with measurements of the user', () => {
  it('replaces the recorded rows after the suggested variants are measured', async () => {
    const { open, page, bench } = await openCompare();
    await row(page, 'cuda-window').waitFor();
    const advice = page.getByTestId('compare-advice');
    await bench.drop('small.json', smallScenario);
    await expect.poll(() => bench.title.textContent()).toContain('Small beam');
    await view(page, 'Choose');
    const variants = page.getByRole('group', { name: 'Variants to benchmark' });
    await expect.poll(() => variants.textContent()).toMatch(/window.*about [\d.]+ [µm]s per run/s);
    await page.getByLabel('Rounds').selectOption('7');
    // Wait for the time limit of the rounds, and then for the processes. A loaded machine needs many seconds to start a
    // process.
    await page.getByLabel('Time', { exact: true }).selectOption('60');
    await page.getByLabel('Cold processes').selectOption('5');
    await page.getByRole('group', { name: 'Energy of runs' }).getByRole('checkbox', { name: 'of a run' }).check();
    await page
      .getByRole('group', { name: 'Conditions' })
      .getByText(/There is no usable GPU/)
      .waitFor();
    await open.screenshot('compare-conditions-choose');
    await page.getByRole('button', { name: 'Benchmark', exact: true }).click();
    await row(page, 'window').waitFor();
    // The recorded session has a variant `cuda-window`, but the table does not show it.
    await expect.poll(() => row(page, 'cuda-window').count()).toBe(0);
    // An end-to-end run of milliseconds may stay undecided on a loaded machine, and is reported as such.
    await expect
      .poll(() => advice.textContent(), { timeout: 180_000 })
      .toMatch(/\w+ (is the fastest|is among the fastest|looks fastest|and \w+ are equally fast) on .+ledger closes/);
    await expect.poll(() => row(page, 'window').locator('td[data-column=process]').textContent()).toMatch(/^\d.* m?s/);
    // The conditions are expanded because this session was started on this page.
    const conditions = page.getByRole('list', { name: /^How Small beam.* was measured$/ });
    await expect.poll(() => conditions.textContent()).toMatch(/Energy: .*RAPL/);
    await conditions.scrollIntoViewIfNeeded();
    await checkVisibility(open, 'compare-first-measured');
    expect(open.problems).toEqual([]);
  });
});

describe('a size sweep', () => {
  it('shows time, set-up share and rate at each size', async () => {
    const { open, page, bench } = await openCompare();
    await bench.panel('Speedup ladder').click();
    await page.getByRole('button', { name: 'Enlarge Speedup ladder' }).click();
    await page.getByLabel('Session', { exact: true }).selectOption('recorded~h200-sweep-water-70MeV.json');
    const sweep = page.getByTestId('ladder-sweep');
    await expect.poll(() => sweep.textContent()).toMatch(/cuda-window.*fixed, .* per million cells/);
    await expect.poll(() => sweep.locator('.points path').count()).toBeGreaterThanOrEqual(9);
    const values = page.getByLabel(/^Value of /);
    const before = await page.getByTestId('ladder-cold-start').textContent();
    await values.selectOption('0');
    await expect.poll(() => page.getByTestId('ladder-cold-start').textContent()).not.toBe(before);
    await open.screenshot('ladder-sweep');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Export Size sweep/ }).click();
    await page.getByRole('menuitem', { name: /^CSV/ }).click();
    const file = path.join(home, 'sweep.csv');
    await (await download).saveAs(file);
    expect(readFileSync(file, 'utf8')).toMatch(/cuda_window_time_s/);
    expect(open.problems).toEqual([]);
  });
});

describe('other workloads in Compare', () => {
  const spots = JSON.stringify({
    kind: 'diffraction',
    version: 1,
    name: 'Few spots',
    beam: { wavelength_A: 1 },
    crystal: { lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 }, cells: { a: 5, b: 5, c: 5 } },
    structure_factors: { default_electrons: 100 },
    detector: { width: 96, height: 96 },
  });
  const scenarios = path.join(root, 'assets/scenarios');

  it('images are benchmarked, checked against FP64 with image error measures, and shown side by side', async () => {
    const { open, page, bench } = await openCompare();
    await bench.drop('spots.json', spots);
    await expect.poll(() => bench.title.textContent()).toContain('Few spots');
    await bench.layout('Alt+Shift+2', 'Compare');
    await page.getByRole('button', { name: 'Enlarge Compare' }).click();
    await view(page, 'Choose');
    await tickOnly(page, ['diffraction-fp64', 'diffraction-mixed', 'diffraction-naive-fp32']);
    expect(await page.getByRole('group', { name: 'Precisions' }).count()).toBe(0);
    await page.getByLabel('Rounds').selectOption('7');
    await page.getByLabel('Cold processes').selectOption('0');
    await open.screenshot('compare-images-choose');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Benchmark', exact: true }).click();
    await row(page, 'diffraction-naive-fp32').waitFor();
    for (const title of ['Image', 'relL2', 'max / max', 'Bright pixels', 'Sum', 'Repeats']) {
      expect(await page.getByRole('columnheader', { name: title, exact: true }).count(), title).toBe(1);
    }
    await expect.poll(() => row(page, 'diffraction-fp64').textContent()).toMatch(/reference.*same bits/);
    // Single precision loses bright pixels, so the variant is wrong even if it is fast.
    await expect.poll(() => row(page, 'diffraction-naive-fp32').textContent()).toMatch(/wrong/);
    await open.screenshot('compare-images-table');
    expect(await accessibilityViolations(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export the table' }).click();
    await page.getByRole('menuitem', { name: /^CSV/ }).click();
    const file = path.join(home, 'images.csv');
    await (await download).saveAs(file);
    expect(readFileSync(file, 'utf8')).toMatch(/bright/);

    await view(page, 'Maps');
    await expect.poll(() => page.getByRole('img', { name: /^Photons of diffraction-/ }).count()).toBe(3);
    await open.screenshot('compare-images-maps');
    await page.locator('.segmented__option', { hasText: /^difference$/ }).click();
    await expect.poll(() => page.locator('.map-tile').count()).toBe(2);
    await open.screenshot('compare-images-difference');
    await page.locator('.segmented__option', { hasText: /^photons$/ }).click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await view(page, 'Curves');
    await page.getByText('These variants compute images: see them side by side in Maps.').waitFor();
    await view(page, 'Source');
    await expect.poll(() => page.getByLabel('Left file').inputValue()).toContain('kernels/diffraction/');
    await page.locator('.code tr').first().waitFor();
    await page.getByRole('button', { name: 'Show all panels' }).click();
    await bench.panel('Speedup ladder').click();
    await page.getByLabel('Session', { exact: true }).selectOption({ index: 0 });
    await page.getByText(/^No size sweep/).waitFor();
    expect(open.problems).toEqual([]);
  });

  it('recorded sessions of layers, small workloads and images open in Compare and the ladder, at every theme and size', async () => {
    const { open, page, bench } = await openCompare();
    await bench.drop('layer.json', readFileSync(path.join(scenarios, 'linear-relu/layer-1024.json'), 'utf8'));
    await expect.poll(() => bench.title.textContent()).toContain('Linear and ReLU');
    await bench.layout('Alt+Shift+2', 'Compare');
    await bench.panel('Compare').click();
    await page.getByRole('button', { name: 'Enlarge Compare' }).click();
    await view(page, 'Choose');
    const session = page.locator('.compare-session', { hasText: /layer-1024(?!-)/ }).first();
    await session.locator('summary').click();
    await session.getByRole('checkbox', { name: 'all of them' }).setChecked(true);
    await open.screenshot('compare-layer-choose');
    await view(page, 'Table');
    await expect.poll(() => row(page, 'cuda-blocked').textContent()).toMatch(/faster/);
    expect(await page.getByRole('columnheader', { name: 'Mask mismatches' }).count()).toBe(1);
    await checkVisibility(open, 'compare-layer-table');
    await view(page, 'Kernels');
    await expect.poll(() => page.getByTestId('compare-kernels').textContent()).toContain('linear_relu_blocked');
    await view(page, 'Maps');
    await page.getByText('This workload has no maps').waitFor();
    await page.getByRole('button', { name: 'Show all panels' }).click();

    await bench.panel('Speedup ladder').click();
    await page.getByRole('button', { name: 'Enlarge Speedup ladder' }).click();
    await page.getByLabel('Session', { exact: true }).selectOption('recorded~linear-relu/layer-1024.json');
    for (const id of ['ladder', 'gains', 'roofline', 'claims', 'samples'])
      await page.getByTestId(`ladder-${id}`).waitFor();
    await open.screenshot('ladder-layer');
    await page.getByLabel('Workload of the session').selectOption('micro');
    await page.getByLabel('Session', { exact: true }).selectOption('recorded~micro/latency.json');
    await expect
      .poll(() => page.getByTestId('ladder-claims').textContent())
      .toContain('Shared memory answers in 1–2 cycles');
    await page.getByText(/^No roofline/).waitFor();
    await checkVisibility(open, 'ladder-latency');
    await page.getByLabel('Workload of the session').selectOption('diffraction');
    await page.getByLabel('Session', { exact: true }).selectOption('recorded~diffraction/h200-sweep-simple-cubic.json');
    await expect.poll(() => page.getByTestId('ladder-sweep').textContent()).toMatch(/per million pixels/);
    // The claims are about the displayed size, although the session was recorded before claims existed.
    await expect
      .poll(() => page.getByTestId('ladder-claims').textContent())
      .toMatch(/Kernel fusion in an image3–12×[\d.]+×.*as claimed.*PyTorch \(4096²\)/s);
    await checkVisibility(open, 'ladder-images');
    expect(open.problems).toEqual([]);
  });
});

describe('benchmarking', () => {
  it('opens a session file, and writes a report of the compared rows', async () => {
    const { open, page, bench } = await openCompare();
    const session = sessionSchema.parse(
      JSON.parse(readFileSync(path.join(root, 'assets/runs/h200-uniform-grid-70MeV.json'), 'utf8')),
    );
    // Marks the fast variant as wrong.
    for (const entry of session.reports[0]?.entries ?? []) {
      if (entry.label === 'cuda-window') Object.assign(entry, { verdict: 'wrong' });
    }
    await bench.drop('mine.json', JSON.stringify(session));
    await view(page, 'Table');
    const wrong = row(page, 'cuda-window');
    await expect.poll(() => wrong.textContent()).toContain('wrong, though faster');
    const colour = (name: string): Promise<string> =>
      row(page, name)
        .first()
        .locator('td')
        .first()
        .evaluate((cell) => getComputedStyle(cell).backgroundColor);
    expect(await colour('cuda-window')).not.toBe(await colour('cuda-graph'));
    expect(await accessibilityViolations(page)).toEqual([]);
    await open.screenshot('compare-wrong');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Report', exact: true }).first().click();
    await page.getByRole('menuitem', { name: /^Report as HTML/ }).click();
    const file = path.join(home, 'report.html');
    await (await download).saveAs(file);
    const report = await chrome.open(`file://${file}`);
    await expect.poll(() => report.page.locator('h1').textContent()).toMatch(/^Comparison, Uniform/);
    await expect.poll(() => report.page.locator('figure svg').count()).toBeGreaterThanOrEqual(4);
    expect(await accessibilityViolations(report.page)).toEqual([]);
    expect(report.problems).toEqual([]);
    await report.screenshot('report');

    // In a browser the page prints the report, and only the report is on paper.
    await page.evaluate(() => {
      window.print = () => undefined;
    });
    await page.getByRole('button', { name: 'Report', exact: true }).first().click();
    await page.getByRole('menuitem', { name: /^Print the report/ }).click();
    await page.locator('.print-report h1').waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('.print-report').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.locator('.print-report').isVisible()).toBe(true);
    await expect.poll(() => page.locator('.app').isVisible()).toBe(false);
    await open.screenshot('report-printed');
    await page.emulateMedia({ media: null });
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    expect(await page.locator('.print-report').count()).toBe(0);
    await expect.poll(() => page.locator('.app').isVisible()).toBe(true);
    expect(open.problems).toEqual([]);
  });

  it('sweeps a scenario value, and shows the fitted cost in the ladder', async () => {
    const { open, page, bench } = await openSmall();
    const sweep = page.getByLabel('Sweep over a value of the scenario');
    await sweep.fill('grid');
    await page.getByText(/has no list of numbers; allowed/).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Benchmark', exact: true }).isEnabled()).toBe(false);
    await sweep.fill('grid.dx_mm=2,1');
    await page.getByLabel('Rounds').selectOption('7');
    await page.getByRole('button', { name: 'Benchmark', exact: true }).click();
    await expect.poll(() => page.getByTestId('compare-row').count()).toBe(4);
    await page.getByRole('button', { name: 'Show all panels' }).click();
    await bench.panel('Speedup ladder').click();
    const session = page.getByLabel('Session', { exact: true });
    await session.selectOption({ index: 0 });
    await expect
      .poll(() => page.getByTestId('ladder-sweep').textContent())
      .toMatch(/window:? .*( per million cells|these times do not fit a line)/);
    expect(open.problems).toEqual([]);
  });
});

describe('recorded sessions of beams', () => {
  it('show their ladder and all views of Compare, at every theme and size', async () => {
    const { open, page, bench } = await openCompare();
    await bench.panel('Speedup ladder').click();
    // The ladder shows the session of the table. Selects a session that has every figure.
    await page.getByLabel('Session', { exact: true }).selectOption('recorded~h200-uniform-grid-70MeV.json');
    const ladder = page.getByTestId('ladder-ladder');
    await ladder.waitFor();
    await expect.poll(() => ladder.textContent()).toContain('NVIDIA H200 · driver 580.159.04');
    await expect.poll(() => ladder.textContent()).toContain('commit');
    for (const id of ['gains', 'roofline', 'cold-start', 'claims', 'samples']) {
      await expect.poll(() => page.getByTestId(`ladder-${id}`).count()).toBe(1);
    }
    await open.screenshot('ladder');
    await page.getByRole('button', { name: 'Enlarge Speedup ladder' }).click();
    await open.screenshot('ladder-large');
    await page.getByTestId('ladder-roofline').scrollIntoViewIfNeeded();
    await open.screenshot('ladder-roofline');
    await page.getByTestId('ladder-claims').scrollIntoViewIfNeeded();
    await expect.poll(() => page.getByTestId('ladder-claims').textContent()).toContain('Kernel fusion');
    await checkVisibility(open, 'ladder-claims');
    await page.getByRole('button', { name: 'Show all panels' }).click();

    await bench.panel('Compare').click();
    await page.getByRole('button', { name: 'Enlarge Compare' }).click();
    await tickSession(page, 'h200-uniform-grid-70MeV');
    const others = page.getByRole('group', { name: 'Other programs' });
    // Each program can be ticked, or states why it cannot be.
    for (const id of ['numpy-array', 'cupy-raw']) await expect.poll(() => others.textContent()).toContain(id);
    await checkVisibility(open, 'compare-choose');
    await view(page, 'Table');
    await row(page, 'cuda-window').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Export the table' }).count()).toBe(1);
    await checkVisibility(open, 'compare-table');
    await view(page, 'Samples');
    const strips = page.locator('.compare-strips');
    await inEveryAppearance(page, async ({ name }) => {
      await expect.poll(async () => (await strips.boundingBox())?.height).toBeGreaterThan(350);
      await open.screenshot(`compare-samples-${name}`);
      expect(await accessibilityViolations(page), name).toEqual([]);
    });
    await view(page, 'Source');
    await page.locator('.code tr').first().waitFor();
    await checkVisibility(open, 'compare-source');
    await view(page, 'Kernels');
    const kernels = page.getByTestId('compare-kernels');
    await kernels.waitFor();
    await expect.poll(() => kernels.textContent()).toContain('recorded with h200-uniform-grid-70MeV');
    await checkVisibility(open, 'compare-kernels');
    expect(open.problems).toEqual([]);
  });
});
