/** The window that the workbench is in. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { app, BrowserWindow, nativeTheme, type Rectangle, screen } from 'electron';
import { z } from 'zod';
import { PRIVATE } from '../host/index.ts';
import { PAGE_URL } from './page-protocol.ts';

/** Position and size of the window, saved between starts. */
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
    // The next start opens the window in the middle.
  }
}

/** Pixels of the window that have to be on a screen for it to be found again. */
const VISIBLE_PX = 80;

function isOnScreen(state: WindowState, screens: readonly Rectangle[]): boolean {
  return screens.some((screen) => {
    const across = Math.min(state.x + state.width, screen.x + screen.width) - Math.max(state.x, screen.x);
    const down = Math.min(state.y + state.height, screen.y + screen.height) - Math.max(state.y, screen.y);
    return across >= VISIBLE_PX && down >= VISIBLE_PX;
  });
}

/** The page works down to this; a window that is smaller by chance is not worth guarding against. */
const SMALLEST = { minWidth: 720, minHeight: 440 };
const USUAL = { width: 1440, height: 920 };

function stateFile(): string {
  return path.join(app.getPath('userData'), 'window.json');
}

/** Offset of a further window from the front one, to the right and down. */
const BESIDE_PX = 32;

/** Shown after its first frame, at its saved position or offset from another window. */
export async function createWindow(preload: string, beside: Rectangle | null): Promise<BrowserWindow> {
  const state =
    beside === null
      ? await readWindowState(stateFile())
      : { ...beside, x: beside.x + BESIDE_PX, y: beside.y + BESIDE_PX, maximized: false };
  const screens = screen.getAllDisplays().map((display) => display.workArea);
  const place = state !== null && isOnScreen(state, screens) ? state : null;
  const window = new BrowserWindow({
    ...USUAL,
    ...SMALLEST,
    ...(place === null ? {} : { x: place.x, y: place.y, width: place.width, height: place.height }),
    show: false,
    title: app.name,
    // The page's own ground (--canvas), so that nothing flashes before it is drawn.
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
      // A live run goes on being drawn while another window is in front.
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

export function keepPlace(window: BrowserWindow): Promise<void> {
  return writeWindowState(stateFile(), { ...window.getNormalBounds(), maximized: window.isMaximized() });
}
