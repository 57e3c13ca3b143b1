/** Program, machine and device that solve a point. */
import { hostname } from 'node:os';
import type { Where } from '../../../../contract/study/index.ts';
import { usedGpu } from '../../../io/addon/gpu.ts';
import type { SolvingHost } from '../solving-host.ts';

interface WhereParts {
  readonly host: Pick<SolvingHost, 'capabilities' | 'commit'>;
  readonly at_once: number;
  readonly job: string | null;
}

export function whereOf({ host, at_once, job }: WhereParts, onGpu: boolean): Where {
  const { version, build, cpu, devices } = host.capabilities();
  const gpu = onGpu ? usedGpu(devices) : null;
  return {
    version,
    build,
    commit: host.commit,
    machine: hostname(),
    cpu: cpu.name,
    cores: cpu.logicalCores,
    os: cpu.os,
    gpu: gpu?.name ?? null,
    gpu_uuid: gpu?.uuid ?? null,
    driver: gpu === null ? null : devices.cuda.driver,
    at_once,
    job,
  };
}
