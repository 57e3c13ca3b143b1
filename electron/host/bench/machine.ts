/** What a session ran on. */
import type { BenchReport } from '../../contract/bench.ts';
import type { DeviceReport } from '../../contract/devices.ts';
import type { NativeAddon } from '../addon.ts';
import { usedGpu } from '../gpu.ts';

export type GpuFacts = NonNullable<BenchReport['machine']['gpu']>;

export function machineFacts(addon: NativeAddon, gpu: GpuFacts | null): Pick<BenchReport, 'machine' | 'program'> {
  const { version, build, compiler } = addon.buildInfo();
  const { cpu, logicalCores, isa, os } = addon.machine();
  return { machine: { cpu, logical_cores: logicalCores, isa, os, gpu }, program: { version, build, compiler } };
}

/** The device that runs use, as the report describes it; null without one. */
export function gpuFacts(devices: DeviceReport): GpuFacts | null {
  const device = usedGpu(devices);
  if (device === null) return null;
  const { name, uuid, ceilings } = device;
  return { name, uuid, driver: devices.cuda.driver, ceilings };
}
