/**
 * A window implemented by a page of a real Chromium, with the built page, its protocol handler and the built preload
 * script.
 */
import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { app, ipcMain } from './app.ts';
import { type PagePorts, pagePorts } from './ports.ts';
import { PreventableEvent, stage } from './stage.ts';

/** Chromium does not know the program's URL scheme, so the page is shown at this address, which counts as secure. */
const SHOWN_ORIGIN = 'http://app.braggbench.localhost';

class StandInContents extends EventEmitter {
  readonly mainFrame: { readonly url: string };
  openHandler: ((details: { readonly url: string }) => { readonly action: string }) | null = null;
  readonly #window: StandInWindow;
  #crashed = false;

  constructor(window: StandInWindow) {
    super();
    this.#window = window;
    const frame = {};
    Object.defineProperty(frame, 'url', { get: () => window.shownUrl });
    this.mainFrame = frame as { readonly url: string };
  }
  getURL(): string {
    return this.#window.shownUrl;
  }
  setWindowOpenHandler(handler: NonNullable<StandInContents['openHandler']>): void {
    this.openHandler = handler;
  }
  executeJavaScript(code: string): Promise<unknown> {
    if (this.#window.page === null) throw new Error('the page was closed');
    return this.#window.page.evaluate(code);
  }
  async printToPDF(options: { pageSize: string; printBackground: boolean; preferCSSPageSize: boolean }) {
    const { pageSize, ...others } = options;
    return this.#window.page?.pdf({ format: pageSize, ...others });
  }
  isCrashed(): boolean {
    return this.#crashed;
  }
  forcefullyCrashRenderer(): void {
    this.#crashed = true;
    this.#window.losePage();
    this.emit('render-process-gone', new PreventableEvent(), { reason: 'crashed', exitCode: 1 });
  }
  reload(): void {
    this.#crashed = false;
    void this.#window.loadURL(this.#window.lastUrl);
  }
}

export class StandInWindow extends EventEmitter {
  readonly id = stage.windows.length + 1;
  readonly options: Record<string, unknown>;
  readonly webContents: StandInContents;
  lastUrl = '';
  page: Page | null = null;
  #destroyed = false;
  #visible = false;
  #title = '';
  #ports: PagePorts | null = null;

  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    this.webContents = new StandInContents(this);
    stage.windows.push(this);
    app.emit('web-contents-created', new PreventableEvent(), this.webContents);
  }

  static getAllWindows(): readonly StandInWindow[] {
    return stage.windows.filter((window) => !window.isDestroyed());
  }

  get shownUrl(): string {
    return (this.page?.url() ?? '').replace(SHOWN_ORIGIN, 'braggbench://app');
  }

  async loadURL(url: string): Promise<void> {
    this.lastUrl = url;
    const page = this.page ?? (await this.#open());
    this.webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false, url });
    await page.goto(url.replace('braggbench://app', SHOWN_ORIGIN));
    this.emit('ready-to-show');
  }

  async loadFile(file: string): Promise<void> {
    if (stage.browser === null) throw new Error('the stage has no browser');
    stage.loadedFiles.push(file);
    const { javascript } = this.options['webPreferences'] as { readonly javascript?: boolean };
    this.page = await stage.browser.newPage({ javaScriptEnabled: javascript ?? true });
    await this.page.goto(pathToFileURL(file).href);
  }

  async #open(): Promise<Page> {
    if (stage.context === null) throw new Error('the stage has no browser');
    const page = await stage.context.newPage();
    this.page = page;
    this.#ports = await pagePorts(page, stage.preloadCode, (channel, ports) => {
      const contents = this.webContents;
      ipcMain.emit(channel, { sender: contents, senderFrame: contents.mainFrame, ports });
    });
    await page.route('**/*', async (route) => {
      const url = route.request().url().replace(SHOWN_ORIGIN, 'braggbench://app');
      const handler = stage.protocols.get(new URL(url).protocol.slice(0, -1));
      if (handler === undefined) return route.abort();
      const answer = await handler(new Request(url));
      return route.fulfill({
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: Buffer.from(await answer.arrayBuffer()),
      });
    });
    return page;
  }

  /** Closes the page and its process. */
  losePage(): void {
    this.#ports?.close();
    void this.page?.close();
    this.page = null;
  }

  show(): void {
    this.#visible = true;
  }
  isVisible(): boolean {
    return this.#visible;
  }
  focus(): void {}
  isMinimized(): boolean {
    return false;
  }
  restore(): void {}
  maximize(): void {}
  isMaximized(): boolean {
    return false;
  }
  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return { x: 10, y: 20, width: 1300, height: 800 };
  }
  setTitle(title: string): void {
    this.#title = title;
  }
  getTitle(): string {
    return this.#title;
  }
  setDocumentEdited(): void {}
  close(): void {
    const event = new PreventableEvent();
    this.emit('close', event);
    if (!event.defaultPrevented) this.destroy();
  }
  isDestroyed(): boolean {
    return this.#destroyed;
  }
  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.losePage();
    this.emit('closed');
  }
}
