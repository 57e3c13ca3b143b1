/**
 * Loaded before a package's main program in plain Node: replaces `electron` with an empty module. When the window loads
 * its page, the program's own protocol serves it. The result is printed on standard output, and the window is closed.
 */
import { EventEmitter } from 'node:events';
import { registerHooks } from 'node:module';

/** @type {((request: Request) => Promise<Response>) | null} */
let serve = null;

const app = Object.assign(new EventEmitter(), {
  isPackaged: true,
  name: '',
  setName: () => undefined,
  setPath: () => undefined,
  getPath: () => process.env['BRAGGBENCH_HOME'],
  getVersion: () => '0',
  enableSandbox: () => undefined,
  requestSingleInstanceLock: () => true,
  whenReady: async () => undefined,
  exit: (/** @type {number} */ code) => process.exit(code),
  quit: () => {
    const event = { stopped: false, preventDefault: () => Object.assign(event, { stopped: true }) };
    app.emit('will-quit', event);
    if (!event.stopped) process.exit(0);
  },
});

class BrowserWindow extends EventEmitter {
  webContents = Object.assign(new EventEmitter(), { isCrashed: () => false, mainFrame: {} });
  closed = false;
  setTitle() {}
  setDocumentEdited() {}
  show() {}
  isMaximized() {
    return false;
  }
  getNormalBounds() {
    return { x: 0, y: 0, width: 800, height: 600 };
  }
  async loadURL(/** @type {string} */ url) {
    const answer = await serve?.(new Request(url));
    const page = (await answer?.text()) ?? '';
    const script = /src="\.?\/?([^"]+\.js)"/.exec(page)?.[1] ?? '';
    const code = await serve?.(new Request(new URL(script, url)));
    console.log(JSON.stringify({ page: answer?.status, script, code: code?.status }));
    // The host opens concurrently with the page; the window waits for both before it closes.
    setTimeout(() => this.close(), 0);
  }
  close() {
    const event = { stopped: false, preventDefault: () => Object.assign(event, { stopped: true }) };
    this.emit('close', event);
    if (event.stopped || this.closed) return;
    this.closed = true;
    this.emit('closed');
  }
}

const electron = {
  app,
  BrowserWindow,
  ipcMain: new EventEmitter(),
  crashReporter: { start: () => undefined },
  dialog: {
    showErrorBox: (/** @type {string} */ title, /** @type {string} */ text) => console.error(`${title}: ${text}`),
  },
  Menu: { buildFromTemplate: () => ({}), setApplicationMenu: () => undefined },
  nativeTheme: { shouldUseDarkColors: false },
  protocol: {
    registerSchemesAsPrivileged: () => undefined,
    handle: (/** @type {string} */ _scheme, /** @type {typeof serve} */ handler) => {
      serve = handler;
    },
  },
  screen: { getAllDisplays: () => [] },
  session: {
    defaultSession: { setPermissionRequestHandler: () => undefined, setPermissionCheckHandler: () => undefined },
  },
  shell: {},
  utilityProcess: {},
};

Reflect.set(globalThis, Symbol.for('no electron'), electron);
const names = Object.keys(electron);
const source = `const electron = globalThis[Symbol.for('no electron')];
export default electron;
${names.map((name) => `export const ${name} = electron.${name};`).join('\n')}`;
const url = `data:text/javascript,${encodeURIComponent(source)}`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url, shortCircuit: true } : next(specifier, context),
});
