/** Location of the data of Chromium and Electron: window position, page storage, and the single-instance lock. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { app } from 'electron';
import { dataFolder, PRIVATE } from '../host/index.ts';

/** Data that somebody has moved are those of another program: nothing of it lies with those of the usual one. */
export function keepOwnData(): void {
  if (!process.env['BRAGGBENCH_HOME']) return;
  setFolder('userData', path.join(dataFolder(), 'desktop'));
}

/** Electron refuses a folder that is not there. */
export function setFolder(name: 'userData' | 'crashDumps', folder: string): void {
  mkdirSync(folder, PRIVATE);
  app.setPath(name, folder);
}
