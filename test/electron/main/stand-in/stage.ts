/** State of Electron's stand-in, observed and controlled by the tests. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { StandInMenu } from './menu.ts';
import type { StandInWindow } from './window.ts';

export type ProtocolHandler = (request: Request) => Promise<Response>;

export class Stage {
  browser: Browser | null = null;
  context: BrowserContext | null = null;
  preloadCode = '';
  readonly windows: StandInWindow[] = [];
  menu: StandInMenu | null = null;
  schemes: { readonly scheme: string; readonly privileges: Record<string, unknown> }[] = [];
  readonly protocols = new Map<string, ProtocolHandler>();
  permissionRequest: ((contents: unknown, permission: string, answer: (allowed: boolean) => void) => void) | null =
    null;
  permissionCheck: ((contents: unknown, permission: string) => boolean) | null = null;
  sandboxed = false;
  readonly paths = new Map<string, string>();
  crashReports: Record<string, unknown> | null = null;
  /** Data that the program would pass to the instance that was started first. */
  handed: unknown = null;
  /** Documents that windows have loaded from files. */
  readonly loadedFiles: string[] = [];
  /** Number of child processes started. */
  children = 0;
  readonly #ended = Promise.withResolvers<number>();
  readonly ended = this.#ended.promise;

  end(code: number): void {
    this.#ended.resolve(code);
  }

  /** The window with the workbench. */
  get window(): StandInWindow {
    const window = this.windows[0];
    if (window === undefined) throw new Error('there is no window');
    return window;
  }

  get page(): Page {
    const { page } = this.window;
    if (page === null) throw new Error('the window has no page');
    return page;
  }
}

export const stage = new Stage();

export class PreventableEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}
