/** Limits on the page of the desktop program, and the senders that its main process accepts. */
import { expect, it } from 'vitest';
import type { DesktopStory } from '../desktop.ts';

export function guardStories({ desktop }: DesktopStory): void {
  it('the desktop program exposes no Electron API to the page', async () => {
    const added = await desktop().page.evaluate(() => {
      // An empty frame has only the globals that Chromium provides, for comparison.
      const frame = document.body.appendChild(document.createElement('iframe'));
      const usual = new Set(Object.getOwnPropertyNames(frame.contentWindow));
      frame.remove();
      return { usual: usual.size, more: Object.getOwnPropertyNames(globalThis).filter((name) => !usual.has(name)) };
    });
    expect(added.usual).toBeGreaterThan(100);
    // Matches globals of the test drivers, Plotly and zod.
    const known = /^(standIn|__playwright|__pw|__zod|Plotly|PolyBool$)/;
    expect(added.more.filter((name) => !known.test(name))).toEqual([]);
  });

  it("the desktop program serves the page with a content security policy, and no files outside the page's folder", async () => {
    const get = (url: string, method = 'GET') =>
      desktop().program.evaluate(
        async ({ net }, requested) => {
          const answer = await net.fetch(requested.url, { method: requested.method });
          return { status: answer.status, policy: answer.headers.get('Content-Security-Policy') ?? '' };
        },
        { url, method },
      );
    const html = await get('braggbench://app/desktop.html');
    expect(html.status).toBe(200);
    expect(html.policy).toMatch(/default-src 'none'/);
    expect(html.policy).toMatch(/script-src 'self'(;|$)/);
    expect(html.policy).not.toMatch(/unsafe/);
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
    expect((await get('braggbench://app/desktop.html', 'POST')).status).toBe(404);
  });

  it('the page cannot navigate away, open windows or request permissions', async () => {
    const { program } = desktop();
    expect(await program.mayOpen('https://example.org/')).toBe(false);
    expect(await program.mayOpen('about:blank')).toBe(false);
    for (const url of ['https://example.org/', 'file:///etc/passwd', 'braggbench://application/x']) {
      expect(await program.leavesFor(url), url).toBe(false);
    }
    for (const permission of ['notifications', 'geolocation']) {
      expect(await program.hasPermission(permission), permission).toBe(false);
    }
    const prevented = await program.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      const stopped: string[] = [];
      const tell = (name: string, url: string) =>
        contents?.emit(name, { url, preventDefault: () => stopped.push(`${name} ${url}`) });
      for (const name of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
        tell(name, 'https://example.org/');
        tell(name, 'braggbench://app/desktop.html');
      }
      tell('will-attach-webview', '');
      return stopped;
    }, null);
    expect(prevented).toEqual([
      'will-navigate https://example.org/',
      'will-redirect https://example.org/',
      'will-frame-navigate https://example.org/',
      'will-attach-webview ',
    ]);
  });

  it('the program accepts messages only from its own page', async () => {
    const heard = await desktop().program.evaluate(({ BrowserWindow, ipcMain }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      const seen = { closed: 0, started: 0 };
      const port = {
        close: () => {
          seen.closed += 1;
        },
        start: () => {
          seen.started += 1;
        },
        on: () => undefined,
        postMessage: () => undefined,
      };
      const foreign = [
        { sender: {}, senderFrame: contents?.mainFrame },
        { sender: contents, senderFrame: { url: 'braggbench://app/desktop.html' } },
        { sender: contents, senderFrame: null },
      ];
      for (const event of foreign) ipcMain.emit('braggbench:port', { ...event, ports: [port] });
      return seen;
    }, null);
    expect(heard).toEqual({ closed: 3, started: 0 });
  });
}
