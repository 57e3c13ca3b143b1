/** One session of the command line: of a variant against a byte-identical user kernel, or of any two. */
import { execFile } from 'node:child_process';
import { copyFileSync, globSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../../..');

/** A variant, its file, and a beam that it solves in milliseconds. */
interface Copied {
  readonly variant: string;
  readonly file: string;
  readonly scenario: Readonly<Record<string, unknown>>;
}

const energy = { kind: 'uniform', step_MeV: 1 } as const;
const small = { kind: 'transport', version: 2, name: 'Small', physics: { nuclear: 'off' } } as const;

export const onCpu: Copied = {
  variant: 'gather',
  file: 'gather.cpp',
  scenario: {
    ...{ ...small, beam: { energy_MeV: 30 }, geometry: { width_mm: 10, depth_mm: 10 } },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, energy },
    // Threads that wait for each other at every step tell of the load alone.
    solver: { threads: 1 },
  },
};
export const onGpu: Copied = {
  variant: 'cuda-gather',
  file: 'cuda_gather.cu',
  scenario: {
    ...{ ...small, beam: { energy_MeV: 70 }, geometry: { width_mm: 30, depth_mm: 50 } },
    grid: { dx_mm: 0.5, dz_mm: 0.5, dtheta_mrad: 20, energy },
  },
};

/** Enough for a verdict, and short. */
const mostRounds = 15;

export interface Verdict {
  /** On steps. */
  readonly verdict: string;
  /** On end-to-end runs, which pass their answer from process to process. */
  readonly whole: string;
  readonly ratio: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly floor: number | null;
  readonly rounds: number;
  /** Cores used by other programs, including the copy's own process. */
  readonly otherLoad_cores: number | null;
}

/** Scenario, copy and what it is, in an empty folder. Gives the copy's file name. */
export function writeCopy(folder: string, { variant, file, scenario }: Copied): string {
  const sources = path.join(root, 'dist/kernels/source/transport');
  const [found] = globSync(`**/${file}`, { cwd: sources });
  if (found === undefined) throw new Error(`${sources} has no ${file}. Run: npm run build`);
  const copy = `copy${path.extname(file)}`;
  copyFileSync(path.join(sources, found), path.join(folder, copy));
  const replaces = `kernels/transport/${found.replaceAll(path.sep, '/')}`;
  const description = { kind: 'variant', version: 1, base: variant, replaces, title: 'A copy' };
  writeFileSync(path.join(folder, 'copy.json'), JSON.stringify(description));
  writeFileSync(path.join(folder, 'small.json'), JSON.stringify(scenario));
  return copy;
}

const loop = 'for (std::size_t k = 0; k < n; ++k)';

/** The sum of the template with real extra work: its first elements are added up again. */
export function slowerBy(share: number, source: string): string {
  if (!source.includes(loop)) throw new Error(`The template of a reduction has no ${loop}`);
  const again = `const std::size_t extra = static_cast<std::size_t>(${share} * static_cast<double>(n));
    double again = 0;
    for (std::size_t k = 0; k < extra; ++k) again += static_cast<double>(a[k]) * static_cast<double>(a[k]);
    volatile double kept = again;
    static_cast<void>(kept);
    results[i] =`;
  return source.replace('results[i] =', again);
}

interface Printed {
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

/** A process of the command line, as a user starts one: the second of two variants against the first. */
export async function judged(folder: string, words: readonly string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(root, 'dist/host/cli.js'), ...words], {
    ...{ cwd: folder, maxBuffer: 2 ** 28, timeout: 600_000 },
    env: { ...process.env, BRAGGBENCH_HOME: path.join(folder, 'home') },
  });
  const { machine, entries, noise, rounds, environment } = JSON.parse(stdout) as Printed;
  const [, own] = entries;
  if (own === undefined || own.status !== 'measured') throw new Error(own?.reason ?? 'it was not measured');
  const told: Verdict = {
    ...{ verdict: own.verdict, whole: own.whole?.verdict ?? 'none', rounds, floor: noise.floor },
    ...{ ratio: own.ratio.value, interval: own.ratio.interval },
    otherLoad_cores: environment?.other_load_cores ?? null,
  };
  return { machine, told };
}

/** Throws where either could not be measured. */
export async function sessionOf(
  folder: string,
  copy: string,
  { variant }: Copied,
  limits: { readonly seed: number; readonly seconds: number },
): Promise<{ readonly machine: string; readonly told: Verdict }> {
  const words = [
    ...['bench', 'small.json', '--variants', `${variant},./${copy}`, '--trust', '--json'],
    ...['--processes', '0', '--rounds', String(mostRounds)],
    ...['--seed', String(limits.seed), '--time', String(limits.seconds)],
  ];
  const { machine, told } = await judged(folder, words);
  return { machine: variant === onGpu.variant ? (machine.gpu?.name ?? machine.cpu) : machine.cpu, told };
}
