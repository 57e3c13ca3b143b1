/** Starts the desktop program in Electron itself, with Playwright's Electron driver. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses';
import { _electron, type Page } from 'playwright-core';
import { type DesktopProgram, findDesktop, findPackage } from '../../electron/build/setup/desktop-program.mjs';
import { type Driver, type Program, WAIT_MS } from './desktop.ts';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * A copy of a package that tests can control: the shipped one has a fuse that disables debuggers. Nothing else differs.
 */
async function copyDrivable(folder: string): Promise<Readonly<{ executable: string; copy: string }>> {
  const copy = mkdtempSync(path.join(tmpdir(), 'braggbench-package-'));
  const at = path.join(copy, path.basename(folder));
  cpSync(folder, at, { recursive: true, verbatimSymlinks: true });
  const found = findPackage(at);
  if ('missing' in found) throw new Error(found.missing);
  await flipFuses(process.platform === 'darwin' ? at : found.executable, {
    version: FuseVersion.V1,
    resetAdHocDarwinSignature: process.platform === 'darwin',
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
  return { executable: found.executable, copy };
}

/** If no program is found, `npm run test:all -- desktop` has already reported this, and no story runs. */
function findDesktopProgram(): DesktopProgram {
  const found = findDesktop(process.env['BRAGGBENCH_PACKAGE'] ?? null);
  if ('missing' in found) throw new Error(found.missing);
  return found;
}

export const inElectron =
  (desktop: DesktopProgram = findDesktopProgram()): Driver =>
  async (args, { folder, env, complaints }): Promise<Program> => {
    const started =
      desktop.kind === 'package' ? await copyDrivable(desktop.folder) : { executable: desktop.executable, copy: null };
    const own = desktop.kind === 'package' ? args : [root, ...args];
    // The packaged program starts its own threads and processes, so that variables of this test run must not reach it.
    const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, BRAGGBENCH_BUNDLES: ___, ...inherited } = process.env;
    const given = Object.fromEntries(
      Object.entries({ ...inherited, ...env }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    // The root user cannot start the sandbox, but other users can, and users of the program do.
    const chromiumSandbox = process.getuid?.() !== 0;
    const app = await _electron.launch({
      executablePath: started.executable,
      args: [...own],
      cwd: folder,
      env: given,
      chromiumSandbox,
    });
    const ended = new Promise<number | null>((resolve) => {
      app.process().once('exit', (code) => resolve(code));
    });
    const listen = (opened: Page): void => {
      opened.on('pageerror', (error) => complaints.push(error.message));
      opened.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    };
    const page = await app.firstWindow({ timeout: WAIT_MS });
    listen(page);
    return {
      page,
      evaluate: (act, value) => app.evaluate(act as never, value as never) as never,
      pageOpenedBy: async (act) => {
        const [opened] = await Promise.all([app.waitForEvent('window', { timeout: WAIT_MS }), act()]);
        listen(opened);
        return opened;
      },
      ended,
      startSecondInstance: (again, from) =>
        new Promise((resolve, reject) => {
          const sandbox = chromiumSandbox ? [] : ['--no-sandbox'];
          const words = desktop.kind === 'package' ? [...sandbox, ...again] : [...sandbox, root, ...again];
          const second = spawn(started.executable, words, { cwd: from, env: given, stdio: 'ignore' });
          second.once('error', reject);
          second.once('exit', (code) => {
            if (code === 0) resolve();
            else reject(new Error(`the second start ended with ${code}`));
          });
        }),
      hasPermission: (permission) =>
        page.evaluate(
          async (name) => (await navigator.permissions.query({ name: name as PermissionName })).state !== 'denied',
          permission,
        ),
      mayOpen: (url) => page.evaluate((to) => window.open(to) !== null, url),
      leavesFor: async (url) => {
        const [before, complained] = [page.url(), complaints.length];
        await page.evaluate((to) => location.assign(to), url).catch(() => undefined);
        // Wait long enough for a navigation that is not blocked.
        await page.waitForTimeout(500);
        // Remove the messages that Chromium prints about the blocked navigation.
        complaints.splice(complained);
        return page.url() !== before;
      },
      stop: async () => {
        const { exitCode, signalCode, pid = 0 } = app.process();
        if (exitCode === null && signalCode === null) {
          // On Windows the program is the child of a shell.
          if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/T', '/F']);
          else app.process().kill('SIGKILL');
          await ended;
        }
        if (started.copy !== null) rmSync(started.copy, { recursive: true, force: true, maxRetries: 10 });
      },
    };
  };
