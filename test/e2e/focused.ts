import type { Page } from 'playwright-core';

/** What has the focus, by its accessible name or its words. */
export const focused = (page: Page) => () =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');
