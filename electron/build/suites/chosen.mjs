/** Selects tests for `npm test -- FILE… --only NAME`, and the build steps that these tests need. */
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { callerFolder, root } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';

/**
 * @typedef {Readonly<{ files: readonly string[], names: readonly string[] }>} TestSelection `files` as typed; `names`
 * of suites, or parts of the names of C++ tests
 */

const USAGE_TEXT = `allowed: npm test [-- FILE… [--only NAME]…], where FILE is a test file, a folder, or part of a test file's path,
and NAME is part of the name of a suite (types, Biome, CUDA, …) or of a C++ test`;

/**
 * @param {readonly string[]} args
 * @returns {TestSelection}
 */
export function readArguments(args) {
  /** @type {string[]} */
  const files = [];
  /** @type {string[]} */
  const names = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-')) files.push(arg);
    else if (arg === '--only' && args[at + 1]) {
      at += 1;
      names.push(args[at] ?? '');
    } else if (arg.startsWith('--only=') && arg.length > 7) names.push(arg.slice(7));
    else throw new Failure(`npm test: ${arg}${arg === '--only' ? ' needs a name' : ' is not known'}; ${USAGE_TEXT}`, 2);
  }
  return { files, names };
}

/** Test files of vitest, and C++ files that contain tests. */
const testFiles = () => [
  ...globSync('test/**/*.test.{ts,tsx}', { cwd: root }),
  ...globSync('test/{native,kernels,parity,physics}/**/*.cpp', { cwd: root }).filter(
    (file) => cppNames(file).length > 0,
  ),
];

/** @param {string} file path of a C++ file, from the root */
const cppNames = (file) =>
  [...readFileSync(path.join(root, file), 'utf8').matchAll(/^TEST\("((?:[^"\\]|\\.)*)"\)/gm)].map((m) => m[1] ?? '');

/**
 * @param {readonly string[]} typed
 * @param {readonly string[]} [all] test files from the root
 * @returns {Readonly<{ vitest: readonly string[], cpp: readonly string[] }>} files from the root
 */
export function findTestFiles(typed, all = testFiles()) {
  const found = typed.flatMap((part) => {
    const here = path.relative(root, path.resolve(callerFolder, part)).replaceAll('\\', '/');
    const isFolder = statSync(path.join(root, here), { throwIfNoEntry: false })?.isDirectory() ?? false;
    const exact = all.filter((file) => file === here || (isFolder && file.startsWith(`${here}/`)));
    const some = exact.length > 0 ? exact : all.filter((file) => file.includes(part));
    if (some.length === 0) throw new Failure(`npm test: no test file has "${part}" in its path; ${USAGE_TEXT}`, 2);
    return some;
  });
  const files = [...new Set(found)];
  return { vitest: files.filter((file) => !file.endsWith('.cpp')), cpp: files.filter((file) => file.endsWith('.cpp')) };
}

/** Projects in vitest.config.ts, one of which each test file belongs to. */
const PROJECTS = ['unit', 'unit-desktop', 'long', 'long-alone', 'clusters', 'desktop'];

/** Modules with which tests start programs or threads, or load the addon. Tests that import them need a build. */
const STARTS = /^(node:)?(child_process|worker_threads|module)$/;

/**
 * @param {readonly string[]} files paths relative to the repository root
 * @returns {Promise<import('esbuild').Metafile['inputs'] | null>} all modules that they import; null if one cannot be read
 */
async function collectModules(files) {
  const { build } = await import('esbuild');
  try {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [...files],
      outdir: 'dist/.tests/graph',
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      jsx: 'automatic',
      logLevel: 'silent',
      loader: Object.fromEntries(['.css', '.svg', '.png', '.woff2', '.md'].map((kind) => [kind, 'empty'])),
    });
    return metafile.inputs;
  } catch {
    return null;
  }
}

/** @param {readonly string[]} files paths relative to the repository root */
export async function importedModules(files) {
  const modules = await collectModules(files);
  return modules === null ? null : Object.keys(modules);
}

/**
 * Whether a file runs something that must be built first. Tests of pure functions do not.
 * @param {readonly string[]} files paths relative to the repository root
 */
export async function needsBuild(files) {
  if (files.length === 0) return false;
  const modules = await collectModules(files);
  return (
    modules === null ||
    Object.values(modules).some(({ imports }) => imports.some((one) => one.external === true && STARTS.test(one.path)))
  );
}

/**
 * @param {TestSelection} chosen
 * @param {typeof import('./all.mjs')} all
 * @param {typeof import('./cpp-tests.mjs')} cpp
 * @returns {Promise<Readonly<{ phases: readonly import('./run.mjs').Phase[], built: boolean, cppTests: boolean }>>}
 * `built`: whether the program is needed; `cppTests`: whether the C++ tests are
 */
export async function phasesOfSelection({ files, names }, all, cpp) {
  const found = findTestFiles(files);
  /** @param {string} name */
  const suitesOf = (name) => all.namedSuites.filter((suite) => suite.name.toLowerCase().includes(name.toLowerCase()));
  const suites = [...new Set(names.flatMap(suitesOf))];
  const parts = [...names.filter((name) => suitesOf(name).length === 0), ...found.cpp.flatMap(cppNames)];
  const some = parts.length > 0 ? [cpp.selectedCppTests(parts)] : [];
  const programs = await needsBuild(found.vitest);
  const tests = {
    projects: PROJECTS,
    files: found.vitest,
    env: programs ? {} : { BRAGGBENCH_TEST_PROGRAMS: 'none' },
  };
  return {
    phases: [{ beside: [...suites, ...some], ...(found.vitest.length > 0 ? { tests } : {}) }],
    built: programs || suites.some(({ builds }) => builds === true),
    cppTests: some.length > 0 || suites.some(({ builds }) => builds === true),
  };
}
