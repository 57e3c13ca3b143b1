/** Under what a session is measured: read before it, and while it runs. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../../contract/bench/environment.ts';
import type { ClockState, DeviceReport } from '../../../contract/devices.ts';
import { usedGpu } from '../../io/addon/gpu.ts';
import type { Clocked } from './flags.ts';

/** Environment known before the first run. */
export interface Surroundings extends Pick<Environment, 'governor' | 'dirty' | 'versions'> {
  readonly ecc: boolean | null;
  readonly persistence: boolean | null;
}

export const unknownSurroundings: Surroundings = {
  governor: null,
  dirty: null,
  versions: {},
  ecc: null,
  persistence: null,
};

/** All that the cores name, each once; null where the system does not say. */
export function governorOf(folder = '/sys/devices/system/cpu', cores = cpus().length): string | null {
  const found = new Set<string>();
  for (let core = 0; core < cores; core += 1) {
    try {
      found.add(readFileSync(path.join(folder, `cpu${core}/cpufreq/scaling_governor`), 'utf8').trim());
    } catch {
      // This core, or the whole system, does not say.
    }
  }
  return found.size === 0 ? null : [...found].join(', ');
}

/** Recordings and pictures: no measurement depends on them, and recording a session changes them. */
const RECORDED = ['assets/runs', 'assets/readme', 'assets/measured'];

/** Whether sources of the checkout at `root` differ from its commit. Null without a checkout, and without git. */
export async function isDirty(root: string): Promise<boolean | null> {
  if (!existsSync(path.join(root, '.git'))) return null;
  const asked = ['--no-optional-locks', '-C', root, 'status', '--porcelain', '--untracked-files=no'];
  const sources = ['--', '.', ...RECORDED.map((folder) => `:(exclude)${folder}`)];
  const answer = await promisify(execFile)('git', [...asked, ...sources], { timeout: 10_000 }).catch(() => null);
  return answer === null ? null : answer.stdout.trim() !== '';
}

function versionsOf({ cuda, nvrtc, cupti, cublas, cublasLt }: DeviceReport): Record<string, string> {
  const libraries = { NVRTC: nvrtc, CUPTI: cupti, cuBLAS: cublas, cuBLASLt: cublasLt };
  const found = Object.entries(libraries).flatMap(([name, { version }]) => (version === null ? [] : [[name, version]]));
  return {
    'Node.js': process.versions.node,
    ...(cuda.version === null ? {} : { CUDA: cuda.version }),
    ...Object.fromEntries(found),
  };
}

export async function surroundingsOf(root: string, devices: DeviceReport): Promise<Surroundings> {
  return {
    governor: governorOf(),
    dirty: await isDirty(root),
    versions: versionsOf(devices),
    ecc: usedGpu(devices)?.ecc ?? null,
    persistence: usedGpu(devices)?.persistenceMode ?? null,
  };
}

/** Core-seconds since the system and this process began. */
function spent(): { readonly all_s: number; readonly own_s: number } {
  const busy_ms = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
  const { user, system } = process.cpuUsage();
  return { all_s: busy_ms / 1e3, own_s: (user + system) / 1e6 };
}

/** The system counts CPU time in hundredths of a second per core: over shorter times the rounding dominates. */
const shortest_s = 0.5;

/** Load by other programs since this object was created. */
export class OtherLoad {
  readonly #began = { ...spent(), at_ms: performance.now() };

  /** In the mean. A user kernel in a process of its own counts with the others. */
  cores(): number | null {
    const elapsed_s = (performance.now() - this.#began.at_ms) / 1e3;
    if (elapsed_s < shortest_s) return null;
    const { all_s, own_s } = spent();
    return Math.max(0, all_s - this.#began.all_s - (own_s - this.#began.own_s)) / elapsed_s;
  }
}

function rangeOf(states: readonly ClockState[], what: (state: ClockState) => number | null) {
  const values = states.flatMap((state) => what(state) ?? []);
  return values.length === 0 ? null : { low: Math.min(...values), high: Math.max(...values) };
}

function gpuOf(states: readonly ClockState[], ecc: boolean | null, persistence: boolean | null): Environment['gpu'] {
  if (states.length === 0) return null;
  return {
    ecc,
    persistence,
    sm_MHz: rangeOf(states, ({ sm_MHz }) => sm_MHz),
    memory_MHz: rangeOf(states, ({ memory_MHz }) => memory_MHz),
    power_W: rangeOf(states, ({ power_W }) => power_W),
    power_limit_W: rangeOf(states, ({ powerLimit_W }) => powerLimit_W),
    temperature_C: rangeOf(states, ({ temperature_C }) => temperature_C),
  };
}

/** Environment stored with a finished session, from all its samples. */
export function environmentOf(
  { ecc, persistence, ...known }: Surroundings,
  other_load_cores: number | null,
  samples: readonly { readonly clocks: Clocked }[],
): Environment {
  const states = samples.flatMap(({ clocks }) => [clocks.before, clocks.after]).filter((state) => state !== null);
  return { ...known, other_load_cores, gpu: gpuOf(states, ecc, persistence) };
}
