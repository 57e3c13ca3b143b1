/** Opens the workbench in Chromium over one server per test file. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { scratchFolder } from '../scratch-folder.ts';
import { BenchPage } from './bench-page.ts';
import { type Chrome, type OpenPage, type PageOptions, useChromium } from './browser.ts';
import { type Served, serve } from './served.ts';

export type Workbench = Readonly<{ open: OpenPage; page: Page; bench: BenchPage }>;

export type ServedWorkbench = Readonly<{
  chrome: Chrome;
  /** The host's data folder, which outlives its restarts. */
  home: string;
  /**
   * Opens a page and waits until the host has answered for its scenario. Before that answer an edit
   * belongs to no resolved scenario, and the page rightly shows other things than the story expects.
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
  let served: Served | null = null;
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
      await bench.ready();
      return { open, page: open.page, bench };
    },
  };
}
