/** Describes the machine and the GPUs of a session, and measures the GPUs' ceilings, which are cached. */
import { homedir, platform } from 'node:os';
import path from 'node:path';
import type { SessionGpu } from '../../../contract/bench/bench-session.ts';
import type { SessionReport } from '../../../contract/bench/session.ts';
import type { CudaDevice, DeviceReport } from '../../../contract/capabilities.ts';
import { errorFromNative, type KernelFolders, type NativeAddon } from '../../io/addon/addon.ts';
import { defaultGpu } from '../../io/addon/gpu.ts';
import { identifyThisMachine } from '../../io/files/this-machine.ts';
import type { ProcessorLimits } from './entry.ts';

type GpuFacts = SessionGpu;

/** GPUs of the machine, in the form that sessions store. */
export interface SessionGpus {
  /** Default GPU of runs; null if there is none. */
  readonly defaultGpu: GpuFacts | null;
  readonly all: readonly (GpuFacts & { readonly index: number })[];
}

export const NO_GPUS: SessionGpus = { defaultGpu: null, all: [] };

export function describeGpus(devices: DeviceReport): SessionGpus {
  const { driver } = devices.cuda;
  const facts = ({ name, uuid, ceilings }: CudaDevice): GpuFacts => ({ name, uuid, driver, ceilings });
  const used = defaultGpu(devices);
  return {
    defaultGpu: used === null ? null : facts(used),
    all: devices.cuda.devices.map((device) => ({ index: device.index, ...facts(device) })),
  };
}

/** The default GPU, and other GPUs that candidates requested. */
function gpusInUse({ defaultGpu: usual, all }: SessionGpus, candidates: readonly { readonly gpu: number | null }[]) {
  const named = all.filter(({ index }) => candidates.some(({ gpu }) => gpu === index));
  return { gpu: usual, ...(named.length === 0 ? {} : { gpus: named }) };
}

/** Rate at which all cores read memory, in bytes per second. It is measured once per process, in 0.2 s. */
let memory_bytes_per_s: number | null = null;

export function readProcessorLimits(addon: NativeAddon): ProcessorLimits {
  const { logicalCores, lastLevelCacheBytes } = addon.machine();
  return {
    cores: logicalCores,
    last_level_cache_bytes: lastLevelCacheBytes,
    memory_bytes_per_s: () => {
      memory_bytes_per_s ??= addon.memoryReadRate();
      return memory_bytes_per_s;
    },
  };
}

export function describeMachine(
  addon: NativeAddon,
  gpus: SessionGpus,
  candidates: readonly { readonly gpu: number | null }[],
): Pick<SessionReport, 'machine'> & { readonly program: Omit<SessionReport['program'], 'commit'> } {
  const { version, build, compiler } = addon.buildInfo();
  const { cpu, logicalCores, memoryBytes, isa, os } = addon.machine();
  const { id } = identifyThisMachine();
  return {
    machine: {
      id,
      cpu,
      logical_cores: logicalCores,
      memory_bytes: memoryBytes,
      isa,
      os,
      ...gpusInUse(gpus, candidates),
    },
    program: { version, build, compiler },
  };
}

/**
 * Folder for files that the program can create again: $BRAGGBENCH_CACHE, or the system's default folder for caches.
 */
function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const own = environment['BRAGGBENCH_CACHE'];
  if (own !== undefined && own !== '') return own;
  if (platform() === 'win32') return path.join(environment['LOCALAPPDATA'] ?? homedir(), 'Braggbench', 'Cache');
  if (platform() === 'darwin') return path.join(homedir(), 'Library', 'Caches', 'braggbench');
  return path.join(environment['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'braggbench');
}

/**
 * Folders with compiled kernels and their sources, and the cache. The engine expects the kernels in dist/kernels, next
 * to the folder of the addon.
 */
export function kernelFolders(environment: NodeJS.ProcessEnv = process.env): KernelFolders {
  const named = environment['BRAGGBENCH_KERNELS'];
  const here = import.meta.dirname;
  // Relative path from the bundle in dist/host, or from this source in a checkout.
  const inside =
    path.basename(path.dirname(here)) === 'dist' ? path.dirname(here) : path.resolve(here, '../../../../dist');
  const images = named !== undefined && named !== '' ? named : path.join(inside, 'kernels');
  return { images, sources: path.join(images, 'source'), cache: cacheFolder(environment) };
}

/**
 * Device report with the measured ceilings of every usable GPU. `failed` is called with the reason if measuring fails.
 */
export async function devicesWithCeilings(addon: NativeAddon, failed: (reason: string) => void): Promise<DeviceReport> {
  const folders = kernelFolders();
  const before = addon.devices({ cache: folders.cache });
  const unknown = before.cuda.devices.filter(({ usable, ceilings }) => usable && ceilings === null);
  for (const { uuid } of unknown) {
    try {
      await addon.measureCeilings({ ...folders, device: uuid });
    } catch (error) {
      failed(errorFromNative(error).message);
    }
  }
  return unknown.length === 0 ? before : addon.devices({ cache: folders.cache });
}
