/**
 * One Chromium for the files of a worker, pages that remember what went wrong
 * in them and are left with their test; and screenshots in dist/screenshots.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { beforeAll, onTestFinished } from 'vitest';
import { findChromium, forStories } from './chromium.ts';

/** For every wait of a page: what is waited for is what is asserted, and other work may take the processor. */
const WAIT_MS = 90_000;

const SCREENSHOTS = path.resolve(import.meta.dirname, '../../dist/screenshots');
/** `npm test` looks at no picture: it keeps those of pages in which a story failed. */
const OF_FAILURES_ONLY = process.env['BRAGGBENCH_SCREENSHOTS'] === 'failures';

export type PageOptions = Readonly<{
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  /** Device pixels per CSS pixel: 2 is the 200 % display scaling. */
  scale?: number;
  /** As on a first visit: the questions are in front. Otherwise they are dismissed, as for most users. */
  firstVisit?: boolean;
  /** Further context options; pages of the same ones are used again. */
  context?: BrowserContextOptions;
}>;

export type OpenPage = Readonly<{
  page: Page;
  /** Uncaught errors, console errors and failed requests since the page was opened. */
  problems: readonly string[];
  /** Saves dist/screenshots/NAME.png where pictures are wanted; the last one of a story that fails always is. */
  screenshot: (name: string) => Promise<void>;
  /** For good: a page that a story has changed beyond what it stores is not for the next. */
  close: () => Promise<void>;
}>;

export type Chrome = Readonly<{ open: (url: string, options?: PageOptions) => Promise<OpenPage> }>;

/** Pages that a story has left clean: reusing one costs the next story a third of a new page's time. */
const left = new Map<string, Page[]>();

const kindOf = ({ scale = 1, context = {}, firstVisit = false }: PageOptions): string =>
  JSON.stringify({ scale, context, firstVisit });

async function newPage(browser: Browser, options: PageOptions): Promise<Page> {
  const context = await browser.newContext({
    deviceScaleFactor: options.scale ?? 1,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    ...options.context,
  });
  context.setDefaultTimeout(WAIT_MS);
  if (options.firstVisit !== true) {
    await context.addInitScript(() => {
      // A page that has no storage of its own, such as about:blank, refuses.
      if (location.protocol !== 'http:') return;
      localStorage.setItem('braggbench.questions', JSON.stringify({ version: 1, data: { atStart: false } }));
    });
  }
  return context.newPage();
}

/** Leaves the workbench for a page of its server that is none, and takes what it stored with it. False: it is not to be used again. */
async function leave(page: Page): Promise<boolean> {
  if (page.isClosed() || !page.url().startsWith('http://127.0.0.1:')) return false;
  try {
    await page.goto(new URL('/', page.url()).href);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.mouse.move(0, 0);
    return true;
  } catch {
    // Its server may be gone.
    return false;
  }
}

async function openPage(browser: Browser, url: string, options: PageOptions): Promise<OpenPage> {
  const kind = kindOf(options);
  const page = left.get(kind)?.pop() ?? (await newPage(browser, options));
  await page.setViewportSize({ width: options.width ?? 1440, height: options.height ?? 900 });
  await page.emulateMedia({ colorScheme: options.theme ?? 'light', media: null });
  const problems: string[] = [];
  const thrown = (error: Error): void => void problems.push(`uncaught: ${error.message}`);
  const said = (message: ConsoleMessage): void => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  };
  const failed = (request: Request): void => {
    const reason = request.failure()?.errorText;
    // A page that is left gives up what it was still loading.
    if (reason !== 'net::ERR_ABORTED') problems.push(`request: ${request.url()} ${reason}`);
  };
  page.on('pageerror', thrown).on('console', said).on('requestfailed', failed);
  const picture = async (name: string): Promise<void> => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
  };
  onTestFinished(async ({ task }) => {
    const name = `failed-${task.file.name}-${task.name}`.replace(/\W+/g, '-').slice(0, 120);
    const bad = task.result?.state === 'fail';
    if (bad && !page.isClosed()) await picture(name);
    page.off('pageerror', thrown).off('console', said).off('requestfailed', failed);
    if (!bad && (await leave(page))) left.set(kind, [...(left.get(kind) ?? []), page]);
    else await page.context().close();
  });
  await page.goto(url, { waitUntil: 'load' });
  return {
    page,
    problems,
    screenshot: async (name) => {
      if (!OF_FAILURES_ONLY) await picture(name);
    },
    close: () => page.context().close(),
  };
}

/** One for all files that a worker runs; it ends with the worker. */
let running: Browser | null = null;

async function theBrowser(): Promise<Browser> {
  if (running?.isConnected()) return running;
  left.clear();
  const { executablePath, args, env } = await findChromium();
  running = await chromium.launch({ executablePath, args: [...args, ...forStories()], env });
  return running;
}

/** Call at the top of a test file: Chromium is there before its tests. */
export function useChromium(): Chrome {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await theBrowser();
  });
  return {
    open: (url, options = {}) => {
      if (!browser) throw new Error('useChromium() starts the browser in beforeAll: open pages inside tests');
      return openPage(browser, url, options);
    },
  };
}
