import type { Page } from 'playwright-core';

/** The focused element, by its accessible name or its text. */
export const focused = (page: Page) => () =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');
