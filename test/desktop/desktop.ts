/** A started desktop program as a person has it: menus, dialogs, title, window. Each step works with either driver. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { BenchPage } from '../e2e/bench-page.ts';
import { scratchFolder } from '../scratch-folder.ts';
import type { Driver, Program } from './driver.ts';

/** Limit for whatever is waited for: a loaded machine is slow and not wrong. */
export const WAIT_MS = 60_000;
export const poll = (check: () => unknown) => expect.poll(check, { timeout: WAIT_MS });

/** Dialogs shown to the user, and the answers that the stories have set in advance. */
type Asked = {
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

  /** Nobody is there to answer dialogs: the answers of `answerFile` and `answerBox` come in their place, in order. */
  async beUser(): Promise<void> {
    await this.program.evaluate(({ app, BrowserWindow, dialog, shell }) => {
      const asked: Asked = { dialogs: [], files: [], answers: [], recent: [], folders: [], focused: 0 };
      Reflect.set(globalThis, 'desktopStories', asked);
      const put = (kind: string, options: Record<string, unknown>) => asked.dialogs.push({ kind, options });
      Object.assign(dialog, {
        showOpenDialog: async (_window: unknown, options: Record<string, unknown>) => {
          put('open', options);
          const file = asked.files.shift() ?? null;
          return { canceled: file === null, filePaths: file === null ? [] : [file] };
        },
        showSaveDialog: async (_window: unknown, options: Record<string, unknown>) => {
          put('save', options);
          const file = asked.files.shift() ?? null;
          return { canceled: file === null, filePath: file ?? '' };
        },
        showMessageBox: async (_window: unknown, options: Record<string, unknown>) => {
          put('box', options);
          return { response: asked.answers.shift() ?? 0, checkboxChecked: false };
        },
      });
      app.addRecentDocument = (file) => void asked.recent.push(file);
      shell.openPath = async (folder) => {
        asked.folders.push(folder);
        return '';
      };
      for (const window of BrowserWindow.getAllWindows()) {
        window.focus = () => {
          asked.focused += 1;
        };
      }
    }, null);
  }

  asked(): Promise<Asked> {
    return this.program.evaluate(() => Reflect.get(globalThis, 'desktopStories') as Asked, null);
  }

  async answerFile(file: string | null): Promise<void> {
    await this.program.evaluate((_, given) => {
      (Reflect.get(globalThis, 'desktopStories') as Asked).files.push(given);
    }, file);
  }

  async answerBox(button: number): Promise<void> {
    await this.program.evaluate((_, given) => {
      (Reflect.get(globalThis, 'desktopStories') as Asked).answers.push(given);
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

  /** The window is the one that was opened as this one, from 0. */
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

  /** As the button of its frame does. */
  async closeWindow(window = 0): Promise<void> {
    await this.program.evaluate(
      ({ BrowserWindow }, at) =>
        BrowserWindow.getAllWindows()
          .sort((a, b) => a.id - b.id)
          [at]?.close(),
      window,
    );
  }

  /** As a click on it does: which window gets the focus is for the system to say. */
  async takeToFront(window: number): Promise<void> {
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
        return null; // between two pages
      }
    }, selector);
  }
}

export type DesktopStory = Readonly<{ desktop: () => Desktop; folder: string; home: string; complaints: string[] }>;

/** Call at the top of the stories: the program is there before them, in a folder of its own, and has ended after them. */
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
    await desktop.beUser();
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
