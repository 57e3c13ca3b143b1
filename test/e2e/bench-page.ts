/**
 * The workbench as a person uses it: locates controls by their visible names. Waits until a page has drawn pending
 * changes.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';

/**
 * Time in ms after which a page that draws nothing counts as frozen. The test then fails with that reason instead of
 * the timeout of another wait.
 */
const FROZEN_MS = 60_000;

/** Waits until pending changes are on the screen: laid out in one frame, and drawn by the next. */
export async function waitUntilDrawn(page: Page): Promise<void> {
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

/** Clicks down the timeline until it shows a span. Details may arrive after the next click, which then removes them. */
export async function selectSpan(page: Page): Promise<void> {
  const details = page.getByTestId('span-details');
  const clickDown = async (): Promise<number> => {
    const box = await page.getByTestId('timeline-canvas').boundingBox();
    if (box === null) throw new Error('the timeline has no place');
    for (let y = 0.05; y < 1 && (await details.count()) === 0; y += 0.05) {
      await page.mouse.click(box.x + box.width * 0.4, box.y + box.height * y);
      await waitUntilDrawn(page);
    }
    await waitUntilDrawn(page);
    return details.count();
  };
  await expect.poll(clickDown).toBe(1);
}

/**
 * A scenario that runs for longer than any test observes it. It uses a single thread, so that one core is free for the
 * page.
 */
function longRun(): string {
  const file = path.resolve(import.meta.dirname, '../../assets/scenarios/bone-edge-150MeV.json');
  const scenario = z.looseObject({ solver: z.looseObject({}) }).parse(JSON.parse(readFileSync(file, 'utf8')));
  return JSON.stringify({ ...scenario, solver: { ...scenario.solver, threads: 1 } });
}

export class BenchPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get title(): Locator {
    return this.page.getByRole('heading', { level: 1 });
  }

  /** The Run button of the top bar, not the menu of that name. */
  get run(): Locator {
    return this.page.getByRole('banner').getByRole('button', { name: 'Run', exact: true });
  }

  /** Waits until the scenario of the form can be run or queued: the host has checked it. */
  async waitUntilRunnable(): Promise<void> {
    const start = this.page.getByRole('banner').getByRole('button', { name: /^(Run|Queue)$/ });
    await expect.poll(() => start.isEnabled(), { message: 'the scenario is checked' }).toBe(true);
  }

  get stop(): Locator {
    return this.page.getByRole('banner').getByRole('button', { name: 'Stop', exact: true });
  }

  get r80(): Locator {
    return this.page.getByTestId('r80');
  }

  get doseReadout(): Locator {
    return this.page.getByTestId('dose-readout');
  }

  get map(): Locator {
    return this.page.getByRole('img', { name: /^Dose map/ });
  }

  field(name: string): Locator {
    return this.page.getByLabel(name, { exact: true });
  }

  panel(name: string): Locator {
    return this.page.getByRole('tab', { name, exact: true });
  }

  /**
   * Selects a layout by its keyboard shortcut. The key is pressed only once, because the page must react as soon as it
   * is drawn.
   */
  async layout(keys: string, panel: string): Promise<void> {
    await this.run.waitFor();
    await this.page.keyboard.press(keys);
    await expect.poll(() => this.panel(panel).count()).toBe(1);
  }

  /** State badge of the run that is shown. */
  state(word: string): Locator {
    return this.page.locator('.run-head .state-badge', { hasText: word });
  }

  /**
   * Runs the scenario in the form, and waits for the end of that run; a finished earlier run may be shown before it.
   */
  async runToEnd(): Promise<void> {
    const shown = this.page.locator('.run-head');
    const before = (await shown.count()) > 0 ? await shown.getAttribute('data-run') : null;
    await this.run.click();
    await shown.and(this.page.locator(`:not([data-run="${before}"])`)).waitFor();
    await this.state('Done').waitFor();
  }

  /**
   * Watches for an element that may be visible only briefly. Call it before the action; call the returned function
   * afterwards, which waits until the element has been on the page. `text` is the element's text at that time.
   */
  async willAppear(selector: string, text = /(?:)/, timeout?: number): Promise<() => Promise<void>> {
    const watch = await this.page.evaluateHandle(
      ([sought, words]) => {
        const seen = { yet: false };
        const pattern = new RegExp(words);
        const look = (): void => {
          const found = document.querySelector(sought);
          seen.yet ||= found !== null && pattern.test(found.textContent);
        };
        const all = { subtree: true, childList: true, attributes: true, characterData: true };
        new MutationObserver(look).observe(document.body, all);
        return seen;
      },
      [selector, text.source] as const,
    );
    const said = { message: `${selector} ${text}`, ...(timeout === undefined ? {} : { timeout }) };
    return () => expect.poll(() => watch.evaluate(({ yet }) => yet), said).toBe(true);
  }

  /** Waits until pending changes are on the screen. */
  drawn(): Promise<void> {
    return waitUntilDrawn(this.page);
  }

  async menu(menu: string, entry: RegExp | string): Promise<void> {
    await this.page.getByRole('menuitem', { name: menu, exact: true }).click();
    await this.page.getByRole('menu').locator('.menu__item', { hasText: entry }).first().click();
  }

  /** Opens a section of the form that is closed. */
  async section(title: string): Promise<void> {
    const head = this.page.locator('.form-section__title button', { hasText: title });
    if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
  }

  /** Drops a file on the window, like a file manager. */
  async drop(name: string, content: string | Uint8Array, type = 'application/json'): Promise<void> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const transfer = await this.page.evaluateHandle(
      ([fileName, mime, base64]) => {
        const data = Uint8Array.from(atob(base64 ?? ''), (c) => c.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([data], fileName ?? '', { type: mime ?? '' }));
        return transfer;
      },
      [name, type, Buffer.from(bytes).toString('base64')],
    );
    for (const event of ['dragenter', 'dragover', 'drop']) {
      await this.page.dispatchEvent('body', event, { dataTransfer: transfer });
    }
  }

  /** Drops a scenario that computes until it is stopped. */
  async dropLongRun(): Promise<void> {
    await this.drop('long.json', longRun());
    await expect.poll(() => this.title.textContent()).toContain('Bone edge');
  }

  /** Share of the map's pixels that show dose. */
  doseShare(): Promise<number> {
    return this.page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.plot-panel__layer');
      const context = canvas?.getContext('2d');
      if (!canvas || !context) return 0;
      // A strip along the beam, which enters at half the height of the plot.
      const { width, height } = canvas;
      const { data } = context.getImageData(width * 0.15, height * 0.4, width * 0.6, Math.max(1, height * 0.1));
      let lit = 0;
      // Count only colours of Viridis from blue-green on. Its darkest purple has a green value of 1, and greys of the
      // page have no hue.
      for (let i = 0; i < data.length; i += 4) {
        const [red = 0, green = 0, blue = 0] = data.subarray(i, i + 3);
        if (green > 60 && Math.max(red, green, blue) - Math.min(red, green, blue) > 40) lit += 1;
      }
      return lit / (data.length / 4);
    });
  }
}

/** The focused element, by its accessible name or its text. */
export const focused = (page: Page) => () =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');
