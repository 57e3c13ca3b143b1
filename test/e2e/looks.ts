/**
 * Sizes and themes of the workbench, all checked on one page: a story stops at each view once and is checked in all of
 * them, instead of running again for each.
 */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import type { OpenPage } from './browser.ts';
import { drawn } from './drawn.ts';

export type Look = Readonly<{ name: string; width: number; height: number; theme: 'light' | 'dark' }>;

/** The first is the one that stories run in. */
export const looks: readonly [Look, ...Look[]] = [
  { name: '1440-light', width: 1440, height: 900, theme: 'light' },
  { name: '1440-dark', width: 1440, height: 900, theme: 'dark' },
  { name: '900-light', width: 900, height: 700, theme: 'light' },
  // A window of 1440 at 200 %: as many pixels of the page's own.
  { name: '720-light', width: 720, height: 450, theme: 'light' },
];

/**
 * Another size or theme costs a story as much as all of its steps. `npm test` uses the first one, `npm run test:all -- long` all of them,
 * for every panel, in `appearance.long.test.ts`; `npm run test:all -- nightly` uses all of them everywhere.
 */
const ALL_LOOKS = process.env['BRAGGBENCH_LOOKS'] === 'all';

/** Looks that are gone through now. */
const asked = (these: readonly [Look, ...Look[]]): readonly [Look, ...Look[]] => (ALL_LOOKS ? these : [these[0]]);

async function take(page: Page, { width, height, theme }: Look): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe(theme);
  await drawn(page);
}

/** Has the page seen in every look, and gives it back in the first. */
export async function inEveryLook(
  page: Page,
  see: (look: Look) => Promise<void>,
  these: readonly [Look, ...Look[]] = asked(looks),
): Promise<void> {
  for (const look of these) {
    await take(page, look);
    await see(look);
  }
  if (these.length > 1) await take(page, these[0]);
}

/** Takes its picture, and asks axe, in every look. */
export function seenWhole(open: OpenPage, name: string, these: readonly [Look, ...Look[]] = looks): Promise<void> {
  let before: Look | null = null;
  return inEveryLook(
    open.page,
    async (look) => {
      await open.screenshot(`${name}-${look.name}`);
      // Another theme at the same size changes colours and nothing else.
      const rules = look.width === before?.width && look.height === before.height ? 'colours' : 'everything';
      expect(await accessibilityFaults(open.page, undefined, rules), look.name).toEqual([]);
      before = look;
    },
    asked(these),
  );
}
