/** A real run that takes milliseconds: 30 MeV in water on a coarse grid. */
import { assetsFolder as nearestAssets } from '../../../electron/cli/assets-folder.ts';
import { extraStraggling, loadAddon, type NativeAddon, offersOf } from '../../../electron/host/io/addon/addon.ts';
import { hostWorkloads } from '../../../electron/host/workloads/index.ts';
import { openScenarios } from '../../../electron/host/workloads/scenarios/index.ts';
import { axesOf, keyframesOf, type RunData, runData } from '../../../electron/host/workloads/transport/run-data.ts';
import { TransportScenarios } from './transport-scenarios.ts';

/** Also from a bundle. */
export const assetsFolder = nearestAssets(import.meta.dirname);
export const memoryLimit_bytes = 2 ** 31;

export const smallScenario = {
  kind: 'transport',
  version: 1,
  name: 'small µ run',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 0.5, dz_mm: 0.25, dtheta_mrad: 20, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.25 } },
  solver: { step_mm: 0.25 },
  output: { keyframes: 4 },
} as const;

/** The same in a sixtieth of the time: where many runs are made, or NumPy makes one. */
export const tinyScenario = {
  ...smallScenario,
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.5 } },
  solver: { step_mm: 0.5 },
} as const;

export async function openTestScenarios(
  addon: NativeAddon = loadAddon(),
  limit_bytes = memoryLimit_bytes,
): Promise<TransportScenarios> {
  const any = await openScenarios({
    assetsFolder,
    rangeTable: (energies, stopping, at) => addon.rangeTable(energies, stopping, at),
    variants: (workload) => hostWorkloads[workload].variants(addon),
    workloads: hostWorkloads,
    extraStraggling: extraStraggling(addon),
    offers: offersOf(addon),
    memoryLimit_bytes: limit_bytes,
  });
  return new TransportScenarios(any);
}

/** Runs a scenario through the addon, without queue or host; keyframes, half of its time, are made where a test asks for them. */
export async function runScenario(
  asked: object,
  limit_bytes = memoryLimit_bytes,
  folder: string | null = null,
): Promise<RunData> {
  const addon = loadAddon();
  const scenarios = await openTestScenarios(addon, limit_bytes);
  const output = 'output' in asked && typeof asked.output === 'object' ? asked.output : {};
  const document = { ...asked, output: { keyframes: 0, ...output } };
  const reading = await scenarios.check(document, { name: 'test', folder });
  const problem = scenarios.resolve(reading);
  const run = addon.createTransport(problem);
  const result = await run.start(() => undefined);
  const { cpu, logicalCores, memoryBytes, os } = addon.machine();
  const { version, build, compiler } = addon.buildInfo();
  const context = {
    program: { version, build, compiler, commit: 'c0ffee0c0ffee0c0ffee0c0ffee0c0ffee0c0ffe' },
    machine: { id: null, cpu, logicalCores, memory_bytes: memoryBytes, os, device: null },
    name: 'small µ run',
    created: '2026-01-02T03:04:05.000Z',
    finished: '2026-01-02T03:04:06.000Z',
    scenario: reading.document ?? {},
    completeScenario: { ...reading.scenario },
    table: reading.table ?? '',
    wall_s: 0.01,
  };
  return runData(context, problem, axesOf(problem, run.plan), result, await keyframesOf(run, result));
}
