/** The hidden window that prints reports, with a real Chromium behind its stand-in. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { printPdf } from '../../../electron/main/print-pdf.ts';
import { DRAWN_BY_PROCESSOR, findChromium } from '../../e2e/chromium.ts';

const stage = vi.hoisted(() => ({
  newPage: (): Promise<unknown> => Promise.reject(new Error('no browser yet')),
  windows: [] as { options: Record<string, unknown>; file: string; destroyed: boolean }[],
  failPrint: false,
}));

vi.mock('electron', () => ({
  BrowserWindow: class {
    readonly options: Record<string, unknown>;
    file = '';
    destroyed = false;
    #page: Page | null = null;

    constructor(options: Record<string, unknown>) {
      this.options = options;
      stage.windows.push(this);
    }

    readonly webContents = {
      printToPDF: async (options: { pageSize: string; printBackground: boolean; preferCSSPageSize: boolean }) => {
        if (stage.failPrint) throw new Error('no printer');
        const { pageSize, ...others } = options;
        return this.#page?.pdf({ format: pageSize, ...others });
      },
    };

    async loadFile(file: string): Promise<void> {
      this.file = file;
      this.#page = (await stage.newPage()) as Page;
      await this.#page.goto(pathToFileURL(file).href);
    }

    destroy(): void {
      this.destroyed = true;
      void this.#page?.close();
    }
  },
}));

let browser: Browser;

beforeAll(async () => {
  const { executablePath, args, env } = await findChromium();
  browser = await chromium.launch({ executablePath, args: [...args, ...DRAWN_BY_PROCESSOR], env });
  stage.newPage = () => browser.newPage({ javaScriptEnabled: false });
});
afterAll(() => browser?.close());
beforeEach(() => {
  stage.windows.length = 0;
  stage.failPrint = false;
});

it('prints a document on A4 in a window without scripts, and leaves nothing behind', async () => {
  const pdf = Buffer.from(await printPdf('<!doctype html><meta charset="utf-8"><h1>Range 40.80 mm, ±0.26 %</h1>'));
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(pdf.toString('latin1')).toMatch(/\/MediaBox \[0 0 59[45](\.\d+)? 84[12]/);
  const [window] = stage.windows;
  expect(window?.options).toEqual({ show: false, webPreferences: { sandbox: true, javascript: false } });
  expect(window?.destroyed).toBe(true);
  expect(existsSync(window?.file ?? '')).toBe(false);
});

it('leaves nothing behind either where printing fails', async () => {
  stage.failPrint = true;
  await expect(printPdf('<p>')).rejects.toThrow('no printer');
  const [window] = stage.windows;
  expect(window?.destroyed).toBe(true);
  expect(existsSync(window?.file ?? '')).toBe(false);
});
