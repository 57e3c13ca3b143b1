/** Two windows on one file in a real browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BenchPage } from './bench-page.ts';
import { type OpenPage, useChromium } from './browser.ts';
import { type RunningServer, serve } from './served.ts';

const chrome = useChromium();
let home: string;
let server: RunningServer | null = null;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'braggbench-killed-'));
});
afterEach(async () => {
  await server?.stop();
  server = null;
  rmSync(home, { recursive: true, force: true });
});

const quickScenario = JSON.stringify({ kind: 'transport', version: 1, name: 'Mine', beam: { energy_MeV: 70 } });

async function startServer(): Promise<void> {
  server = await serve([], { BRAGGBENCH_HOME: home });
}

async function openBench(): Promise<{ open: OpenPage; bench: BenchPage }> {
  const open = await chrome.open(server?.url ?? '');
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

describe('one file open in two windows', () => {
  it("triggers a warning in both windows; saving asks before it overwrites the other window's changes", async () => {
    await startServer();
    const first = await openBench();
    await first.bench.drop('shared.json', quickScenario);
    await expect.poll(() => first.bench.title.textContent()).toContain('Mine');
    await saveAs(first.open, 'shared');
    const second = await openBench();
    await second.bench.menu('File', 'shared.json');
    await expect.poll(() => second.open.page.getByText('shared.json is also open in another window').count()).toBe(1);
    await expect.poll(() => first.open.page.getByText('open twice').count()).toBe(1);
    await second.bench.field('Energy').fill('75');
    await second.open.page.keyboard.press('Control+s');
    await expect.poll(() => second.open.page.getByText('Saved shared.json').count()).toBe(1);
    await first.bench.field('Energy').fill('76');
    await first.open.page.keyboard.press('Control+s');
    const dialog = first.open.page.getByRole('dialog', { name: 'Overwrite the file?' });
    await expect.poll(() => dialog.textContent()).toContain('shared.json was changed by another window or program');
    await first.open.screenshot('open-twice');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await first.bench.menu('File', 'Compare with the saved file');
    const differences = first.open.page.getByRole('dialog', { name: 'Differences' });
    await expect.poll(() => differences.locator('tbody tr').textContent()).toBe('Energybeam.energy_MeV75 MeV76 MeV');
    expect(first.open.problems).toEqual([]);
  });
});
