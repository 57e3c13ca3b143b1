/** Proton transport in the host. */
import { exportsOf } from '../../../contract/exports.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import type { Resolved } from '../../../contract/scenarios.ts';
import { runOf } from '../run-data.ts';
import { type AnyReading, problemOf, type TransportReading } from '../scenarios/index.ts';
import type { HostWorkload, ResolveParts } from '../workload.ts';
import { depthMetricsOfRun } from './aside.ts';
import { beamsTogether } from './batch.ts';
import { expectedTime, rangesOf } from './bench/expected-time.ts';
import { transportBenchable } from './benchable.ts';
import { comparedTransport } from './compared.ts';
import { type Exported, exportRun } from './export.ts';
import { transportMeasures } from './metrics/measures.ts';
import { measured, picturesBytes } from './run-data.ts';
import { transportRunFile } from './run-file.ts';
import { TransportRunning } from './running.ts';
import { transportScenario } from './scenario/side.ts';
import { gridText, upToText } from './texts.ts';
import { transportTimeline } from './timeline.ts';
import { transportUserKernels } from './user-kernels.ts';
import { transportVariants, variantsFor } from './variants.ts';
import { laid } from './work.ts';

function narrowed(reading: AnyReading): TransportReading {
  if (reading.kind !== 'transport') throw new Error(`a scenario of ${reading.kind} came to transport`);
  return reading;
}

async function resolve({ addon, memoryLimit_bytes }: ResolveParts, any: AnyReading): Promise<Resolved | null> {
  const reading = narrowed(any);
  const { scenario, estimate, range_mm, waterRange_mm, table, problem } = reading;
  if (scenario === null || estimate === null || problem === null) return null;
  if (range_mm === null || waterRange_mm === null || table === null) return null;
  const asked = problem();
  const { native, visits } = await laid(addon, asked, rangesOf(reading), true);
  const { plan } = native;
  return {
    kind: 'transport',
    scenario: { ...scenario },
    variant: plan.variant,
    variants: variantsFor(addon, scenario.solver, reading.draft),
    estimate: { total_bytes: plan.memory_bytes ?? plan.estimate_bytes, limit_bytes: memoryLimit_bytes },
    grid: { ne: plan.ne, ntheta: plan.ntheta, nz: plan.nz, nx: plan.nx },
    cells: plan.ne * plan.ntheta * plan.nz * plan.nx,
    state_bytes: estimate.state_bytes,
    steps_max: plan.steps_max,
    range_mm,
    waterRange_mm,
    ...(visits !== null && { expected: expectedTime(asked, plan, visits, isOfGpu(addon, plan.variant)) }),
    table,
  };
}

const isOfGpu = (addon: ResolveParts['addon'], variant: string): boolean =>
  addon.variants().some(({ id, device }) => id === variant && device !== 'cpu');

export const transport: HostWorkload = {
  scenario: transportScenario,
  runFile: transportRunFile,
  timeline: (run, declared) => transportTimeline(runOf('transport', run), declared),
  userKernels: transportUserKernels,
  compiledAtStart: true,
  variants: transportVariants,
  resolve,
  needs: async (addon, reading) => {
    const problem = problemOf(narrowed(reading));
    const { native, visits, least_s } = await laid(addon, problem, rangesOf(narrowed(reading)), true);
    const { plan } = native;
    const { variant, precision, estimate_bytes, memory_bytes, ne, ntheta, nz, nx } = plan;
    const grid = { ne, ntheta, nz, nx };
    return {
      variant,
      precision,
      state_bytes: estimate_bytes,
      ...(memory_bytes !== undefined && { memory_bytes }),
      size: gridText(grid),
      sizes: { grid },
      pictures_bytes: picturesBytes(problem, grid),
      least_s,
      ...(visits !== null && { expected: expectedTime(problem, plan, visits, isOfGpu(addon, variant)) }),
    };
  },
  prepare: async (addon, reading, { trace, pictures }) => {
    const { table, scenario } = narrowed(reading);
    const asked = problemOf(narrowed(reading));
    const problem = pictures ? asked : { ...asked, keyframes: 0 };
    const { native, visits } = await laid(addon, problem, rangesOf(narrowed(reading)));
    const start = {
      problem,
      visits,
      table: table ?? '',
      trace,
      unwatched: !pictures,
      gray: scenario?.output.gray ?? false,
    };
    return new TransportRunning(addon, native, start);
  },
  ended: async (any) => {
    const run = runOf('transport', any);
    const { r80_mm } = await depthMetricsOfRun(run);
    const { weightLeft } = measured(run);
    const { nz, nx, ntheta, energies_MeV } = run.axes;
    const depth_mm = run.keyframes.at(-1)?.depth_mm ?? 0;
    const nothing = { ledger_error: 0, steps_per_s: 0 };
    return {
      size: gridText({ ne: energies_MeV.length, ntheta, nz, nx }),
      headline: r80_mm === null ? null : { name: 'R80', value: r80_mm, unit: 'mm' },
      detail: {
        workload: 'transport',
        step: run.steps,
        steps_max: run.steps,
        depth_mm,
        weight_left: weightLeft,
        ...nothing,
      },
      upTo: upToText(run.steps, depth_mm),
    };
  },
  exported: (run, what, packer) => {
    const known = exportsOf('transport').some(({ id }) => id === what);
    if (!known) throw new Error(`a transport run has no ${what}`);
    return exportRun(runOf('transport', run), what as Exported, packer);
  },
  benchable: transportBenchable,
  compared: comparedTransport,
  measures: (run) => transportMeasures(runOf('transport', run)),
  together: beamsTogether,
  claimed: () => null,
  about: (document) => {
    const energy = valueAt(document, ['beam', 'energy_MeV']);
    return typeof energy === 'number' && Number.isFinite(energy) ? `${energy} MeV` : '';
  },
};
