/** Machine and GPUs of a session. */
import type { SessionGpu } from '../../../contract/bench/bench-session.ts';
import type { SessionReport } from '../../../contract/bench/session.ts';
import type { CudaDevice, DeviceReport } from '../../../contract/devices.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { usedGpu } from '../../io/addon/gpu.ts';
import { thisMachine } from '../../io/files/this-machine.ts';
import type { Processor } from './roofline.ts';

type GpuFacts = SessionGpu;

/** The GPUs of a machine, as sessions tell of them. */
export interface SessionGpus {
  /** The one that runs use; null without one. */
  readonly usual: GpuFacts | null;
  readonly all: readonly (GpuFacts & { readonly index: number })[];
}

export const noGpus: SessionGpus = { usual: null, all: [] };

export function sessionGpus(devices: DeviceReport): SessionGpus {
  const { driver } = devices.cuda;
  const facts = ({ name, uuid, ceilings }: CudaDevice): GpuFacts => ({ name, uuid, driver, ceilings });
  const used = usedGpu(devices);
  return {
    usual: used === null ? null : facts(used),
    all: devices.cuda.devices.map((device) => ({ index: device.index, ...facts(device) })),
  };
}

/** The usual one and, of the others, those that candidates name. */
function gpusOf({ usual, all }: SessionGpus, candidates: readonly { readonly gpu: number | null }[]) {
  const named = all.filter(({ index }) => candidates.some(({ gpu }) => gpu === index));
  return { gpu: usual, ...(named.length === 0 ? {} : { gpus: named }) };
}

/** Rate at which all cores read memory; measured once in a process, in a fifth of a second. */
let memory_bytes_per_s: number | null = null;

export function processorOf(addon: NativeAddon): Processor {
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

export function machineFacts(
  addon: NativeAddon,
  gpus: SessionGpus,
  candidates: readonly { readonly gpu: number | null }[],
): Pick<SessionReport, 'machine'> & { readonly program: Omit<SessionReport['program'], 'commit'> } {
  const { version, build, compiler } = addon.buildInfo();
  const { cpu, logicalCores, memoryBytes, isa, os } = addon.machine();
  const { id } = thisMachine();
  return {
    machine: { id, cpu, logical_cores: logicalCores, memory_bytes: memoryBytes, isa, os, ...gpusOf(gpus, candidates) },
    program: { version, build, compiler },
  };
}
