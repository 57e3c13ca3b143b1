import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endWithParent, exitCode, findOnPath } from './command.mjs';
import { callerFolder, inRoot } from './root.mjs';

/** Matches the address with its token in the output of `braggbench serve`. */
const ADDRESS = /\bhttp:\/\/127\.0\.0\.1:\d+\/\S*/;

/** Command that opens an address in the user's browser; null without a browser or a display. */
function browserCommand() {
  if (process.platform === 'darwin') return { program: 'open', before: [] };
  if (process.platform === 'win32') return { program: 'rundll32', before: ['url.dll,FileProtocolHandler'] };
  const hasDisplay = process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'];
  return hasDisplay && findOnPath('xdg-open') ? { program: 'xdg-open', before: [] } : null;
}

/**
 * Writes a page that redirects to the address, in a folder that only the user can read. The address is not passed as an
 * argument, because all users can see arguments and it contains the token.
 * @param {string} address
 * @returns {string} the folder of the page
 */
function redirectPage(address) {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-open-'));
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${address}"><title>Braggbench</title>\n`;
  writeFileSync(path.join(folder, 'open.html'), page, { mode: 0o600, flag: 'wx' });
  return folder;
}

/**
 * @param {string} address
 * @returns {() => void} removes the page that redirects to it
 */
function openBrowser(address) {
  const found = browserCommand();
  if (!found) return () => {};
  const folder = redirectPage(address);
  const file = path.join(folder, 'open.html');
  const child = spawn(found.program, [...found.before, file], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // the address is also printed on the terminal
  child.unref();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Remove the redirecting page after a time in which even a slow browser has read it.
  setTimeout(remove, 60_000).unref();
  return remove;
}

/**
 * Serves the workbench on the loopback interface until it is interrupted.
 * @param {readonly string[]} args arguments for `braggbench serve`
 * @param {{ open: boolean, solver?: import('../steps/staged.mjs').SolverBuild | null }} options `solver` is being compiled
 * @returns {Promise<number>} exit code
 */
export function serveInBrowser(args, { open, solver = null }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [inRoot('dist/host/cli.js'), 'serve', ...args], {
      cwd: callerFolder,
      env: { ...process.env, ...solver?.env },
      stdio: ['ignore', 'pipe', 'inherit', ...(solver === null ? [] : [/** @type {const} */ ('ipc')])],
    });
    solver?.attach(child);
    let seen = '';
    let opened = !open;
    let forget = () => {};
    child.stdout?.on('data', (/** @type {Buffer} */ chunk) => {
      process.stdout.write(chunk);
      if (opened) return;
      seen += chunk.toString('utf8');
      // Parse complete lines only, because the token may arrive in two pieces.
      const address = ADDRESS.exec(seen.slice(0, seen.lastIndexOf('\n') + 1))?.[0];
      if (!address) return;
      opened = true;
      forget = openBrowser(address);
    });
    const release = endWithParent(child);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      forget();
      release();
      resolve(exitCode(code, signal));
    });
  });
}
