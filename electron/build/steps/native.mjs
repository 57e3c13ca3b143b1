import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { capture, findOnPath, lastLines } from '../setup/command.mjs';
import { checkCppToolchain } from '../setup/cpp-toolchain.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';

/**
 * `signal` ends the compiler; see capture().
 * @typedef {Readonly<{ signal?: AbortSignal }>} BuildOptions
 */

const CMAKE_JS = inRoot('node_modules/cmake-js/bin/cmake-js');
const EXE = process.platform === 'win32' ? '.exe' : '';

export const ADDON = 'dist/native/braggbench.node';
/** Addon that only solves transport on the CPU. A first start compiles it before the complete addon. */
const FIRST_ADDON = 'dist/native/braggbench_first.node';
/** Library that user kernels are linked with. */
const CORE_LIBRARY = `dist/native/${process.platform === 'win32' ? 'braggbench_core.lib' : 'libbraggbench_core.a'}`;
export const CPP_TESTS = `dist/native/braggbench_tests${EXE}`;
/** Test programs that need a GPU. Tests in the second one make the device unusable for their process. */
export const GPU_TESTS = ['braggbench_gpu_tests', 'braggbench_fault_tests'].map((name) => `dist/native/${name}${EXE}`);
export const SANITIZED_TESTS = `dist/native-sanitized/braggbench_tests${EXE}`;

/** @param {string} packageName */
const packageVersion = (packageName) =>
  String(JSON.parse(readFileSync(inRoot('node_modules', packageName, 'package.json'), 'utf8')).version);

export const programVersion = () => String(JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).version);

const SOURCES = ['native/**/*.{cpp,hpp,cmake,in}', 'native/**/CMakeLists.txt', 'kernels/**/*.{cpp,hpp}'];
const TEST_SOURCES = ['kernels', 'native', 'parity', 'physics', 'gpu'].map((folder) => `test/${folder}/**/*.{cpp,hpp}`);

/** CMake cache entries that are always set, because a CMake tree keeps earlier values. */
const CMAKE_ENTRIES = { BB_ADDON: 'ON', BB_TESTS: 'ON' };
/**
 * Environment variable that requests code for all processors and GPUs. It is set for packages, and by users whose
 * machines share a checkout.
 */
export const EVERY_MACHINE = 'BRAGGBENCH_EVERY_MACHINE';
const thisMachine = () => !process.env[EVERY_MACHINE];
/** CMake cache entries that select the processors for which loops are compiled. */
const machineSettings = () => ({ BB_THIS_MACHINE: thisMachine() ? 'ON' : 'OFF' });

/**
 * Instruction sets of the processor. They are inputs of a step, so a checkout is rebuilt when a different machine uses
 * it.
 */
function instructions() {
  if (!thisMachine()) return 'every set';
  try {
    return /^flags.*$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[0] ?? null;
  } catch {
    return null;
  }
}

const treeFolder = (/** @type {string} */ out) => [
  '--directory',
  inRoot('native'),
  '--out',
  inRoot(out),
  '--log-level',
  'error',
];

/**
 * @param {string} out folder of the tree, from the root
 * @param {Readonly<Record<string, string>>} [definitions] CMake cache entries
 * @param {NodeJS.ProcessEnv} [env]
 */
export function configure(out, definitions = {}, env = process.env) {
  const all = Object.entries({ ...CMAKE_ENTRIES, ...machineSettings(), BB_VERSION: programVersion(), ...definitions });
  const defined = all.map(([name, value]) => `--CD${name}=${value}`);
  return capture(process.execPath, [CMAKE_JS, 'configure', ...treeFolder(out), ...defined], { env });
}

/**
 * Configures and builds a CMake tree. If the tree cannot be configured, because its folder, generator or compiler
 * changed, it is deleted and created again.
 * @param {string} out folder of the tree, from the root
 * @param {(progressOf: string) => void} progress
 * @param {Readonly<Record<string, string>>} definitions CMake cache entries
 * @param {Readonly<{ target?: string, compiler?: string, signal?: AbortSignal }>} [options] `target`: what to
 * build, all if not given; `compiler`: the default one if not given; `signal`: aborts the build
 */
async function cmake(out, progress, definitions, { target, compiler, ...how } = {}) {
  await checkCppToolchain();
  const env = compiler === undefined ? process.env : { ...process.env, CXX: compiler };
  deleteTreeOfOtherCompiler(out, env['CXX'] ?? '');
  let configured = await configure(out, definitions, env);
  if (configured.code !== 0 && existsSync(inRoot(out, 'CMakeCache.txt'))) {
    rmSync(inRoot(out), { recursive: true, force: true });
    configured = await configure(out, definitions, env);
  }
  if (configured.code !== 0)
    throw new Failure(`${lastLines(configured.output, 40)}\nCMake configuration failed (above).`);

  const parallel = ['--parallel', String(availableParallelism())];
  const only = target ? ['--target', target] : [];
  const built = await capture(process.execPath, [CMAKE_JS, 'build', ...treeFolder(out), ...parallel, ...only], {
    ...how,
    env,
    onLine: (line) => {
      const far = parseProgress(line);
      if (far) progress(far);
    },
  });
  if (built.code !== 0) throw new Failure(`${compilerErrors(built.output)}\nThe C++ build failed (above).`);
}

/**
 * Compiles C++ while `work` installs packages, because npm leaves the cores idle half of the time. Only the addon's
 * binding needs packages; addonStep() compiles it later in the same tree.
 * @template T
 * @param {() => Promise<T>} work
 * @param {string} [out] folder of the tree, from the root
 * @returns {Promise<T>}
 */
export async function compileDuring(work, out = 'dist/cmake') {
  const ninja = findOnPath('ninja');
  // Only on Linux do generator and flags equal those of cmake-js, which continues in the tree.
  if (ninja === null || process.platform !== 'linux' || existsSync(inRoot(out))) return work();
  deleteTreeOfOtherCompiler(out, process.env['CXX'] ?? '');
  const fromCmakeJs = { CMAKE_BUILD_TYPE: 'Release', CMAKE_CXX_FLAGS: '-DBUILDING_NODE_EXTENSION' };
  const defined = {
    ...fromCmakeJs,
    BB_VERSION: programVersion(),
    BB_ADDON: 'OFF',
    BB_TESTS: 'OFF',
    ...machineSettings(),
  };
  const definitions = Object.entries(defined).map(([name, value]) => `-D${name}=${value}`);
  let over = false;
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null;
  const compiling = (async () => {
    const from = ['-S', inRoot('native'), '-B', inRoot(out), '-G', 'Ninja', ...definitions];
    // Ignore errors, because the next step repeats the work and reports them.
    if ((await capture('cmake', from)).code !== 0 || over) return;
    // Build the objects of the first addon before the others.
    for (const target of ['bb_first_objects', 'all']) {
      if (over) return;
      child = spawn(ninja, ['-C', inRoot(out), target], { stdio: 'ignore' });
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
      await new Promise((resolve) => child?.once('error', resolve).once('close', resolve));
    }
  })();
  try {
    return await work();
  } finally {
    over = true;
    // SIGINT makes ninja delete incomplete files.
    /** @type {import('node:child_process').ChildProcess | null} */ (child)?.kill('SIGINT');
    await compiling;
  }
}

/**
 * Deletes a tree that was configured with another compiler, because $CXX does not change an existing tree.
 * @param {string} out folder of the tree, from the root
 * @param {string} compiler value of $CXX
 */
function deleteTreeOfOtherCompiler(out, compiler) {
  const file = inRoot(out, 'compiler.txt');
  if (existsSync(inRoot(out, 'CMakeCache.txt')) && (existsSync(file) ? readFileSync(file, 'utf8') : '') !== compiler) {
    rmSync(inRoot(out), { recursive: true, force: true });
  }
  mkdirSync(inRoot(out), { recursive: true });
  writeFileSync(file, compiler);
}

/**
 * Build progress in a line of ninja (`[12/260] …`) or make (`[ 5%] …`); null for other lines.
 * @param {string} line
 */
export function parseProgress(line) {
  const [, done, all] = /^\[(\d+)\/(\d+)\] (?!Re-)/.exec(line) ?? [];
  if (all) return `${done} of ${all} files`;
  const share = /^\[ *(\d+)%\]/.exec(line)?.[1];
  return share ? `${share} %` : null;
}

/**
 * Part of a build log that starts at the first failed command.
 * @param {string} log
 */
function compilerErrors(log) {
  const start = log.search(/^(FAILED:|.*\berror\b)/im);
  return start < 0 ? lastLines(log, 60) : log.slice(start).split('\n').slice(0, 80).join('\n');
}

const settings = () => ({
  version: programVersion(),
  cmakeJs: packageVersion('cmake-js'),
  headers: packageVersion('node-api-headers'),
  addonApi: packageVersion('node-addon-api'),
  compiler: process.env['CXX'] ?? null,
  flags: process.env['CXXFLAGS'] ?? null,
  machine: instructions(),
});

/**
 * Step that builds a target of the default CMake tree.
 * @param {string} name
 * @param {string} title
 * @param {readonly string[]} outputs
 * @param {BuildOptions & Readonly<{ target?: string }>} how `target`: all targets if not given
 * @returns {import('./up-to-date.mjs').Step}
 */
const targetStep = (name, title, outputs, how) => ({
  name,
  title,
  inputs: SOURCES,
  outputs,
  settings: settings(),
  run: (progress) => cmake('dist/cmake', progress, {}, how),
});

/**
 * Step for the addon that only solves transport on the CPU. A first start waits only for this one.
 * @param {BuildOptions} [how]
 */
export const firstAddonStep = (how) =>
  targetStep('first-addon', 'Building the CPU transport solver (C++)', [FIRST_ADDON], {
    ...how,
    target: 'braggbench_first',
  });

/**
 * Step for the complete addon.
 * @param {BuildOptions} [how]
 * @returns {import('./up-to-date.mjs').Step}
 */
export function addonStep(how) {
  const once = existsSync(inRoot(ADDON)) ? '' : '; this happens once and takes minutes on two cores';
  const outputs = [ADDON, 'dist/native/include/user_kernel_build.json'];
  const step = targetStep('addon', `Building the solver (C++)${once}`, outputs, { ...how, target: 'braggbench' });
  return {
    ...step,
    run: async (progress) => {
      await step.run(progress);
      // Delete an outdated library, so that user kernels are not linked with an older engine than the one that runs
      // them.
      const { isUpToDate } = await import('./up-to-date.mjs');
      if (!isUpToDate(coreLibraryStep())) rmSync(inRoot(CORE_LIBRARY), { force: true });
    },
  };
}

/**
 * Step for the library that user kernels are linked with. Tests, packages and `npm run build` build it; a start does
 * not wait for it.
 * @param {BuildOptions} [how]
 */
export const coreLibraryStep = (how) =>
  targetStep('core-library', 'Building the library for user kernels', [CORE_LIBRARY], {
    ...how,
    target: 'braggbench_core',
  });

/** Step for the C++ tests. They are built in the addon's tree, because they link the same objects. */
export const cppTestsStep = () => ({
  ...targetStep('cpp-tests', 'Building the C++ tests', [CPP_TESTS, ...GPU_TESTS], {}),
  inputs: [...SOURCES, ...TEST_SOURCES],
});

/**
 * Step for the C++ tests with address and undefined-behaviour sanitizers. Clang compiles all code including the addon,
 * with warnings as errors. Without Clang, the default compiler is used. It has checked all code already, so code that
 * launches CUDA kernels comes from the addon's library.
 * @param {Readonly<{ program: string, version: string }> | null} clang
 * @returns {import('./up-to-date.mjs').Step}
 */
export function sanitizedTestsStep(clang) {
  const definitions = {
    BB_ADDON: clang ? 'ON' : 'OFF',
    BB_SANITIZE: 'address,undefined',
    BB_PLAIN_CORE: clang ? '' : inRoot(CORE_LIBRARY),
    BB_OUTPUT: inRoot('dist/native-sanitized'),
  };
  const how = clang ? { compiler: clang.program } : { target: 'braggbench_tests' };
  return {
    name: 'sanitized-tests',
    title: `Building the C++ tests with sanitizers${clang ? ', with Clang' : ''}`,
    inputs: [...SOURCES, ...TEST_SOURCES],
    outputs: [SANITIZED_TESTS],
    settings: { ...settings(), ...(clang ? { compiler: clang.program, clang: clang.version } : {}) },
    run: (progress) => cmake('dist/cmake-sanitized', progress, definitions, how),
  };
}
