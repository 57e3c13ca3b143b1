/**
 * A small stand-in of Electron's API: the parts that electron/main and the desktop stories use. Only Electron itself is
 * replaced; the window shows the built page in a real Chromium.
 */
import type { ElectronModule } from '../../../desktop/desktop.ts';
import { app, ipcMain } from './app.ts';
import { StandInMenu } from './menu.ts';
import { type ProtocolHandler, type Stage, stage } from './stage.ts';
import { utilityProcess } from './utility-process.ts';
import { StandInWindow } from './window.ts';

/** Nobody can answer dialogs, so that stories replace these functions by their answers. */
const rejectDialog = async (): Promise<never> => {
  throw new Error('a dialog was opened, and the story has no answer to it');
};

/** The module that electron/main imports as 'electron'. */
export const electron = {
  app,
  ipcMain,
  BrowserWindow: StandInWindow,
  Menu: StandInMenu,
  utilityProcess,
  dialog: {
    showOpenDialog: rejectDialog,
    showSaveDialog: rejectDialog,
    showMessageBox: rejectDialog,
    showErrorBox: (title: string, content: string) => console.error(title, content),
  },
  shell: { openPath: rejectDialog },
  crashReporter: {
    start: (options: Record<string, unknown>) => {
      stage.crashReports = options;
    },
  },
  nativeTheme: { shouldUseDarkColors: false },
  protocol: {
    registerSchemesAsPrivileged: (schemes: Stage['schemes']) => {
      stage.schemes = schemes;
    },
    handle: (scheme: string, handler: ProtocolHandler) => stage.protocols.set(scheme, handler),
  },
  net: {
    fetch: async (url: string, init?: RequestInit) => {
      const handler = stage.protocols.get(new URL(url).protocol.slice(0, -1));
      if (handler === undefined) throw new Error(`nothing answers ${url}`);
      return handler(new Request(url, init));
    },
  },
  screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] },
  session: {
    defaultSession: {
      setPermissionRequestHandler: (handler: NonNullable<Stage['permissionRequest']>) => {
        stage.permissionRequest = handler;
      },
      setPermissionCheckHandler: (handler: NonNullable<Stage['permissionCheck']>) => {
        stage.permissionCheck = handler;
      },
    },
  },
};

type FakedMembers = typeof electron;
type FakedApi<Mine, Theirs> = Exclude<keyof Mine, keyof Theirs>;
type FakedNames =
  | FakedApi<FakedMembers, ElectronModule>
  | {
      [Name in keyof FakedMembers & keyof ElectronModule]: FakedApi<FakedMembers[Name], ElectronModule[Name]>;
    }[keyof FakedMembers & keyof ElectronModule]
  | FakedApi<FakedMembers['session']['defaultSession'], ElectronModule['session']['defaultSession']>;

/** Fails to compile if the stand-in has a name that Electron's types lack. */
export const NOTHING_FAKED: [FakedNames] extends [never] ? true : FakedNames = true;
