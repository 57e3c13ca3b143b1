/**
 * Times end-to-end processes, from start to exit, compared with the smallest program that could do the same. The
 * program is installed as a user does it: in a separate folder, with only its runtime dependencies.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { snapshotCommand } from '../../../electron/build/setup/pinned-node.mjs';
import {
  firstRunTarget,
  type GpuVariant,
  median,
  megabytes,
  momentsByShellTarget,
  type Row,
  rowWithUpperLimit,
  seconds,
  shellRunTarget,
} from './row.ts';

interface PackageLock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/**
 * Creates a folder in `to` with an installed program. Packages contain only their package.json, which is all that npx
 * reads before it starts a program. `braggbench` is the program built in `root`; `empty` does nothing.
 */
export function installInto(to: string, root: string): void {
  rmSync(to, { recursive: true, force: true });
  const packages = path.join(to, 'node_modules');
  const bins = path.join(packages, '.bin');
  mkdirSync(bins, { recursive: true });
  const { packages: locked } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as PackageLock;
  for (const [place, { dev }] of Object.entries(locked)) {
    const said = path.join(root, place, 'package.json');
    if (place === '' || dev === true || !existsSync(said)) continue;
    cpSync(said, path.join(to, place, 'package.json'));
  }
  const { version, dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly dependencies: object;
  };
  const starts = `import ${JSON.stringify(pathToFileURL(path.join(root, 'electron/build/braggbench.mjs')).href)};\n`;
  for (const [name, text, needs] of [
    ['braggbench', starts, dependencies],
    ['empty', '', {}],
  ] as const) {
    const own = path.join(packages, name);
    mkdirSync(own);
    const bin = { [name]: 'start.mjs' };
    writeFileSync(path.join(own, 'package.json'), JSON.stringify({ name, version, bin, dependencies: needs }));
    writeFileSync(path.join(own, 'start.mjs'), `#!/usr/bin/env node\n${text}`, { mode: 0o755 });
    symlinkSync(path.join('..', name, 'start.mjs'), path.join(bins, name));
  }
  const needs = { braggbench: version, empty: version };
  writeFileSync(
    path.join(to, 'package.json'),
    JSON.stringify({ name: 'somebody', version: '1.0.0', private: true, dependencies: needs }),
  );
}

export const root = path.resolve(import.meta.dirname, '../../..');
export const cli = path.join(root, 'dist/host/cli.js');
const ROUNDS = 7;
/** Number of first runs to time. Each of them compiles for seconds. */
const FIRST_RUNS = 3;

interface ProcessExit {
  readonly wall_s: number;
  readonly output: string;
}

/** Runs a process to its end. If it fails, rejects with the end of its output. */
export function runToExit(
  program: string,
  args: readonly string[],
  cwd = root,
  environment: Readonly<Record<string, string>> = {},
): Promise<ProcessExit> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const env = { ...process.env, ...environment };
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve({ wall_s: (performance.now() - begun) / 1000, output });
      else reject(new Error(`${program} ${args.join(' ')} ended with code ${code}:\n${said || output.slice(-400)}`));
    });
  });
}

/** Command as a user types it; if npx is missing, the program that npx would start. */
async function braggbenchCommand(): Promise<{
  readonly name: string;
  readonly program: string;
  readonly before: readonly string[];
}> {
  const found = await runToExit('npx', ['--version']).then(
    () => true,
    () => false,
  );
  if (found) return { name: 'npx braggbench', program: 'npx', before: ['--no-install', 'braggbench'] };
  const before = [path.join(root, 'electron/build/braggbench.mjs')];
  return { name: 'node braggbench.mjs', program: process.execPath, before };
}

const peakOf = (json: string): number => (JSON.parse(json) as { readonly peak_rss_MB: number }).peak_rss_MB;

const PEAK_MEMORY = new URL('../../../electron/host/io/peak-memory.ts', import.meta.url).href;

/** Peak memory of an idle Node process, MB. */
async function peakMemoryOfNode(): Promise<number> {
  const script = `import { peakMemory_bytes } from ${JSON.stringify(PEAK_MEMORY)}; console.log(peakMemory_bytes());`;
  const { output } = await runToExit(process.execPath, ['--input-type=module', '-e', script]);
  return Number(output) / 1e6;
}

/** Kernels of the build: compiled by nvcc, and as sources. */
const KERNELS = path.join(root, 'dist/kernels');

/**
 * First run on the GPU of a user with an empty cache. Measured with the kernels that nvcc compiled in the build, and
 * with sources alone, which NVRTC compiles. NVIDIA's own cache of compiled PTX is empty too.
 */
export async function firstRuns(variant: GpuVariant): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const nvcc of [false, true]) {
    const limit = firstRunTarget(variant, nvcc);
    if (nvcc && !existsSync(path.join(KERNELS, 'transport.fatbin'))) {
      rows.push({ ...rowWithUpperLimit(limit, null), needs: 'nvcc when the program is built' });
      continue;
    }
    const times: number[] = [];
    for (let i = 0; i < FIRST_RUNS; i += 1) {
      const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-first-run-'));
      try {
        const sources = path.join(folder, 'kernels');
        mkdirSync(sources);
        for (const name of ['source', 'include'])
          symlinkSync(path.join(KERNELS, name), path.join(sources, name), 'dir');
        const environment = {
          BRAGGBENCH_CACHE: path.join(folder, 'cache'),
          CUDA_CACHE_PATH: path.join(folder, 'driver'),
          BRAGGBENCH_KERNELS: nvcc ? KERNELS : sources,
        };
        const words = ['run', 'water-70MeV', '--variant', variant, '--json'];
        const { wall_s, output } = await runToExit(process.execPath, [cli, ...words], root, environment);
        const { status, variant: ran } = JSON.parse(output) as { readonly status: string; readonly variant: string };
        if (status !== 'done' || ran !== variant) throw new Error(`the run of ${ran} ended as ${status}`);
        times.push(wall_s);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    rows.push(rowWithUpperLimit(limit, median(times)));
  }
  return rows;
}

const TINY_SCENARIO = {
  kind: 'transport',
  version: 1,
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.5 } },
};

/** Memory that the GPU driver needs, in MB: a small run on the device minus the same run without the device. */
async function driverMemory_MB(): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-tiny-'));
  try {
    const file = path.join(folder, 'tiny.json');
    writeFileSync(file, JSON.stringify(TINY_SCENARIO));
    const peak = async (variant: string): Promise<number> =>
      peakOf((await runToExit(process.execPath, [cli, 'run', file, '--variant', variant, '--json'])).output);
    return Math.max(0, (await peak('cuda-depth')) - (await peak('depth')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Creates an empty package with the same dependencies, all of which npx reads before it starts the program. Its folder
 * is fixed because npx caches by folder.
 */
function createEmptyPackage(): string {
  const folder = path.join(root, 'dist/empty-package');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const own = { name: 'empty', version: '1.0.0', private: true, bin: { empty: 'empty.mjs' } };
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, object>>;
  const packages = { dependencies, devDependencies, peerDependencies, optionalDependencies };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...own, ...packages }));
  writeFileSync(path.join(folder, 'empty.mjs'), '#!/usr/bin/env node\n', { mode: 0o755 });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  return folder;
}

/**
 * Time from shell command to result, and memory of the process that computes it. Bounds are the same measurements with
 * an empty program, and with an empty Node process.
 */
export async function commandLineRows(variant: string, gpu: boolean): Promise<readonly Row[]> {
  const { name, program, before } = await braggbenchCommand();
  const words = ['run', 'water-70MeV', '--variant', variant, '--json'];
  const npx = program === 'npx' ? { program, args: ['--no-install', 'empty'], cwd: createEmptyPackage() } : null;
  const empty = npx ?? { program: process.execPath, args: ['-e', '0'], cwd: root };
  const image = snapshotCommand(words) ?? { node: process.execPath, flags: [] };
  const [times, bounds, direct, peaks]: [number[], number[], number[], number[]] = [[], [], [], []];
  const [byRun, nodes]: [number[], number[]] = [[], []];
  const [installed, nothingInstalled]: [number[], number[]] = [[], []];
  const user = path.join(root, 'dist/installed');
  if (npx !== null) installInto(user, root);
  await runToExit(program, [...before, ...words]);
  await runToExit(empty.program, empty.args, empty.cwd);
  for (let i = 0; i < ROUNDS; i += 1) {
    bounds.push((await runToExit(empty.program, empty.args, empty.cwd)).wall_s);
    const { wall_s, output } = await runToExit(program, [...before, ...words]);
    times.push(wall_s);
    peaks.push(peakOf(output));
    direct.push((await runToExit(image.node, [...image.flags, cli, ...words])).wall_s);
    nodes.push((await runToExit(process.execPath, ['-e', '0'])).wall_s);
    if (npx === null) continue;
    byRun.push((await runToExit('npm', ['run', '--silent', 'braggbench', '--', ...words])).wall_s);
    nothingInstalled.push((await runToExit(npx.program, npx.args, user)).wall_s);
    installed.push((await runToExit(program, [...before, ...words], user)).wall_s);
  }
  const node_MB = await peakMemoryOfNode();
  const driver_MB = gpu ? await driverMemory_MB() : 0;
  const wanted = shellRunTarget(name, variant, gpu);
  const beside = gpu ? " beside the driver's own" : '';
  return [
    rowWithUpperLimit(wanted, median(times), median(bounds)),
    ...(npx === null
      ? []
      : [
          rowWithUpperLimit(
            { ...wanted, what: 'the same for an installed package, where npx finds no development packages' },
            median(installed),
            median(nothingInstalled),
          ),
          rowWithUpperLimit(
            { ...wanted, what: 'the same by npm run, which does not read the tree of packages' },
            median(byRun),
          ),
        ]),
    rowWithUpperLimit(
      { ...wanted, what: `the same without ${name.split(' ')[0]} and its check of the build` },
      median(direct),
      median(nodes),
    ),
    rowWithUpperLimit(
      { what: `peak memory of that process${beside}`, limit: 250, text: megabytes },
      median(peaks) - driver_MB,
      node_MB,
    ),
  ];
}

/** Time from shell command, without npx, to the answer of moments; the bound is an empty Node process. */
export async function momentsByShell(): Promise<Row> {
  const entry = path.join(root, 'electron/build/braggbench.mjs');
  const words = [entry, 'run', 'water-70MeV', '--variant', 'moments', '--json'];
  const [times, nodes]: [number[], number[]] = [[], []];
  await runToExit(process.execPath, words);
  for (let i = 0; i < ROUNDS; i += 1) {
    times.push((await runToExit(process.execPath, words)).wall_s);
    nodes.push((await runToExit(process.execPath, ['-e', '0'])).wall_s);
  }
  return rowWithUpperLimit(momentsByShellTarget, median(times), median(nodes));
}

/**
 * Compares the default run of a Smatrix_2D checkout with the run of this program. The two run alternately, process by
 * process. Smatrix_2D runs in a copy, because it writes to its own folder.
 */
export async function compareWithSmatrix(checkout: string, variant: string): Promise<Row> {
  const what = `Smatrix_2D's default run over braggbench run water-70MeV, ${variant}, whole processes`;
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-smatrix-'));
  try {
    cpSync(checkout, folder, { recursive: true, filter: (from) => path.basename(from) !== '.git' });
    const [theirs, ours]: [number[], number[]] = [[], []];
    for (let i = 0; i < 4; i += 1) {
      const their = await runToExit('python3', ['run_simulation.py'], folder);
      const our = await runToExit(process.execPath, [cli, 'run', 'water-70MeV', '--variant', variant, '--json']);
      // The first run of either program compiles and fills caches.
      if (i === 0) continue;
      theirs.push(their.wall_s);
      ours.push(our.wall_s);
    }
    const [their, our] = [median(theirs), median(ours)];
    return {
      ...{ what, wanted: 'more than 1×', measured: `${seconds(their)} over ${seconds(our)}` },
      ...{ met: their > our, bound: null, ratio: `${(their / our).toPrecision(3)}×` },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
