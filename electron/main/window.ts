/**
 * Window of the workbench. The page has a custom protocol for the files of the built page and nothing else. So it has
 * an origin with storage, but no access to the file system. All pages are restricted, whatever they contain: no
 * navigation away, embedding or permissions, and no new windows except for connected machines.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  app,
  BrowserWindow,
  dialog,
  nativeTheme,
  protocol,
  type Rectangle,
  screen,
  session,
  type WebContents,
} from 'electron';
import { z } from 'zod';
import { pageHeaders, pagePolicy } from '../contract/wire/page.ts';
import { PRIVATE } from '../host/index.ts';

const PAGE_SCHEME = 'braggbench';
const PAGE_ORIGIN = `${PAGE_SCHEME}://app`;
const PAGE_URL = `${PAGE_ORIGIN}/desktop.html`;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** Must run before the application is ready. */
export function declarePageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** File below `folder` that a URL of the page refers to; null for any other URL. */
function pageFile(folder: string, url: string): string | null {
  let parsed: URL;
  let name: string;
  try {
    parsed = new URL(url);
    name = decodeURIComponent(parsed.pathname);
  } catch {
    return null;
  }
  if (parsed.protocol !== `${PAGE_SCHEME}:` || parsed.host !== 'app' || name.includes('\0')) return null;
  const file = path.join(folder, name);
  // URL has resolved `..`, but not `..%2f` or the other separator.
  const inside = path.relative(folder, file);
  if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside)) return null;
  return Object.hasOwn(types, path.extname(file)) ? file : null;
}

/** Serves the page's files from `folder`. */
export function servePage(folder: string): void {
  protocol.handle(PAGE_SCHEME, async (request) => {
    const file = request.method === 'GET' ? pageFile(folder, request.url) : null;
    if (file === null) return new Response('not here', { status: 404 });
    try {
      const body = await readFile(file);
      return new Response(body, {
        headers: {
          ...pageHeaders,
          'Content-Security-Policy': pagePolicy(),
          'Content-Type': types[path.extname(file)] ?? 'application/octet-stream',
        },
      });
    } catch {
      return new Response('not here', { status: 404 });
    }
  });
}

/** Position and size of the window, saved between starts of the program. */
const stateSchema = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number().min(400).max(20_000),
  height: z.number().min(300).max(20_000),
  maximized: z.boolean(),
});
type WindowState = Readonly<z.infer<typeof stateSchema>>;

/** Null if nothing usable is stored. */
async function readWindowState(file: string): Promise<WindowState | null> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Failure to save the position is ignored. */
async function writeWindowState(file: string, state: WindowState): Promise<void> {
  try {
    await mkdir(path.dirname(file), PRIVATE);
    await writeFile(file, `${JSON.stringify(state)}\n`);
  } catch {
    // The next start then centres the window.
  }
}

/** Number of pixels of the window that must be on a screen, so that users can find it. */
const VISIBLE_PX = 80;

function isOnScreen(state: WindowState, screens: readonly Rectangle[]): boolean {
  return screens.some((screen) => {
    const across = Math.min(state.x + state.width, screen.x + screen.width) - Math.max(state.x, screen.x);
    const down = Math.min(state.y + state.height, screen.y + screen.height) - Math.max(state.y, screen.y);
    return across >= VISIBLE_PX && down >= VISIBLE_PX;
  });
}

/** Smallest size at which the page is usable. */
const MIN_WINDOW_SIZE = { minWidth: 720, minHeight: 440 };
const DEFAULTS = { width: 1440, height: 920 };

function stateFile(): string {
  return path.join(app.getPath('userData'), 'window.json');
}

/** Offset of another window from the front one, to the right and down. */
const WINDOW_OFFSET_PX = 32;

/** Creates a window, which is shown after its first frame, at its saved position or offset from another window. */
export async function createWindow(preload: string, beside: Rectangle | null): Promise<BrowserWindow> {
  const state =
    beside === null
      ? await readWindowState(stateFile())
      : { ...beside, x: beside.x + WINDOW_OFFSET_PX, y: beside.y + WINDOW_OFFSET_PX, maximized: false };
  const screens = screen.getAllDisplays().map((display) => display.workArea);
  const place = state !== null && isOnScreen(state, screens) ? state : null;
  const window = new BrowserWindow({
    ...DEFAULTS,
    ...MIN_WINDOW_SIZE,
    ...(place === null ? {} : { x: place.x, y: place.y, width: place.width, height: place.height }),
    show: false,
    title: app.name,
    // The page's background (--canvas), to avoid a flash before it is drawn.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#0c0f14' : '#e9ecf0',
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      // A live run must be drawn even while another window is in front.
      backgroundThrottling: false,
    },
  });
  if (place?.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('page-title-updated', (event) => event.preventDefault());
  return window;
}

export function loadPage(window: BrowserWindow): Promise<void> {
  return window.loadURL(PAGE_URL);
}

export function saveWindowPosition(window: BrowserWindow): Promise<void> {
  return writeWindowState(stateFile(), { ...window.getNormalBounds(), maximized: window.isMaximized() });
}

export function isPage(url: string): boolean {
  return url === PAGE_ORIGIN || url.startsWith(`${PAGE_ORIGIN}/`);
}

/**
 * Windows for other machines, opened from the workbench page: without a preload, and restricted to their own address.
 */
const remotes = new WeakSet<WebContents>();

/** Prompts before a remote page with unsaved changes closes, because its window has no shell to do so. */
function confirmLeaving(event: { preventDefault(): void }): void {
  const chosen = dialog.showMessageBoxSync({
    type: 'question',
    message: 'The scenario has unsaved changes.',
    detail: 'Closing this window discards them. Computations on the other machine continue.',
    buttons: ['Stay', 'Close without saving'],
    defaultId: 0,
    cancelId: 0,
  });
  // For this event, preventing the default means to close the page.
  if (chosen === 1) event.preventDefault();
}

/**
 * Restricts all pages; call before the first window is created. `isRemote`: whether a connected machine serves this
 * address.
 */
export function lockDown(isRemote: (url: string) => boolean): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(({ url }) =>
      isPage(contents.getURL()) && isRemote(url)
        ? {
            action: 'allow',
            overrideBrowserWindowOptions: { webPreferences: { sandbox: true, contextIsolation: true } },
          }
        : { action: 'deny' },
    );
    contents.on('did-create-window', (window) => {
      remotes.add(window.webContents);
      window.webContents.on('will-prevent-unload', confirmLeaving);
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    const stay = (event: { readonly url: string; preventDefault(): void }): void => {
      const mayGo = remotes.has(contents) ? isRemote(event.url) : isPage(event.url);
      if (!mayGo) event.preventDefault();
    };
    contents.on('will-navigate', stay);
    contents.on('will-redirect', stay);
    contents.on('will-frame-navigate', stay);
  });
}
