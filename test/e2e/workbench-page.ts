/** The workbench in Chromium over a server of the file's own: how nearly every story begins. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { scratchFolder } from '../scratch-folder.ts';
import { BenchPage } from './bench-page.ts';
import { type Chrome, type OpenPage, type PageOptions, useChromium } from './browser.ts';
import { type Served, serve } from './served.ts';

export type Workbench = Readonly<{ open: OpenPage; page: Page; bench: BenchPage }>;

export type ServedWorkbench = Readonly<{
  chrome: Chrome;
  /** What the host keeps between starts. */
  home: string;
  /** A page of it, as soon as it is loaded. */
  loaded: (options?: PageOptions) => Promise<Workbench>;
  /** A page of it, once Run can be pressed. */
  workbench: (options?: PageOptions) => Promise<Workbench>;
}>;

/** Call at the top of a test file: Chromium and `braggbench serve` are there before its tests, and end after them. */
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
  const loaded = async (options?: PageOptions): Promise<Workbench> => {
    if (served === null) throw new Error('the server starts in beforeAll: open pages inside tests');
    const open = await chrome.open(served.url, options);
    return { open, page: open.page, bench: new BenchPage(open.page) };
  };
  return {
    chrome,
    home,
    loaded,
    workbench: async (options) => {
      const opened = await loaded(options);
      await expect.poll(() => opened.bench.run.isEnabled()).toBe(true);
      return opened;
    },
  };
}
