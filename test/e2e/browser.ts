/**
 * One Chromium for all test files of a worker. Pages record their errors and are reset after each test. Screenshots are
 * saved in dist/screenshots.
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

/** Timeout of every wait in a page in ms. It is long because other work may use the processor. */
const WAIT_MS = 90_000;

const SCREENSHOTS = path.resolve(import.meta.dirname, '../../dist/screenshots');
/** True to save only screenshots of pages in which a test failed, as in `npm test`. */
const FAILURES_ONLY = process.env['BRAGGBENCH_SCREENSHOTS'] === 'failures';

export type PageOptions = Readonly<{
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  /** Device pixels per CSS pixel: 2 is the 200 % display scaling. */
  scale?: number;
  /**
   * True to open the page as on a first visit, with the questions in front. Otherwise they are dismissed, as for most
   * users.
   */
  firstVisit?: boolean;
  /** Further context options; a page is reused only with the same options. */
  context?: BrowserContextOptions;
}>;

export type OpenPage = Readonly<{
  page: Page;
  /** Uncaught errors, console errors and failed requests since the page was opened. */
  problems: readonly string[];
  /** Saves dist/screenshots/NAME.png if screenshots are enabled; the last one of a failing test is always saved. */
  screenshot: (name: string) => Promise<void>;
  /** Closes the page without reuse, because a test has changed more of it than its storage. */
  close: () => Promise<void>;
}>;

export type Chrome = Readonly<{ open: (url: string, options?: PageOptions) => Promise<OpenPage> }>;

/** Pages that tests have left in a clean state. Reusing a page needs a third of the time of opening a new one. */
const cleanPages = new Map<string, Page[]>();

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
      // Pages without storage, such as about:blank, throw.
      if (location.protocol !== 'http:') return;
      localStorage.setItem('braggbench.questions', JSON.stringify({ version: 1, data: { atStart: false } }));
    });
  }
  return context.newPage();
}

/**
 * Navigates to a page outside the workbench and clears its storage. Returns false if the page must not be used again.
 */
async function leavePage(page: Page): Promise<boolean> {
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
    // The server may have ended.
    return false;
  }
}

async function openPage(browser: Browser, url: string, options: PageOptions): Promise<OpenPage> {
  const kind = kindOf(options);
  const page = cleanPages.get(kind)?.pop() ?? (await newPage(browser, options));
  await page.setViewportSize({ width: options.width ?? 1440, height: options.height ?? 900 });
  await page.emulateMedia({ colorScheme: options.theme ?? 'light', media: null });
  const problems: string[] = [];
  const thrown = (error: Error): void => void problems.push(`uncaught: ${error.message}`);
  const said = (message: ConsoleMessage): void => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  };
  const failed = (request: Request): void => {
    const reason = request.failure()?.errorText;
    // Ignore requests that a page aborts when it navigates away.
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
    if (!bad && (await leavePage(page))) cleanPages.set(kind, [...(cleanPages.get(kind) ?? []), page]);
    else await page.context().close();
  });
  await page.goto(url, { waitUntil: 'load' });
  return {
    page,
    problems,
    screenshot: async (name) => {
      if (!FAILURES_ONLY) await picture(name);
    },
    close: () => page.context().close(),
  };
}

/** One browser for all files of a worker; it ends with the worker. */
let browserPromise: Browser | null = null;

async function sharedBrowser(): Promise<Browser> {
  if (browserPromise?.isConnected()) return browserPromise;
  cleanPages.clear();
  const { executablePath, args, env } = await findChromium();
  browserPromise = await chromium.launch({ executablePath, args: [...args, ...forStories()], env });
  return browserPromise;
}

/** Starts Chromium before the tests of a file. Call this at the top of the file. */
export function useChromium(): Chrome {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });
  return {
    open: (url, options = {}) => {
      if (!browser) throw new Error('useChromium() starts the browser in beforeAll: open pages inside tests');
      return openPage(browser, url, options);
    },
  };
}
