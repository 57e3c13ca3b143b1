import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { versionToGoOn } from '../setup/pinned-node.mjs';
import { inRoot } from '../setup/root.mjs';

/**
 * File names, times and sizes at the moment when everything was up to date; reading them needs hundredths of a second.
 * If they are unchanged, nothing is read again. Contents decide only if something differs: see up-to-date.mjs.
 * @typedef {Readonly<{ root: string, folders: readonly string[], files: readonly string[],
 *   settings: readonly (string | undefined)[] }>} Place
 * @typedef {{ inputs: string, outputs: string, made: readonly string[] }} Look
 */

/**
 * All that the steps of the command line read or ask of the machine, generously. A compiler that changes in its place
 * is found by the next full look.
 * @type {Place}
 */
export const COMMAND_LINE = {
  root: inRoot(),
  folders: ['electron', 'kernels', 'native'],
  files: [
    ...['package.json', 'package-lock.json', 'tsconfig.json', 'node_modules', 'node_modules/.package-lock.json'],
    ...['/dev/nvidiactl', '/dev/dxg'],
  ],
  settings: [
    versionToGoOn(),
    process.arch,
    ...['CXX', 'CXXFLAGS', 'CUDA_PATH', 'CUDA_HOME'].map((n) => process.env[n]),
  ],
};

const FILE = inRoot('dist/.stamps/looked-at.json');

/** @param {string} file */
function mark(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? `${file}\0none\n` : `${file}\0${found.mtimeMs}\0${found.ctimeMs}\0${found.size}\n`;
}

/** @param {readonly string[]} files full names */
const marks = (files) => createHash('sha256').update(files.map(mark).join('')).digest('hex');

/**
 * Every command waits for this: some 1,700 names. A folder's own time changes with the names in it.
 * @param {string} folder @param {string[]} found takes the folder and all below it
 */
function collect(folder, found) {
  found.push(folder);
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = `${folder}/${entry.name}`;
    if (entry.isDirectory()) collect(full, found);
    else found.push(full);
  }
}

/** @param {string} root @param {readonly string[]} names */
const inside = (root, names) => names.map((name) => path.resolve(root, name));

/** To be taken before the full look: what changes meanwhile is then seen by the next. @param {Place} place */
export function inputsNow({ root, folders, files, settings }) {
  const all = inside(root, files);
  for (const folder of inside(root, folders)) collect(folder, all);
  return `${marks(all)} ${JSON.stringify(settings)}`;
}

/** Whether nothing differs from when everything was up to date. @param {Place} place @param {string} file */
export function isAsLooked(place, file = FILE) {
  if (!existsSync(file)) return false;
  try {
    const /** @type {Look} */ { inputs, outputs, made } = JSON.parse(readFileSync(file, 'utf8'));
    return inputs === inputsNow(place) && outputs === marks(inside(place.root, made));
  } catch {
    return false; // cut off while it was written
  }
}

/**
 * Keeps a look after which everything was up to date.
 * @param {Place} place @param {string} inputs of inputsNow() @param {readonly string[]} made outputs, from the root
 */
export function keepLook(place, inputs, made, file = FILE) {
  mkdirSync(path.dirname(file), { recursive: true });
  /** @type {Look} */
  const look = { inputs, outputs: marks(inside(place.root, made)), made };
  writeFileSync(file, JSON.stringify(look));
}
