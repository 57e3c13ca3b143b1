import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { capture, endWithParent, exitCode } from './command.mjs';
import { inRoot, root } from './root.mjs';
import { printLine } from './say.mjs';

/**
 * Folder of Electron's npm package. It does not contain the runtime, about 110 MB, which is downloaded and unpacked
 * into dist/.
 */
const PACKAGE = inRoot('node_modules/electron');

/** Time limit of the download, enough for 110 MB at 3 Mbit/s. */
const DOWNLOAD_TIMEOUT_S = 300;

/** Time limit for opening the first window. It usually needs 2 s, longer with a cold disk or a virus scanner. */
const WINDOW_TIMEOUT_S = 40;

/** Line that electron/main prints when its first window shows the page. */
const WINDOW_READY = 'braggbench: window ready';

/** Path of the runtime's executable; null if it is not downloaded. */
export function runtimeExecutable() {
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  const names = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' };
  const name = names[/** @type {keyof typeof names} */ (process.platform)] ?? 'electron';
  if (override) return existsSync(`${override}/${name}`) ? `${override}/${name}` : null;
  try {
    const wanted = JSON.parse(readFileSync(`${PACKAGE}/package.json`, 'utf8')).version;
    const there = readFileSync(`${PACKAGE}/dist/version`, 'utf8').trim().replace(/^v/, '');
    const file = `${PACKAGE}/dist/${name}`;
    return wanted === there && existsSync(file) ? file : null;
  } catch {
    return null;
  }
}

/** Reason why this machine cannot show windows; null if it can. */
export function missingDisplayReason() {
  if (process.platform !== 'linux') return null;
  if (process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']) return null;
  return 'there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)';
}

/** File with time and reason of the last failed download. For a while after it, starts do not try the download again. */
const LAST_FAILURE = inRoot('dist/.stamps/electron-download.json');
const TRY_AGAIN_AFTER_MS = 3600_000;

/** @returns {string | null} */
function recentFailure() {
  try {
    const { at_ms, reason } = JSON.parse(readFileSync(LAST_FAILURE, 'utf8'));
    const age_ms = Date.now() - at_ms;
    if (!(age_ms >= 0 && age_ms < TRY_AGAIN_AFTER_MS)) return null;
    return `${reason} ${Math.round(age_ms / 60_000)} min ago; \`npx install-electron\` tries again`;
  } catch {
    return null;
  }
}

/** @returns {Promise<string | null>} why the runtime could not be fetched */
async function download() {
  const known = recentFailure();
  if (known) return known;
  printLine("Downloading Electron's runtime (about 110 MB, once) …");
  const outcome = await capture(process.execPath, [`${PACKAGE}/install.js`], { timeout_s: DOWNLOAD_TIMEOUT_S });
  if (outcome.code === 0 && runtimeExecutable()) return null;
  const what = outcome.output
    .trim()
    .split('\n')[0]
    ?.replace(/^\w*Error: /, '');
  const reason = outcome.timedOut
    ? `the runtime of Electron was not downloaded within ${DOWNLOAD_TIMEOUT_S / 60} minutes`
    : `the runtime of Electron could not be downloaded (${what})`;
  mkdirSync(path.dirname(LAST_FAILURE), { recursive: true });
  writeFileSync(LAST_FAILURE, JSON.stringify({ at_ms: Date.now(), reason }));
  return reason;
}

/**
 * Summarises the error output of Electron in one sentence.
 * @param {string} log
 * @param {number} code
 */
function exitReason(log, code) {
  const library = /error while loading shared libraries: ([^:]+):/.exec(log)?.[1];
  if (library) return `Electron needs the system library ${library}, which is not installed`;
  if (/Running as root without --no-sandbox/.test(log))
    return 'Electron does not run as root, because that disables its sandbox';
  if (/SUID sandbox|No usable sandbox/.test(log)) return "this system does not allow Electron's sandbox";
  if (/Missing X server|cannot open display|Failed to connect to Wayland/i.test(log))
    return 'the display cannot be opened';
  const fatal = /(?:FATAL|ERROR):[^\]]*\]\s*(.*)/.exec(log)?.[1] ?? log.trim().split('\n').pop();
  return `Electron stopped with code ${code}${fatal ? ` (${fatal.slice(0, 200)})` : ''}`;
}

/**
 * Opens the workbench in Electron and waits until its windows are closed.
 * @param {readonly string[]} args arguments for electron/main
 * @param {import('../steps/staged.mjs').SolverBuild | null} [solver] build of the solver in progress
 * @returns {Promise<{ exitCode: number } | { reason: string }>} the reason when no window opened
 */
export async function runInElectron(args, solver = null) {
  const blind = missingDisplayReason();
  if (blind) return { reason: blind };
  if (!runtimeExecutable()) {
    const failed = await download();
    if (failed) return { reason: failed };
  }
  return openWindow(runtimeExecutable() ?? '', args, solver);
}

/**
 * @param {string} electron
 * @param {readonly string[]} args
 * @param {import('../steps/staged.mjs').SolverBuild | null} solver
 * @returns {Promise<{ exitCode: number } | { reason: string }>}
 */
function openWindow(electron, args, solver) {
  const { ELECTRON_RUN_AS_NODE: _, ...inherited } = process.env;
  const env = { ...inherited, ...solver?.env };
  const ipc = solver === null ? [] : [/** @type {const} */ ('ipc')];
  return new Promise((resolve) => {
    const child = spawn(electron, [root, ...args], { env, stdio: ['ignore', 'pipe', 'pipe', ...ipc] });
    solver?.attach(child);
    let log = '';
    let isOpen = false;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, WINDOW_TIMEOUT_S * 1000);
    const release = endWithParent(child);

    /** @param {Buffer} chunk */
    const take = (chunk) => {
      if (isOpen) return void process.stderr.write(chunk);
      log += chunk.toString('utf8');
      if (!log.includes(WINDOW_READY)) return;
      isOpen = true;
      clearTimeout(timer);
      printLine('Braggbench is open in its own window. Close the window to quit.');
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('error', (error) => resolve({ reason: `Electron could not be started (${error.message})` }));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      release();
      if (isOpen) return resolve({ exitCode: exitCode(code, signal) });
      if (late) return resolve({ reason: `Electron opened no window within ${WINDOW_TIMEOUT_S} s` });
      // The user ended Electron before a window opened, so do not open a browser instead.
      if (code === 0) return resolve({ exitCode: 0 });
      resolve({ reason: exitReason(log, exitCode(code, signal)) });
    });
  });
}
