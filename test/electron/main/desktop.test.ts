/** Main process and preload over a stand-in of Electron, with the built page in a real Chromium as its window. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DRAWN_BY_PROCESSOR, findChromium } from '../../e2e/chromium.ts';
import { electron, readPreload, stage } from './stand-in.ts';

vi.mock('electron', async () => (await import('./stand-in.ts')).electron);

const root = path.resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-desktop-'));
const printed: string[] = [];
const complaints: string[] = [];
let browser: Browser;

const quick = { kind: 'transport', version: 1, name: 'Quick', beam: { energy_MeV: 70 }, solver: { stepping: 'depth' } };
const quickFile = path.join(folder, 'quick.json');

/** Limit for whatever is waited for: a loaded machine is slow and not wrong. */
const WAIT_MS = 60_000;
const poll = (check: () => unknown) => expect.poll(check, { timeout: WAIT_MS });
const page = () => {
  const shown = stage.window.page;
  if (shown === null) throw new Error('the window has no page');
  return shown;
};
const energy = () => page().getByLabel('Energy', { exact: true });

async function choose(id: string): Promise<void> {
  await poll(() => stage.menuItem(id)?.['enabled']).toBe(true);
  const item = stage.menuItem(id);
  (item?.['click'] as (() => void) | undefined)?.();
}

beforeAll(async () => {
  const { executablePath, args, env } = await findChromium();
  browser = await chromium.launch({ executablePath, args: [...args, ...DRAWN_BY_PROCESSOR], env });
  stage.context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  stage.context.setDefaultTimeout(WAIT_MS);
  stage.context.on('page', (opened) => {
    opened.on('pageerror', (error) => complaints.push(error.message));
    opened.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  });
  stage.preloadCode = readPreload(path.join(root, 'dist/electron/preload.cjs'));
  stage.userData = path.join(folder, 'user-data');
  vi.stubEnv('BRAGGBENCH_HOME', path.join(folder, 'home'));
  writeFileSync(quickFile, JSON.stringify(quick));
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  process.argv = [process.execPath, root, '--scenario', quickFile, '--run'];
  await import('../../../electron/main/main.ts');
  await vi.waitFor(() => expect(printed).toContain('braggbench: window ready'), { timeout: 90_000 });
});

afterAll(async () => {
  await browser?.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe('the desktop program', () => {
  it('opens a locked-in window and says when it is ready', () => {
    const { webPreferences } = stage.window.options as { webPreferences: Record<string, unknown> };
    expect(webPreferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
    });
    expect(stage.sandboxed).toBe(true);
    expect(stage.window.shown).toBe(true);
    expect(stage.schemes).toMatchObject([{ scheme: 'braggbench', privileges: { standard: true, secure: true } }]);
  });

  it('opens and runs the scenario of its command line', async () => {
    await poll(() => stage.window.title).toBe('quick.json – Braggbench');
    await page().getByTestId('r80').waitFor();
    expect(Number.parseFloat((await page().getByTestId('r80').textContent()) ?? '')).toBeCloseTo(40.8, 0);
  });

  it('leaves nothing of Electron in the page', async () => {
    const globals = (of: Page) => of.evaluate(() => Object.getOwnPropertyNames(globalThis));
    // An empty page at the same address has what Chromium itself gives.
    const blank = await browser.newPage();
    await blank.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<p>empty' }));
    await blank.goto(page().url());
    const usual = new Set(await globals(blank));
    await blank.close();
    expect(usual.size).toBeGreaterThan(100);
    const added = (await globals(page())).filter((name) => !usual.has(name));
    // The stand-in's own two, and what Plotly and zod keep there.
    const known = /^(standIn|__playwright|__zod|Plotly|PolyBool$)/;
    expect(added.filter((name) => !known.test(name))).toEqual([]);
  });

  it('serves the page with a policy, and nothing outside its folder', async () => {
    const handler = stage.protocols.get('braggbench');
    if (handler === undefined) throw new Error('there is no protocol handler');
    const get = (url: string, init?: RequestInit) => handler(new Request(url, init));
    const html = await get('braggbench://app/desktop.html');
    expect(html.status).toBe(200);
    const policy = html.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/default-src 'none'/);
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).not.toMatch(/unsafe/);
    const outside = [
      'braggbench://app/..%2f..%2fpackage.json',
      'braggbench://app/%2e%2e/%2e%2e/package.json',
      'braggbench://app/assets/..%5c..%5c..%5cpackage.json',
      'braggbench://app//etc/passwd.json',
      'braggbench://app/desktop.html%00.json',
      'braggbench://other/desktop.html',
      'braggbench://app/',
      'braggbench://app/none.js',
    ];
    for (const url of outside) expect((await get(url)).status, url).toBe(404);
    expect((await get('braggbench://app/desktop.html', { method: 'POST' })).status).toBe(404);
  });

  it('lets the page neither leave, nor open windows, nor ask for permissions', () => {
    const contents = stage.window.webContents;
    expect(contents.openHandler?.({ url: 'https://example.org' })).toEqual({ action: 'deny' });
    for (const name of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
      const prevented: string[] = [];
      for (const url of [
        'https://example.org/',
        'file:///etc/passwd',
        'braggbench://application/x',
        'braggbench://app/desktop.html',
      ]) {
        contents.emit(name, { url, preventDefault: () => prevented.push(url) });
      }
      expect(prevented, name).toHaveLength(3);
    }
    const prevented = vi.fn();
    contents.emit('will-attach-webview', { preventDefault: prevented });
    expect(prevented).toHaveBeenCalled();
    const answers: boolean[] = [];
    stage.permissionRequest?.(contents, 'media', (allowed) => answers.push(allowed));
    expect(answers).toEqual([false]);
    expect(stage.permissionCheck?.()).toBe(false);
  });

  it('hears only its own page', () => {
    const close = vi.fn();
    const { webContents } = stage.window;
    const port = { close, start: vi.fn(), on: vi.fn(), postMessage: vi.fn() };
    const foreign = [
      { sender: {}, senderFrame: webContents.mainFrame },
      { sender: webContents, senderFrame: { url: 'braggbench://app/desktop.html' } },
      { sender: webContents, senderFrame: null },
    ];
    for (const event of foreign) electron.ipcMain.emit('braggbench:port', { ...event, ports: [port] });
    expect(close).toHaveBeenCalledTimes(foreign.length);
    expect(port.start).not.toHaveBeenCalled();
    const ready = printed.length;
    electron.ipcMain.emit('braggbench:ready', { sender: {}, senderFrame: webContents.mainFrame, ports: [] });
    expect(printed).toHaveLength(ready);
  });

  it('shows the commands in native menus, which act in the page', async () => {
    await choose('view.theme.dark');
    await poll(() => page().locator('html').getAttribute('data-theme')).toBe('dark');
    await poll(() => stage.menuItem('view.theme.dark')?.['checked']).toBe(true);
    expect(stage.menu.map((menu) => menu['label'])).toEqual(
      expect.arrayContaining(['File', 'Edit', 'Run', 'View', 'Help']),
    );
    const open = stage.menuItem('file.open');
    expect(open).toMatchObject({ accelerator: 'CmdOrCtrl+O', registerAccelerator: false, enabled: true });
    // A bare Escape as an accelerator would never reach a dialog.
    expect(stage.menuItem('view.unpin')?.['accelerator']).toBeUndefined();
    // With native menus there is no bar of menus in the page.
    expect(await page().getByRole('menubar').count()).toBe(0);
  });

  it('marks unsaved changes, undoes from the menu, and saves through the native dialog', async () => {
    await energy().fill('80');
    await poll(() => stage.window.title).toBe('• quick.json – Braggbench');
    expect(stage.window.edited).toBe(true);
    await poll(() => stage.menuItem('edit.undo')?.['label']).toBe('Undo Energy');
    await choose('edit.undo');
    await poll(() => energy().inputValue()).toBe('70');
    await poll(() => stage.window.edited).toBe(false);
    await energy().fill('85');
    const saved = path.join(folder, 'saved.json');
    stage.fileAnswers.push({ path: saved });
    await choose('file.saveAs');
    await poll(() => existsSync(saved)).toBe(true);
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject({ beam: { energy_MeV: 85 } });
    await poll(() => stage.window.title).toBe('saved.json – Braggbench');
    expect(stage.recentDocuments).toContain(saved);
    expect(stage.dialogs.at(-1)).toMatchObject({ kind: 'save', options: { defaultPath: 'quick.json' } });
  });

  it('opens what the native dialog chose, and a run by its own dialog', async () => {
    stage.fileAnswers.push({ path: quickFile });
    await choose('file.open');
    await poll(() => energy().inputValue()).toBe('70');
    const run = path.join(folder, 'run.h5');
    stage.fileAnswers.push({ path: run });
    await choose('run.save');
    await poll(() => existsSync(run)).toBe(true);
    stage.fileAnswers.push({ path: run });
    await choose('run.open');
    await page().getByRole('tab', { name: 'Runs' }).click();
    await poll(() => page().locator('.run-entry__file', { hasText: 'run.h5' }).count()).toBeGreaterThan(0);
  });

  it('keeps crash reports and its log on this computer, and shows the log in its folder', async () => {
    expect(stage.crashReports).toMatchObject({ uploadToServer: false });
    expect(stage.paths.get('crashDumps')).toBe(path.join(folder, 'home', 'crashes'));
    await choose('help.log');
    await poll(() => stage.openedFolders).toEqual([path.join(folder, 'home', 'logs')]);
    expect(readFileSync(path.join(folder, 'home', 'logs', 'braggbench.log'), 'utf8')).toMatch(/has started/);
  });

  it('looks for newer versions only when it is asked to, and at start only after a yes', async () => {
    expect(stage.menuItem('help.updateAtStart')?.['checked']).toBe(false);
    await choose('help.updateAtStart');
    const question = page().getByRole('dialog', { name: 'Look for newer versions at every start?' });
    await question.getByRole('button', { name: 'No', exact: true }).click();
    expect(stage.menuItem('help.updateAtStart')?.['checked']).toBe(false);
    await choose('help.updateAtStart');
    await question.getByRole('button', { name: 'Look at every start' }).click();
    await poll(() => stage.menuItem('help.updateAtStart')?.['checked']).toBe(true);
    await choose('help.updateAtStart');
    await poll(() => stage.menuItem('help.updateAtStart')?.['checked']).toBe(false);
    const settings = readFileSync(path.join(folder, 'home', 'settings.json'), 'utf8');
    expect(JSON.parse(settings)).toMatchObject({ settings: { updates: false } });
    // A checkout has no newer version to take.
    await choose('help.update');
    await poll(() => page().getByText('This is a checkout: git brings newer versions.').count()).toBe(1);
    await page().getByRole('button', { name: 'Dismiss' }).last().click();
  });

  it('takes the folder of the library from the native dialog', async () => {
    const chosen = path.join(folder, 'my library');
    stage.fileAnswers.push({ path: chosen });
    await choose('library.folder');
    await page().getByRole('tab', { name: 'Library' }).click();
    await poll(() => page().locator('.library-panel__foot').textContent()).toContain(chosen);
    await page().getByRole('tab', { name: 'Runs' }).click();
  });

  it('opens files handed over by a second start, in the window that is there', async () => {
    const before = stage.window.focused;
    electron.app.emit('second-instance', {}, [process.execPath, root, 'saved.json'], folder);
    await poll(() => energy().count()).toBe(0); // the Runs tab is in front
    await page().getByRole('tab', { name: 'Scenario' }).click();
    await poll(() => energy().inputValue()).toBe('85');
    expect(stage.window.focused).toBe(before + 1);
    expect(stage.windows).toHaveLength(1);
  });

  it('keeps the window open while a question about changes stands, and closes after it', async () => {
    await energy().fill('86');
    await poll(() => stage.window.edited).toBe(true);
    stage.window.close();
    const question = page().getByRole('dialog', { name: /Save changes to saved\.json/ });
    await question.waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await poll(() => question.count()).toBe(0);
    expect(stage.window.destroyed).toBe(false);
    expect(complaints).toEqual([]);

    // The page's answer to the first question may still be on its way: it must not count as one to this.
    stage.window.close();
    await question.getByRole('button', { name: 'Save', exact: true }).click();
    await poll(() => stage.quit).toBe(true);
    expect(stage.window.destroyed).toBe(true);
    expect(JSON.parse(readFileSync(path.join(folder, 'saved.json'), 'utf8'))).toMatchObject({
      beam: { energy_MeV: 86 },
    });
    expect(existsSync(path.join(stage.userData, 'window.json'))).toBe(true);
  });
});
