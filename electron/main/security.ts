/** What pages may not do, whatever they hold: leave, open windows, embed others, ask for permissions. */
import { app, session } from 'electron';
import { PAGE_ORIGIN } from './page-protocol.ts';

export function isPage(url: string): boolean {
  return url === PAGE_ORIGIN || url.startsWith(`${PAGE_ORIGIN}/`);
}

/** Call before the first window is made. */
export function lockDown(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-attach-webview', (event) => event.preventDefault());
    const stay = (event: { readonly url: string; preventDefault(): void }): void => {
      if (!isPage(event.url)) event.preventDefault();
    };
    contents.on('will-navigate', stay);
    contents.on('will-redirect', stay);
    contents.on('will-frame-navigate', stay);
  });
}
