/** Waits until a page has drawn pending changes. */
import type { Page } from 'playwright-core';

/**
 * A page that draws nothing for this time is frozen: its story fails with that, and not with a timeout of another wait.
 */
const FROZEN_MS = 60_000;

/** Waits until pending changes are on the screen: laid out in one frame, and drawn by the next. */
export async function drawn(page: Page): Promise<void> {
  const frames = await page.evaluate(
    (longest) =>
      new Promise<number>((resolve) => {
        let count = 0;
        setTimeout(() => resolve(count), longest);
        const next = (): void => {
          count += 1;
          if (count === 2) resolve(count);
          else requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
    FROZEN_MS,
  );
  if (frames < 2) throw new Error(`the page drew ${frames} frames in ${FROZEN_MS / 1000} s`);
}
