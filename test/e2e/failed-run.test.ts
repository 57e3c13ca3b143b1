/** A run whose device failed midway, opened from its file: the results so far, the reason, and the actions offered. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeRun } from '../../electron/host/workloads/transport/run-file-write.ts';
import { readRun, runScenario, smallScenario } from '../electron/host/small-run.ts';
import { accessibilityViolations } from './accessible.ts';
import { useWorkbench } from './workbench-page.ts';

const { home, workbench } = useWorkbench('failed');

const reason =
  'cuStreamSynchronize on NVIDIA H200 failed: CUDA_ERROR_ILLEGAL_ADDRESS; last kernel launched: transport_gather_stream_f32. The device cannot be used again until the program is restarted.';

/**
 * Computes a run file that contains only the steps before the failure, which is the data that the host had received by
 * then.
 */
async function failedRunFile(): Promise<Uint8Array> {
  const solver = { ...smallScenario.solver, max_steps: 24, threads: 1 };
  const run = await runScenario({ ...smallScenario, name: 'Broken off', solver });
  return writeRun({
    ...run,
    name: 'Broken off',
    status: 'failed',
    error: { code: 'device', message: reason },
    variant: 'cuda-gather',
    machine: { ...run.machine, device: 'NVIDIA H200' },
  });
}

it('a failed run shows its completed steps, names the failing kernel, and can be saved and exported', async () => {
  const { open, page, bench } = await workbench();
  await bench.drop('failed.h5', await failedRunFile(), 'application/x-hdf5');
  await bench.state('Failed').waitFor();
  const alert = page.getByRole('region', { name: 'Results of the run' }).getByRole('alert');
  await expect.poll(() => alert.textContent()).toContain('last kernel launched: transport_gather_stream_f32');
  await expect.poll(() => alert.textContent()).toContain('The part computed before the failure is saved');
  // The readouts are those of the last complete step, and report that the beam was still in flight.
  const results = page.locator('.run-results');
  await expect.poll(() => results.textContent()).toMatch(/of the protons were still in flight/);
  await expect.poll(() => results.textContent()).toMatch(/Steps24/);
  await expect.poll(() => bench.doseShare()).toBeGreaterThan(0.01);
  await expect.poll(() => page.locator('.ledger tfoot').textContent()).toMatch(/×10⁻/);
  await open.screenshot('failed-run-light');
  expect(await accessibilityViolations(page)).toEqual([]);

  await page.keyboard.press('Control+Alt+s');
  await page.getByRole('dialog').getByLabel('File name').fill('kept');
  await page.keyboard.press('Enter');
  await page.getByText('Saved kept.h5').waitFor();
  const saved = path.join(home, 'library', 'kept.h5');
  expect(await readRun(readFileSync(saved), 'kept.h5')).toMatchObject({ status: 'failed', error: { message: reason } });
  const [download] = await Promise.all([page.waitForEvent('download'), bench.menu('File', /Depth dose \(CSV\)/)]);
  expect(readFileSync(await download.path(), 'utf8').split('\n').length).toBeGreaterThan(20);

  // The timeline shows the engine's work until the failure.
  await bench.layout('Alt+Shift+3', 'Timeline');
  const shown = page.getByRole('list', { name: 'Timelines shown' }).getByRole('button');
  await expect.poll(() => shown.first().textContent()).toContain('Broken off');
  expect(open.problems).toEqual([]);
});
