/** Stories of a work session, with the main process over a stand-in of Electron. */
import { existsSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { workStories } from '../../desktop/stories/work.ts';
import { standIn } from './stand-in/driver.ts';
import { stage } from './stand-in/stage.ts';

vi.mock('electron', async () => (await import('./stand-in/electron.ts')).electron);

workStories(standIn);

describe('requests of the program to Electron', () => {
  it('create a sandbox for every page in a restricted window', () => {
    const { webPreferences } = stage.window.options as { webPreferences: Record<string, unknown> };
    expect(webPreferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
    });
    expect(stage.sandboxed).toBe(true);
    expect(stage.schemes).toMatchObject([{ scheme: 'braggbench', privileges: { standard: true, secure: true } }]);
  });

  it('keep crash reports local, and let one instance receive the arguments of the next', () => {
    expect(stage.crashReports).toMatchObject({ uploadToServer: false });
    expect(stage.handed).toMatchObject({ args: ['quick.braggbench.json', '--run'] });
  });

  it('open a hidden window without scripts for the report, whose file is then deleted', { tags: 'slow' }, () => {
    expect(stage.windows[1]?.options).toEqual({ show: false, webPreferences: { sandbox: true, javascript: false } });
    expect(stage.loadedFiles).toHaveLength(1);
    expect(stage.loadedFiles.filter((file) => existsSync(file))).toEqual([]);
  });

  it('start a separate process for a user kernel', { tags: 'slow' }, () => {
    expect(stage.children).toBeGreaterThan(0);
  });
});
