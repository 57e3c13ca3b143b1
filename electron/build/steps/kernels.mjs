import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { makeOrCopyCached } from '../setup/cache.mjs';
import { capture, findOnPath, lastLines } from '../setup/command.mjs';
import { inRoot, root } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';
import { EVERY_MACHINE } from './native.mjs';
import { readResources } from './ptxas-report.mjs';
import { digest } from './up-to-date.mjs';

/** Folder in which includes in quotation marks are searched after the folder of the including file. */
const FOLDER = 'kernels';

/**
 * Files of this repository on which the compilation of a source file depends: the file and its includes, including
 * indirect ones and those inside `#if`.
 * @param {string} source path from the checkout's root
 * @returns {readonly string[]} paths from the root too, sorted by name
 */
export function includedFiles(source) {
  const found = new Set([path.posix.normalize(source)]);
  for (const file of found) {
    for (const [, name = ''] of readFileSync(inRoot(file), 'utf8').matchAll(/^\s*#\s*include\s*"([^"]+)"/gm)) {
      const places = [path.posix.dirname(file), FOLDER].map((folder) => path.posix.join(folder, name));
      const place = places.find((each) => existsSync(inRoot(each)));
      if (place !== undefined) found.add(place);
    }
  }
  return [...found].sort();
}

/**
 * GPU architectures in the fat binaries of a package: A100, the RTX 30 and 40 series, H100/H200, B200 and the RTX 50
 * series. Newer GPUs compile the PTX of the last one when loading it.
 */
const PACKAGE_ARCHITECTURES = [80, 86, 89, 90, 100, 120];

/** Oldest architecture, which is below TUNED_SINCE. Its PTX is stored for display, in addition to the fat binary. */
const PTX_ARCHITECTURE = 80;

/**
 * First architecture with its own tuned constants, and therefore different launch bounds; see
 * kernels/tuning/tunable.hpp.
 */
const TUNED_SINCE = 90;

/** Source files that the workbench shows for variants, including code that launches kernels. */
const SHOWN_SOURCES = ['kernels/**/*.{cu,cuh,hpp,cpp,py}'];

/** Additional headers that C++ kernels of users include. */
const ENGINE_HEADERS = ['native/{engine,cpu,cuda}/**/*.hpp'];

/** Sources of the program in a reproducer folder, including code that it shares with the addon. */
const REPRODUCER_SOURCES = [
  ...['native/reproduce/**/*.{cpp,hpp,txt}', 'native/binding/choice.hpp'],
  'native/binding/runs/{problem,diffraction_problem}.{cpp,hpp}',
];

/**
 * Path of nvcc; null if it is not installed. In that case, NVRTC compiles CUDA kernels at run time if a driver is
 * installed.
 */
export function findNvcc() {
  const exe = process.platform === 'win32' ? 'nvcc.exe' : 'nvcc';
  for (const variable of ['CUDA_PATH', 'CUDA_HOME']) {
    const folder = process.env[variable];
    if (folder && existsSync(path.join(folder, 'bin', exe))) return path.join(folder, 'bin', exe);
  }
  const found = findOnPath('nvcc');
  if (found) return found;
  const usual = '/usr/local/cuda/bin/nvcc';
  return existsSync(usual) ? usual : null;
}

/**
 * Whether NVIDIA's driver is installed, recognised by its device file (also that of WSL), or its library on Windows.
 */
const hasDriver = () =>
  process.platform === 'win32'
    ? existsSync(path.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32/nvcuda.dll'))
    : existsSync('/dev/nvidiactl') || existsSync('/dev/dxg');

/** Workload in which each benchmark has its own kernels. */
const ROWS = 'micro';

/** Source text that includes the kernels of all benchmarks in ROWS. */
const includesOfRows = () =>
  globSync(`kernels/${ROWS}/*/*.cu`, { cwd: root })
    .map((file) => `#include "${path.relative('kernels', file).split(path.sep).join('/')}"\n`)
    .sort()
    .join('');

/**
 * @param {string} workload
 * @returns {string} file that includes all of its kernels, from the checkout's root
 */
export function kernelSource(workload) {
  if (workload !== ROWS) return `kernels/${workload}/${workload}.cu`;
  const file = `dist/.stamps/${ROWS}.cu`;
  mkdirSync(inRoot('dist/.stamps'), { recursive: true });
  writeFileSync(inRoot(file), includesOfRows());
  return file;
}

/** Names of the workloads that have CUDA kernels. */
export const cudaWorkloads = () =>
  globSync('kernels/*/*.cu', { cwd: root })
    .map((file) => path.parse(file))
    .filter(({ dir, name }) => path.basename(dir) === name)
    .map(({ name }) => name)
    .concat(ROWS)
    .sort();

/**
 * Architectures to compile for: all of PACKAGE_ARCHITECTURES for a package, otherwise those of this machine's GPUs.
 * Without a GPU, that of H100 and H200, whose PTX newer GPUs can use too.
 */
function wantedArchitectures() {
  if (process.env[EVERY_MACHINE]) return PACKAGE_ARCHITECTURES;
  if (!hasDriver()) return [TUNED_SINCE];
  const smi = spawnSync('nvidia-smi', ['--query-gpu=compute_cap', '--format=csv,noheader'], { encoding: 'utf8' });
  return smi.status === 0 ? matchingArchitectures(smi.stdout) : PACKAGE_ARCHITECTURES;
}

/**
 * @param {string} capabilities compute capabilities of the GPUs, one per line, such as `9.0`
 * @returns {readonly number[]} architectures in packages whose code these GPUs run; all if a GPU can run none
 */
export function matchingArchitectures(capabilities) {
  const present = capabilities
    .trim()
    .split(/\s+/)
    .map((text) => Math.round(10 * Number(text)));
  const chosen = present.map((sm) =>
    PACKAGE_ARCHITECTURES.findLast((one) => one <= sm && Math.trunc(one / 10) === Math.trunc(sm / 10)),
  );
  return chosen.includes(undefined)
    ? PACKAGE_ARCHITECTURES
    : PACKAGE_ARCHITECTURES.filter((one) => chosen.includes(one));
}

/**
 * @param {string} nvcc
 * @param {readonly number[]} sms
 */
async function architectures(nvcc, sms) {
  const { code, output } = await capture(nvcc, ['--list-gpu-code']);
  const known = [...output.matchAll(/\bsm_(\d+)\b/g)].map((match) => Number(match[1]));
  const usable = sms.filter((sm) => known.includes(sm));
  if (code !== 0 || usable.length === 0) {
    throw new Failure(
      `${lastLines(output, 10)}\n${nvcc} supports none of the GPUs sm_${sms.join(', sm_')}: CUDA 11.8 or newer is needed.`,
    );
  }
  return usable;
}

/** Flags of all CUDA compilations. Warnings are errors, as in the C++ build. */
const FLAGS = [
  '-std=c++20',
  '-O3',
  '--fmad=true',
  '-Werror',
  'all-warnings',
  '-Xcompiler',
  '-Wall,-Wextra',
  '-lineinfo',
];

/**
 * @param {string} nvcc
 * @param {readonly string[]} args
 */
async function compile(nvcc, args) {
  const outcome = await capture(nvcc, [...FLAGS, '-Ikernels', ...args]);
  if (outcome.code !== 0) throw new Failure(`${lastLines(outcome.output, 60)}\nnvcc failed (above).`);
  return outcome.output;
}

/**
 * @param {string} nvcc
 * @param {string} workload
 * @param {readonly number[]} sms
 */
async function compileWorkload(nvcc, workload, sms) {
  const source = kernelSource(workload);
  const out = inRoot('dist/kernels', workload);
  mkdirSync(inRoot('dist/kernels'), { recursive: true });
  const usable = await architectures(nvcc, sms);
  const newest = usable.at(-1);
  const codes = usable.flatMap((sm) => ['-gencode', `arch=compute_${sm},code=sm_${sm}`]);
  const generations = [PTX_ARCHITECTURE, TUNED_SINCE].filter((since) =>
    usable.some((sm) => (since === TUNED_SINCE) === sm >= TUNED_SINCE),
  );
  /** @param {number} since */
  const ptxOf = (since) =>
    since === generations[0] ? `${out}.ptx` : inRoot('dist/.stamps', `${workload}-${since}.ptx`);
  mkdirSync(inRoot('dist/.stamps'), { recursive: true });
  const [log] = await Promise.all([
    compile(nvcc, [
      ...['-fatbin', '-o', `${out}.fatbin`, '-Xptxas', '-v', '--threads', String(availableParallelism())],
      ...[...codes, '-gencode', `arch=compute_${newest},code=compute_${newest}`],
      source,
    ]),
    ...generations.map((since) => compile(nvcc, ['-ptx', '-o', ptxOf(since), `-arch=compute_${since}`, source])),
  ]);
  const { output: version } = await capture(nvcc, ['--version']);
  const report = {
    workload,
    compiler: /release ([\d.]+), V([\d.]+)/.exec(version)?.[2] ?? null,
    kernels: readResources(
      log,
      Object.fromEntries(generations.map((since) => [since, readFileSync(ptxOf(since), 'utf8')])),
    ),
  };
  writeFileSync(`${out}.resources.json`, `${JSON.stringify(report, null, 1)}\n`);
}

/**
 * Step that copies the sources of kernels. NVRTC compiles them on machines without nvcc, the workbench shows them, and
 * users copy them.
 */
function sourcesStep() {
  return {
    name: 'kernel-sources',
    short: true,
    title: 'Copying the kernel sources',
    inputs: [...SHOWN_SOURCES, ...ENGINE_HEADERS, ...REPRODUCER_SOURCES],
    outputs: ['dist/kernels/source', 'dist/kernels/include', 'dist/kernels/reproduce'],
    run: async () => {
      /** @type {(from: string, globs: readonly string[], to: string) => void} */
      const copy = (from, globs, to) => {
        rmSync(inRoot('dist/kernels', to), { recursive: true, force: true });
        for (const file of globSync(globs, { cwd: root })) {
          const place = path.relative(from, file).replace(/^reproduce[\\/]/, '');
          cpSync(inRoot(file), inRoot('dist/kernels', to, place));
        }
      };
      copy('kernels', SHOWN_SOURCES, 'source');
      copy('native', ENGINE_HEADERS, 'include');
      copy('native', REPRODUCER_SOURCES, 'reproduce');
      writeFileSync(inRoot('dist/kernels/source', ROWS, `${ROWS}.cu`), includesOfRows());
    },
  };
}

/**
 * @param {string} nvcc
 * @param {string} workload
 */
function fatBinaryStep(nvcc, workload) {
  const inputs = includedFiles(kernelSource(workload));
  const outputs = ['fatbin', 'ptx', 'resources.json'].map((ending) => `dist/kernels/${workload}.${ending}`);
  const sms = wantedArchitectures();
  const settings = { ...compilerSettings(nvcc), wanted: sms.join() };
  return {
    name: `cuda-${workload}`,
    title: `Compiling the CUDA kernels of ${workload}`,
    inputs,
    outputs,
    settings,
    // Use the cache, because compiling for all GPUs needs minutes on all cores. Line information then contains the path
    // of the checkout that compiled first.
    run: () => makeOrCopyCached(digest(inputs, settings), outputs, () => compileWorkload(nvcc, workload, sms)),
  };
}

/**
 * Compiler and flags, which affect the generated code.
 * @param {string} nvcc path of the compiler
 */
const compilerSettings = (nvcc) => ({ nvcc, changed_ms: statSync(nvcc).mtimeMs, flags: FLAGS.join(' ') });

/**
 * Flags with which nvcc skips optimisation, supported since CUDA 12.9. Diagnostics are the same in an eighth of the
 * time.
 * @param {string} nvcc
 */
async function quickArchitectures(nvcc) {
  const { output } = await capture(nvcc, ['--help']);
  return output.includes('--Ofast-compile') ? ['--Ofast-compile=max'] : [];
}

/**
 * Step that checks whether a workload compiles for the oldest GPU, without optimisation and with warnings as errors. It
 * replaces the fat binary on machines without a GPU, which cannot run it.
 * @param {string} nvcc
 * @param {string} workload
 */
export function cudaCheckStep(nvcc, workload) {
  const out = `dist/.stamps/check-${workload}.cubin`;
  return {
    name: `cuda-check-${workload}`,
    title: `Checking that the CUDA kernels of ${workload} compile`,
    inputs: includedFiles(kernelSource(workload)),
    outputs: [out],
    settings: compilerSettings(nvcc),
    run: async () => {
      mkdirSync(inRoot('dist/.stamps'), { recursive: true });
      const [oldest] = await architectures(nvcc, PACKAGE_ARCHITECTURES);
      const quick = await quickArchitectures(nvcc);
      await compile(nvcc, ['-cubin', ...quick, `-arch=sm_${oldest}`, '-o', inRoot(out), kernelSource(workload)]);
    },
  };
}

/**
 * Steps for the sources of kernels and, if nvcc is installed, for their fat binaries.
 * @param {{ withoutGpu: boolean }} options whether to compile them where no GPU can run them
 */
export function kernelSteps({ withoutGpu }) {
  const nvcc = findNvcc();
  if (!nvcc || !(withoutGpu || hasDriver())) return [sourcesStep()];
  return [sourcesStep(), ...cudaWorkloads().map((workload) => fatBinaryStep(nvcc, workload))];
}
