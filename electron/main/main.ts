/**
 * Desktop program: a single instance with its windows, and the host in the same process. Also sets the folders for data
 * of Chromium and Electron, such as page storage and the single-instance lock. Child processes are Electron utility
 * processes, because the packaged program cannot run as Node.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { app, crashReporter, dialog, utilityProcess } from 'electron';
import { messageOf } from '../contract/errors.ts';
import {
  childProgramPath,
  createDescendantMark,
  createStagedSolver,
  dataFolder,
  type Host,
  listenToOutput,
  openHost,
  PRIVATE_FOLDER,
  type StartChild,
} from '../host/index.ts';
import { forwardedArgumentsSchema, isRunFile, programArguments, readArguments } from './arguments.ts';
import { registerPageScheme, restrictPages, servePage } from './window.ts';
import { WorkbenchWindows } from './windows.ts';

/** If the user has set a data folder, stores Electron's data in it, apart from those of the default installation. */
function applyDataFolder(): void {
  if (!process.env['BRAGGBENCH_HOME']) return;
  setFolder('userData', path.join(dataFolder(), 'desktop'));
}

/** Sets one of Electron's folders. Electron rejects a missing folder, so it is created first. */
function setFolder(name: 'userData' | 'crashDumps', folder: string): void {
  mkdirSync(folder, PRIVATE_FOLDER);
  app.setPath(name, folder);
}

const startUtility: StartChild = (program) => {
  const mark = createDescendantMark();
  const child = utilityProcess.fork(childProgramPath(program), [], {
    env: mark.env,
    serviceName: `Braggbench ${program}`,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Shared libraries of user kernels are compiled locally and therefore not signed.
    allowLoadingUnsignedLibraries: program === 'user-kernel-child',
  });
  child.on('exit', () => mark.end());
  return {
    send: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onOutput: (listener) => listenToOutput(child, listener),
    onEnded: (listener) => child.on('exit', (code) => listener({ code, signal: null })),
    kill: () => {
      // Use SIGKILL: `kill` of a utility process sends SIGTERM, which a process in native code does not handle.
      if (child.pid === undefined) return;
      mark.end();
      try {
        process.kill(child.pid, 'SIGKILL');
      } catch {
        // Ignore the error, because the process has just ended.
      }
    },
  };
};

/**
 * Stores crash reports in the data folder. They are not sent; the user decides whether to pass them on. Must be called
 * before the first window is created, so that crashes of its process are included.
 */
function storeCrashReports(dataFolder: string): void {
  setFolder('crashDumps', path.join(dataFolder, 'crashes'));
  crashReporter.start({ uploadToServer: false, compress: true });
}

/** Folder that contains `assets/` and `dist/`; the compiled file is dist/electron/main.js. */
const root = path.resolve(import.meta.dirname, '../..');
/** Line of output by which `npm start` recognises that the window is ready. */
const READY_LINE = 'braggbench: window ready';
const startOptions = { args: programArguments(process.argv, app.isPackaged), folder: process.cwd() };

let windows: WorkbenchWindows | null = null;
let host: Promise<Host> | null = null;
/** Whether a URL belongs to a page that a connected machine serves; false until the host is open. */
let remotePages: (url: string) => boolean = () => false;
/** File that macOS passes before the first window exists. */
let openedFile: string | null = null;
/** True if a signal, the end of the desktop session or the menu ends the program before its last window is closed. */
let quitRequested = false;
let closedByUser = false;

async function start(): Promise<void> {
  storeCrashReports(dataFolder());
  await app.whenReady();
  restrictPages((url) => remotePages(url));
  servePage(path.join(root, 'dist/renderer'));
  const given = readArguments(startOptions.args, startOptions.folder);
  const file = given.file ?? openedFile;
  const openFirst = file !== null && !isRunFile(file) ? { openFirst: file, runFirst: given.run } : {};
  host = openHost({
    assetsFolder: path.join(root, 'assets'),
    shell: { kind: 'desktop', dialogs: true, window: true, menus: true },
    startChild: startUtility,
    solver: createStagedSolver(),
    ...openFirst,
    ...(given.gpu === null ? {} : { gpu: given.gpu }),
  });
  host.then(
    (opened) => {
      remotePages = (url) => opened.isRemotePage(url);
    },
    () => undefined,
  );
  windows = new WorkbenchWindows({
    host,
    preload: path.join(root, 'dist/electron/preload.cjs'),
    ready: () => console.log(READY_LINE),
    allClosed: () => {
      closedByUser = !quitRequested;
      // Quit if no window is left, also on macOS, because the host ends with the last window.
      app.quit();
    },
  });
  const [window] = await Promise.all([windows.openWindow(), host]);
  await window.openRunFile(file);
}

function showStartError(error: unknown): void {
  const text = messageOf(error);
  console.error(`braggbench: ${text}`);
  dialog.showErrorBox('Braggbench could not start', text);
  app.exit(1);
}

function openFile(file: string | null): void {
  const front = windows?.frontWindow ?? null;
  if (front === null) {
    openedFile = file ?? openedFile;
    return;
  }
  front.focus();
  if (file !== null) front.open(file).catch((error: unknown) => console.error(error));
}

app.setName('Braggbench');
applyDataFolder();
if (!app.requestSingleInstanceLock(startOptions)) {
  // Quit, because the first instance has received the arguments and opens the file.
  app.quit();
} else {
  app.enableSandbox();
  registerPageScheme();
  app.on('second-instance', (_event, _argv, _folder, handed) => {
    const read = forwardedArgumentsSchema.safeParse(handed);
    openFile(read.success ? readArguments(read.data.args, read.data.folder).file : null);
  });
  app.on('open-file', (event, file) => {
    event.preventDefault();
    openFile(file);
  });
  app.on('before-quit', () => {
    quitRequested = !closedByUser;
  });
  let closed = false;
  app.on('will-quit', (event) => {
    if (closed || host === null) return;
    // Delay quitting until runs have ended and temporary data of this process is removed.
    event.preventDefault();
    host
      .then((opened) => opened.close(closedByUser ? 'drop' : 'keep'))
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        closed = true;
        app.quit();
      });
  });
  start().catch(showStartError);
}
