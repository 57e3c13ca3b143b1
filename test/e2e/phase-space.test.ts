/** Phase space in a real browser: live, by stored steps, with one crosshair for all maps. */
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage, PageOptions } from './browser.ts';
import { useWorkbench } from './workbench-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { workbench } = useWorkbench('phase', ['--scenario', path.join(root, 'assets/scenarios/water-70MeV.json')]);

/** Done in a second on two cores, and wide enough in angle and energy to look at. */
const scenario = (extra: object = {}): string =>
  JSON.stringify({
    kind: 'transport',
    version: 1,
    name: 'Coarse',
    beam: { energy_MeV: 70, energy_sigma_MeV: 1, angle_sigma_mrad: 5, x_sigma_mm: 2 },
    grid: { dx_mm: 0.5, dz_mm: 0.5 },
    ...extra,
  });

let open: OpenPage;
let bench: BenchPage;

async function openBench(options: PageOptions = {}): Promise<void> {
  ({ open, bench } = await workbench(options));
  await expect.poll(() => bench.title.textContent()).toContain('water-70MeV.json');
}

async function runToEnd(text = scenario()): Promise<void> {
  await bench.drop('coarse.json', text);
  await expect.poll(() => bench.title.textContent()).toContain('Coarse');
  await bench.run.click();
  await bench.state('Done').waitFor();
}

function closeBench(): void {
  expect(open.problems).toEqual([]);
}

/** With protons in it: an empty one has nothing to point at. */
const phaseMap = (title: string): Locator =>
  open.page.getByRole('img', { name: new RegExp(`^Protons over ${title};`) });
const step = async (): Promise<string> => (await open.page.getByTestId('phase-step').textContent()) ?? '';
const value = (key: string): Promise<string | null> => open.page.getByTestId(`value-phase-space/${key}`).textContent();
/** What a map's field canvas shows, to tell two pictures apart. */
const picture = (title: string): Promise<string> =>
  phaseMap(title).evaluate((canvas) => (canvas.previousElementSibling as HTMLCanvasElement).toDataURL());
/** The same of the middle of a run that is over: until its maps come, those of the last live frame stand. */
async function middlePicture(title: string): Promise<string> {
  await expect.poll(step).toMatch(/depth 2\d\.\d\d mm\d+ \/ \d+$/);
  await expect
    .poll(async () => (await step()).startsWith(`step ${await phaseMap(title).getAttribute('data-step')}depth`))
    .toBe(true);
  await bench.drawn();
  return picture(title);
}

describe('the phase space of a run', () => {
  it('goes through the stored steps, by slider, by keyboard and by itself', async () => {
    await openBench();
    await open.page.keyboard.press('Alt+2');
    await open.page.getByText('No phase space yet').waitFor();
    await runToEnd();
    await expect.poll(step).toMatch(/^step \d+depth \d+\.\d\d mm\d+ \/ \d+$/);
    // The middle of the run, not the last live frame.
    const [before, middle] = [await middlePicture('z – x'), await step()];
    await open.screenshot('phase-space-light');
    const slider = open.page.getByRole('slider', { name: 'Stored step' });
    await slider.focus();
    await open.page.keyboard.press('Home');
    await expect.poll(step).toMatch(/^step 0depth [\d.]+ mm1 \//);
    await expect.poll(() => picture('z – x')).not.toBe(before);
    await open.page.keyboard.press('ArrowRight');
    await expect.poll(step).toMatch(/2 \/ \d+$/);
    await open.page.keyboard.press('Alt+,');
    await expect.poll(step).toMatch(/^step 0/);
    // It plays to the end and stops there.
    const playing = await bench.willAppear('button[aria-label="Pause"]');
    await open.page.getByRole('button', { name: 'Play the stored steps' }).click();
    await playing();
    await expect.poll(step).toMatch(/(\d+) \/ \1$/);
    await open.page.getByRole('button', { name: 'Play the stored steps' }).waitFor();
    expect(await step()).not.toBe(middle);
    closeBench();
  });

  it('cuts the maps of a run that is over, and shows sums again', async () => {
    await openBench();
    await open.page.keyboard.press('Alt+2');
    await runToEnd();
    const summed = await middlePicture('z – x');
    await open.page.getByRole('button', { name: 'Axes that z – x does not show' }).click();
    await open.page.getByRole('radiogroup', { name: 'θ: sum or cut' }).getByRole('radio', { name: 'cut' }).check();
    const cell = open.page.getByRole('slider', { name: 'Cell of θ' });
    await cell.waitFor();
    // The step is computed again, and the map is another one then.
    await expect.poll(() => picture('z – x')).not.toBe(summed);
    await expect.poll(() => open.page.locator('.phase-cell__computing').count()).toBe(0);
    expect(await open.page.locator('.phase-cell__trouble').count()).toBe(0);
    const cut = await picture('z – x');
    await open.screenshot('phase-space-cut');
    await cell.press('ArrowRight');
    await expect.poll(() => picture('z – x')).not.toBe(cut);
    expect(await accessibilityFaults(open.page)).toEqual([]);
    await open.page.getByRole('radiogroup', { name: 'θ: sum or cut' }).getByRole('radio', { name: 'sum' }).check();
    await expect.poll(() => picture('z – x')).toBe(summed);
    closeBench();
  });

  it('has one crosshair for its four maps and the dose map, and values at it', async () => {
    await openBench({ theme: 'dark' });
    await runToEnd();
    await open.page.keyboard.press('Alt+2');
    await open.page.keyboard.press('Alt+m');
    await expect.poll(step).toMatch(/^step \d+/);
    const readout = open.page.getByTestId('phase-readout');
    // The panel was just enlarged: one click is enough, at once.
    const place = async (title: string, x: number, y: number): Promise<void> => {
      const box = await phaseMap(title).boundingBox();
      if (box === null) throw new Error(`${title} has no place`);
      await open.page.mouse.click(box.x + box.width * x, box.y + box.height * y);
    };
    await place('z – x', 0.34, 0.45);
    await expect.poll(() => readout.textContent()).toMatch(/^z [\d.]+ mmx −?[\d.]+ mm$/);
    await place('θ – E', 0.47, 0.4);
    await expect.poll(() => readout.textContent()).toMatch(/^z [\d.]+ mmx .* mmθ .* mradE [\d.]+ MeV$/);
    // All four maps have a value now, each at its two of the four coordinates.
    for (const key of ['z-x', 'theta-x', 'z-e', 'theta-e']) {
      await expect.poll(() => value(key)).toMatch(/protons per cell$/);
    }
    await open.page.mouse.move(5, 5);
    const pinned = await readout.textContent();
    const own = await picture('θ – x');
    await open.page.getByRole('button', { name: 'Match limits' }).click();
    await expect.poll(() => picture('θ – x')).not.toBe(own);
    await open.screenshot('phase-space-dark');
    await phaseMap('θ – E').focus();
    await open.page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => readout.textContent()).not.toBe(pinned);
    // The dose map stands at the same z and x.
    await open.page.keyboard.press('Alt+1');
    const [z] = /z ([\d.]+)/.exec(pinned ?? '') ?? [];
    await expect.poll(() => bench.doseReadout.textContent()).toContain(z ?? 'a depth');
    closeBench();
  });

  it('shows a run as it computes, and where it was stopped', async () => {
    await openBench();
    await bench.dropLong();
    await open.page.keyboard.press('Alt+2');
    await bench.run.click();
    await expect.poll(step).toMatch(/live$/);
    const first = await step();
    await expect.poll(step).not.toBe(first);
    await open.screenshot('phase-space-live');
    await open.page.keyboard.press('Control+.');
    await bench.state('Stopped').waitFor();
    await expect.poll(step).toMatch(/(\d+) \/ \1$/);
    closeBench();
  });

  it('says so when a run kept none', async () => {
    await openBench();
    await open.page.keyboard.press('Alt+2');
    await runToEnd(scenario({ output: { keyframes: 0 } }));
    // The maps of the last live frame stay, if there were any; a reopened page has none.
    await open.page.reload();
    await open.page.keyboard.press('Alt+2');
    await bench.panel('Runs').click();
    await open.page.locator('.run-entry').first().click();
    await open.page.getByText('This run kept no phase space').waitFor();
    closeBench();
  });
});

describe('the ledger by step', () => {
  it('shows where the protons are at every step, and takes the maps to one', async () => {
    await openBench();
    await runToEnd();
    await open.page.keyboard.press('Alt+2');
    await expect.poll(step).toMatch(/depth 2\d\.\d\d mm/);
    await open.page.keyboard.press('Alt+5');
    const legend = open.page.getByTestId('ledger-legend');
    // Half way nearly all are in flight.
    await expect.poll(() => legend.textContent()).toMatch(/In flight(100\.0|99\.\d+) %/);
    await open.screenshot('ledger-steps-light');
    const plot = open.page.getByRole('img', { name: /^Protons by step: where/ });
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
  it('is of the depth that the crosshair points at, with the width of the beam there', async () => {
    await openBench();
    await runToEnd();
    await open.page.keyboard.press('Alt+4');
    const readout = open.page.getByTestId('lateral-readout');
    // Where nobody points: half of R80, with the width that the run's own table has there.
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

  it('is none of a grid with one cell across', async () => {
    await openBench();
    await runToEnd(scenario({ grid: { dx_mm: 40, dz_mm: 1 }, geometry: { width_mm: 40, depth_mm: 50 } }));
    await open.page.keyboard.press('Alt+4');
    await open.page.getByText('One cell has no profile').waitFor();
    expect(await open.page.getByTestId('lateral-readout').count()).toBe(0);
    await open.screenshot('lateral-one-cell');
    closeBench();
  });
});
