/**
 * A started desktop program as its user sees it: menus, dialogs, title, window. Two drivers implement the interface
 * that the steps use: the stand-in of Electron, and Electron itself.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { BenchPage } from '../e2e/bench-page.ts';
import { scratchFolder } from '../scratch-folder.ts';

export type ElectronModule = typeof import('electron');

export interface Program {
  /** The page of the workbench; not usable after its process has crashed. */
  readonly page: Page;
  /** Runs a function in the main process, with Electron's module. The function may not use variables of its scope. */
  evaluate<R, Arg>(act: (electron: ElectronModule, given: Arg) => R | Promise<R>, given: Arg): Promise<R>;
  /** Resolves with the page of the window that `act` opens. */
  pageOpenedBy(act: () => Promise<void>): Promise<Page>;
  /** Resolves with the program's exit code. */
  readonly ended: Promise<number | null>;
  /** Starts a second instance with these arguments, in this folder, and waits until it has ended. */
  startSecondInstance(args: readonly string[], folder: string): Promise<void>;
  /** Whether the page has this permission, such as `notifications`. */
  hasPermission(permission: string): Promise<boolean>;
  /** Whether the page may open a window for this address, or navigate to it. */
  mayOpen(url: string): Promise<boolean>;
  leavesFor(url: string): Promise<boolean>;
  /** Ends the program at once, whatever it does. */
  stop(): Promise<void>;
}

type StartOptions = Readonly<{
  folder: string;
  env: Readonly<Record<string, string>>;
  /** Collects the error messages of the pages. */
  complaints: string[];
}>;

/** Starts the program, and waits for its window. */
export type Driver = (args: readonly string[], options: StartOptions) => Promise<Program>;

/** Limit for every wait, in ms. On a loaded machine, a slow response is not an error. */
export const WAIT_MS = 60_000;
export const poll = (check: () => unknown) => expect.poll(check, { timeout: WAIT_MS });

/** Dialogs shown to the user, and the answers that the stories have set in advance. */
type DialogRequests = {
  readonly dialogs: { readonly kind: string; readonly options: Record<string, unknown> }[];
  readonly files: (string | null)[];
  readonly answers: number[];
  readonly recent: string[];
  readonly folders: string[];
  focused: number;
};

type MenuEntry = Readonly<{
  label: string;
  enabled: boolean;
  checked: boolean;
  accelerator: string | null;
  registerAccelerator: boolean;
}>;

class Desktop {
  readonly program: Program;
  readonly bench: BenchPage;

  constructor(program: Program) {
    this.program = program;
    this.bench = new BenchPage(program.page);
  }

  get page() {
    return this.program.page;
  }

  /**
   * Replaces the dialogs, which nobody could answer, by functions that return the prepared answers of `answerFile` and
   * `answerBox` in order.
   */
  async replaceDialogs(): Promise<void> {
    await this.program.evaluate(({ app, BrowserWindow, dialog, shell }) => {
      const requested: DialogRequests = { dialogs: [], files: [], answers: [], recent: [], folders: [], focused: 0 };
      Reflect.set(globalThis, 'desktopStories', requested);
      const put = (kind: string, options: Record<string, unknown>) => requested.dialogs.push({ kind, options });
      Object.assign(dialog, {
        showOpenDialog: async (_window: unknown, options: Record<string, unknown>) => {
          put('open', options);
          const file = requested.files.shift() ?? null;
          return { canceled: file === null, filePaths: file === null ? [] : [file] };
        },
        showSaveDialog: async (_window: unknown, options: Record<string, unknown>) => {
          put('save', options);
          const file = requested.files.shift() ?? null;
          return { canceled: file === null, filePath: file ?? '' };
        },
        showMessageBox: async (_window: unknown, options: Record<string, unknown>) => {
          put('box', options);
          return { response: requested.answers.shift() ?? 0, checkboxChecked: false };
        },
      });
      app.addRecentDocument = (file) => void requested.recent.push(file);
      shell.openPath = async (folder) => {
        requested.folders.push(folder);
        return '';
      };
      for (const window of BrowserWindow.getAllWindows()) {
        window.focus = () => {
          requested.focused += 1;
        };
      }
    }, null);
  }

  asked(): Promise<DialogRequests> {
    return this.program.evaluate(() => Reflect.get(globalThis, 'desktopStories') as DialogRequests, null);
  }

  async answerFile(file: string | null): Promise<void> {
    await this.program.evaluate((_, given) => {
      (Reflect.get(globalThis, 'desktopStories') as DialogRequests).files.push(given);
    }, file);
  }

  async answerBox(button: number): Promise<void> {
    await this.program.evaluate((_, given) => {
      (Reflect.get(globalThis, 'desktopStories') as DialogRequests).answers.push(given);
    }, button);
  }

  /** The entry of the native menus with this id. */
  menuItem(id: string): Promise<MenuEntry | null> {
    return this.program.evaluate(({ Menu }, sought) => {
      const item = Menu.getApplicationMenu()?.getMenuItemById(sought);
      if (!item) return null;
      const { label, enabled, checked, registerAccelerator } = item;
      return { label, enabled, checked, registerAccelerator, accelerator: String(item.accelerator ?? '') || null };
    }, id);
  }

  menus(): Promise<readonly string[]> {
    return this.program.evaluate(
      ({ Menu }) => (Menu.getApplicationMenu()?.items ?? []).map(({ label }) => label),
      null,
    );
  }

  async choose(id: string): Promise<void> {
    await poll(async () => (await this.menuItem(id))?.enabled).toBe(true);
    await this.program.evaluate(({ Menu }, chosen) => {
      Menu.getApplicationMenu()?.getMenuItemById(chosen)?.click();
    }, id);
  }

  /** `window` is the index of the window in the order of opening, from 0. */
  title(window = 0): Promise<string> {
    return this.program.evaluate(
      ({ BrowserWindow }, at) =>
        BrowserWindow.getAllWindows()
          .sort((a, b) => a.id - b.id)
          [at]?.getTitle() ?? '',
      window,
    );
  }

  windows(): Promise<number> {
    return this.program.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length, null);
  }

  /** Closes the window as the close button of its frame does. */
  async closeWindow(window = 0): Promise<void> {
    await this.program.evaluate(
      ({ BrowserWindow }, at) =>
        BrowserWindow.getAllWindows()
          .sort((a, b) => a.id - b.id)
          [at]?.close(),
      window,
    );
  }

  /** Acts as a click on the window; the system decides which window gets the focus. */
  async bringToFront(window: number): Promise<void> {
    await this.program.evaluate(
      ({ BrowserWindow }, at) =>
        BrowserWindow.getAllWindows()
          .sort((a, b) => a.id - b.id)
          [at]?.emit('focus'),
      window,
    );
  }

  crashPage(): Promise<void> {
    return this.program.evaluate(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
      null,
    );
  }

  /** Text of the first match in the page, or in the page shown after a crash. */
  text(selector: string): Promise<string | null> {
    return this.program.evaluate(async ({ BrowserWindow }, sought) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      const code = `document.querySelector(${JSON.stringify(sought)})?.textContent ?? null`;
      try {
        return ((await contents?.executeJavaScript(code)) as string | null | undefined) ?? null;
      } catch {
        return null; // the window has no page while another one loads
      }
    }, selector);
  }
}

export type DesktopStory = Readonly<{ desktop: () => Desktop; folder: string; home: string; complaints: string[] }>;

/**
 * Call at the top of a file of stories: starts the program before them, in an empty folder, and ends it after them.
 */
export function useDesktop(driver: Driver, name: string, args: (folder: string) => readonly string[]): DesktopStory {
  const folder = scratchFolder(`desktop-${name}`);
  const home = path.join(folder, 'home');
  const complaints: string[] = [];
  let desktop: Desktop | null = null;
  beforeAll(async () => {
    mkdirSync(home);
    const env = { BRAGGBENCH_HOME: home, BRAGGBENCH_CACHE: path.join(folder, 'cache'), CXXFLAGS: '-O0' };
    const program = await driver(args(folder), { folder, env, complaints });
    program.page.setDefaultTimeout(WAIT_MS);
    desktop = new Desktop(program);
    await desktop.replaceDialogs();
  });
  afterAll(() => desktop?.program.stop());
  return {
    folder,
    home,
    complaints,
    desktop: () => {
      if (desktop === null) throw new Error('the program starts in beforeAll: use it inside stories');
      return desktop;
    },
  };
}

// Scenarios that several stories open.

/** Runs longer than any story, and can be stopped at every step. */
export const longScenario = {
  kind: 'transport',
  version: 1,
  name: 'Long',
  beam: { energy_MeV: 180 },
  grid: { dx_mm: 0.5, dz_mm: 0.5, dtheta_mrad: 10, energy: { kind: 'range', step_mm: 0.5 } },
  solver: { step_mm: 0.05, variant: 'window', threads: 1 },
};

export const smallScenario = {
  kind: 'transport',
  version: 1,
  name: 'Small beam',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.5 } },
  solver: { step_mm: 0.5 },
  output: { keyframes: 8 },
};
