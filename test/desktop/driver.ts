/**
 * Interface of a started program for the desktop stories. The stand-in of Electron and Electron itself implement it.
 */
import type { Page } from 'playwright-core';

export type ElectronModule = typeof import('electron');

export interface Program {
  /** The page of the workbench; not after its process has crashed. */
  readonly page: Page;
  /** Runs a function in the main process, with Electron's module. It may use nothing from around it. */
  evaluate<R, Arg>(act: (electron: ElectronModule, given: Arg) => R | Promise<R>, given: Arg): Promise<R>;
  /** The page of the window that this opens. */
  opening(act: () => Promise<void>): Promise<Page>;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** Starts the program once more with these arguments, in this folder, and waits until that one has ended. */
  startAgain(args: readonly string[], folder: string): Promise<void>;
  /** Whether the page may have this, such as `notifications`. */
  allows(permission: string): Promise<boolean>;
  /** Whether the page comes to open a window, or to leave, for this address. */
  opens(url: string): Promise<boolean>;
  leavesFor(url: string): Promise<boolean>;
  /** At once, however far it is. */
  stop(): Promise<void>;
}

type StartOptions = Readonly<{
  folder: string;
  env: Readonly<Record<string, string>>;
  /** Takes what the pages complain of. */
  complaints: string[];
}>;

/** Starts the program, and waits for its window. */
export type Driver = (args: readonly string[], options: StartOptions) => Promise<Program>;
