/** Prints an HTML file to PDF with a Chromium that the user has. */
import { constants } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { BraggError, messageOf } from '../../contract/errors.ts';
import { DevtoolsPipe } from './devtools-pipe.ts';

const names = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'chrome', 'microsoft-edge'];
const usual = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];
/** A report of hundreds of figures prints in seconds. */
const TIMEOUT_MS = 120_000;

async function runs(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** `named` is `--browser`, else the environment's CHROME. Throws a BraggError that says what to do. */
export async function findBrowser(named: string | undefined, environment = process.env): Promise<string> {
  const told = named ?? environment['CHROME'];
  if (told !== undefined && told !== '') {
    if (await runs(told)) return told;
    throw new BraggError('not-found', `There is no program ${told} to print with.`);
  }
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const candidates = [...folders.flatMap((folder) => names.map((name) => path.join(folder, name))), ...usual];
  for (const file of candidates) if (await runs(file)) return file;
  throw new BraggError(
    'unsupported',
    'A PDF is printed by Chrome, Chromium or Edge, and none was found: name one with --browser PATH or in CHROME, or write report.html and print it.',
  );
}

/** The PDF; `out` is what messages call it. Throws a BraggError with what the browser said. */
export async function printPdf(browser: string, html: string, out: string): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-pdf-'));
  try {
    const page = path.join(folder, 'report.html');
    await writeFile(page, html);
    // Chromium's sandbox does not run as root, where servers and containers often are.
    const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const words = ['--headless', '--disable-gpu', '--no-first-run', ...asRoot];
    const devtools = new DevtoolsPipe(browser, [...words, `--user-data-dir=${path.join(folder, 'profile')}`]);
    try {
      return Buffer.from(await within(TIMEOUT_MS, printed(devtools, pathToFileURL(page).href)), 'base64');
    } catch (error) {
      if (error instanceof BraggError) throw error;
      const reason = messageOf(error);
      throw new BraggError('io', `${browser} did not print ${out}: ${reason}`);
    } finally {
      await devtools.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const targetSchema = z.looseObject({ targetId: z.string() });
const sessionSchema = z.looseObject({ sessionId: z.string() });
const pdfSchema = z.looseObject({ data: z.string() });

async function printed(devtools: DevtoolsPipe, url: string): Promise<string> {
  const { targetId } = targetSchema.parse(await devtools.call('Target.createTarget', { url: 'about:blank' }));
  const attached = await devtools.call('Target.attachToTarget', { targetId, flatten: true });
  const { sessionId } = sessionSchema.parse(attached);
  await devtools.call('Page.enable', {}, sessionId);
  const loaded = devtools.event('Page.loadEventFired');
  await devtools.call('Page.navigate', { url }, sessionId);
  await loaded;
  const options = { printBackground: true, preferCSSPageSize: true };
  return pdfSchema.parse(await devtools.call('Page.printToPDF', options, sessionId)).data;
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${ms / 1000} s`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
