import path from 'node:path';
import { findDesktop } from '../setup/desktop-program.mjs';
import { callerFolder } from '../setup/root.mjs';
import { say } from '../setup/say.mjs';
import { skipped } from './result.mjs';
import { vitestProject } from './vitest.mjs';

/**
 * The desktop stories in Electron itself; `npm test` tells the same over a stand-in.
 * @param {string | null} folder of a package; null: the runtime, or what is installed
 * @returns {import('./result.mjs').Suite}
 */
export function desktopStories(folder) {
  const name = 'The desktop program in Electron';
  return {
    name,
    run: async (quiet) => {
      const given = folder === null ? null : path.resolve(callerFolder, folder);
      const found = findDesktop(given);
      if ('missing' in found) return skipped(name, found.missing);
      say(`  ${found.executable}`);
      if (given !== null) process.env['BRAGGBENCH_PACKAGE'] = given;
      return vitestProject('desktop', name).run(quiet);
    },
  };
}
