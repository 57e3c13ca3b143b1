/**
 * A real run of milliseconds: 30 MeV in water on a coarse grid. Also scenarios for tests, of transport only: reading
 * another kind gives an error. Also run files, and problems solved by the addon with the depth of their distal falloff.
 */
import { assetsFolder as nearestAssets } from '../../../electron/cli/assets-folder.ts';
import { parseConfigured } from '../../../electron/contract/tuning/configured.ts';
import { readRun as readAny } from '../../../electron/host/app/run-files/tasks.ts';
import {
  extraStragglingOf,
  loadAddon,
  type NativeAddon,
  type TransportProblem,
  variantOptionsOf,
} from '../../../electron/host/io/addon/addon.ts';
import { hostWorkloads, requireWorkload } from '../../../electron/host/workloads/index.ts';
import {
  openScenarios,
  problemOf,
  type Reading,
  type ReadOptions,
  type ScenarioOrigin,
  type Scenarios,
} from '../../../electron/host/workloads/scenarios/scenarios.ts';
import {
  cellCurve,
  falloffPosition,
  peakOf,
} from '../../../electron/host/workloads/transport/metrics/depth-readouts.ts';
import { axesOf, keyframesOf, type RunData, runData } from '../../../electron/host/workloads/transport/run-data.ts';
import { narrowToTransport } from '../../../electron/host/workloads/transport/scenario/problem.ts';

/** Shipped variants that the labels name, with or without a configuration. */
export const shippedVariants = (labels: readonly string[]): readonly string[] => [
  ...new Set(labels.map((label) => parseConfigured(label)?.variant ?? label)),
];

export class TransportScenarios {
  /** Scenarios of every kind. */
  readonly any: Scenarios;
  readonly resolve = problemOf;

  constructor(any: Scenarios) {
    this.any = any;
  }

  get materials(): Scenarios['materials'] {
    return this.any.materials;
  }

  async read(file: string, options?: ReadOptions): Promise<Reading> {
    return narrowToTransport(await this.any.read(file, options), file);
  }

  async parse(text: string, place: ScenarioOrigin, options?: ReadOptions): Promise<Reading> {
    return narrowToTransport(await this.any.parse(text, place, options), place.name);
  }

  async check(document: unknown, place: ScenarioOrigin): Promise<Reading> {
    return narrowToTransport(await this.any.check(document, place), null);
  }

  text(document: unknown): string {
    return this.any.fileText(document);
  }

  write(file: string, document: unknown, ifExists?: 'replace' | 'refuse'): Promise<void> {
    return this.any.write(file, document, ifExists);
  }
}

/** The assets folder, which is also found from a bundle. */
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

/** The same beam in a sixtieth of the time, for many runs or for a run in NumPy. */
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
    extraStraggling: extraStragglingOf(addon),
    offers: variantOptionsOf(addon),
    memoryLimit_bytes: limit_bytes,
  });
  return new TransportScenarios(any);
}

/**
 * Runs a scenario through the addon, without queue or host. Keyframes would double its time, so they are made only on
 * request.
 */
export async function runScenario(
  requested: object,
  limit_bytes = memoryLimit_bytes,
  folder: string | null = null,
): Promise<RunData> {
  const addon = loadAddon();
  const scenarios = await openTestScenarios(addon, limit_bytes);
  const output = 'output' in requested && typeof requested.output === 'object' ? requested.output : {};
  const document = { ...requested, output: { keyframes: 0, ...output } };
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

export async function readRun(bytes: Uint8Array, name: string): Promise<RunData> {
  return requireWorkload('transport', await readAny(bytes, name), name);
}

export async function runOnce(addon: NativeAddon, problem: TransportProblem) {
  const { dose } = await addon.createTransport({ ...problem, keyframes: 0 }).start(() => undefined);
  const { nx, nz, dz_mm } = problem.grid;
  const values = Float64Array.from({ length: nz }, (_, z) =>
    dose.subarray(z * nx, (z + 1) * nx).reduce((a, b) => a + b),
  );
  const curve = cellCurve(0, dz_mm, values);
  const peak = peakOf(curve);
  if (peak === null) throw new Error('no peak');
  const at = (share: number): number => falloffPosition(curve, peak, share * peak.height) ?? Number.NaN;
  return { values, r80_mm: at(0.8), r90_mm: at(0.9) };
}
