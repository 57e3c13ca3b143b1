/**
 * On a machine without a GPU, the page shows all data recorded on one: each session in the ladder, and each run in its
 * panels.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useWorkbench } from './workbench-page.ts';

const assets = path.resolve(import.meta.dirname, '../../assets');
const recordedFolder = path.join(assets, 'runs');
const { workbench } = useWorkbench('replay');

const files = (ending: string): readonly string[] =>
  readdirSync(recordedFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => name.replaceAll(path.sep, '/'))
    .sort();

/** Matches text that appears on a page if a number is invalid. */
const BROKEN_TEXT = /\bNaN\b|\bundefined\b|\bInfinity\b|\[object /;

/** Ids and names of the options of a list. */
const offeredValues = (page: Page, label: string): Promise<readonly string[]> =>
  page
    .getByLabel(label, { exact: true })
    .locator('option')
    .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));

/** Name of a session's card: the machine of its first report. */
function gpuNameOf(file: string): string {
  const session = JSON.parse(readFileSync(path.join(recordedFolder, file), 'utf8'));
  const [report] = session.reports ?? [session];
  return report.machine?.gpu?.name ?? report.machine?.device ?? report.machine?.cpu ?? '';
}

describe('replay without a GPU', () => {
  it('shows each recorded session in the ladder with its machine', async () => {
    const { open, page, bench } = await workbench();
    await bench.layout('Alt+Shift+2', 'Compare');
    await bench.panel('Speedup ladder').click();
    await page.getByRole('button', { name: 'Enlarge Speedup ladder' }).click();
    await page.getByTestId('ladder-ladder').waitFor();
    const seen = new Set<string>();
    const wrong: string[] = [];
    for (const workload of await offeredValues(page, 'Workload of the session')) {
      await page.getByLabel('Workload of the session').selectOption(workload);
      const sessions = (await offeredValues(page, 'Session')).filter((id) => id.startsWith('recorded~'));
      for (const id of sessions) {
        const file = id.replace('recorded~', '');
        await page.getByLabel('Session', { exact: true }).selectOption(id);
        const figures = page.locator(`[data-session="${id}"] .ladder`);
        await figures.locator('.section__note').first().waitFor();
        const text = await figures.innerText();
        if (!text.includes(gpuNameOf(file))) wrong.push(`${file}: does not name ${gpuNameOf(file)}`);
        const broken = BROKEN_TEXT.exec(text);
        if (broken !== null) wrong.push(`${file}: ${text.slice(Math.max(0, broken.index - 60), broken.index + 40)}`);
        if (open.problems.length > 0) wrong.push(`${file}: ${open.problems.join('; ')}`);
        seen.add(file);
        await open.screenshot(`replay-${file.replaceAll('/', '-').replace('.json', '')}`);
      }
    }
    expect(wrong).toEqual([]);
    expect([...seen].sort()).toEqual(files('.json'));
  });

  it.each(files('.h5'))('opens the recorded run %s with its timeline', async (file) => {
    const { open, page, bench } = await workbench();
    await bench.drop(path.basename(file), readFileSync(path.join(recordedFolder, file)), 'application/x-hdf5');
    await bench.state('Done').waitFor();
    await bench.layout('Alt+Shift+3', 'Timeline');
    const shown = page.getByRole('list', { name: 'Timelines shown' }).getByRole('button');
    await expect.poll(() => shown.count()).toBeGreaterThan(0);
    expect(await page.locator('body').innerText()).not.toMatch(BROKEN_TEXT);
    await open.screenshot(`replay-${path.basename(file, '.h5')}`);
    expect(open.problems).toEqual([]);
  });
});
