/** Limits of pages, whatever they contain: no leaving, embedding or permissions, and no window but one of a connected machine. */
import { app, dialog, session, type WebContents } from 'electron';
import { PAGE_ORIGIN } from './page-protocol.ts';

export function isPage(url: string): boolean {
  return url === PAGE_ORIGIN || url.startsWith(`${PAGE_ORIGIN}/`);
}

/** Windows for other machines, opened from our page: without a preload, and restricted to their own address. */
const remotes = new WeakSet<WebContents>();

/** The page asks whether to leave unsaved changes; a window without our frame asks for it. */
function askToLeave(event: { preventDefault(): void }): void {
  const chosen = dialog.showMessageBoxSync({
    type: 'question',
    message: 'The scenario has unsaved changes.',
    detail: 'Closing this window loses them. What computes on the other machine goes on.',
    buttons: ['Stay', 'Close without saving'],
    defaultId: 0,
    cancelId: 0,
  });
  // Here preventing means to leave.
  if (chosen === 1) event.preventDefault();
}

/** Call before the first window is made. `isRemote`: whether a machine that the host is connected to serves this address. */
export function lockDown(isRemote: (url: string) => boolean): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(({ url }) =>
      isPage(contents.getURL()) && isRemote(url)
        ? {
            action: 'allow',
            overrideBrowserWindowOptions: { webPreferences: { sandbox: true, contextIsolation: true } },
          }
        : { action: 'deny' },
    );
    contents.on('did-create-window', (window) => {
      remotes.add(window.webContents);
      window.webContents.on('will-prevent-unload', askToLeave);
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    const stay = (event: { readonly url: string; preventDefault(): void }): void => {
      const mayGo = remotes.has(contents) ? isRemote(event.url) : isPage(event.url);
      if (!mayGo) event.preventDefault();
    };
    contents.on('will-navigate', stay);
    contents.on('will-redirect', stay);
    contents.on('will-frame-navigate', stay);
  });
}
