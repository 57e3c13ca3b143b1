/**
 * Shell calls of the contract for one window: dialogs, title, menus, closing, and events for the page. Also builds
 * native menus from the page's command table.
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
  /** Name of the program, which is the title of the first menu on macOS. */
  readonly name: string;
  readonly choose: (id: string) => void;
  readonly openWindow: () => void;
}

const menuOrder = ['File', 'Edit', 'Run', 'View', 'Help'] as const;

/**
 * Accelerator of a shortcut. Plain letters and Escape have none, because an accelerator would prevent typing them in a
 * text field.
 */
function accelerator(shortcut: string | null): string | undefined {
  return shortcut !== null && (shortcut.includes('+') || /^F\d+$/.test(shortcut)) ? shortcut : undefined;
}

function menuItem(command: MenuCommand, choose: (id: string) => void): MenuItemConstructorOptions {
  const shown = accelerator(command.shortcut);
  return {
    id: command.id,
    label: command.title,
    enabled: command.enabled,
    click: () => choose(command.id),
    ...(shown === undefined ? {} : { accelerator: shown, registerAccelerator: false }),
    // Use `checkbox`, because for `radio` Electron always checks exactly one entry of a group, whatever `checked` is.
    ...(command.checked === null ? {} : { type: 'checkbox' as const, checked: command.checked }),
  };
}

/** Menu entries in order, with separators between groups. A submenu is where its first entry would be. */
function menuEntries(commands: readonly MenuCommand[], choose: (id: string) => void): MenuItemConstructorOptions[] {
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
    if (command.submenu === null) out.push(menuItem(command, choose));
    else {
      submenus.set(command.submenu, [command]);
      out.push({ label: command.submenu });
    }
  }
  return out.map((entry) => {
    const inside = entry.label === undefined ? undefined : submenus.get(entry.label);
    if (inside === undefined || entry.click !== undefined) return entry;
    const flat = inside.map((command) => ({ ...command, submenu: null }));
    return { ...entry, submenu: menuEntries(flat, choose) };
  });
}

/** Standard entries that are appended to a menu. */
function standardEntries(
  menu: (typeof menuOrder)[number],
  mac: boolean,
  openWindow: () => void,
): MenuItemConstructorOptions[] {
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
  const menus = menuOrder.map((label) => {
    const own = menuEntries(
      commands.filter((command) => command.menu === label),
      choose,
    );
    const added = standardEntries(label, mac, openWindow);
    // Without commands of the page, the menu would begin with a separator.
    const submenu = own.length === 0 && added[0]?.type === 'separator' ? added.slice(1) : [...own, ...added];
    return { label, submenu };
  });
  const first: MenuItemConstructorOptions[] = mac ? [{ label: name, role: 'appMenu' }] : [];
  return [...first, ...menus.filter((menu) => menu.submenu.length > 0)];
}

/** File filters of the native dialogs, by type of file. */
const scenario: FileFilter = { name: 'Scenario', extensions: ['json', 'yaml', 'yml'] };
const run: FileFilter = { name: 'Run', extensions: ['h5', 'hdf5'] };
const trace: FileFilter = { name: 'Timeline', extensions: ['json', 'gz', 'sqlite', 'nsys-rep', 'h5'] };
const session: FileFilter = { name: 'Benchmark', extensions: ['json'] };
const anyFileFilter: FileFilter = { name: 'All files', extensions: ['*'] };

const openDialogs: Partial<Record<FilePurpose, { readonly title: string; readonly filters: FileFilter[] }>> = {
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

/** Opens a file dialog and returns the selected path; null if the user cancels it. */
async function chooseFile(window: BrowserWindow, purpose: FilePurpose, suggestedName: string): Promise<string | null> {
  const open = openDialogs[purpose];
  if (open !== undefined) {
    const { canceled, filePaths } = await dialog.showOpenDialog(window, { ...open, properties: ['openFile'] });
    const chosen = canceled ? null : (filePaths[0] ?? null);
    // Do not list traces as recent documents, because the system would open them as scenarios from that list.
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

/** Adds a file to the system's list of recent documents, and returns it. */
function addRecentFile(file: string | null): string | null {
  if (file !== null) app.addRecentDocument(file);
  return file;
}

/** Opens a folder dialog, in which the user may create a folder; null if the user cancels it. */
async function chooseFolder(window: BrowserWindow, title: string, folder: string): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title,
    defaultPath: folder,
    properties: ['openDirectory', 'createDirectory', 'promptToCreate'],
  });
  return canceled ? null : (filePaths[0] ?? null);
}

/**
 * Converts HTML to PDF in a hidden window. The HTML must be self-contained, because the window has no preload script
 * and does not run scripts.
 */
export async function printPdf(html: string): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-print-'));
  const window = new BrowserWindow({ show: false, webPreferences: { sandbox: true, javascript: false } });
  try {
    // Load it from a file, because figures exceed the size limit of data URLs.
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
  /** Whether this window is in front, so that the program shows its menus. */
  readonly inFront: () => boolean;
  readonly openWindow: () => void;
}

export class WindowShell implements ShellHandlers {
  readonly #window: BrowserWindow;
  readonly #frame: WindowFrame;
  #edited = false;
  #commands: readonly MenuCommand[] = [];
  #emit: ((event: ShellEvent) => void) | null = null;
  /** Events that occurred before the page subscribed to them. */
  #early: ShellEvent[] = [];
  /** Unanswered request to close. Answers to earlier requests may still arrive and are ignored. */
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

  /** Shows the menus of this window. A program has only one set of menus, which belongs to the front window. */
  showMenus(): void {
    const commands = this.#commands;
    const { openWindow } = this.#frame;
    const mac = process.platform === 'darwin';
    const choose = (id: string): void => {
      this.sendEvent({ kind: 'command', id });
      // Electron has toggled the check mark, but the page decides on it. Rebuild the menus to restore it.
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

  sendEvent(event: ShellEvent): void {
    if (this.#emit === null) this.#early.push(event);
    else this.#emit(event);
  }

  /**
   * Whether the window may close. If there are unsaved changes, the page asks the user. A crashed page cannot answer
   * and does not prevent closing.
   */
  mayClose(): Promise<boolean> {
    if (!this.#edited || this.#emit === null || this.#window.webContents.isCrashed()) return Promise.resolve(true);
    // If a prompt is open already, the new request replaces it.
    this.#endRequest(false);
    this.#requests += 1;
    const request = this.#requests;
    return new Promise((answer) => {
      this.#closing = { request, answer };
      this.sendEvent({ kind: 'close-requested', request });
    });
  }

  /** Resets the state of a page that was reloaded or closed; its prompt has disappeared. */
  resetPage(): void {
    this.#edited = false;
    this.#emit = null;
    this.#endRequest(false);
  }
}
