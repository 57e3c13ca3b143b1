/**
 * One session of the command line: a variant against a byte-identical user kernel, or any two kernels. Each session has
 * a time budget in seconds, so that a long series ends in time. Sessions run one after the other, or several at a time
 * on separate cores. Each is saved before the next begins.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, globSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** A sequence of sessions on its own cores, in the form of `taskset -c`; null for all cores. */
export interface Lane {
  readonly index: number;
  readonly cores: string | null;
}

/** A lane for each `--cores`, or one on all cores. Throws if a core is not available, or belongs to two lanes. */
export function lanesOf(all: readonly string[]): readonly Lane[] {
  if (all.length === 0) return [{ index: 0, cores: null }];
  const taken = new Set<string>();
  for (const cores of all) {
    if (!/^\d+(,\d+)*$/.test(cores)) {
      throw new Error(
        `--cores: ${JSON.stringify(cores)} is not a list of cores; allowed: numbers separated by commas, such as 2,3`,
      );
    }
    for (const core of cores.split(',')) {
      if (taken.has(core))
        throw new Error(`--cores: core ${core} is given twice; every core may belong to only one lane`);
      taken.add(core);
    }
    const { status, error, stderr } = spawnSync('taskset', ['-c', cores, 'true'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`--cores ${cores}: ${error?.message ?? stderr.trim()}`);
  }
  return all.map((cores, index) => ({ index, cores }));
}

/** Prefixes a command so that it runs on the cores of a lane. */
export function onLane({ cores }: Lane, command: string, words: readonly string[]): readonly [string, string[]] {
  return cores === null ? [command, [...words]] : ['taskset', ['-c', cores, command, ...words]];
}

/** A saved session. Files of earlier versions have no numbers; their sessions are in order. */
interface NumberedSession {
  /** Number of the session in its series, from 0; its seed follows from it. */
  readonly number?: number | undefined;
}

interface CompleteSeries<T extends NumberedSession> {
  readonly sessions: T[];
  readonly take: (i: number, lane: Lane) => Promise<T>;
}

/**
 * Adds sessions to each series until it has `wanted`; the series alternate. `take` gets the lowest numbers, from 0, that
 * no session of the series has yet, so that seeds stay unique: lanes end in any order, and an interruption leaves gaps.
 * `save` runs after each session.
 */
export async function runMissingSessions<T extends NumberedSession>(
  series: readonly CompleteSeries<T>[],
  wanted: number,
  { lanes, save }: { readonly lanes: readonly Lane[]; readonly save: () => void },
): Promise<void> {
  const missing = series.flatMap(({ sessions, take }) => {
    const taken = new Set(sessions.map(({ number }, i) => number ?? i));
    const free = Array.from({ length: wanted }, (_, i) => i).filter((i) => !taken.has(i));
    return free.slice(0, Math.max(0, wanted - sessions.length)).map((i) => ({ i, sessions, take }));
  });
  // The sort is stable, so that sessions with equal numbers stay in the order of their series.
  const left = missing.toSorted((a, b) => a.i - b.i);
  const work = async (lane: Lane): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { i, sessions, take } = next;
      sessions.push({ ...(await take(i, lane)), number: i });
      save();
    }
  };
  await Promise.all(lanes.map(work));
}

/** Lane of all cores of the machine that `lane` does not have; `lane` itself if there are no such cores. */
export function laneOfOtherCores(lane: Lane): Lane {
  const taken = lane.cores?.split(',') ?? [];
  const others = [...cpus().keys()].map(String).filter((core) => !taken.includes(core));
  return lane.cores === null || others.length === 0 ? lane : { ...lane, cores: others.join() };
}

/** Processes that keep cores busy; they end with this one. */
export class BusyProcesses {
  readonly #all: ChildProcess[] = [];

  constructor() {
    process.once('exit', () => this.end());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  }

  begin(count: number, lane: Lane): void {
    for (let i = 0; i < count; i += 1) {
      const [command, words] = onLane(lane, process.execPath, ['-e', 'for (;;);']);
      this.#all.push(spawn(command, words, { stdio: 'ignore' }));
    }
  }

  end(): void {
    for (const one of this.#all.splice(0)) one.kill('SIGKILL');
  }
}

const root = path.resolve(import.meta.dirname, '../../..');

/** A variant, its source file, and a scenario with a beam that it solves in milliseconds. */
interface VariantCopy {
  readonly variant: string;
  readonly file: string;
  readonly scenario: Readonly<Record<string, unknown>>;
}

const energy = { kind: 'uniform', step_MeV: 1 } as const;
const smallScenario = { kind: 'transport', version: 2, name: 'Small', physics: { nuclear: 'off' } } as const;

export const onCpu: VariantCopy = {
  variant: 'gather',
  file: 'gather.cpp',
  scenario: {
    ...{ ...smallScenario, beam: { energy_MeV: 30 }, geometry: { width_mm: 10, depth_mm: 10 } },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, energy },
    // Use one thread, because threads that wait for each other at every step would measure the load of the machine.
    solver: { threads: 1 },
  },
};
export const onGpu: VariantCopy = {
  variant: 'cuda-gather',
  file: 'cuda_gather.cu',
  scenario: {
    ...{ ...smallScenario, beam: { energy_MeV: 70 }, geometry: { width_mm: 30, depth_mm: 50 } },
    grid: { dx_mm: 0.5, dz_mm: 0.5, dtheta_mrad: 20, energy },
  },
};

export interface Verdict extends NumberedSession {
  /** Verdict on the steps. */
  readonly verdict: string;
  /** Verdict on end-to-end runs, which include the transfer of results between processes. */
  readonly whole: string;
  readonly ratio: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly floor: number | null;
  readonly rounds: number;
  /** Cores used by other programs, including the copy's own process. */
  readonly otherLoad_cores: number | null;
}

/** Writes the scenario and the copy of the variant to an empty folder. Returns the copy's file name. */
export function writeCopy(folder: string, { variant, file, scenario }: VariantCopy): string {
  const sources = path.join(root, 'dist/kernels/source/transport');
  const [found] = globSync(`**/${file}`, { cwd: sources });
  if (found === undefined) throw new Error(`${sources} has no ${file}. Run npm run build`);
  const copy = `copy${path.extname(file)}`;
  copyFileSync(path.join(sources, found), path.join(folder, copy));
  const replaces = `kernels/transport/${found.replaceAll(path.sep, '/')}`;
  const description = { kind: 'variant', version: 1, base: variant, replaces, title: 'A copy' };
  writeFileSync(path.join(folder, 'copy.json'), JSON.stringify(description));
  writeFileSync(path.join(folder, 'small.json'), JSON.stringify(scenario));
  return copy;
}

/**
 * Source of a sum of squares as eight independent sums, with real extra work: its first elements are added up again.
 * The chain of additions of the template would be no fair test. Recent processors add within 2 to 4 cycles, depending
 * on the placement of the code. A chain with 1 % more work took 7 to 31 % less time in 40 of 40 sessions.
 */
export function sumWithMore(share: number): string {
  const again = share === 0 ? '' : `\n  volatile double again = squares(a, static_cast<int>(${share} * n));`;
  return `[[gnu::noinline]] static double squares(const float* a, int n) {
  double sums[8] = {};
  int k = 0;
  for (; k + 8 <= n; k += 8) {
    for (int j = 0; j < 8; ++j) sums[j] += static_cast<double>(a[k + j]) * static_cast<double>(a[k + j]);
  }
  for (; k < n; ++k) sums[0] += static_cast<double>(a[k]) * static_cast<double>(a[k]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void run(const float* a, float* results, int n) {
  *results = static_cast<float>(squares(a, n));${again}
}
`;
}

interface PrintedSession {
  readonly program: { readonly commit: string | null };
  readonly machine: { readonly cpu: string; readonly gpu: { readonly name: string } | null };
  readonly rounds: number;
  readonly noise: { readonly floor: number | null };
  readonly environment?: { readonly other_load_cores: number | null };
  readonly entries: readonly {
    readonly status: string;
    readonly reason?: string;
    readonly verdict: string;
    readonly whole?: { readonly verdict: string };
    readonly ratio: { readonly value: number; readonly interval: Verdict['interval'] };
  }[];
}

/** Runs the command line as a user would: compares the second of two variants with the first. */
export async function runSession(folder: string, lane: Lane, words: readonly string[]) {
  const cli = path.join(root, 'dist/host/cli.js');
  const { stdout } = await promisify(execFile)(...onLane(lane, process.execPath, [cli, ...words]), {
    ...{ cwd: folder, maxBuffer: 2 ** 28, timeout: 600_000 },
    // Use a separate home folder per lane, because lanes compile at the same time.
    env: { ...process.env, BRAGGBENCH_HOME: path.join(folder, `home-${lane.index}`) },
  });
  const { machine, program, entries, noise, rounds, environment } = JSON.parse(stdout) as PrintedSession;
  const [, own] = entries;
  if (own === undefined || own.status !== 'measured') throw new Error(own?.reason ?? 'it was not measured');
  const told: Verdict = {
    ...{ verdict: own.verdict, whole: own.whole?.verdict ?? 'none', rounds, floor: noise.floor },
    ...{ ratio: own.ratio.value, interval: own.ratio.interval },
    otherLoad_cores: environment?.other_load_cores ?? null,
  };
  return { machine, commit: program.commit ?? 'not recorded', told };
}

/** Throws if either variant could not be measured. */
export async function sessionOf(
  folder: string,
  copy: string,
  { variant }: VariantCopy,
  { seed, seconds, lane }: { readonly seed: number; readonly seconds: number; readonly lane: Lane },
): Promise<{ readonly machine: string; readonly told: Verdict }> {
  const words = [
    ...['bench', 'small.json', '--variants', `${variant},./${copy}`, '--trust', '--json'],
    ...['--processes', '0', '--seed', String(seed), '--time', String(seconds)],
  ];
  const { machine, told } = await runSession(folder, lane, words);
  return { machine: variant === onGpu.variant ? (machine.gpu?.name ?? machine.cpu) : machine.cpu, told };
}
