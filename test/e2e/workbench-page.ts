/**
 * Opens the workbench in Chromium, with one server per test file. Also opens the kernel editor with compiler
 * optimisations off, and the launch explorer with kernels in the form of the build.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import { cacheWithUserKernels, scratchFolder } from '../scratch-folder.ts';
import { BenchPage } from './bench-page.ts';
import { type Chrome, type OpenPage, type PageOptions, useChromium } from './browser.ts';
import { type RunningServer, serve } from './served.ts';

export type Workbench = Readonly<{ open: OpenPage; page: Page; bench: BenchPage }>;

export type ServedWorkbench = Readonly<{
  chrome: Chrome;
  /** The host's data folder, which outlives its restarts. */
  home: string;
  /**
   * Opens a page and waits until the host has answered for its scenario. If a test edited the scenario earlier, the
   * page would not show the expected values.
   */
  workbench: (options?: PageOptions) => Promise<Workbench>;
}>;

/** Call at the top of a test file: starts Chromium and `braggbench serve` before its tests and ends the server after them. */
export function useWorkbench(
  name: string,
  args: readonly string[] = [],
  env: (home: string) => Readonly<Record<string, string>> = () => ({}),
): ServedWorkbench {
  const chrome = useChromium();
  const home = scratchFolder(name);
  let served: RunningServer | null = null;
  beforeAll(async () => {
    served = await serve(args, { BRAGGBENCH_HOME: home, ...env(home) });
  });
  afterAll(async () => {
    await served?.stop();
  });
  return {
    chrome,
    home,
    workbench: async (options) => {
      if (served === null) throw new Error('the server starts in beforeAll: open pages inside tests');
      const open = await chrome.open(served.url, options);
      const bench = new BenchPage(open.page);
      await bench.waitUntilRunnable();
      return { open, page: open.page, bench };
    },
  };
}

/** Opens pages for the tests of the kernel editor. Call this at the top of a test file. */
export const useKernelEditor = (): ServedWorkbench =>
  useWorkbench('editor', [], (home) => ({
    BRAGGBENCH_CACHE: cacheWithUserKernels(home),
    // The kernels compute little, so that compiling them is most of the time.
    CXXFLAGS: '-O0',
  }));

/** Timeout for polls that wait for a compiler and a run, which other work slows down. */
export const compileTimeout = { timeout: 90_000 } as const;

export const smallScenarioText = JSON.stringify({ ...tinyScenario, name: 'Small beam' });

export const expectNotice = (page: Page): Locator => page.getByTestId('user-kernel-says');
export const verdict = (page: Page): Locator => page.getByTestId('user-kernel-verdict');
export const code = (page: Page): Locator => page.getByTestId('user-kernel-editor').locator('.cm-content');

const kernel = (name: string, architecture: string, registers: number, max_threads: number | null) => ({
  ...{ name, architecture, registers, max_threads, shared_bytes: 1024, constant_bytes: 0, stack_bytes: 0 },
  ...{ spill_store_bytes: 0, spill_load_bytes: 0, barriers: 1 },
});

/** A compiler report of kernels, in the form that the build writes. */
function compiledKernels(): string {
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

/** Call at the top of a test file. The returned function opens the explorer alone, in a new page. */
export function useExplorer(): () => Promise<Workbench> {
  const kernels = compiledKernels();
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

export const factText = ({ page }: OpenPage, name: string): Promise<string | null> =>
  page
    .getByTestId('launch-numbers')
    .locator('.readouts__item', { has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .textContent();
