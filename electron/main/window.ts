/**
 * Window of the workbench. Its page has a custom protocol, which serves only the files of the built page. So the page
 * has an origin with storage, but no access to the file system. All pages are restricted: no navigation to other sites,
 * no embedding, no permissions, and new windows only for connected machines.
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
import { PRIVATE_FOLDER } from '../host/index.ts';

const PAGE_SCHEME = 'braggbench';
const PAGE_ORIGIN = `${PAGE_SCHEME}://app`;
const PAGE_URL = `${PAGE_ORIGIN}/desktop.html`;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** Registers the page's protocol. Must be called before the application is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** Path of the file in `folder` that a URL of the page refers to; null for any other URL. */
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
  // The URL parser resolves `..`, but neither `..%2f` nor the other separator, so check the path.
  const inside = path.relative(folder, file);
  if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside)) return null;
  return Object.hasOwn(contentTypes, path.extname(file)) ? file : null;
}

/** Serves the files in `folder` by the page's protocol. */
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
          'Content-Type': contentTypes[path.extname(file)] ?? 'application/octet-stream',
        },
      });
    } catch {
      return new Response('not here', { status: 404 });
    }
  });
}

/** Position and size of the window, which the next start restores. */
const stateSchema = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number().min(400).max(20_000),
  height: z.number().min(300).max(20_000),
  maximized: z.boolean(),
});
type WindowState = Readonly<z.infer<typeof stateSchema>>;

/** Reads the saved position; null if there is no valid one. */
async function readWindowState(file: string): Promise<WindowState | null> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Saves the position. Errors are ignored, because the position is not important. */
async function writeWindowState(file: string, state: WindowState): Promise<void> {
  try {
    await mkdir(path.dirname(file), PRIVATE_FOLDER);
    await writeFile(file, `${JSON.stringify(state)}\n`);
  } catch {
    // Without a saved position, the next start centres the window.
  }
}

/** Minimum part of the window that must be on a screen, pixels, so that the user can see and move it. */
const VISIBLE_PX = 80;

function isOnScreen(state: WindowState, screens: readonly Rectangle[]): boolean {
  return screens.some((screen) => {
    const across = Math.min(state.x + state.width, screen.x + screen.width) - Math.max(state.x, screen.x);
    const down = Math.min(state.y + state.height, screen.y + screen.height) - Math.max(state.y, screen.y);
    return across >= VISIBLE_PX && down >= VISIBLE_PX;
  });
}

/** Smallest window size for which the page is laid out, pixels. */
const MIN_WINDOW_SIZE = { minWidth: 720, minHeight: 440 };
const DEFAULTS = { width: 1440, height: 920 };

function stateFile(): string {
  return path.join(app.getPath('userData'), 'window.json');
}

/** Offset of a new window from the front one to the right and down, pixels. */
const WINDOW_OFFSET_PX = 32;

/**
 * Creates a window, which becomes visible after its first frame. It has the saved position, or is offset from another
 * window.
 */
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
    // Background colour of the page (--canvas), to avoid a flash before the page is drawn.
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
      // Draw the page at full rate in the background too, because it may show a live run.
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

/** Windows that show pages of other machines. They have no preload script and cannot leave their address. */
const remoteContents = new WeakSet<WebContents>();

/** Prompts before closing a remote page that has unsaved changes. Such a window has no shell that could prompt. */
function confirmClosing(event: { preventDefault(): void }): void {
  const chosen = dialog.showMessageBoxSync({
    type: 'question',
    message: 'The scenario has unsaved changes.',
    detail: 'Closing this window discards them. Computations on the other machine continue.',
    buttons: ['Stay', 'Close without saving'],
    defaultId: 0,
    cancelId: 0,
  });
  // For the event `will-prevent-unload`, preventing the default closes the page.
  if (chosen === 1) event.preventDefault();
}

/**
 * Applies the restrictions to all pages. Must be called before the first window is created. `isRemote`: whether a
 * connected machine serves this URL.
 */
export function restrictPages(isRemote: (url: string) => boolean): void {
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
      remoteContents.add(window.webContents);
      window.webContents.on('will-prevent-unload', confirmClosing);
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    const stay = (event: { readonly url: string; preventDefault(): void }): void => {
      const mayGo = remoteContents.has(contents) ? isRemote(event.url) : isPage(event.url);
      if (!mayGo) event.preventDefault();
    };
    contents.on('will-navigate', stay);
    contents.on('will-redirect', stay);
    contents.on('will-frame-navigate', stay);
  });
}
