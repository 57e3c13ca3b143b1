/**
 * One Chromium per test file, pages that remember what went wrong in them and
 * are closed with their test, and screenshots in dist/screenshots.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { findChromium } from './chromium.ts';

/** For every wait of a page: what is waited for is what is asserted, and other work may take the processor. */
const WAIT_MS = 90_000;
/**
 * Pages and 2D canvases are drawn by the processor directly: through the GPU that it plays for WebGL they take ten
 * times its time. Benchmarks of drawing keep to what users have.
 */
const DRAWN_BY_PROCESSOR = [
  '--disable-gpu-compositing',
  '--disable-gpu-rasterization',
  '--disable-accelerated-2d-canvas',
];

const SCREENSHOTS = path.resolve(import.meta.dirname, '../../dist/screenshots');
/** `npm test` looks at no picture: it keeps those of pages in which a story failed. */
const OF_FAILURES_ONLY = process.env['BRAGGBENCH_SCREENSHOTS'] === 'failures';

export type PageOptions = Readonly<{
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  /** Device pixels per CSS pixel: 2 is the 200 % display scaling. */
  scale?: number;
  /** Further context options, such as `acceptDownloads`. */
  context?: BrowserContextOptions;
}>;

export type OpenPage = Readonly<{
  page: Page;
  /** Uncaught errors, console errors and failed requests since the page was opened. */
  problems: readonly string[];
  /** Saves dist/screenshots/NAME.png where pictures are wanted; the last one of a story that fails always is. */
  screenshot: (name: string) => Promise<void>;
  close: () => Promise<void>;
}>;

export type Chrome = Readonly<{ open: (url: string, options?: PageOptions) => Promise<OpenPage> }>;

async function openPage(browser: Browser, url: string, options: PageOptions): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    deviceScaleFactor: options.scale ?? 1,
    colorScheme: options.theme ?? 'light',
    locale: 'en-GB',
    ...options.context,
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // A page that is left gives up what it was still loading.
    if (reason !== 'net::ERR_ABORTED') problems.push(`request: ${request.url()} ${reason}`);
  });
  const picture = async (name: string): Promise<void> => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
  };
  onTestFinished(async ({ task }) => {
    const name = `failed-${task.file.name}-${task.name}`.replace(/\W+/g, '-').slice(0, 120);
    if (task.result?.state === 'fail' && !page.isClosed()) await picture(name);
    await context.close();
  });
  await page.goto(url, { waitUntil: 'load' });
  return {
    page,
    problems,
    screenshot: async (name) => {
      if (!OF_FAILURES_ONLY) await picture(name);
    },
    close: () => context.close(),
  };
}

/** Call at the top of a test file: starts Chromium before its tests and ends it after them. */
export function useChromium(): Chrome {
  let browser: Browser | null = null;
  beforeAll(async () => {
    const { executablePath, args, env } = await findChromium();
    browser = await chromium.launch({ executablePath, args: [...args, ...DRAWN_BY_PROCESSOR], env });
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    open: (url, options = {}) => {
      if (!browser) throw new Error('useChromium() starts the browser in beforeAll: open pages inside tests');
      return openPage(browser, url, options);
    },
  };
}
