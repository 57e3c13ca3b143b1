/** The desktop program: one instance, its windows, the host in this process. */
import path from 'node:path';
import { app, crashReporter, dialog } from 'electron';
import { messageOf } from '../contract/errors.ts';
import { dataFolder, type Host, openHost, stagedSolver } from '../host/index.ts';
import { handedOverSchema, isRunFile, ownArguments, readArguments } from './arguments.ts';
import { keepOwnData, setFolder } from './own-data.ts';
import { declarePageScheme, servePage } from './page-protocol.ts';
import { lockDown } from './security.ts';
import { startUtility } from './utility-child.ts';
import { WorkbenchWindows } from './windows.ts';

// Reports of crashes stay on this computer: files in the data folder, which the user may send to whom they like.

/** Before the first window, so that its process is watched too. */
function keepCrashReports(dataFolder: string): void {
  setFolder('crashDumps', path.join(dataFolder, 'crashes'));
  crashReporter.start({ uploadToServer: false, compress: true });
}

/** Folder with `assets/` and `dist/`: this file is dist/electron/main.js. */
const root = path.resolve(import.meta.dirname, '../..');
/** The line that `npm start` waits for. */
const READY_LINE = 'braggbench: window ready';
const own = { args: ownArguments(process.argv, app.isPackaged), folder: process.cwd() };

let windows: WorkbenchWindows | null = null;
let host: Promise<Host> | null = null;
/** Whether a connected machine serves an address; none before the host is there. */
let remotePages: (url: string) => boolean = () => false;
/** A file that the system hands over before there is a window (macOS). */
let handedOver: string | null = null;
/** By a signal, the end of the session, or its menu, before its last window was closed. */
let toldToQuit = false;
let closedByUser = false;

async function start(): Promise<void> {
  keepCrashReports(dataFolder());
  await app.whenReady();
  lockDown((url) => remotePages(url));
  servePage(path.join(root, 'dist/renderer'));
  const given = readArguments(own.args, own.folder);
  const file = given.file ?? handedOver;
  const openFirst = file !== null && !isRunFile(file) ? { openFirst: file, runFirst: given.run } : {};
  host = openHost({
    assetsFolder: path.join(root, 'assets'),
    shell: { kind: 'desktop', dialogs: true, window: true, menus: true },
    startChild: startUtility,
    solver: stagedSolver(),
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
      closedByUser = !toldToQuit;
      // Without a window there is nothing left to do, on a Mac either: the host ends with the last.
      app.quit();
    },
  });
  const [window] = await Promise.all([windows.add(), host]);
  await window.openIfRun(file);
}

function fail(error: unknown): void {
  const text = messageOf(error);
  console.error(`braggbench: ${text}`);
  dialog.showErrorBox('Braggbench could not start', text);
  app.exit(1);
}

function open(file: string | null): void {
  const front = windows?.front ?? null;
  if (front === null) {
    handedOver = file ?? handedOver;
    return;
  }
  front.focus();
  if (file !== null) front.open(file).catch((error: unknown) => console.error(error));
}

app.setName('Braggbench');
keepOwnData();
if (!app.requestSingleInstanceLock(own)) {
  // The first instance has received the arguments and shows the file.
  app.quit();
} else {
  app.enableSandbox();
  declarePageScheme();
  app.on('second-instance', (_event, _argv, _folder, handed) => {
    const read = handedOverSchema.safeParse(handed);
    open(read.success ? readArguments(read.data.args, read.data.folder).file : null);
  });
  app.on('open-file', (event, file) => {
    event.preventDefault();
    open(file);
  });
  app.on('before-quit', () => {
    toldToQuit = !closedByUser;
  });
  let closed = false;
  app.on('will-quit', (event) => {
    if (closed || host === null) return;
    // Ends runs and removes temporary data of this process; then the program may quit.
    event.preventDefault();
    host
      .then((opened) => opened.close(closedByUser ? 'drop' : 'keep'))
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        closed = true;
        app.quit();
      });
  });
  start().catch(fail);
}
