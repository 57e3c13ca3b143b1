/** The history of sessions and what it says of ways of writing, in a real browser. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { seenWhole } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const recorded = path.resolve(import.meta.dirname, '../../assets/runs/h200-water-70MeV.json');
const { workbench, home } = useWorkbench('claims');

it('puts saved sessions in the order of their days', async () => {
  const session = JSON.parse(readFileSync(recorded, 'utf8')) as object;
  mkdirSync(path.join(home, 'library'), { recursive: true });
  for (const day of [1, 2]) {
    const text = JSON.stringify({ ...session, created: `2026-12-0${day}T08:00:00.000Z` });
    writeFileSync(path.join(home, 'library', `day-${day}.session.json`), text);
  }
  const { open, page, bench } = await workbench();
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('History').click();
  await page.getByRole('button', { name: 'Enlarge History' }).click();
  await page.getByLabel('Search the history').fill('cuda-depth water NVIDIA');
  const series = page.getByTestId('history-series').filter({ hasText: 'day-2' });
  await series.first().waitFor();
  expect(await series.first().textContent()).toContain('2026-12-02 08:00');
  await seenWhole(open, 'history');
  await open.close();
});

it('says which way of writing pays, from the recorded sessions', async () => {
  const { open, page, bench } = await workbench();
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Which way').click();
  await page.getByRole('button', { name: 'Enlarge Which way' }).click();
  const problem = page.getByTestId('decision').filter({ hasText: 'h200-dense-36M' });
  await problem.waitFor();
  // A session of one instance is no evidence.
  await expect
    .poll(() => page.getByTestId('decision').filter({ hasText: 'h200-water-70MeV-5-steps' }).textContent())
    .toContain('No advice');
  expect(await problem.locator('li').last().textContent()).toContain('Pays back an hour of development after');
  await page.getByLabel('Runs that you will make').fill('1000000');
  await expect.poll(() => problem.locator('li').last().textContent()).toContain('1\u202f000\u202f000 runs it saves');
  await seenWhole(open, 'decision');
  await open.close();
});
