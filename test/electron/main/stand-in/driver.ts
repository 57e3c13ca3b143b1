/**
 * Starts the main process within the test's own process, over the stand-in of Electron, with Chromium for its windows.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { vi } from 'vitest';
import { type Driver, type ElectronModule, type Program, WAIT_MS } from '../../../desktop/desktop.ts';
import { findChromium, forStories } from '../../../e2e/chromium.ts';
import { app, ipcMain } from './app.ts';
import { electron } from './electron.ts';
import { PreventableEvent, stage } from './stage.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/**
 * Starts the main process. Can be used once per file, because the main process is a module that starts when it is
 * loaded.
 */
export const standIn: Driver = async (args, { folder, env, complaints }): Promise<Program> => {
  const { executablePath, args: switches, env: chromiumEnv } = await findChromium();
  const browser = await chromium.launch({
    executablePath,
    args: [...switches, ...forStories()],
    env: chromiumEnv,
  });
  stage.browser = browser;
  stage.context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  stage.context.on('page', (opened) => {
    opened.on('pageerror', (error) => complaints.push(error.message));
    opened.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  });
  stage.preloadCode = readFileSync(path.join(root, 'dist/electron/preload.cjs'), 'utf8');
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  process.argv = [process.execPath, '--inspect=0', root, ...args];
  await import('../../../../electron/main/main.ts');
  await vi.waitFor(() => {
    if (!printed.includes('braggbench: window ready')) throw new Error('no window is ready');
  }, 90_000);
  vi.mocked(process.cwd).mockRestore();
  return {
    page: stage.page,
    // The stand-in has every part of Electron that the stories use.
    evaluate: async (act, given) => act(electron as unknown as ElectronModule, given),
    pageOpenedBy: async (act) => {
      const [opened] = await Promise.all([stage.context?.waitForEvent('page', { timeout: WAIT_MS }), act()]);
      if (opened === undefined) throw new Error('the stage has no browser');
      return opened;
    },
    ended: stage.ended,
    startSecondInstance: async (again, from) => {
      app.emit('second-instance', new PreventableEvent(), [], '', { args: again, folder: from });
    },
    hasPermission: async (permission) => {
      const answers: boolean[] = [];
      stage.permissionRequest?.(stage.window.webContents, permission, (allowed) => answers.push(allowed));
      const [asked] = answers;
      if (asked === undefined) throw new Error(`nobody answers whether ${permission} is allowed`);
      return asked || stage.permissionCheck?.(stage.window.webContents, permission) !== false;
    },
    mayOpen: async (url) => stage.window.webContents.openHandler?.({ url }).action !== 'deny',
    leavesFor: async (url) => {
      const event = new PreventableEvent();
      stage.window.webContents.emit('will-navigate', Object.assign(event, { url }));
      return !event.defaultPrevented;
    },
    stop: async () => {
      await browser.close();
      log.mockRestore();
      vi.unstubAllEnvs();
      ipcMain.removeAllListeners();
    },
  };
};
