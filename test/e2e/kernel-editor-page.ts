/** The kernel editor on a page, over a compiler that optimises nothing. */
import type { Locator, Page } from 'playwright-core';
import { tinyScenario } from '../electron/host/small-run.ts';
import { cacheWithUserKernels } from '../scratch-folder.ts';
import { type ServedWorkbench, useWorkbench } from './workbench-page.ts';

/** Call at the top of a test file. */
export const useKernelEditor = (): ServedWorkbench =>
  useWorkbench('editor', [], (home) => ({
    BRAGGBENCH_CACHE: cacheWithUserKernels(home),
    // The kernels compute little, and compiling them is most of the time.
    CXXFLAGS: '-O0',
  }));

/** For polls that wait for a compiler and a run, which other work slows. */
export const compiled = { timeout: 90_000 } as const;

export const small = JSON.stringify({ ...tinyScenario, name: 'Small beam' });

export const says = (page: Page): Locator => page.getByTestId('user-kernel-says');
export const verdict = (page: Page): Locator => page.getByTestId('user-kernel-verdict');
export const code = (page: Page): Locator => page.getByTestId('user-kernel-editor').locator('.cm-content');
