import { existsSync, readFileSync } from 'node:fs';
import { capture, lastLines } from './command.mjs';
import { inRoot } from './root.mjs';
import { Failure, runTimed } from './say.mjs';

/**
 * @typedef {Readonly<{ version?: string, optional?: boolean, peer?: boolean, dev?: boolean, devOptional?: boolean }>} LockedPackage
 * @typedef {Readonly<{ packages: Readonly<Record<string, LockedPackage>> }>} Lock
 */

/**
 * @param {string} file
 * @returns {Lock | null}
 */
function readLock(file) {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null; // npm was interrupted while writing it
  }
}

/**
 * Whether the installed packages match package-lock.json. npm writes a hidden lock file at the end of each
 * installation. Optional packages, which contain binaries for other platforms, may be absent but must not differ.
 * @param {Lock} wanted package-lock.json
 * @param {Lock | null} installed node_modules/.package-lock.json
 * @param {{ developer?: boolean }} [options] false: packages that only tests and checks need may be absent or of any
 * version
 */
export function isInstalled(wanted, installed, { developer = true } = {}) {
  if (!installed) return false;
  for (const [place, locked] of Object.entries(wanted.packages)) {
    if (place === '') continue;
    if (locked.dev && !developer) continue;
    const there = installed.packages[place];
    if (!there && (locked.optional || locked.devOptional)) continue;
    if (there?.version !== locked.version || !existsSync(inRoot(place))) return false;
  }
  return true;
}

/**
 * Arguments for npm. `npm ci` empties node_modules first, so if developer packages were installed before, they are
 * installed again.
 * @param {Lock | null} installed packages that were installed before
 * @param {{ developer?: boolean, inPlace?: boolean }} options `inPlace`: without emptying node_modules
 * @returns {readonly string[]}
 */
export function npmArguments(installed, { developer = true, inPlace = false }) {
  const developed = Object.values(installed?.packages ?? {}).some(({ dev }) => dev === true);
  return [inPlace ? 'install' : 'ci', ...(developer || developed ? [] : ['--omit=dev']), '--loglevel=error'];
}

/** Command that starts npm: the npm that started this script, or the one on PATH. */
function npmCommand() {
  const cli = process.env['npm_execpath'];
  if (cli?.endsWith('.js') && existsSync(cli)) return { program: process.execPath, before: [cli] };
  return process.platform === 'win32'
    ? { program: process.env['ComSpec'] ?? 'cmd.exe', before: ['/d', '/s', '/c', 'npm'] }
    : { program: 'npm', before: [] };
}

/**
 * Installs packages if they are missing or do not match package-lock.json.
 * @param {{ developer?: boolean }} [options] false: only packages that building and running the program need, if no
 * others are installed
 */
export async function ensurePackages({ developer = true } = {}) {
  const wanted = readLock(inRoot('package-lock.json'));
  if (!wanted) throw new Failure('package-lock.json is missing or unreadable: check out the repository again.');
  const installed = readLock(inRoot('node_modules/.package-lock.json'));
  if (isInstalled(wanted, installed, { developer })) return;

  const { program, before } = npmCommand();
  // Update in place on Windows, where `npm ci` cannot empty node_modules while this script's Node runs from there.
  const inPlace = process.platform === 'win32' && existsSync(inRoot('node_modules'));
  const words = npmArguments(installed, { developer, inPlace });
  await runTimed('Installing packages', async () => {
    const outcome = await capture(program, [...before, ...words], {
      env: { ...process.env, npm_config_update_notifier: 'false' },
    });
    if (outcome.code === 0) return;
    const log = outcome.output.replace(/^npm (warn|error) (EBADENGINE|Usage|A complete log).*\n/gm, '');
    throw new Failure(npmErrorText(log));
  });
}

/** @param {string} log */
function npmErrorText(log) {
  if (/can only install packages when your package\.json and package-lock\.json/.test(log)) {
    return 'package.json and package-lock.json disagree: run `npm install` once to bring the lock file up to date.';
  }
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/.test(log)) {
    const request = /request to \S+ failed.*/.exec(log)?.[0] ?? lastLines(log, 4);
    return `${request}\nThe npm registry could not be reached. The first start needs the network; later starts work offline.`;
  }
  return `${lastLines(log, 25)}\nnpm could not install the packages (above).`;
}
