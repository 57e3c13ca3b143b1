/** The launch explorer on a page: kernels as the build leaves them, and what is read off it. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { scratchFolder } from '../scratch-folder.ts';
import type { OpenPage } from './browser.ts';
import { type ServedWorkbench, useWorkbench, type Workbench } from './workbench-page.ts';

const kernel = (name: string, architecture: string, registers: number, max_threads: number | null) => ({
  ...{ name, architecture, registers, max_threads, shared_bytes: 1024, constant_bytes: 0, stack_bytes: 0 },
  ...{ spill_store_bytes: 0, spill_load_bytes: 0, barriers: 1 },
});

/** A compiler report of kernels, in the form that the build writes. */
function compiled(): string {
  const folder = scratchFolder('kernels');
  const list = ['sm_86', 'sm_90'].flatMap((sm) => [
    kernel('sweep_f32', sm, 64, 512),
    kernel('add_f32', sm, 24, null),
    kernel('sum_f64', sm, 120, 256),
  ]);
  const report = { workload: 'transport', compiler: '13.0.88', kernels: list };
  writeFileSync(path.join(folder, 'transport.resources.json'), JSON.stringify(report));
  return folder;
}

/** Call at the top of a test file: opens the explorer alone, in a page of its own. */
export function useExplorer(): () => Promise<Workbench> {
  const kernels = compiled();
  const { workbench } = useWorkbench('launch', [], () => ({ BRAGGBENCH_KERNELS: kernels }));
  return () => openExplorer(workbench);
}

async function openExplorer(workbench: ServedWorkbench['workbench']): Promise<Workbench> {
  const opened = await workbench();
  const { bench, page } = opened;
  await bench.layout('Alt+Shift+3', 'Launch explorer');
  await bench.panel('Launch explorer').click();
  await page.getByRole('button', { name: 'Enlarge Launch explorer' }).click();
  await page.getByTestId('launch-numbers').waitFor();
  return opened;
}

export const fact = ({ page }: OpenPage, name: string): Promise<string | null> =>
  page
    .getByTestId('launch-numbers')
    .locator('.readouts__item', { has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .textContent();
