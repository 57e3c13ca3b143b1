/** Converts an HTML file to PDF with a Chromium browser that the user has installed. */

import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { BraggError, messageOf } from '../../contract/errors.ts';

/** Message from Chromium: the answer to a call, or an event. */
const answerSchema = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Connection to Chromium by its DevTools pipe: zero-terminated JSON messages on the file descriptors 3 and 4
 * (https://chromedevtools.github.io/devtools-protocol). All versions since 2018 support it, even those without
 * --print-to-pdf.
 */
class DevtoolsPipe {
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #calls = new Map<number, PendingCall>();
  readonly #events = new Map<string, PendingCall[]>();
  #next = 1;
  #buffer = '';
  #said = '';
  #over: Error | null = null;

  constructor(program: string, words: readonly string[]) {
    const stdio = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] as const;
    this.#child = spawn(program, [...words, '--remote-debugging-pipe'], { stdio: [...stdio] });
    this.#input = this.#child.stdio[3] as Writable;
    const output = this.#child.stdio[4] as Readable;
    output.setEncoding('utf8').on('data', (text: string) => this.#handleMessages(text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-500);
    });
    // Ignore the error: the pipe breaks when the browser exits, and the exit handler reports the reason.
    this.#input.on('error', () => undefined);
    this.#child.on('error', (error) => this.#rejectPending(error));
    this.#child.on('exit', (code) =>
      this.#rejectPending(new Error(this.#said.trim() || `it exited with code ${code}`)),
    );
  }

  /** Calls a DevTools method. Rejects with the browser's error, or if the browser exits. */
  call(method: string, params: object, sessionId?: string): Promise<unknown> {
    if (this.#over !== null) return Promise.reject(this.#over);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#input.write(
        `${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
      );
    });
  }

  /** Resolves with the next event that has this name. */
  waitForEvent(method: string): Promise<unknown> {
    if (this.#over !== null) return Promise.reject(this.#over);
    const next = new Promise<unknown>((resolve, reject) => {
      this.#events.set(method, [...(this.#events.get(method) ?? []), { resolve, reject }]);
    });
    // Prevents an unhandled rejection, because a pending call may report the browser's exit first.
    next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    const ended = new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve());
    });
    this.#child.kill('SIGKILL');
    await ended;
  }

  #handleMessages(text: string): void {
    const parts = (this.#buffer + text).split('\0');
    this.#buffer = parts.pop() ?? '';
    for (const part of parts) {
      const { id, method, result, error } = answerSchema.parse(JSON.parse(part));
      if (id !== undefined) {
        const waiting = this.#calls.get(id);
        this.#calls.delete(id);
        if (error === undefined) waiting?.resolve(result);
        else waiting?.reject(new Error(error.message));
      } else if (method !== undefined) {
        for (const waiting of this.#events.get(method) ?? []) waiting.resolve(null);
        this.#events.delete(method);
      }
    }
  }

  #rejectPending(error: Error): void {
    this.#over = error;
    for (const { reject } of [...this.#calls.values(), ...[...this.#events.values()].flat()]) reject(error);
    this.#calls.clear();
    this.#events.clear();
  }
}

const names = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'chrome', 'microsoft-edge'];
const browserPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];
/** Time limit of printing, ms. A report with hundreds of figures needs seconds. */
const TIMEOUT_MS = 120_000;

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Path of the browser: the value of `--browser` (`named`), or of the environment variable CHROME, or a known location.
 * Throws BraggError with advice.
 */
export async function findBrowser(named: string | undefined, environment = process.env): Promise<string> {
  const requestedBrowser = named ?? environment['CHROME'];
  if (requestedBrowser !== undefined && requestedBrowser !== '') {
    if (await isExecutable(requestedBrowser)) return requestedBrowser;
    throw new BraggError('not-found', `The browser ${requestedBrowser} does not exist.`);
  }
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const candidates = [...folders.flatMap((folder) => names.map((name) => path.join(folder, name))), ...browserPaths];
  for (const file of candidates) if (await isExecutable(file)) return file;
  throw new BraggError(
    'unsupported',
    'A PDF needs Chrome, Chromium or Edge, but none was found: name one with --browser PATH or in CHROME, or write report.html and print it.',
  );
}

/** Converts HTML to PDF. `out` is the output file for messages. Throws BraggError with the browser's message. */
export async function printPdf(browser: string, html: string, out: string): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-pdf-'));
  try {
    const page = path.join(folder, 'report.html');
    await writeFile(page, html);
    // Chromium's sandbox does not work for root, which is the usual user in containers.
    const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const words = ['--headless', '--disable-gpu', '--no-first-run', ...asRoot];
    const devtools = new DevtoolsPipe(browser, [...words, `--user-data-dir=${path.join(folder, 'profile')}`]);
    try {
      return Buffer.from(await withTimeout(TIMEOUT_MS, printPage(devtools, pathToFileURL(page).href)), 'base64');
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

async function printPage(devtools: DevtoolsPipe, url: string): Promise<string> {
  const { targetId } = targetSchema.parse(await devtools.call('Target.createTarget', { url: 'about:blank' }));
  const attached = await devtools.call('Target.attachToTarget', { targetId, flatten: true });
  const { sessionId } = sessionSchema.parse(attached);
  await devtools.call('Page.enable', {}, sessionId);
  const loaded = devtools.waitForEvent('Page.loadEventFired');
  await devtools.call('Page.navigate', { url }, sessionId);
  await loaded;
  const options = { printBackground: true, preferCSSPageSize: true };
  return pdfSchema.parse(await devtools.call('Page.printToPDF', options, sessionId)).data;
}

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${ms / 1000} s`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
