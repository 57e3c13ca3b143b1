/** The window's side of the contract: dialogs, title, menus, closing, and what it tells the page. */
import { app, type BrowserWindow, Menu, shell } from 'electron';
import type { FilePurpose } from '../contract/files.ts';
import type { MenuCommand, ShellEvent } from '../contract/shell.ts';
import type { ShellHandlers } from '../host/index.ts';
import { chooseFile, chooseFolder } from './file-dialogs.ts';
import { menuTemplate } from './menu.ts';
import { printPdf } from './print-pdf.ts';

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
  /** What happened before the page listened. */
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
   * Whether the window may close. Asks the page when there are unsaved changes;
   * a page that is gone cannot be asked, and must not keep the window open.
   */
  mayClose(): Promise<boolean> {
    if (!this.#edited || this.#emit === null || this.#window.webContents.isCrashed()) return Promise.resolve(true);
    // Asked again while the question is on the screen: the same question.
    this.#endRequest(false);
    this.#requests += 1;
    const request = this.#requests;
    return new Promise((answer) => {
      this.#closing = { request, answer };
      this.tell({ kind: 'close-requested', request });
    });
  }

  /** The page was loaded anew or is gone: it knows of no question. */
  forget(): void {
    this.#edited = false;
    this.#emit = null;
    this.#endRequest(false);
  }
}
