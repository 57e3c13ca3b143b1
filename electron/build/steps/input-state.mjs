import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { entryNodeVersion } from '../setup/pinned-node.mjs';
import { inRoot } from '../setup/root.mjs';

/**
 * Saved names, times and sizes of all input files, from a check in which every step was up to date. Comparing them
 * needs hundredths of a second and reads no file. If they differ, file contents are compared: see up-to-date.mjs.
 * @typedef {Readonly<{ root: string, folders: readonly string[], files: readonly string[],
 *   settings: readonly (string | undefined)[] }>} InputPaths
 * @typedef {{ inputs: string, outputs: string, made: readonly string[] }} SavedState
 */

/**
 * Paths on which the steps of the command line depend, and a few more. If a compiler is replaced at the same path, only
 * the next full check notices.
 * @type {InputPaths}
 */
export const COMMAND_LINE = {
  root: inRoot(),
  folders: ['electron', 'kernels', 'native'],
  files: [
    ...['package.json', 'package-lock.json', 'tsconfig.json', 'node_modules', 'node_modules/.package-lock.json'],
    ...['/dev/nvidiactl', '/dev/dxg'],
  ],
  settings: [
    entryNodeVersion(),
    process.arch,
    ...['CXX', 'CXXFLAGS', 'CUDA_PATH', 'CUDA_HOME'].map((n) => process.env[n]),
  ],
};

const FILE = inRoot('dist/.stamps/looked-at.json');

/** @param {string} file */
function fileStamp(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? `${file}\0none\n` : `${file}\0${found.mtimeMs}\0${found.ctimeMs}\0${found.size}\n`;
}

/** @param {readonly string[]} files full names */
const digestOfStamps = (files) => createHash('sha256').update(files.map(fileStamp).join('')).digest('hex');

/**
 * Collects the paths of a folder and its contents, about 1,700 names for which every command waits. The time of a
 * folder changes with the names in it.
 * @param {string} folder @param {string[]} found list to which the folder and everything below it are added
 */
function collectPaths(folder, found) {
  found.push(folder);
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = `${folder}/${entry.name}`;
    if (entry.isDirectory()) collectPaths(full, found);
    else found.push(full);
  }
}

/** @param {string} root @param {readonly string[]} names */
const resolvePaths = (root, names) => names.map((name) => path.resolve(root, name));

/**
 * State of the inputs. It must be read before the full check, so that the next check notices changes made during that
 * one.
 * @param {InputPaths} place
 */
export function inputsNow({ root, folders, files, settings }) {
  const all = resolvePaths(root, files);
  for (const folder of resolvePaths(root, folders)) collectPaths(folder, all);
  return `${digestOfStamps(all)} ${JSON.stringify(settings)}`;
}

/**
 * Whether the inputs and outputs are unchanged since the saved state.
 * @param {InputPaths} place @param {string} file
 */
export function isUnchanged(place, file = FILE) {
  if (!existsSync(file)) return false;
  try {
    const /** @type {SavedState} */ { inputs, outputs, made } = JSON.parse(readFileSync(file, 'utf8'));
    return inputs === inputsNow(place) && outputs === digestOfStamps(resolvePaths(place.root, made));
  } catch {
    return false; // interrupted while it was written
  }
}

/**
 * Saves the state, after a check in which everything was up to date.
 * @param {InputPaths} place
 * @param {string} inputs result of inputsNow()
 * @param {readonly string[]} made paths of the outputs, from the root
 */
export function saveState(place, inputs, made, file = FILE) {
  mkdirSync(path.dirname(file), { recursive: true });
  /** @type {SavedState} */
  const look = { inputs, outputs: digestOfStamps(resolvePaths(place.root, made)), made };
  writeFileSync(file, JSON.stringify(look));
}
