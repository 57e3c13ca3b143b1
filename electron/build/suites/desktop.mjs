import path from 'node:path';
import { findDesktop } from '../setup/desktop-program.mjs';
import { callerFolder } from '../setup/root.mjs';
import { skipped } from './result.mjs';

/** @typedef {import('./run.mjs').Phase} Phase */

const NAME = 'The desktop program in Electron';

/**
 * The desktop stories in Electron itself; `npm test` runs the same over a stand-in.
 * @param {string | null} folder of a package; null: Electron's runtime, or the installed program
 * @returns {Phase}
 */
export function desktopStories(folder) {
  const given = folder === null ? null : path.resolve(callerFolder, folder);
  const found = findDesktop(given);
  if ('missing' in found) {
    return { beside: [{ name: NAME, run: async () => skipped(NAME, found.missing) }] };
  }
  return { tests: { projects: ['desktop'], env: given === null ? {} : { BRAGGBENCH_PACKAGE: given } } };
}
