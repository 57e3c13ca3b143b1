import { spawn } from 'node:child_process';
import { exitCode, onPath, standBy } from './command.mjs';
import { callerFolder, inRoot } from './root.mjs';

/** The line of `braggbench serve` that carries the address with its token. */
const ADDRESS = /\bhttp:\/\/127\.0\.0\.1:\d+\/\S*/;

/** The program that opens an address in the person's browser, or null: no browser, or no display for it. */
function opener() {
  if (process.platform === 'darwin') return { program: 'open', before: [] };
  if (process.platform === 'win32') return { program: 'rundll32', before: ['url.dll,FileProtocolHandler'] };
  const hasDisplay = process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'];
  return hasDisplay && onPath('xdg-open') ? { program: 'xdg-open', before: [] } : null;
}

/** @param {string} address */
function openBrowser(address) {
  const found = opener();
  if (!found) return;
  const child = spawn(found.program, [...found.before, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // the address is on the terminal
  child.unref();
}

/**
 * Serves the workbench on the loopback interface until it is interrupted.
 * @param {readonly string[]} args for `braggbench serve`
 * @param {{ open: boolean }} options
 * @returns {Promise<number>} exit code
 */
export function serveInBrowser(args, { open }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [inRoot('dist/host/cli.js'), 'serve', ...args], {
      cwd: callerFolder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let seen = '';
    let opened = !open;
    child.stdout.on('data', (/** @type {Buffer} */ chunk) => {
      process.stdout.write(chunk);
      if (opened) return;
      seen += chunk.toString('utf8');
      // A whole line: the token may arrive in two pieces.
      const address = ADDRESS.exec(seen.slice(0, seen.lastIndexOf('\n') + 1))?.[0];
      if (!address) return;
      opened = true;
      openBrowser(address);
    });
    const release = standBy(child);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      release();
      resolve(exitCode(code, signal));
    });
  });
}
