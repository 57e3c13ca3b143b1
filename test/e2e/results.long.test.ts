/**
 * A small workload in a real browser: measured from a shipped scenario, checked, compared with its claims, saved and
 * opened again.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tracedSession } from '../electron/host/model/timeline/traced-session.ts';
import { accessibilityFaults } from './accessible.ts';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import { useWorkbench } from './workbench-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { workbench } = useWorkbench('results', [
  '--scenario',
  path.join(root, 'assets/scenarios/micro/launch-small.json'),
]);

let open: OpenPage;
let bench: BenchPage;

describe('the results of a small workload', () => {
  it('say of every variant what it gains and whether it is right, and of claims what was measured', async () => {
    ({ open, bench } = await workbench());
    await expect.poll(() => bench.title.textContent()).toContain('launch-small.json');
    await expect.poll(() => bench.panel('Results').count()).toBe(1);
    // The form follows from the row's schema.
    await bench.field('Steps').waitFor();
    await bench.run.click();
    await bench.state('Done').waitFor();
    const table = open.page.getByTestId('results-variants');
    await table.waitFor();
    const text = (await table.textContent()) ?? '';
    expect(text).toMatch(/reference/);
    expect(text).toMatch(/± [\d.]+ %/);
    await open.page.getByTestId('results-claims').waitFor();
    await expect
      .poll(() => open.page.getByTestId('results-claims').textContent())
      .toMatch(/not measured|as claimed|less|more/);
    await expect.poll(() => open.page.getByTestId('best-gain').textContent()).toMatch(/×/);
    await open.screenshot('results-light');
    expect(await accessibilityFaults(open.page)).toEqual([]);
    const [download] = await Promise.all([open.page.waitForEvent('download'), bench.menu('File', /Variants \(CSV\)/)]);
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^at,variant,device,precision,status,time_s/);
    // Every variant's samples, in the order in which they were taken.
    await bench.layout('Alt+Shift+3', 'Timeline');
    await open.page.getByLabel('Search spans by name').fill('repetitions');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toMatch(/^\d+$/);
    await open.page.getByLabel('Search spans by name').press('Enter');
    await expect.poll(() => open.page.getByTestId('span-details').textContent()).toMatch(/samples.*Repetitions/s);
    await open.screenshot('timeline-task-light');
    expect(open.problems).toEqual([]);
  });

  it('of a session with traces: streams are lanes of the timeline, copies beside kernels', async () => {
    ({ open, bench } = await workbench({ theme: 'dark' }));
    await bench.drop('overlap.task.json', JSON.stringify(tracedSession()));
    await bench.state('Done').waitFor();
    await bench.layout('Alt+Shift+3', 'Timeline');
    await open.page.getByLabel('Search spans by name').fill('micro_stream_work');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('9');
    await open.page.getByLabel('Search spans by name').press('Enter');
    await expect
      .poll(() => open.page.getByTestId('span-details').textContent())
      .toMatch(/stream 7.*Grid.*cuLaunchKernel/s);
    await open.screenshot('timeline-streams-dark');
    expect(await accessibilityFaults(open.page)).toEqual([]);
    expect(open.problems).toEqual([]);
  });

  it('of recorded sessions need no GPU, and stand beside what fusing can give at most', async () => {
    ({ open, bench } = await workbench({ theme: 'dark' }));
    // At once: while the page still draws itself and opens what it was started with.
    const layer = readFileSync(path.join(root, 'assets/scenarios/linear-relu/layer-1024.json'), 'utf8');
    await bench.drop('layer.json', layer);
    await open.page.getByTestId('results-variants').waitFor();
    await expect
      .poll(() => open.page.getByTestId('results-fusion').textContent())
      .toMatch(/fusing can save [\d.]+ % at most/);
    await expect.poll(() => open.page.getByTestId('results-variants').textContent()).toContain('cuda-lt-fp32');
    await open.screenshot('results-recorded-dark');
    expect(await accessibilityFaults(open.page)).toEqual([]);
    expect(open.problems).toEqual([]);
  });
});
