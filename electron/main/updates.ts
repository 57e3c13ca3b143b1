/**
 * Newer versions of the program, with electron-updater. Nothing is asked for,
 * and the library is not even loaded, until the user wants it; nothing is
 * downloaded or installed without a further word.
 */
import { app } from 'electron';
import type { ShellHandlers } from '../host/index.ts';

async function updater() {
  const { autoUpdater } = (await import('electron-updater')).default;
  autoUpdater.autoDownload = false;
  autoUpdater.autoInstallOnAppQuit = true;
  autoUpdater.logger = null;
  return autoUpdater;
}

export const updates: NonNullable<ShellHandlers['updates']> = {
  async check() {
    const current = app.getVersion();
    if (!app.isPackaged) throw new Error('This is a checkout: git brings newer versions.');
    const found = await (await updater()).checkForUpdates();
    return { current, newer: found?.isUpdateAvailable ? found.updateInfo.version : null };
  },
  async install() {
    await (await updater()).downloadUpdate();
  },
};
