import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { makeOrCopyCached } from '../setup/cache.mjs';
import { capture, findOnPath, tail } from '../setup/command.mjs';
import { inRoot, root } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';
import { EVERY_MACHINE } from './native.mjs';
import { readResources } from './ptxas-report.mjs';
import { digest } from './up-to-date.mjs';

/** Folder in which `#include "…"` is resolved after the folder of the including file. */
const FOLDER = 'kernels';

/**
 * A source file and its transitive includes from this repository, on which alone its compilation depends. Includes
 * inside `#if` count.
 * @param {string} source path from the checkout's root
 * @returns {readonly string[]} paths from the root too, sorted by name
 */
export function includedBy(source) {
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
 * GPU architectures in a package's fat binaries: A100, the RTX 30 and 40 series, H100/H200, B200 and the RTX 50 series.
 * A newer GPU compiles the PTX of the last one at load time.
 */
const PACKAGE_ARCHITECTURES = [80, 86, 89, 90, 100, 120];

/** Oldest architecture, below TUNED_SINCE. Its PTX is stored next to the fat binary, for display. */
const PTX_ARCHITECTURE = 80;

/**
 * First architecture with separately tuned constants of kernels, and so different launch bounds:
 * kernels/tuning/tunable.hpp.
 */
const TUNED_SINCE = 90;

/** Sources that the workbench shows for a variant, including the code that launches its kernels. */
const SHOWN_SOURCES = ['kernels/**/*.{cu,cuh,hpp,cpp,py}'];

/** Further headers that users' C++ variants include. */
const ENGINE_HEADERS = ['native/{engine,cpu,cuda}/**/*.hpp'];

/** Program of a reproducer; it shares the code that reads a problem with the addon. */
const REPRODUCER_SOURCES = [
  ...['native/reproduce/**/*.{cpp,hpp,txt}', 'native/binding/choice.hpp'],
  'native/binding/runs/{problem,diffraction_problem}.{cpp,hpp}',
];

/**
 * Path of the CUDA compiler; null if not installed. Then NVRTC compiles the CUDA variants at run time, if a driver is
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

/** Whether NVIDIA's driver is installed, by its device file, that of WSL, or its library on Windows. */
const hasDriver = () =>
  process.platform === 'win32'
    ? existsSync(path.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32/nvcuda.dll'))
    : existsSync('/dev/nvidiactl') || existsSync('/dev/dxg');

/** Workload whose benchmarks each have their own kernels. */
const ROWS = 'micro';

/** Source text that includes the kernels of every benchmark of that workload. */
const includesOfRows = () =>
  globSync(`kernels/${ROWS}/*/*.cu`, { cwd: root })
    .map((file) => `#include "${path.relative('kernels', file).split(path.sep).join('/')}"\n`)
    .sort()
    .join('');

/**
 * @param {string} workload
 * @returns {string} file that includes all of its kernels, from the checkout's root
 */
export function sourceOf(workload) {
  if (workload !== ROWS) return `kernels/${workload}/${workload}.cu`;
  const file = `dist/.stamps/${ROWS}.cu`;
  mkdirSync(inRoot('dist/.stamps'), { recursive: true });
  writeFileSync(inRoot(file), includesOfRows());
  return file;
}

/** Workloads with CUDA kernels. */
export const cudaWorkloads = () =>
  globSync('kernels/*/*.cu', { cwd: root })
    .map((file) => path.parse(file))
    .filter(({ dir, name }) => path.basename(dir) === name)
    .map(({ name }) => name)
    .concat(ROWS)
    .sort();

/**
 * Architectures to compile for: all of them for packages, else those of this machine's GPUs. A machine without a GPU
 * compiles for H100 and H200, whose PTX also runs on newer GPUs.
 */
function wantedArchitectures() {
  if (process.env[EVERY_MACHINE]) return PACKAGE_ARCHITECTURES;
  if (!hasDriver()) return [TUNED_SINCE];
  const smi = spawnSync('nvidia-smi', ['--query-gpu=compute_cap', '--format=csv,noheader'], { encoding: 'utf8' });
  return smi.status === 0 ? architecturesOf(smi.stdout) : PACKAGE_ARCHITECTURES;
}

/**
 * @param {string} capabilities compute capabilities of the GPUs, one per line, such as `9.0`
 * @returns {readonly number[]} architectures in packages whose code these GPUs run; all if a GPU can run none
 */
export function architecturesOf(capabilities) {
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
      `${tail(output, 10)}\n${nvcc} supports none of the GPUs sm_${sms.join(', sm_')}: CUDA 11.8 or newer is needed.`,
    );
  }
  return usable;
}

/** Flags of every CUDA compilation. Warnings are errors, as in the C++ build. */
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
  if (outcome.code !== 0) throw new Failure(`${tail(outcome.output, 60)}\nnvcc failed (above).`);
  return outcome.output;
}

/**
 * @param {string} nvcc
 * @param {string} workload
 * @param {readonly number[]} sms
 */
async function compileWorkload(nvcc, workload, sms) {
  const source = sourceOf(workload);
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

/** Copies the kernels' sources, which NVRTC compiles on machines without nvcc, the workbench shows and users copy. */
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
  const inputs = includedBy(sourceOf(workload));
  const outputs = ['fatbin', 'ptx', 'resources.json'].map((ending) => `dist/kernels/${workload}.${ending}`);
  const sms = wantedArchitectures();
  const settings = { ...compilerSettings(nvcc), wanted: sms.join() };
  return {
    name: `cuda-${workload}`,
    title: `Compiling the CUDA kernels of ${workload}`,
    inputs,
    outputs,
    settings,
    // Compiling for all GPUs needs minutes on all cores. Line information contains the path of the checkout that
    // compiled first.
    run: () => makeOrCopyCached(digest(inputs, settings), outputs, () => compileWorkload(nvcc, workload, sms)),
  };
}

/**
 * Settings of the compiler that change the code it generates.
 * @param {string} nvcc path of the compiler
 */
const compilerSettings = (nvcc) => ({ nvcc, changed_ms: statSync(nvcc).mtimeMs, flags: FLAGS.join(' ') });

/**
 * Flags that make nvcc skip optimisation, available from CUDA 12.9 on: the same diagnostics in an eighth of the time.
 * @param {string} nvcc
 */
async function quickArchitectures(nvcc) {
  const { output } = await capture(nvcc, ['--help']);
  return output.includes('--Ofast-compile') ? ['--Ofast-compile=max'] : [];
}

/**
 * Checks that a workload compiles, with warnings as errors, for the oldest GPU and without optimisation. Without a GPU
 * nobody can run its fat binary.
 * @param {string} nvcc
 * @param {string} workload
 */
export function cudaCheckStep(nvcc, workload) {
  const out = `dist/.stamps/check-${workload}.cubin`;
  return {
    name: `cuda-check-${workload}`,
    title: `Checking that the CUDA kernels of ${workload} compile`,
    inputs: includedBy(sourceOf(workload)),
    outputs: [out],
    settings: compilerSettings(nvcc),
    run: async () => {
      mkdirSync(inRoot('dist/.stamps'), { recursive: true });
      const [oldest] = await architectures(nvcc, PACKAGE_ARCHITECTURES);
      const quick = await quickArchitectures(nvcc);
      await compile(nvcc, ['-cubin', ...quick, `-arch=sm_${oldest}`, '-o', inRoot(out), sourceOf(workload)]);
    },
  };
}

/**
 * Steps for the kernels' sources and, if nvcc is installed, their fat binaries.
 * @param {{ withoutGpu: boolean }} options whether to compile them where no GPU can run them
 */
export function kernelSteps({ withoutGpu }) {
  const nvcc = findNvcc();
  if (!nvcc || !(withoutGpu || hasDriver())) return [sourcesStep()];
  return [sourcesStep(), ...cudaWorkloads().map((workload) => fatBinaryStep(nvcc, workload))];
}
