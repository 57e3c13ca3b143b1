/** The proton transport workload in the host: scenarios, benchmarks, comparison and timelines. */
import { type TransportDocument, valueAt } from '../../../contract/scenario/index.ts';
import type { ResolvedScenario } from '../../../contract/scenarios.ts';
import { exportsOf } from '../../../contract/workload.ts';
import type { TransportProblem } from '../../io/addon/addon.ts';
import { defineArrayTask } from '../../io/threads/task.ts';
import { type AnswerValues, parityLimit, relativeL2 } from '../../model/bench/bench-candidate.ts';
import { makeCandidates } from '../../model/bench/candidates.ts';
import { readBenchmarkClaims } from '../../model/bench/claims.ts';
import { DEFAULT_PROCESSES } from '../../model/bench/cold/processes.ts';
import type { ChosenBaseline } from '../../model/external/conversation.ts';
import { programEntries } from '../../model/external/program-candidate.ts';
import type { ComparedField, GridAxis } from '../../model/fields/field.ts';
import { type RecordedLane, type RunTimeline, threadLanes } from '../../model/timeline/import/run.ts';
import { type BenchmarkSupport, problemFor } from '../benchable.ts';
import { runOf } from '../run-data.ts';
import {
  narrowToKinds,
  problemOf,
  type ScenarioFunctions,
  type ScenarioReading,
  type TransportReading,
} from '../scenarios/scenarios.ts';
import type { ComparedRuns, HostWorkload, ResolveParts } from '../workload.ts';
import { amountFor, concurrencyOf, prepareRun, sumOfMinSeconds } from './batch.ts';
import { transportBenchSetup, transportTerms } from './bench/bench-candidate.ts';
import { expectedTime, rangesOf } from './bench/expected-time.ts';
import { type AxisGeometry, axisProfileLater } from './metrics/depth-readouts.ts';
import { transportMeasures } from './metrics/measures.ts';
import { profileCurve } from './metrics/run-metrics.ts';
import { depthMetricsOfRun, type ExportKind, exportRun, lastBalances } from './readouts.ts';
import { keyframesBytes, measuredRunOf, type RunData, stepsTime_s } from './run-data.ts';
import { transportRunFile } from './run-file.ts';
import { gridText, progressText, TransportWorkloadRun } from './running.ts';
import { readTransport } from './scenario/index.ts';
import {
  cellSteps,
  depthDoseError,
  depthDoseLimit,
  doseError,
  ledgerError,
  shareCells,
  transportSessionTerms,
  transportUserKernels,
} from './user-kernels.ts';
import { readingForReadouts, transportVariants, variantsFor } from './variants.ts';

const transportScenario: ScenarioFunctions = {
  files: (any) => {
    const { physics, beam, geometry } = narrowToKinds(['transport'], any);
    const { stopping_power } = physics;
    const spots = beam.spots === undefined || Array.isArray(beam.spots) ? [] : [beam.spots.file];
    const ct = geometry.ct === undefined ? [] : [geometry.ct.file];
    return [...(typeof stopping_power === 'string' ? [] : [stopping_power.file]), ...spots, ...ct];
  },
  completeAndCheck: async (any, value, leftOut, place, known) => {
    const filled = narrowToKinds(['transport'], any);
    const services = { ...known, variants: known.variants(filled.kind).map(({ id }) => id) };
    const found = await readTransport(filled, value, leftOut, place, services);
    const { scenario, estimate, range_mm, waterRange_mm, table, ct, problem, ...rest } = found;
    const numbers = { scenario, estimate, range_mm, waterRange_mm, table: table.title, ct };
    return {
      ...rest,
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: filled.kind,
        draft,
        document: document as TransportDocument | null,
        issues,
        ...numbers,
        problem: valid ? problem : null,
        locate,
      }),
    };
  },
};

const transportBenchable: BenchmarkSupport = {
  problem: (reading) => {
    if (reading.kind !== 'transport') throw new Error(`a scenario of kind ${reading.kind} was passed to transport`);
    return { kind: 'transport', problem: problemOf(reading) };
  },
  check: (addon, problem, variants) => {
    makeCandidates(problemFor('transport', problem), variants, addon.variants());
  },
  least_s: (addon, problem, variants, reading) =>
    sumOfMinSeconds(
      addon,
      problemFor('transport', problem),
      variants,
      reading.kind === 'transport' ? rangesOf(reading) : null,
    ),
  amount: (addon, problem, variant, reading) =>
    amountFor(
      addon,
      problemFor('transport', problem),
      variant,
      reading.kind === 'transport' ? rangesOf(reading) : null,
    ),
  usualProcesses: DEFAULT_PROCESSES,
  terms: () => transportSessionTerms,
  kernels: 'transport',
  readClaims: (assetsFolder) => readBenchmarkClaims(assetsFolder, { workload: 'transport', bench: '' }),
  setup: async (addon, any, options) => {
    const problem = problemFor('transport', any);
    const { external, signal } = options;
    const place = { workload: 'transport', bench: '' };
    const terms = (chosen: ChosenBaseline) => transportTerms(addon, problem, chosen);
    const externalEntries = await programEntries({ addon, external, ...place, terms, signal });
    return transportBenchSetup(addon, problem, { ...options, externalEntries });
  },
  field: (problem, answer) => doseFieldOf(problemFor('transport', problem), Float64Array.from(answer)),
};

/** Axis with `count` cells. `first`: position of the first edge, in cells. */
function createAxis(name: 'z' | 'x', count: number, width_mm: number, first: number): GridAxis {
  const edges = Float64Array.from({ length: count + 1 }, (_, i) => (first + i) * width_mm);
  return { name, unit: 'mm', edges, uniform: true };
}

/**
 * Field of a dose for display in MeV/mm², with depth on the horizontal and x on the vertical axis. `dose`: MeV per
 * cell, in rows of z.
 */
export function doseField(dose: Float64Array, geometry: AxisGeometry): ComparedField {
  const { nz, nx, dz_mm, dx_mm } = geometry;
  return {
    quantity: 'dose',
    unit: 'MeV/mm²',
    values: dose,
    scale: 1 / (dz_mm * dx_mm),
    horizontal: createAxis('z', nz, dz_mm, 0),
    vertical: createAxis('x', nx, dx_mm, -nx / 2),
    strideHorizontal: nx,
    strideVertical: 1,
    statistic: 'mean',
    curve: async () => profileCurve(await axisProfileLater(dose, geometry)),
  };
}

function doseFieldOf({ grid, beam }: TransportProblem, dose: Float64Array): ComparedField {
  const { nz, nx, dz_mm, dx_mm } = grid;
  const { x_mm, z_mm, angle_rad } = beam;
  return doseField(dose, { nz, nx, dz_mm, dx_mm, x_mm, z_mm, angle_rad });
}

const differenceOf = defineArrayTask(
  'compare a dose with another',
  ({ here, reference }: { readonly here: AnswerValues; readonly reference: AnswerValues }) =>
    relativeL2(here, reference),
);

const parityLimitOf = (precision: string): number => (precision === 'fp64' ? parityLimit.fp64 : parityLimit.fp32);

const comparedTransport: ComparedRuns = {
  kind: 'answers',
  words: transportSessionTerms,
  of: async (any) => {
    const run = runOf('transport', any);
    const { axes, threads, isa, setup_s, steps, cell_steps, table } = run;
    const { number, energy } = lastBalances(run);
    const time_s = stepsTime_s(run);
    const { r80_mm } = await depthMetricsOfRun(run);
    return {
      ...{ threads, isa, time_s, setup_s },
      setup_parts: [],
      size: axes.energies_MeV.length * axes.ntheta * axes.nz * axes.nx,
      quantities: [
        cellSteps(cell_steps / time_s),
        { id: 'steps', title: 'Steps taken', value: steps, unit: '' },
        ...(r80_mm === null ? [] : [{ id: 'r80', title: 'R80', value: r80_mm, unit: 'mm' }]),
      ],
      accuracy: [ledgerError(Math.max(Math.abs(number.rel_error), Math.abs(energy.rel_error)), null)],
      field: doseField(run.dose, measuredRunOf(run).geometry),
      environment: { 'stopping power': table },
    };
  },
  compare: async (here, reference, judged) => {
    const limit = Math.max(parityLimitOf(here.precision), parityLimitOf(reference.precision));
    if (!shareCells(here.variant, reference.variant)) {
      const { values, strideHorizontal } = here.field;
      return [depthDoseError(values, reference.field.values, strideHorizontal, judged ? depthDoseLimit : null)];
    }
    const apart = await differenceOf({ here: here.field.values, reference: reference.field.values });
    return [doseError(apart, judged ? limit : null)];
  },
};

/** Lanes of a recording. The second one is the GPU. */
const gpuLanes: readonly RecordedLane[] = [
  { name: 'main thread', onDevice: false },
  { name: 'steps, by events', onDevice: true },
];

function transportTimeline(run: RunData, declared: (variant: string) => number): RunTimeline {
  const { name, variant, precision, machine, spans, trace, steps, cell_steps, bytes_per_cell_step } = run;
  const { device } = machine;
  // Files of earlier versions do not contain the number of bytes that their kernels moved.
  const bytesPerCellStep = bytes_per_cell_step || declared(variant);
  return {
    name,
    variant,
    precision,
    machine,
    parts: [{ title: null, device, lanes: device === null ? threadLanes(spans.threads) : gpuLanes, spans, trace }],
    counts: null,
    traffic: steps > 0 ? { steps, bytesPerStep: (cell_steps / steps) * bytesPerCellStep } : null,
  };
}

function requireTransport(reading: ScenarioReading): TransportReading {
  if (reading.kind !== 'transport') throw new Error(`a scenario of kind ${reading.kind} was passed to transport`);
  return reading;
}

async function resolveScenario(
  { addon, memoryLimit_bytes }: ResolveParts,
  any: ScenarioReading,
): Promise<ResolvedScenario | null> {
  const reading = requireTransport(any);
  const { scenario, estimate, range_mm, waterRange_mm, table, problem } = reading;
  if (scenario === null || estimate === null || problem === null) return null;
  if (range_mm === null || waterRange_mm === null || table === null) return null;
  const requested = problem();
  const { native, visits } = await prepareRun(addon, requested, rangesOf(reading), true);
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
    ...(visits !== null && { expected: expectedTime(requested, plan, visits, isGpuVariant(addon, plan.variant)) }),
    table,
  };
}

const isGpuVariant = (addon: ResolveParts['addon'], variant: string): boolean =>
  addon.variants().some(({ id, device }) => id === variant && device !== 'cpu');

export const transport: HostWorkload = {
  scenario: transportScenario,
  runFile: transportRunFile,
  timeline: (run, declared) => transportTimeline(runOf('transport', run), declared),
  userKernels: transportUserKernels,
  compiledAtStart: true,
  variants: transportVariants,
  resolve: resolveScenario,
  needs: async (addon, reading) => {
    const problem = problemOf(requireTransport(reading));
    const { native, visits, least_s } = await prepareRun(addon, problem, rangesOf(requireTransport(reading)), true);
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
      pictures_bytes: keyframesBytes(problem, grid),
      least_s,
      ...(visits !== null && { expected: expectedTime(problem, plan, visits, isGpuVariant(addon, variant)) }),
    };
  },
  forReadouts: (addon, reading) => readingForReadouts(addon, requireTransport(reading)),
  prepare: async (addon, reading, { trace, keyframes }) => {
    const { table, scenario } = requireTransport(reading);
    const asked = problemOf(requireTransport(reading));
    const problem = keyframes ? asked : { ...asked, keyframes: 0 };
    const { native, visits } = await prepareRun(addon, problem, rangesOf(requireTransport(reading)));
    const start = {
      problem,
      visits,
      table: table ?? '',
      trace,
      unwatched: !keyframes,
      gray: scenario?.output.gray ?? false,
    };
    return new TransportWorkloadRun(addon, native, start);
  },
  ended: async (any) => {
    const run = runOf('transport', any);
    const { r80_mm } = await depthMetricsOfRun(run);
    const { weightLeft } = measuredRunOf(run);
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
      upTo: progressText(run.steps, depth_mm),
    };
  },
  exportFile: (run, what, packer) => {
    const known = exportsOf('transport').some(({ id }) => id === what);
    if (!known) throw new Error(`a transport run has no ${what}`);
    return exportRun(runOf('transport', run), what as ExportKind, packer);
  },
  benchable: transportBenchable,
  compared: comparedTransport,
  measures: (run) => transportMeasures(runOf('transport', run)),
  concurrency: concurrencyOf,
  claimValues: () => null,
  label: (document) => {
    const energy = valueAt(document, ['beam', 'energy_MeV']);
    return typeof energy === 'number' && Number.isFinite(energy) ? `${energy} MeV` : '';
  },
};
