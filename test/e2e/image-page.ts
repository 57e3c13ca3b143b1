/** Shared start of the tests of diffraction images. */
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage, PageOptions } from './browser.ts';
import { type ServedWorkbench, useWorkbench } from './workbench-page.ts';

let workbench: ServedWorkbench['workbench'];

/** Opens pages for the tests of diffraction images. Call this at the top of a test file. */
export function useImages(): void {
  ({ workbench } = useWorkbench('image'));
}

export let open: OpenPage;
export let bench: BenchPage;

export async function openBench(options: PageOptions = {}): Promise<void> {
  ({ open, bench } = await workbench(options));
  await bench.run.waitFor();
}

export const image = (): Locator => open.page.getByRole('img', { name: /^Image of/ });

export async function openExample(words: string, name: string): Promise<void> {
  await bench.panel('Library').click();
  await open.page
    .getByRole('button', { name: 'Examples' })
    .or(open.page.getByRole('radio', { name: 'Examples' }))
    .first()
    .click();
  await open.page.getByRole('searchbox').fill(words);
  await open.page.locator('.library-entry__main', { hasText: name }).first().click();
  await expect.poll(() => bench.title.textContent()).toContain('simple-cubic-512.json');
}
