/**
 * All windows of the program. They share one host. Menus belong to the front window, and the program ends when the last
 * window closes.
 */
import { type IpcMainEvent, ipcMain } from 'electron';
import { PORT_CHANNEL, READY_CHANNEL } from '../contract/wire/page.ts';
import type { Host } from '../host/index.ts';
import { createWindow, loadPage } from './window.ts';
import { WorkbenchWindow } from './workbench.ts';

interface WindowsOptions {
  /** Promise of the host, because a page may request its port before the host is open. */
  readonly host: Promise<Host>;
  readonly preload: string;
  /** Called whenever a window's page has been drawn. */
  readonly ready: () => void;
  /** Called after the last window has closed. */
  readonly allClosed: () => void;
}

export class WorkbenchWindows {
  readonly #options: WindowsOptions;
  /** Open windows in the order of their last focus; the last one is in front. */
  #open: readonly WorkbenchWindow[] = [];

  constructor(options: WindowsOptions) {
    this.#options = options;
    ipcMain.on(PORT_CHANNEL, (event) => {
      const owner = this.#windowOf(event);
      if (owner !== undefined) owner.acceptPort(event);
      else event.ports[0]?.close();
    });
    ipcMain.on(READY_CHANNEL, (event) => {
      if (this.#windowOf(event) !== undefined) options.ready();
    });
  }

  get frontWindow(): WorkbenchWindow | null {
    return this.#open.at(-1) ?? null;
  }

  /** Opens a new window, offset from the front one, and loads its page. */
  async openWindow(): Promise<WorkbenchWindow> {
    const { host, preload, allClosed } = this.#options;
    const window = await createWindow(preload, this.frontWindow?.bounds ?? null);
    const added: WorkbenchWindow = new WorkbenchWindow({
      window,
      host,
      inFront: () => this.frontWindow === added,
      isLast: () => this.#open.every((one) => one === added || one.isClosing),
      openWindow: () => {
        this.openWindow().catch((error: unknown) => console.error(error));
      },
    });
    this.#moveToFront(added);
    window.on('focus', () => this.#moveToFront(added));
    window.on('closed', () => {
      this.#open = this.#open.filter((one) => one !== added);
      this.frontWindow?.showMenus();
      if (this.#open.length === 0) allClosed();
    });
    await loadPage(window);
    return added;
  }

  #moveToFront(window: WorkbenchWindow): void {
    this.#open = [...this.#open.filter((one) => one !== window), window];
    window.showMenus();
  }

  #windowOf(event: IpcMainEvent): WorkbenchWindow | undefined {
    return this.#open.find((window) => window.isFromPage(event));
  }
}
