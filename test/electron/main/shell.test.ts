/** The question before the window closes, if its answers arrive late. */
import type { BrowserWindow } from 'electron';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ShellEvent } from '../../../electron/contract/shell.ts';
import { WindowShell } from '../../../electron/main/shell.ts';

vi.mock('electron', async () => (await import('./stand-in/electron.ts')).electron);

const window = {
  setDocumentEdited: () => undefined,
  setTitle: () => undefined,
  webContents: { isCrashed: () => false },
} as unknown as BrowserWindow;

describe('the question before the window closes', () => {
  let shell: WindowShell;
  let requested: number[];

  beforeEach(() => {
    shell = new WindowShell(window, { inFront: () => true, openWindow: () => undefined });
    requested = [];
    shell.events((event: ShellEvent) => {
      if (event.kind === 'close-requested') requested.push(event.request);
    });
    shell.document({ title: 'a.json', edited: true });
  });

  it('is not shown without changes', async () => {
    shell.document({ title: 'a.json', edited: false });
    expect(await shell.mayClose()).toBe(true);
    expect(requested).toEqual([]);
  });

  it('follows the answer to the last request, even if an earlier one is answered later', async () => {
    const first = shell.mayClose();
    const second = shell.mayClose();
    expect(await first).toBe(false);
    const [one = 0, two = 0] = requested;
    expect(one).not.toBe(two);
    // The second request replaced the first question on the page. The page reports this late.
    shell.close(one, false);
    shell.close(two, true);
    expect(await second).toBe(true);
    // The second question is already answered, so another answer to it is ignored.
    shell.close(two, false);
    const third = shell.mayClose();
    shell.close(two, true);
    shell.close(requested.at(-1) ?? 0, false);
    expect(await third).toBe(false);
  });

  it('does not keep a window open whose page is gone', async () => {
    const waiting = shell.mayClose();
    shell.resetPage();
    expect(await waiting).toBe(false);
    expect(await shell.mayClose()).toBe(true);
  });
});
