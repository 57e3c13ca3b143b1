import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { missingDisplayReason, runtimeExecutable } from './electron-runtime.mjs';
import { inRoot } from './root.mjs';

/**
 * @typedef {Readonly<{ kind: 'runtime', executable: string }>} Runtime Electron's own program, which opens this folder
 * @typedef {Readonly<{ kind: 'package', executable: string, folder: string }>} Packaged the program as users install it
 * @typedef {Runtime | Packaged} DesktopProgram program that the desktop tests start
 */

/** Folders into which the packages of electron-builder.yml are installed, by platform. */
const INSTALL_PATHS = /** @type {Readonly<Record<string, readonly string[]>>} */ ({
  linux: ['/opt/Braggbench'],
  darwin: ['/Applications/Braggbench.app'],
  win32: [path.join(process.env['ProgramFiles'] ?? 'C:\\Program Files', 'Braggbench')],
});

/** Paths of the executable and of the archive in a package's folder, by platform. */
const PARTS = /** @type {Readonly<Record<string, readonly [string, string]>>} */ ({
  linux: ['braggbench', 'resources/app.asar.unpacked'],
  darwin: ['Contents/MacOS/Braggbench', 'Contents/Resources/app.asar.unpacked'],
  win32: ['Braggbench.exe', 'resources/app.asar.unpacked'],
});

const readVersion = (/** @type {string} */ file) => String(JSON.parse(readFileSync(file, 'utf8')).version);

/**
 * Finds a package in a folder, which contains the executable or, on macOS, the application.
 * @param {string} folder
 * @param {NodeJS.Platform} [platform]
 * @returns {Packaged | Readonly<{ missing: string }>}
 */
export function findPackage(folder, platform = process.platform) {
  const [executable, beside] = PARTS[platform] ?? PARTS['linux'] ?? ['', ''];
  const [app] = platform === 'darwin' && !folder.endsWith('.app') ? globSync('*.app', { cwd: folder }) : [''];
  const at = path.join(folder, app ?? '');
  if (!existsSync(path.join(at, executable)))
    return { missing: `${folder} contains no package: ${executable} is missing` };
  const [there, wanted] = [readVersion(path.join(at, beside, 'package.json')), readVersion(inRoot('package.json'))];
  if (there !== wanted) return { missing: `the package in ${folder} is version ${there}, but ${wanted} is needed` };
  return { kind: 'package', executable: path.join(at, executable), folder: at };
}

/**
 * Selects the program for the desktop tests: the package in `folder` if given, otherwise Electron's runtime, otherwise
 * the installed program.
 * @param {string | null} folder
 * @returns {DesktopProgram | Readonly<{ missing: string }>}
 */
export function findDesktop(folder) {
  const blind = missingDisplayReason();
  if (blind !== null) return { missing: blind };
  if (folder !== null) return findPackage(folder);
  const executable = runtimeExecutable();
  if (executable !== null) return { kind: 'runtime', executable };
  for (const place of INSTALL_PATHS[process.platform] ?? []) {
    const found = existsSync(place) ? findPackage(place) : null;
    if (found !== null && !('missing' in found)) return found;
  }
  return {
    missing: "Electron's runtime is missing (`npx install-electron` downloads it), and no package is installed",
  };
}
