import { capture, findOnPath } from './command.mjs';
import { Failure } from './say.mjs';

/** Oldest CMake that supports all features used in native/CMakeLists.txt. */
const MIN_CMAKE = /** @type {const} */ ([3, 22]);

/** @type {Readonly<Record<'cmake' | 'compiler' | 'make', Readonly<Record<string, string>>>>} */
const INSTALL_COMMANDS = {
  cmake: {
    linux: 'Debian/Ubuntu: `sudo apt install cmake`; Fedora: `sudo dnf install cmake`; Arch: `sudo pacman -S cmake`.',
    darwin: '`brew install cmake`, or the installer from https://cmake.org/download.',
    win32: '`winget install Kitware.CMake`, or the installer from https://cmake.org/download.',
  },
  compiler: {
    linux: 'Debian/Ubuntu: `sudo apt install g++`; Fedora: `sudo dnf install gcc-c++`; Arch: `sudo pacman -S gcc`.',
    darwin: '`xcode-select --install`.',
    win32:
      'Visual Studio Build Tools 2022 with "Desktop development with C++": `winget install Microsoft.VisualStudio.2022.BuildTools`.',
  },
  make: {
    linux: 'Debian/Ubuntu: `sudo apt install make`; Fedora: `sudo dnf install make`; Arch: `sudo pacman -S make`.',
    darwin: '`xcode-select --install`.',
    win32: 'Visual Studio Build Tools 2022 include one.',
  },
};

/** @param {keyof typeof INSTALL_COMMANDS} what */
const installCommand = (what) => INSTALL_COMMANDS[what][process.platform] ?? INSTALL_COMMANDS[what]['linux'];

async function checkCmake() {
  const asked = `Braggbench builds its solver with CMake ${MIN_CMAKE.join('.')} or newer`;
  if (!findOnPath('cmake'))
    throw new Failure(`${asked}, but there is no cmake on PATH.\nInstall it: ${installCommand('cmake')}`);
  const { output } = await capture('cmake', ['--version']);
  const [, major, minor] = /version (\d+)\.(\d+)/.exec(output) ?? [];
  const old = Number(major) < MIN_CMAKE[0] || (Number(major) === MIN_CMAKE[0] && Number(minor) < MIN_CMAKE[1]);
  if (old)
    throw new Failure(`${asked}; version ${major}.${minor} is installed.\nInstall it: ${installCommand('cmake')}`);
}

async function checkCompiler() {
  const asked = 'Braggbench builds its solver with a C++20 compiler (GCC 11, Clang 14 or newer)';
  const compiler = process.env['CXX'] || findOnPath('g++') || findOnPath('clang++');
  if (!compiler)
    throw new Failure(`${asked}, but there is no g++ or clang++ on PATH.\nInstall it: ${installCommand('compiler')}`);
  const [program = '', ...flags] = process.env['CXX'] ? compiler.split(' ') : [compiler];
  const { code, output } = await capture(program, [...flags, '-dumpfullversion', '-dumpversion']);
  const version = output.trim().split('\n').pop() ?? '';
  if (code !== 0)
    throw new Failure(`${asked}; \`${compiler}\` does not run: ${version}\nInstall it: ${installCommand('compiler')}`);
  // Version 11 is the oldest with the C++20 library, for Clang as well as GCC.
  if (Number(version.split('.')[0]) < 11) {
    throw new Failure(
      `${asked}; \`${compiler}\` is version ${version}.\nInstall a newer one: ${installCommand('compiler')}`,
    );
  }
}

/** Oldest Clang that compiles the ranges of GCC's C++20 library. */
const MIN_CLANG = 16;
const CLANG_TRIED_FROM = 30;

/**
 * Finds the newest Clang on PATH, for a second build besides that of the default compiler.
 * @returns {Promise<Readonly<{ program: string, version: string }> | Readonly<{ missing: string }>>}
 */
export async function findClang() {
  if (process.platform !== 'linux') return { missing: 'Linux only, because GCC is the default compiler there' };
  const versions = Array.from({ length: CLANG_TRIED_FROM - MIN_CLANG + 1 }, (_, i) => CLANG_TRIED_FROM - i);
  for (const name of [...versions.map((version) => `clang++-${version}`), 'clang++']) {
    const program = findOnPath(name);
    if (!program) continue;
    const { code, output } = await capture(program, ['--version']);
    const [version = ''] = output.split('\n');
    const major = Number(/version (\d+)/.exec(version)?.[1]);
    if (code === 0 && major >= MIN_CLANG) return { program, version };
  }
  return { missing: ` Clang ${MIN_CLANG} or newer is not installed (Debian/Ubuntu: \`sudo apt install clang-19\`)` };
}

/** Checks for the tools of the C++ build. Throws a Failure with install instructions if one is missing. */
export async function checkCppToolchain() {
  await checkCmake();
  if (process.platform === 'win32') return; // cmake-js finds Visual Studio, and reports an error without it
  await checkCompiler();
  if (!findOnPath('ninja') && !findOnPath('make')) {
    throw new Failure(
      `Braggbench builds its solver with make or ninja, but neither is on PATH.\nInstall it: ${installCommand('make')}`,
    );
  }
}
