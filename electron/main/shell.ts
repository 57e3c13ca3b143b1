/**
 * Shell part of the contract for one window: dialogs, title, menus, closing, and events for the page. Also native menus
 * built from the page's command table.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { app, BrowserWindow, dialog, type FileFilter, Menu, type MenuItemConstructorOptions, shell } from 'electron';
import type { FilePurpose } from '../contract/files.ts';
import type { MenuCommand, ShellEvent } from '../contract/shell.ts';
import { withDocumentPolicy } from '../contract/wire/page.ts';
import type { ShellHandlers } from '../host/index.ts';

interface MenuOptions {
  readonly commands: readonly MenuCommand[];
  readonly mac: boolean;
  /** Name of the program, the title of the first menu on macOS. */
  readonly name: string;
  readonly choose: (id: string) => void;
  readonly openWindow: () => void;
}

const order = ['File', 'Edit', 'Run', 'View', 'Help'] as const;

/** Omits plain letters and Escape, which as accelerators would never reach a text field. */
function accelerator(shortcut: string | null): string | undefined {
  return shortcut !== null && (shortcut.includes('+') || /^F\d+$/.test(shortcut)) ? shortcut : undefined;
}

function item(command: MenuCommand, choose: (id: string) => void): MenuItemConstructorOptions {
  const shown = accelerator(command.shortcut);
  return {
    id: command.id,
    label: command.title,
    enabled: command.enabled,
    click: () => choose(command.id),
    ...(shown === undefined ? {} : { accelerator: shown, registerAccelerator: false }),
    // Not `radio`, because Electron then checks exactly one entry of each group, regardless of `checked`.
    ...(command.checked === null ? {} : { type: 'checkbox' as const, checked: command.checked }),
  };
}

/** Menu entries in order, with a separator between groups. A submenu is at the position of its first entry. */
function entries(commands: readonly MenuCommand[], choose: (id: string) => void): MenuItemConstructorOptions[] {
  const out: MenuItemConstructorOptions[] = [];
  const submenus = new Map<string, MenuCommand[]>();
  let group: number | null = null;
  for (const command of commands) {
    const inside = command.submenu === null ? undefined : submenus.get(command.submenu);
    if (inside !== undefined) {
      inside.push(command);
      continue;
    }
    if (group !== null && group !== command.group) out.push({ type: 'separator' });
    group = command.group;
    if (command.submenu === null) out.push(item(command, choose));
    else {
      submenus.set(command.submenu, [command]);
      out.push({ label: command.submenu });
    }
  }
  return out.map((entry) => {
    const inside = entry.label === undefined ? undefined : submenus.get(entry.label);
    if (inside === undefined || entry.click !== undefined) return entry;
    const flat = inside.map((command) => ({ ...command, submenu: null }));
    return { ...entry, submenu: entries(flat, choose) };
  });
}

/** Standard entries appended to each menu. */
function additions(menu: (typeof order)[number], mac: boolean, openWindow: () => void): MenuItemConstructorOptions[] {
  switch (menu) {
    case 'File':
      return [
        { type: 'separator' },
        { id: 'window.new', label: 'New window', accelerator: 'CmdOrCtrl+Shift+N', click: openWindow },
        mac ? { role: 'close' } : { role: 'quit' },
      ];
    case 'Edit':
      return [{ type: 'separator' }, { role: 'cut' }, { role: 'copy' }, { role: 'paste' }, { role: 'selectAll' }];
    case 'View':
      return [
        { type: 'separator' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'resetZoom', accelerator: 'CmdOrCtrl+Shift+0' },
        { role: 'togglefullscreen' },
        { type: 'separator' },
        { role: 'toggleDevTools' },
      ];
    default:
      return [];
  }
}

function menuTemplate({ commands, mac, name, choose, openWindow }: MenuOptions): MenuItemConstructorOptions[] {
  const menus = order.map((label) => {
    const own = entries(
      commands.filter((command) => command.menu === label),
      choose,
    );
    const added = additions(label, mac, openWindow);
    // Drop a leading separator if the page has not sent its commands yet.
    const submenu = own.length === 0 && added[0]?.type === 'separator' ? added.slice(1) : [...own, ...added];
    return { label, submenu };
  });
  const first: MenuItemConstructorOptions[] = mac ? [{ label: name, role: 'appMenu' }] : [];
  return [...first, ...menus.filter((menu) => menu.submenu.length > 0)];
}

/** Native file dialogs, by the purpose of the file. */
const scenario: FileFilter = { name: 'Scenario', extensions: ['json', 'yaml', 'yml'] };
const run: FileFilter = { name: 'Run', extensions: ['h5', 'hdf5'] };
const trace: FileFilter = { name: 'Timeline', extensions: ['json', 'gz', 'sqlite', 'nsys-rep', 'h5'] };
const session: FileFilter = { name: 'Benchmark', extensions: ['json'] };
const anyFileFilter: FileFilter = { name: 'All files', extensions: ['*'] };

const opening: Partial<Record<FilePurpose, { readonly title: string; readonly filters: FileFilter[] }>> = {
  'open-scenario': { title: 'Open scenario', filters: [scenario, anyFileFilter] },
  'open-run': { title: 'Open run', filters: [run, anyFileFilter] },
  'open-session': { title: 'Open benchmark', filters: [session, anyFileFilter] },
  'open-trace': { title: 'Open timeline', filters: [trace, anyFileFilter] },
};

const saveDialogs: Partial<Record<FilePurpose, { readonly title: string; readonly filters: FileFilter[] }>> = {
  'save-scenario': { title: 'Save scenario as', filters: [{ name: 'Scenario', extensions: ['json'] }] },
  'save-run': { title: 'Save run as', filters: [{ name: 'Run', extensions: ['h5'] }] },
  export: { title: 'Export', filters: [anyFileFilter] },
};

/** Returns the chosen path, or null if the user dismissed the dialog. */
async function chooseFile(window: BrowserWindow, purpose: FilePurpose, suggestedName: string): Promise<string | null> {
  const open = opening[purpose];
  if (open !== undefined) {
    const { canceled, filePaths } = await dialog.showOpenDialog(window, { ...open, properties: ['openFile'] });
    const chosen = canceled ? null : (filePaths[0] ?? null);
    // A trace is not listed as recent, because the system would open it from its list as a document.
    return purpose === 'open-trace' ? chosen : addRecentFile(chosen);
  }
  const save = saveDialogs[purpose];
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    ...save,
    defaultPath: suggestedName,
    properties: ['createDirectory', 'showOverwriteConfirmation'],
  });
  const chosen = canceled || filePath === '' ? null : filePath;
  return purpose === 'export' ? chosen : addRecentFile(chosen);
}

/** Adds a file to the system's list of recent documents. */
function addRecentFile(file: string | null): string | null {
  if (file !== null) app.addRecentDocument(file);
  return file;
}

/** Returns the chosen folder, which may be new, or null if the user dismissed the dialog. */
async function chooseFolder(window: BrowserWindow, title: string, folder: string): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title,
    defaultPath: folder,
    properties: ['openDirectory', 'createDirectory', 'promptToCreate'],
  });
  return canceled ? null : (filePaths[0] ?? null);
}

// Prints a document to PDF in a hidden window.

/** `html` must be self-contained: its scripts are disabled, and it has no preload. */
export async function printPdf(html: string): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-print-'));
  const window = new BrowserWindow({ show: false, webPreferences: { sandbox: true, javascript: false } });
  try {
    // Loaded from a file, because a data URL is too short for the figures.
    const file = path.join(folder, 'report.html');
    await writeFile(file, withDocumentPolicy(html));
    await window.loadFile(file);
    return await window.webContents.printToPDF({ pageSize: 'A4', printBackground: true, preferCSSPageSize: true });
  } finally {
    window.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

interface WindowFrame {
  /** Whether this window is in front, so that it determines the menus. */
  readonly inFront: () => boolean;
  readonly openWindow: () => void;
}

export class WindowShell implements ShellHandlers {
  readonly #window: BrowserWindow;
  readonly #frame: WindowFrame;
  #edited = false;
  #commands: readonly MenuCommand[] = [];
  #emit: ((event: ShellEvent) => void) | null = null;
  /** Events before the page subscribed. */
  #early: ShellEvent[] = [];
  /** Pending request to close; replies to earlier requests may still arrive. */
  #closing: { readonly request: number; readonly answer: (close: boolean) => void } | null = null;
  #requests = 0;

  constructor(window: BrowserWindow, frame: WindowFrame) {
    this.#window = window;
    this.#frame = frame;
  }

  choose(purpose: FilePurpose, suggestedName: string): Promise<string | null> {
    return chooseFile(this.#window, purpose, suggestedName);
  }

  chooseFolder(title: string, folder: string): Promise<string | null> {
    return chooseFolder(this.#window, title, folder);
  }

  async showFolder(folder: string): Promise<void> {
    const failure = await shell.openPath(folder);
    if (failure !== '') throw new Error(failure);
  }

  document({ title, edited }: { readonly title: string; readonly edited: boolean }): void {
    this.#edited = edited;
    this.#window.setDocumentEdited(edited);
    this.#window.setTitle(`${edited ? '• ' : ''}${title} – ${app.name}`);
  }

  menu(commands: readonly MenuCommand[]): void {
    this.#commands = commands;
    if (this.#frame.inFront()) this.showMenus();
  }

  /** Shows this window's menus. The program has one set of menus, that of the window in front. */
  showMenus(): void {
    const commands = this.#commands;
    const { openWindow } = this.#frame;
    const mac = process.platform === 'darwin';
    const choose = (id: string): void => {
      this.tell({ kind: 'command', id });
      // Electron has toggled the entry's check mark; restore it, because the page decides on it.
      setImmediate(() => this.menu(this.#commands));
    };
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(menuTemplate({ commands, mac, name: app.name, choose, openWindow })),
    );
  }

  close(request: number, close: boolean): void {
    if (this.#closing?.request === request) this.#endRequest(close);
  }

  #endRequest(close: boolean): void {
    const waiting = this.#closing;
    this.#closing = null;
    waiting?.answer(close);
  }

  pdf(html: string): Promise<Uint8Array> {
    return printPdf(html);
  }

  events(emit: (event: ShellEvent) => void): () => void {
    this.#emit = emit;
    for (const event of this.#early) emit(event);
    this.#early = [];
    return () => {
      if (this.#emit === emit) this.#emit = null;
    };
  }

  tell(event: ShellEvent): void {
    if (this.#emit === null) this.#early.push(event);
    else this.#emit(event);
  }

  /**
   * Whether the window may close. Requests confirmation from the page if there are unsaved changes. A page that is gone
   * cannot reply, and must not block closing.
   */
  mayClose(): Promise<boolean> {
    if (!this.#edited || this.#emit === null || this.#window.webContents.isCrashed()) return Promise.resolve(true);
    // A request while the prompt is open replaces the earlier request.
    this.#endRequest(false);
    this.#requests += 1;
    const request = this.#requests;
    return new Promise((answer) => {
      this.#closing = { request, answer };
      this.tell({ kind: 'close-requested', request });
    });
  }

  /** The page was reloaded or closed, which also closed its prompt. */
  forget(): void {
    this.#edited = false;
    this.#emit = null;
    this.#endRequest(false);
  }
}
