import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { versionToGoOn } from '../setup/pinned-node.mjs';
import { inRoot } from '../setup/root.mjs';

/**
 * What stood where when everything was found up to date: names, times and sizes, which are read in hundredths of a
 * second. Where they are the same, nothing is read again. Contents decide only where something differs: see
 * up-to-date.mjs.
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

/** @param {readonly string[]} files @param {string} root */
function marks(files, root) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(mark(path.resolve(root, file)));
  return hash.digest('hex');
}

/** A folder's own time changes with the names in it. @param {string} folder @returns {string[]} */
function below(folder) {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  return [
    folder,
    ...entries.flatMap((entry) => {
      const full = `${folder}/${entry.name}`;
      return entry.isDirectory() ? below(full) : [full];
    }),
  ];
}

/** To be taken before the full look: what changes meanwhile is then seen by the next. @param {Place} place */
export function inputsNow({ root, folders, files, settings }) {
  const all = [...files, ...folders.flatMap((folder) => below(path.resolve(root, folder)))];
  return `${marks(all, root)} ${JSON.stringify(settings)}`;
}

/** Whether nothing differs from when everything was up to date. @param {Place} place @param {string} file */
export function isAsLooked(place, file = FILE) {
  if (!existsSync(file)) return false;
  try {
    const /** @type {Look} */ { inputs, outputs, made } = JSON.parse(readFileSync(file, 'utf8'));
    return inputs === inputsNow(place) && outputs === marks(made, place.root);
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
  const look = { inputs, outputs: marks(made, place.root), made };
  writeFileSync(file, JSON.stringify(look));
}
