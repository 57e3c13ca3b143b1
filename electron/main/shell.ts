/** The window's side of the contract: dialogs, title, menus, closing, and its events for the page. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { app, BrowserWindow, dialog, type FileFilter, Menu, shell } from 'electron';
import type { FilePurpose } from '../contract/files.ts';
import type { MenuCommand, ShellEvent } from '../contract/shell.ts';
import { withDocumentPolicy } from '../contract/wire/page-policy.ts';
import type { ShellHandlers } from '../host/index.ts';
import { menuTemplate } from './menu.ts';

/** Native file dialogs, by what the file is for. */
const scenario: FileFilter = { name: 'Scenario', extensions: ['json', 'yaml', 'yml'] };
const run: FileFilter = { name: 'Run', extensions: ['h5', 'hdf5'] };
const trace: FileFilter = { name: 'Timeline', extensions: ['json', 'gz', 'sqlite', 'nsys-rep', 'h5'] };
const session: FileFilter = { name: 'Benchmark', extensions: ['json'] };
const anything: FileFilter = { name: 'All files', extensions: ['*'] };

const opening: Partial<Record<FilePurpose, { readonly title: string; readonly filters: FileFilter[] }>> = {
  'open-scenario': { title: 'Open scenario', filters: [scenario, anything] },
  'open-run': { title: 'Open run', filters: [run, anything] },
  'open-session': { title: 'Open benchmark', filters: [session, anything] },
  'open-trace': { title: 'Open timeline', filters: [trace, anything] },
};

const saving: Partial<Record<FilePurpose, { readonly title: string; readonly filters: FileFilter[] }>> = {
  'save-scenario': { title: 'Save scenario as', filters: [{ name: 'Scenario', extensions: ['json'] }] },
  'save-run': { title: 'Save run as', filters: [{ name: 'Run', extensions: ['h5'] }] },
  export: { title: 'Export', filters: [anything] },
};

/** The chosen path, or null when the dialog was dismissed. */
async function chooseFile(window: BrowserWindow, purpose: FilePurpose, suggestedName: string): Promise<string | null> {
  const open = opening[purpose];
  if (open !== undefined) {
    const { canceled, filePaths } = await dialog.showOpenDialog(window, { ...open, properties: ['openFile'] });
    const chosen = canceled ? null : (filePaths[0] ?? null);
    // The system would open a trace from its list as if it were a document.
    return purpose === 'open-trace' ? chosen : noted(chosen);
  }
  const save = saving[purpose];
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    ...save,
    defaultPath: suggestedName,
    properties: ['createDirectory', 'showOverwriteConfirmation'],
  });
  const chosen = canceled || filePath === '' ? null : filePath;
  return purpose === 'export' ? chosen : noted(chosen);
}

/** The system lists it among the recent documents. */
function noted(file: string | null): string | null {
  if (file !== null) app.addRecentDocument(file);
  return file;
}

/** The chosen folder, which may be new, or null when the dialog was dismissed. */
async function chooseFolder(window: BrowserWindow, title: string, folder: string): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title,
    defaultPath: folder,
    properties: ['openDirectory', 'createDirectory', 'promptToCreate'],
  });
  return canceled ? null : (filePaths[0] ?? null);
}

// A document as PDF, printed by a window that nobody sees.

/** `html` needs nothing besides itself: its scripts are off, and it has no preload. */
export async function printPdf(html: string): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-print-'));
  const window = new BrowserWindow({ show: false, webPreferences: { sandbox: true, javascript: false } });
  try {
    // A file, because a URL of the document itself has no room for its figures.
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
  /** Whether the menus are this window's. */
  readonly inFront: () => boolean;
  readonly openWindow: () => void;
}

export class WindowShell implements ShellHandlers {
  readonly #window: BrowserWindow;
  readonly #frame: WindowFrame;
  #edited = false;
  #commands: readonly MenuCommand[] = [];
  #emit: ((event: ShellEvent) => void) | null = null;
  /** Events from before the page subscribed. */
  #early: ShellEvent[] = [];
  /** The request to close that waits for the page's answer; answers to earlier ones may still be on their way. */
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

  /** The program has one set of menus: that of the window in front. */
  showMenus(): void {
    const commands = this.#commands;
    const { openWindow } = this.#frame;
    const mac = process.platform === 'darwin';
    const choose = (id: string): void => {
      this.tell({ kind: 'command', id });
      // The entry has ticked itself; what is ticked is for the page to say, which may leave it as it was.
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
   * Whether the window may close. Asks the page if there are unsaved changes. A page that is gone cannot answer, and
   * must not block closing.
   */
  mayClose(): Promise<boolean> {
    if (!this.#edited || this.#emit === null || this.#window.webContents.isCrashed()) return Promise.resolve(true);
    // A request while the question is on the screen replaces the earlier request.
    this.#endRequest(false);
    this.#requests += 1;
    const request = this.#requests;
    return new Promise((answer) => {
      this.#closing = { request, answer };
      this.tell({ kind: 'close-requested', request });
    });
  }

  /** The page was reloaded or is gone, and the open question with it. */
  forget(): void {
    this.#edited = false;
    this.#emit = null;
    this.#endRequest(false);
  }
}
