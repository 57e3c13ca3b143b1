/** The workbench in a real browser over the built server, used as a physicist would. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BenchPage } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import { serve } from './served.ts';
import { useWorkbench } from './workbench-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { chrome, home, workbench } = useWorkbench(
  'e2e',
  ['--scenario', path.join(root, 'assets/scenarios/water-70MeV.json')],
  // Without visible GPUs, the page is the same on all machines.
  () => ({ CUDA_VISIBLE_DEVICES: '' }),
);
/** A beam on a coarse grid with depth stepping, solved in a few hundredths of a second. */
const quickScenario = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: 'Quick',
  beam: { energy_MeV: 70 },
  solver: { stepping: 'depth' },
  output: { keyframes: 16 },
});

let open: OpenPage;
let bench: BenchPage;

async function openBench(options: Parameters<typeof chrome.open>[1] = {}): Promise<void> {
  ({ open, bench } = await workbench(options));
  await expect.poll(() => bench.title.textContent()).toContain('water-70MeV.json');
  // Until the host has answered for this file, an edit has no last valid values to show.
  await expect.poll(() => open.page.locator('.resolved:not(.resolved--stale)').textContent()).toContain('40.80 mm');
}

/** Every test ends with a page that has reported no errors. */
function closeBench(): void {
  expect(open.problems).toEqual([]);
}

async function runQuick(): Promise<void> {
  await bench.drop('quick.json', quickScenario);
  await expect.poll(() => bench.title.textContent()).toContain('Quick');
  await bench.run.click();
  await bench.state('Done').waitFor();
  await bench.r80.waitFor();
}

describe('the workbench in a browser', () => {
  beforeEach(() => openBench());

  it('opens with the scenario, range and grid given on the command line', async () => {
    await expect.poll(() => open.page.getByText('Range in water', { exact: true }).isVisible()).toBe(true);
    await expect.poll(() => open.page.locator('.resolved').textContent()).toMatch(/40\.80 mm/);
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('70');
    await open.screenshot('workbench-light');
    closeBench();
  });

  it('runs a scenario, shows the dose as it arrives, and reports the range', async () => {
    await expect.poll(() => bench.run.isEnabled()).toBe(true);
    const dark = await bench.doseShare();
    await bench.run.click();
    await bench.state('Done').waitFor();
    await bench.r80.waitFor();
    const r80 = Number.parseFloat((await bench.r80.textContent()) ?? '');
    expect(Math.abs(r80 - 40.8)).toBeLessThan(0.3);
    await expect.poll(() => bench.doseShare()).toBeGreaterThan(dark);
    // The depth dose is drawn with both of its marker lines, and the ledger balances.
    const plot = open.page.getByTestId('depth-dose-plot');
    await expect.poll(() => plot.textContent()).toMatch(/R80 40\.\d\d mm.*|Range 40\.80 mm/);
    await expect.poll(() => open.page.locator('.ledger tfoot').textContent()).toMatch(/×10⁻/);
    await open.screenshot('run-light');
    closeBench();
  });

  it('shows the value under the crosshair, by pointer and by keyboard', { tags: 'slow' }, async () => {
    await runQuick();
    const box = await bench.map.boundingBox();
    if (box === null) throw new Error('the map has no place');
    await open.page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.45);
    await expect.poll(() => bench.doseReadout.textContent()).toMatch(/z \d+\.\d+ mm\s*x .*mm\s*dose .*MeV\/mm²/);
    await open.page.mouse.click(box.x + box.width * 0.4, box.y + box.height * 0.45);
    await open.page.mouse.move(5, 5);
    const pinned = await bench.doseReadout.textContent();
    await bench.map.focus();
    await open.page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => bench.doseReadout.textContent()).not.toBe(pinned);
    // The other plot marks the same depth.
    await expect
      .poll(() => open.page.getByTestId('depth-dose-plot').locator('.chart-plot__cursor').isVisible())
      .toBe(true);
    await open.page.keyboard.press('Escape');
    await expect.poll(() => bench.doseReadout.count()).toBe(0);
    closeBench();
  });

  it('shows an error at the invalid value, and does not start the run', async () => {
    await bench.field('Energy').fill('5000');
    const fault = open.page.locator('[data-path="beam.energy_MeV"] .field__faults');
    await expect.poll(() => fault.textContent()).toMatch(/5000 MeV is too large; allowed: 0\.5 to 300 MeV/);
    await expect.poll(() => bench.run.isEnabled()).toBe(false);
    // Range and grid still belong to the last valid values, and are marked as stale.
    await expect.poll(() => open.page.locator('.resolved--stale').textContent()).toContain('40.80 mm');
    await bench.field('Beam width').fill('wide');
    await expect.poll(() => open.page.getByText('"wide" is not a number').count()).toBe(1);
    await expect.poll(() => open.page.getByText('2 values need attention').count()).toBe(1);
    await open.screenshot('bad-values');
    // An empty field restores the default. A value with another unit and a decimal comma is converted.
    await bench.field('Beam width').fill('');
    await bench.field('Energy').fill('0,07 GeV');
    await expect.poll(() => bench.run.isEnabled()).toBe(true);
    await expect.poll(() => open.page.locator('.resolved--stale').count()).toBe(0);
    await open.page.keyboard.press('Tab');
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('70');
    closeBench();
  });

  it('stops a run and keeps its partial result', async () => {
    await bench.dropLongRun();
    await bench.run.click();
    // A part of the dose map is drawn before the run ends.
    await expect.poll(() => bench.doseShare()).toBeGreaterThan(0.01);
    await expect.poll(() => open.page.locator('.run-strip__text').textContent()).toMatch(/step \d+/);
    await open.screenshot('run-live');
    await open.page.keyboard.press('Control+.');
    await bench.state('Stopped').waitFor();
    // If no GPU is visible, the page states why its work cannot be recorded.
    const trace = open.page.getByRole('button', { name: "Record the GPU's work" });
    await expect.poll(() => trace.isDisabled()).toBe(true);
    expect(await trace.getAttribute('title')).toMatch(/^GPU work cannot be recorded: /);
    await expect.poll(() => open.page.getByText(/still in flight/).count()).toBe(1);
    await expect.poll(() => bench.doseShare()).toBeGreaterThan(0.01);
    closeBench();
  });

  it('saves a scenario under a name, asks before replacing, and opens it again', async () => {
    await bench.field('Energy').fill('90');
    await open.page.keyboard.press('Control+s');
    // The example must not be overwritten: a dialog requests a name.
    const name = open.page.getByRole('dialog').getByLabel('File name');
    await name.fill('mine');
    await open.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => bench.title.textContent()).toBe('mine.json');
    await bench.field('Energy').fill('91');
    await open.page.keyboard.press('Control+Shift+s');
    await open.page.getByRole('dialog').getByLabel('File name').fill('mine');
    await open.page.keyboard.press('Enter');
    await open.page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await expect.poll(() => open.page.getByText('edited').count()).toBe(0);

    await bench.menu('File', 'Open scenario');
    await open.page.getByRole('dialog').getByText('water-150MeV.json').click();
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('150');
    await bench.menu('File', 'mine.json');
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('91');
    closeBench();
  });

  it('saves an edited YAML file as JSON next to it, and leaves the YAML file with its comments unchanged', {
    tags: 'slow',
  }, async () => {
    const yaml = '# from the commissioning\nkind: transport\nversion: 1\nname: Commented\nbeam: {energy_MeV: 60}\n';
    mkdirSync(path.join(home, 'library'), { recursive: true });
    writeFileSync(path.join(home, 'library', 'commented.yaml'), yaml);
    await open.page.keyboard.press('Control+o');
    await open.page.getByRole('dialog').getByText('commented.yaml').click();
    await expect.poll(() => bench.title.textContent()).toContain('commented.yaml');
    await bench.field('Energy').fill('61');
    await open.page.keyboard.press('Control+s');
    await open.page.getByRole('dialog', { name: 'Save scenario as' }).waitFor();
    await open.page.keyboard.press('Enter');
    await expect.poll(() => bench.title.textContent()).toContain('commented.json');
    expect(readFileSync(path.join(home, 'library', 'commented.yaml'), 'utf8')).toBe(yaml);
    const saved: unknown = JSON.parse(readFileSync(path.join(home, 'library', 'commented.json'), 'utf8'));
    expect(saved).toMatchObject({ name: 'Commented', beam: { energy_MeV: 61 } });
    closeBench();
  });

  it('saves a run and shows the same data after reopening it', async () => {
    await runQuick();
    const before = await bench.r80.textContent();
    const ledger = await open.page.locator('.ledger').textContent();
    await bench.menu('File', 'Save run as');
    await open.page.getByRole('dialog').getByLabel('File name').fill('kept');
    await open.page.keyboard.press('Enter');
    await expect.poll(() => open.page.getByText('Saved kept.h5').count()).toBe(1);
    // Removes the run from the list, and reopens it from the file.
    await bench.panel('Runs').click();
    const more = open.page.locator('.run-entry--selected').getByRole('button', { name: /^More for/ });
    await more.click();
    await open.page.getByRole('menuitem', { name: 'Remove from the list' }).click();
    await expect.poll(() => open.page.getByText('No run yet').count()).toBe(1);
    await open.page.getByRole('button', { name: 'Open run…' }).click();
    await open.page.getByRole('dialog').getByText('kept.h5').click();
    await bench.r80.waitFor();
    await expect.poll(() => bench.r80.textContent()).toBe(before);
    await expect.poll(() => open.page.locator('.ledger').textContent()).toBe(ledger);
    await open.screenshot('run-reopened');
    closeBench();
  });

  it('opens a dropped file, and reports the error and its line if the file is invalid', { tags: 'slow' }, async () => {
    await bench.drop('good.json', quickScenario);
    await expect.poll(() => bench.title.textContent()).toContain('Quick');
    const bad = '{\n  "kind": "transport",\n  "version": 1,\n  "beam": { "energy_MeV": -3, "colour": "red" }\n}\n';
    await bench.drop('bad.json', bad);
    const dialog = open.page.getByRole('dialog', { name: 'bad.json has 2 issues' });
    await expect
      .poll(() => dialog.textContent())
      .toMatch(/beam\.energy_MeV.*-3 MeV is too small; allowed: 0\.5 to 300 MeV.*bad\.json:4/);
    await expect.poll(() => dialog.textContent()).toMatch(/beam\.colour.*not a known key/);
    await open.screenshot('bad-file');
    await dialog.getByRole('button', { name: 'Open and correct' }).click();
    await expect.poll(() => open.page.locator('[data-path="beam.energy_MeV"] .field__faults').count()).toBe(1);
    await expect.poll(() => bench.run.isEnabled()).toBe(false);
    await bench.drop('broken.json', '{ "kind": ');
    const broken = open.page.getByRole('dialog', { name: 'broken.json cannot be opened' });
    await expect.poll(() => broken.textContent()).toMatch(/broken\.json:1/);
    await broken.getByRole('button', { name: 'Close' }).click();
    await bench.drop('notes.txt', 'hello', 'text/plain');
    await expect.poll(() => open.page.getByText('notes.txt could not be opened').count()).toBe(1);
    closeBench();
  });

  it('lists variants, with a reason for each that cannot run this scenario', { tags: 'slow' }, async () => {
    await bench.section('Solver');
    // If the file gives no stepping, a variant uses its default.
    const stepping = open.page.getByRole('radiogroup', { name: 'Stepping' });
    for (const name of ['depth', 'path']) await stepping.getByRole('radio', { name }).check();
    await open.page.getByRole('button', { name: /^Variant: auto/ }).click();
    const items = open.page.getByRole('menu', { name: /^Variant/ });
    await expect.poll(() => items.textContent()).toMatch(/reference/);
    const depth = items.locator('.menu__item', { hasText: /^depth –/ });
    await expect.poll(() => depth.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => depth.textContent()).toMatch(/Not available: /);
    await items.locator('.menu__item', { hasText: /^gather –/ }).click();
    await expect.poll(() => open.page.getByRole('button', { name: 'Variant: gather' }).count()).toBe(1);
    closeBench();
  });
});

describe('a program started with a scenario to run', () => {
  it('runs it only once; a reloaded page and a second page show that run', { tags: 'slow' }, async () => {
    const file = path.join(home, 'at-start.json');
    writeFileSync(file, quickScenario);
    const started = await serve(['--scenario', file, '--run'], { BRAGGBENCH_HOME: home });
    onTestFinished(async () => void (await started.stop()));
    open = await chrome.open(started.url);
    const first = new BenchPage(open.page);
    await first.state('Done').waitFor();
    await open.page.reload();
    await first.state('Done').waitFor();
    const other = await chrome.open(started.url);
    await new BenchPage(other.page).state('Done').waitFor();
    await first.panel('Runs').click();
    await expect.poll(() => open.page.locator('.run-entry').count()).toBe(1);
    closeBench();
  });
});
