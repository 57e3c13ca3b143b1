/** When a page has drawn what was asked of it. */
import type { Page } from 'playwright-core';

/** A page that draws nothing for so long is frozen: its story ends with that, and not with a wait for anything. */
const FROZEN_MS = 60_000;

/** What was asked for by then is on the screen: laid out in one frame, and drawn by the next. */
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
