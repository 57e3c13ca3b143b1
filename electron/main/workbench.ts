/** One window with its page, the host behind it, and how both end. */
import { type BrowserWindow, dialog, type IpcMainEvent, ipcMain } from 'electron';
import { PORT_CHANNEL, READY_CHANNEL } from '../contract/wire/page-channel.ts';
import type { Door, Host } from '../host/index.ts';
import { mainPort } from '../transports/message-port.ts';
import { isRunFile } from './arguments.ts';
import { isPage } from './security.ts';
import { WindowShell } from './shell.ts';
import { keepPlace } from './window.ts';

export interface WorkbenchOptions {
  readonly window: BrowserWindow;
  /** The page may ask for its port before the host is there. */
  readonly host: Promise<Host>;
  /** The workbench has drawn itself. */
  readonly ready: () => void;
}

export class WorkbenchWindow {
  readonly #window: BrowserWindow;
  readonly #host: Promise<Host>;
  readonly #shell: WindowShell;
  readonly #door: Promise<Door>;
  #mayClose = false;

  constructor({ window, host, ready }: WorkbenchOptions) {
    this.#window = window;
    this.#host = host;
    this.#shell = new WindowShell(window);
    this.#door = host.then((opened) => opened.door(this.#shell));
    // Reported by whoever opened the host.
    this.#door.catch(() => undefined);
    const onPort = (event: IpcMainEvent): void => this.#accept(event);
    const onReady = (event: IpcMainEvent): void => {
      if (this.#isFromPage(event)) ready();
    };
    ipcMain.on(PORT_CHANNEL, onPort);
    ipcMain.on(READY_CHANNEL, onReady);
    window.webContents.on('did-start-navigation', (details) => {
      if (details.isMainFrame && !details.isSameDocument) this.#shell.forget();
    });
    window.webContents.on('render-process-gone', (_event, details) => {
      this.#shell.forget();
      if (details.reason !== 'clean-exit') void this.#offerReload(details.reason);
    });
    window.on('close', (event) => {
      if (this.#mayClose) return;
      event.preventDefault();
      void this.#askToClose();
    });
    window.on('closed', () => {
      ipcMain.off(PORT_CHANNEL, onPort);
      ipcMain.off(READY_CHANNEL, onReady);
      void this.#door.then((door) => door.close());
    });
  }

  /** Brings the window to the front. */
  focus(): void {
    if (this.#window.isMinimized()) this.#window.restore();
    this.#window.focus();
  }

  /** Has the page open a file, once it can. */
  async open(file: string): Promise<void> {
    const host = await this.#host;
    const named = host.grant(file);
    this.#shell.tell({ kind: 'open', file: named.file, name: named.name });
  }

  async openIfRun(file: string | null): Promise<void> {
    if (file !== null && isRunFile(file)) await this.open(file);
  }

  /** Only our page in our window's main frame is heard. */
  #isFromPage(event: IpcMainEvent): boolean {
    const frame = event.senderFrame;
    return (
      event.sender === this.#window.webContents &&
      frame !== null &&
      frame === this.#window.webContents.mainFrame &&
      isPage(frame.url)
    );
  }

  #accept(event: IpcMainEvent): void {
    const port = event.ports[0];
    if (port === undefined) return;
    if (!this.#isFromPage(event)) {
      port.close();
      return;
    }
    this.#door.then(
      (door) => door.accept(mainPort(port), { singleUse: true }),
      () => port.close(),
    );
  }

  async #askToClose(): Promise<void> {
    if (!(await this.#shell.mayClose()) || !(await this.#mayStopRuns())) return;
    await keepPlace(this.#window);
    this.#mayClose = true;
    this.#window.close();
  }

  /** Closing ends what computes: that is worth a question. */
  async #mayStopRuns(): Promise<boolean> {
    const runs = await this.#host.then((host) => host.call('run.list', {}).then((list) => list.runs)).catch(() => []);
    const computing = runs.filter((run) => run.state === 'running' || run.state === 'queued');
    if (computing.length === 0) return true;
    const { response } = await dialog.showMessageBox(this.#window, {
      type: 'question',
      message: computing.length === 1 ? 'A run is still computing.' : `${computing.length} runs are not finished.`,
      detail: 'Closing stops them. What was computed is lost unless it is saved.',
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
      detail: `The reason given is “${reason}”. Runs go on; reloading shows them again.`,
      buttons: ['Reload', 'Close'],
      defaultId: 0,
    });
    if (response === 0) this.#window.webContents.reload();
    else this.#window.destroy();
  }
}
