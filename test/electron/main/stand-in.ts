/**
 * A small stand-in of Electron's API: what electron/main uses of it, with a
 * window that is a page of a real Chromium. The page, its protocol handler and
 * the preload script are the built ones; only Electron between them is not.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { type PagePorts, pagePorts } from './stand-in-ports.ts';

/** Chromium knows no scheme of ours: the page is shown at this address, which counts as secure. */
const SHOWN_ORIGIN = 'http://app.braggbench.localhost';

type ProtocolHandler = (request: Request) => Promise<Response>;
type FileDialogAnswer = Readonly<{ path: string | null }>;

class PreventableEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

/** What a test sees and steers. */
export class Stage {
  context: BrowserContext | null = null;
  preloadCode = '';
  userData = '';
  readonly windows: StandInWindow[] = [];
  readonly recentDocuments: string[] = [];
  readonly dialogs: { readonly kind: string; readonly options: Record<string, unknown> }[] = [];
  /** Answers to file dialogs and to message boxes, in order. */
  readonly fileAnswers: FileDialogAnswer[] = [];
  readonly boxAnswers: number[] = [];
  menu: Record<string, unknown>[] = [];
  schemes: { readonly scheme: string; readonly privileges: Record<string, unknown> }[] = [];
  protocols = new Map<string, ProtocolHandler>();
  permissionRequest: ((contents: unknown, permission: string, answer: (allowed: boolean) => void) => void) | null =
    null;
  permissionCheck: (() => boolean) | null = null;
  sandboxed = false;
  exitCode: number | null = null;
  readonly openedFolders: string[] = [];
  readonly paths = new Map<string, string>();
  crashReports: Record<string, unknown> | null = null;
  /** The program has ended. */
  quit = false;

  get window(): StandInWindow {
    const window = this.windows.at(-1);
    if (window === undefined) throw new Error('there is no window');
    return window;
  }

  /** The entry of the native menus with this id. */
  menuItem(id: string): Record<string, unknown> | null {
    const search = (items: Record<string, unknown>[]): Record<string, unknown> | null => {
      for (const item of items) {
        if (item['id'] === id) return item;
        const below = Array.isArray(item['submenu']) ? search(item['submenu'] as Record<string, unknown>[]) : null;
        if (below !== null) return below;
      }
      return null;
    };
    return search(this.menu);
  }
}

export const stage = new Stage();

class StandInApp extends EventEmitter {
  readonly isPackaged = false;
  name = 'Electron';
  #quitting = false;

  setName(name: string): void {
    this.name = name;
  }
  setPath(name: string, folder: string): void {
    stage.paths.set(name, folder);
  }
  getVersion(): string {
    return '0.1.0';
  }
  whenReady(): Promise<void> {
    return Promise.resolve();
  }
  requestSingleInstanceLock(): boolean {
    return true;
  }
  enableSandbox(): void {
    stage.sandboxed = true;
  }
  getPath(): string {
    return stage.userData;
  }
  addRecentDocument(file: string): void {
    stage.recentDocuments.push(file);
  }
  exit(code: number): void {
    stage.exitCode = code;
    stage.quit = true;
  }
  /** Windows are asked to close; when all are gone, the program may still put it off once more. */
  quit(): void {
    if (this.#quitting) return;
    for (const window of stage.windows) if (!window.destroyed) window.close();
    if (stage.windows.some((window) => !window.destroyed)) return;
    const event = new PreventableEvent();
    this.emit('will-quit', event);
    if (event.defaultPrevented) return;
    this.#quitting = true;
    this.emit('quit');
    stage.quit = true;
  }
}

const app = new StandInApp();
const ipcMain = new EventEmitter();

class StandInContents extends EventEmitter {
  readonly mainFrame: { readonly url: string };
  openHandler: ((details: { readonly url: string }) => { readonly action: string }) | null = null;
  crashed = false;
  readonly #window: StandInWindow;

  constructor(window: StandInWindow) {
    super();
    this.#window = window;
    const frame = {};
    Object.defineProperty(frame, 'url', { get: () => window.shownUrl });
    this.mainFrame = frame as { readonly url: string };
  }
  setWindowOpenHandler(handler: NonNullable<StandInContents['openHandler']>): void {
    this.openHandler = handler;
  }
  isCrashed(): boolean {
    return this.crashed;
  }
  reload(): void {
    void this.#window.loadURL(this.#window.shownUrl);
  }
}

export class StandInWindow extends EventEmitter {
  readonly options: Record<string, unknown>;
  readonly webContents: StandInContents;
  destroyed = false;
  shown = false;
  title = '';
  edited = false;
  focused = 0;
  page: Page | null = null;
  #ports: PagePorts | null = null;

  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    this.webContents = new StandInContents(this);
    stage.windows.push(this);
    app.emit('web-contents-created', new PreventableEvent(), this.webContents);
  }

  get shownUrl(): string {
    return (this.page?.url() ?? '').replace(SHOWN_ORIGIN, 'braggbench://app');
  }

  async loadURL(url: string): Promise<void> {
    const page = this.page ?? (await this.#open());
    this.webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false, url });
    await page.goto(url.replace('braggbench://app', SHOWN_ORIGIN));
    this.emit('ready-to-show');
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

  show(): void {
    this.shown = true;
  }
  focus(): void {
    this.focused += 1;
  }
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
    this.title = title;
  }
  setDocumentEdited(edited: boolean): void {
    this.edited = edited;
  }
  close(): void {
    const event = new PreventableEvent();
    this.emit('close', event);
    if (!event.defaultPrevented) this.destroy();
  }
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#ports?.close();
    void this.page?.close();
    this.emit('closed');
  }
}

function fileDialog(kind: string, options: Record<string, unknown>): FileDialogAnswer {
  stage.dialogs.push({ kind, options });
  return stage.fileAnswers.shift() ?? { path: null };
}

/** What `import … from 'electron'` gives to electron/main. */
export const electron = {
  app,
  ipcMain,
  BrowserWindow: StandInWindow,
  dialog: {
    showOpenDialog: async (_window: unknown, options: Record<string, unknown>) => {
      const { path } = fileDialog('open', options);
      return { canceled: path === null, filePaths: path === null ? [] : [path] };
    },
    showSaveDialog: async (_window: unknown, options: Record<string, unknown>) => {
      const { path } = fileDialog('save', options);
      return { canceled: path === null, filePath: path ?? '' };
    },
    showMessageBox: async (_window: unknown, options: Record<string, unknown>) => {
      stage.dialogs.push({ kind: 'box', options });
      return { response: stage.boxAnswers.shift() ?? 0 };
    },
    showErrorBox: (title: string, content: string) => {
      stage.dialogs.push({ kind: 'error', options: { title, content } });
    },
  },
  Menu: {
    buildFromTemplate: (template: Record<string, unknown>[]) => template,
    setApplicationMenu: (menu: Record<string, unknown>[]) => {
      stage.menu = menu;
    },
  },
  shell: {
    openPath: async (folder: string) => {
      stage.openedFolders.push(folder);
      return '';
    },
  },
  crashReporter: {
    start: (options: Record<string, unknown>) => {
      stage.crashReports = options;
    },
  },
  nativeTheme: { shouldUseDarkColors: false },
  protocol: {
    registerSchemesAsPrivileged: (schemes: Stage['schemes']) => {
      stage.schemes = schemes;
    },
    handle: (scheme: string, handler: ProtocolHandler) => stage.protocols.set(scheme, handler),
  },
  // Only its name is asked for by these tests: they run no variant of a user's.
  utilityProcess: {},
  screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] },
  session: {
    defaultSession: {
      setPermissionRequestHandler: (handler: NonNullable<Stage['permissionRequest']>) => {
        stage.permissionRequest = handler;
      },
      setPermissionCheckHandler: (handler: NonNullable<Stage['permissionCheck']>) => {
        stage.permissionCheck = handler;
      },
    },
  },
};

export function readPreload(file: string): string {
  return readFileSync(file, 'utf8');
}
