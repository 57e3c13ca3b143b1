/**
 * `npm run pictures`, first part: the pictures of the questions, light and dark. They are screenshots of the panels
 * with their examples loaded.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { type Question, questions } from '../../renderer/base/questions.ts';
import { panelTitle } from '../../renderer/state/layout/defaults.ts';
import { DRAWN_BY_PROCESSOR, findChromium } from '../e2e/chromium.ts';
import { serve } from '../e2e/served.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'assets/questions');
/** In CSS pixels; a card shows half of this size. */
const PICTURE = { width: 480, height: 300 } as const;
/** Window of the enlarged panels: small, so that their words are large in the picture. */
const WINDOW = { width: 760, height: 640 } as const;
const QUALITY = 0.82;
const PATIENCE_MS = 120_000;

/** A part of the window as a WebP image of the pictures' size. */
async function encodeWebp(page: Page, clip: { x: number; y: number; width: number; height: number }): Promise<Buffer> {
  const png = (await page.screenshot({ clip })).toString('base64');
  const url = await page.evaluate(
    async ([data, width, height, quality]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width, height });
      const context = canvas.getContext('2d');
      if (context === null) throw new Error('no canvas');
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, width, height);
      return canvas.toDataURL('image/webp', quality);
    },
    [png, PICTURE.width, PICTURE.height, QUALITY] as const,
  );
  return Buffer.from(url.replace(/^.*,/, ''), 'base64');
}

/** Waits until the example's content is loaded. */
async function fillPage(page: Page, { example }: Question): Promise<void> {
  if (example.kind === 'run' || example.kind === 'monte-carlo') {
    await page.locator('.run-head .state-badge', { hasText: 'Done' }).waitFor();
  } else if (example.kind === 'session') await page.getByTestId('compare-row').first().waitFor({ state: 'attached' });
  else if (example.kind === 'kernel') await page.locator('.cm-line').first().waitFor();
  // By then the last request is drawn, and notices have disappeared.
  await page.waitForTimeout(6_000);
}

/** The largest part of the panel with the pictures' aspect ratio; the plot, if there is one. */
async function clipOfPanel(page: Page, title: string) {
  const panel = page.getByRole('group', { name: title, exact: true });
  const plot = panel.locator('.plot-panel__body').first();
  const target = (await plot.count()) > 0 ? plot : panel.getByRole('tabpanel');
  const box = await target.boundingBox();
  if (box === null) throw new Error(`${title} is not in sight.`);
  const width = Math.min(box.width, (box.height * PICTURE.width) / PICTURE.height);
  return { x: box.x, y: box.y, width, height: (width * PICTURE.height) / PICTURE.width };
}

const home = mkdtempSync(path.join(tmpdir(), 'braggbench-pictures-'));
const server = await serve([], { BRAGGBENCH_HOME: home });
const { executablePath, args, env } = await findChromium();
const browser = await chromium.launch({ executablePath, args: [...args, ...DRAWN_BY_PROCESSOR], env });
mkdirSync(folder, { recursive: true });
const wantedIds = process.argv.slice(2);
try {
  for (const question of questions.filter(({ id }) => wantedIds.length === 0 || wantedIds.includes(id))) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await page.goto(server.url);
    await page.getByRole('button', { name: question.title }).click();
    await fillPage(page, question);
    const title = panelTitle(question.picture);
    await page.setViewportSize(WINDOW);
    await page.getByRole('tab', { name: title, exact: true }).click();
    await page.getByRole('button', { name: `Enlarge ${title}`, exact: true }).click();
    for (const dismiss of await page.getByRole('button', { name: /^Dismiss hint/ }).all()) await dismiss.click();
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.waitForTimeout(1_500);
      const picture = await encodeWebp(page, await clipOfPanel(page, title));
      writeFileSync(path.join(folder, `${question.id}-${theme}.webp`), picture);
      process.stdout.write(`${question.id}-${theme}.webp: ${picture.length} bytes\n`);
    }
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
