/** Window with its page and its connection to the host, and the order in which they are closed. */
import { type BrowserWindow, dialog, type IpcMainEvent, type Rectangle } from 'electron';
import type { Host, PageAcceptor } from '../host/index.ts';
import { mainPort } from '../transports/message-port.ts';
import { isRunFile } from './arguments.ts';
import { WindowShell } from './shell.ts';
import { isPage, saveWindowPosition } from './window.ts';

interface WorkbenchOptions {
  readonly window: BrowserWindow;
  /** Promise of the host, because the page may request its port before the host is open. */
  readonly host: Promise<Host>;
  /** Whether this window is in front, so that the program shows its menus. */
  readonly inFront: () => boolean;
  /** Whether this is the only window, so that the program ends when it closes. */
  readonly isLast: () => boolean;
  readonly openWindow: () => void;
}

export class WorkbenchWindow {
  readonly #window: BrowserWindow;
  readonly #host: Promise<Host>;
  readonly #shell: WindowShell;
  readonly #pageAcceptor: Promise<PageAcceptor>;
  readonly #isLast: () => boolean;
  #isClosing = false;
  #mayClose = false;

  constructor({ window, host, isLast, ...frame }: WorkbenchOptions) {
    this.#window = window;
    this.#host = host;
    this.#isLast = isLast;
    this.#shell = new WindowShell(window, frame);
    this.#pageAcceptor = host.then((opened) => opened.pageAcceptor(this.#shell));
    // Ignore the error here, because the caller that opens the host reports it.
    this.#pageAcceptor.catch(() => undefined);
    window.webContents.on('did-start-navigation', (details) => {
      if (details.isMainFrame && !details.isSameDocument) this.#shell.resetPage();
    });
    window.webContents.on('render-process-gone', (_event, details) => {
      this.#shell.resetPage();
      if (details.reason !== 'clean-exit') void this.#offerReload(details.reason);
    });
    window.on('close', (event) => {
      if (this.#mayClose) return;
      event.preventDefault();
      void this.#askToClose();
    });
    window.on('closed', () => {
      void this.#pageAcceptor.then((door) => door.close());
    });
  }

  /** Position and size, relative to which a new window is placed. */
  get bounds(): Rectangle {
    return this.#window.getNormalBounds();
  }

  /** Whether the window is about to close. False again if the user cancels the closing, so that runs continue. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  showMenus(): void {
    this.#shell.showMenus();
  }

  /** Restores a minimised window and brings it to the front. */
  focus(): void {
    if (this.#window.isMinimized()) this.#window.restore();
    this.#window.focus();
  }

  /** Opens a file in the page as soon as the page is ready. */
  async open(file: string): Promise<void> {
    const host = await this.#host;
    const named = host.grant(file);
    this.#shell.sendEvent({ kind: 'open', file: named.file, name: named.name });
  }

  /** Opens the file if it is a run. The host opens scenarios (`openFirst`). */
  async openRunFile(file: string | null): Promise<void> {
    if (file !== null && isRunFile(file)) await this.open(file);
  }

  /** Whether a message comes from our page in this window's main frame. All other messages are ignored. */
  isFromPage(event: IpcMainEvent): boolean {
    const frame = event.senderFrame;
    return (
      event.sender === this.#window.webContents &&
      frame !== null &&
      frame === this.#window.webContents.mainFrame &&
      isPage(frame.url)
    );
  }

  /** Connects the port that the page sent to the host. */
  acceptPort(event: IpcMainEvent): void {
    const port = event.ports[0];
    if (port === undefined) return;
    this.#pageAcceptor.then(
      (door) => door.accept(mainPort(port), { singleUse: true }),
      () => port.close(),
    );
  }

  async #askToClose(): Promise<void> {
    if (!(await this.#shell.mayClose())) return;
    // Set this before the prompt. If several windows close at the same time, the last of them then prompts.
    this.#isClosing = true;
    if (this.#isLast() && !(await this.#mayStopRuns())) {
      this.#isClosing = false;
      return;
    }
    await saveWindowPosition(this.#window);
    this.#mayClose = true;
    this.#window.close();
  }

  /** Whether running computations may be stopped. Closing the last window ends them, so the user must confirm. */
  async #mayStopRuns(): Promise<boolean> {
    const runs = await this.#host.then((host) => host.call('run.list', {}).then((list) => list.runs)).catch(() => []);
    const computing = runs.filter((run) => run.state === 'running' || run.state === 'queued');
    if (computing.length === 0) return true;
    const { response } = await dialog.showMessageBox(this.#window, {
      type: 'question',
      message: computing.length === 1 ? 'A run is still in progress.' : `${computing.length} runs are not finished.`,
      detail: 'Closing stops them. Unsaved results are lost.',
      buttons: ['Keep computing', 'Stop and close'],
      defaultId: 0,
      cancelId: 0,
    });
    return response === 1;
  }

  async #offerReload(reason: string): Promise<void> {
    const { response } = await dialog.showMessageBox(this.#window, {
      type: 'error',
      message: 'The page stopped working.',
      detail: `The reported reason is “${reason}”. Runs continue; reloading shows them again.`,
      buttons: ['Reload', 'Close'],
      defaultId: 0,
    });
    if (response === 0) this.#window.webContents.reload();
    else this.#window.destroy();
  }
}
