/** Electron's `app`: the parts that the program uses. */
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { PreventableEvent, stage } from './stage.ts';

class StandInApp extends EventEmitter {
  readonly isPackaged = false;
  name = 'Electron';
  #quitting = false;

  setName(name: string): void {
    this.name = name;
  }
  setPath(name: string, folder: string): void {
    if (!existsSync(folder)) throw new Error(`Failed to set path: ${folder}`);
    stage.paths.set(name, folder);
  }
  getPath(name: string): string {
    const folder = stage.paths.get(name);
    if (folder === undefined) throw new Error(`the stand-in has no folder for ${name}`);
    return folder;
  }
  getVersion(): string {
    return '0.1.0';
  }
  whenReady(): Promise<void> {
    return Promise.resolve();
  }
  requestSingleInstanceLock(handed: unknown): boolean {
    stage.handed = handed;
    return true;
  }
  enableSandbox(): void {
    stage.sandboxed = true;
  }
  addRecentDocument(): void {}
  exit(code: number): void {
    stage.end(code);
  }
  /** Closes all windows. Afterwards, the program may prevent quitting once more. */
  quit(): void {
    if (this.#quitting) return;
    for (const window of stage.windows) if (!window.isDestroyed()) window.close();
    if (stage.windows.some((window) => !window.isDestroyed())) return;
    const event = new PreventableEvent();
    this.emit('will-quit', event);
    if (event.defaultPrevented) return;
    this.#quitting = true;
    this.emit('quit');
    stage.end(0);
  }
}

export const app = new StandInApp();
export const ipcMain = new EventEmitter();
