/** A server that is killed while a person works: recovery afterwards, and two windows on one file. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slowScenario } from '../electron/host/app/recovery/slow.ts';
import { smallImage } from '../electron/host/workloads/small-image.ts';
import { accessibilityViolations } from './accessible.ts';
import { BenchPage } from './bench-page.ts';
import { type OpenPage, useChromium } from './browser.ts';
import { type RunningServer, serve } from './served.ts';

const chrome = useChromium();
let home: string;
let served: RunningServer | null = null;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'braggbench-killed-'));
});
afterEach(async () => {
  await served?.stop();
  served = null;
  rmSync(home, { recursive: true, force: true });
});

/** Edit while the other scenario is computed. The two belong to different workloads. */
const image = JSON.stringify({ ...smallImage, name: 'Mine' });
const slowScenarioText = JSON.stringify({ ...slowScenario, name: 'Slow run' });

async function startServer(): Promise<void> {
  served = await serve([], { BRAGGBENCH_HOME: home });
}

async function openBench(): Promise<{ open: OpenPage; bench: BenchPage }> {
  const open = await chrome.open(served?.url ?? '');
  const bench = new BenchPage(open.page);
  await bench.waitUntilRunnable();
  return { open, bench };
}

async function saveAs(open: OpenPage, name: string): Promise<void> {
  await open.page.keyboard.press('Control+Shift+s');
  await open.page.getByRole('dialog').getByLabel('File name').fill(name);
  await open.page.keyboard.press('Enter');
  await expect.poll(() => open.page.getByText(`Saved ${name}.json`).count()).toBe(1);
}

const files = (): string[] => readdirSync(path.join(home, 'recovery'), { recursive: true }).map(String);

describe('a server ended by kill -9', () => {
  it('offers the unsaved edits and the run after a restart, and restores them', async () => {
    await startServer();
    const before = await openBench();
    await before.bench.drop('mine.json', image);
    await expect.poll(() => before.bench.title.textContent()).toContain('Mine');
    await saveAs(before.open, 'mine');
    await before.bench.drop('slow.json', slowScenarioText);
    await expect.poll(() => before.bench.title.textContent()).toContain('Slow run');
    await before.bench.run.click();
    await before.bench.menu('File', 'mine.json');
    await expect.poll(() => before.bench.title.textContent()).toBe('mine.json');
    await before.bench.field('Wavelength').fill('5.5');
    await expect.poll(() => files().some((name) => /draft-/.test(name))).toBe(true);
    await expect.poll(() => files().some((name) => /run-.*\.json$/.test(name))).toBe(true);
    await served?.kill();
    // The page cannot know any more whether the run continues, and it never reconnects.
    await expect
      .poll(() => before.open.page.getByRole('status').allInnerTexts())
      .toContainEqual(expect.stringContaining('may have ended'));
    await expect.poll(() => before.open.page.getByText('Copy the scenario').count()).toBe(1);
    await before.open.screenshot('host-ended');
    await before.open.close();

    await startServer();
    const { open, bench } = await openBench();
    const { page } = open;
    await expect.poll(() => page.getByText('2 pieces of unsaved work were found').count()).toBe(1);
    // The notice stays until it was read, and covers no panel.
    const panels = await page.getByRole('main').boundingBox();
    const notice = await page.locator('.notice', { hasText: 'unsaved work were found' }).boundingBox();
    expect(notice?.y).toBeGreaterThanOrEqual((panels?.y ?? 0) + (panels?.height ?? 0));
    await open.screenshot('recovery-offered');
    await page.getByRole('button', { name: 'Recover…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Unsaved work' });
    await expect.poll(() => dialog.getByRole('listitem').count()).toBe(2);
    expect(await accessibilityViolations(page)).toEqual([]);
    await open.screenshot('recovery');
    await dialog.getByRole('listitem').filter({ hasText: 'still in progress' }).getByText('Recover').click();
    await bench.state('Stopped').waitFor();
    // The ledger contains only the recovered steps; after few steps, the balance may close to the last bit.
    await expect
      .poll(() => page.locator('.ledger tfoot').textContent())
      .toMatch(/^Relative error((0|[\d.]+×10⁻[⁰¹²³⁴-⁹]+){2})$/);
    expect(await page.locator('.ledger tbody').textContent()).toMatch(/^In1\.00030\.000Deposited[\d.]*[1-9]/);
    await dialog.getByRole('listitem').filter({ hasText: 'mine.json' }).getByText('Recover').click();
    await expect.poll(() => bench.field('Wavelength').inputValue()).toBe('5.5');
    await expect.poll(() => page.getByText('edited', { exact: true }).count()).toBe(1);
    // Undo restores the file's content, which can then be saved.
    await page.keyboard.press('Control+z');
    await expect.poll(() => bench.field('Wavelength').inputValue()).toBe('6.2');
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => bench.field('Wavelength').inputValue()).toBe('5.5');
    await page.keyboard.press('Control+s');
    await expect.poll(() => page.getByText('edited', { exact: true }).count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('recover');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByText('There is no unsaved work to recover').count()).toBe(1);
    expect(open.problems).toEqual([]);
  });

  it('offers a reloaded page its earlier edits', { tags: 'slow' }, async () => {
    await startServer();
    const { open, bench } = await openBench();
    await bench.field('Energy').fill('91');
    await expect.poll(() => files().some((name) => /draft-/.test(name))).toBe(true);
    await open.page.reload();
    await open.page.getByRole('button', { name: 'Recover…' }).click();
    await open.page.getByRole('dialog').getByRole('button', { name: 'Recover' }).click();
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('91');
    // After an explicit choice to discard them, the drafts are deleted.
    await bench.menu('File', 'New scenario');
    await open.page.getByRole('dialog').getByRole('button', { name: 'Don’t save' }).click();
    await expect.poll(() => files().some((name) => /draft-/.test(name))).toBe(false);
    expect(open.problems).toEqual([]);
  });
});
