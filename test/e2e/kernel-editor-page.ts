/** The kernel editor on a page, over a compiler that optimises nothing. */
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { type ServedWorkbench, useWorkbench } from './workbench-page.ts';

/** Call at the top of a test file. */
export const useKernelEditor = (): ServedWorkbench =>
  useWorkbench('editor', [], (home) => ({
    BRAGGBENCH_CACHE: path.join(home, 'cache'),
    // What they compute is small, and compiling them is most of the time.
    CXXFLAGS: '-O0',
  }));

export const small = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: 'Small beam',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.5 } },
  solver: { step_mm: 0.5 },
});

export const says = (page: Page): Locator => page.getByTestId('user-kernel-says');
export const verdict = (page: Page): Locator => page.getByTestId('user-kernel-verdict');
export const code = (page: Page): Locator => page.getByTestId('user-kernel-editor').locator('.cm-content');
