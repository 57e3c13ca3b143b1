/**
 * Rates of many beams: beams per second of the command line, including set-up and read-back, and beams by moments on
 * one core. Each is compared with the time of the steps alone.
 */
import type { Ceilings } from '../../../electron/contract/capabilities.ts';
import { BraggError } from '../../../electron/contract/errors.ts';
import { BEAM_PARAMETERS, readoutColumns, writeBeamParameters } from '../../../electron/host/io/addon/beam-block.ts';
import type { ScenarioReading } from '../../../electron/host/workloads/scenarios/scenarios.ts';
import { runsOnOneGrid, solveOnOneGrid } from '../../../electron/host/workloads/transport/one-grid.ts';
import { cli, runToExit } from './processes.ts';
import {
  allGpusTarget,
  beamRate,
  beamsByMomentsTarget,
  curvesOfMoments,
  GPU_BEAMS,
  type GpuVariant,
  manyBeamsTarget,
  median,
  momentsKernelTarget,
  momentsTarget,
  type Row,
  rangeStudyTarget,
  readoutsOfBeamTarget,
  readoutsOfMoments,
  readoutsTarget,
  rowWithLowerLimit,
  rowWithUpperLimit,
  setupOfBeam,
  warmBeamsTarget,
  withDoseMap,
} from './row.ts';
import { type Solver, solveProblem, solverSettings, transportProblem } from './solver.ts';

/** Number of beams in the targets, large enough that the start of a process is a small part of the time. */
const BEAMS = 1024;

/** Values of a row on the device: dose, protons, variance, and scratch for the curve. */
const ROW_VALUES = 4;

/** Bytes for one visit of a cell, which reads and writes an FP32 value once. */
const BYTES_A_VISIT = 8;

const spread = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ energy_MeV: 60 + (20 * i) / (count - 1) }));

const wall_s = (): number => performance.now() / 1000;

const byDepth = ['--set', 'solver.stepping=depth'];

interface BatchRun {
  readonly wall_s: number;
  readonly beams: readonly { readonly status: string; readonly error?: string }[];
}

async function beamsPerSecond(count: number, words: readonly string[]): Promise<number> {
  const sweep = `beam.energy_MeV=60..80/${count}`;
  const args = [cli, 'batch', 'water-70MeV', '--sweep', sweep, ...words, '--json'];
  const rates: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const { wall_s, beams } = JSON.parse((await runToExit(process.execPath, args)).output) as BatchRun;
    const bad = beams.find(({ status }) => status !== 'done');
    if (bad !== undefined) throw new Error(`a beam is ${bad.status}: ${bad.error ?? ''}`);
    rates.push(beams.length / wall_s);
  }
  return median(rates);
}

/**
 * `copy` is the device's measured bandwidth in bytes per second. The bound follows from the cells that the middle beam
 * visits.
 */
export async function beamsOnGpu(
  solver: Solver,
  base: object,
  variant: GpuVariant,
  copy: number | null,
): Promise<readonly Row[]> {
  const middle = await solver.problem({ ...base, beam: { energy_MeV: 70 }, solver: solverSettings(variant) });
  const { cell_steps } = (await solveProblem(solver, transportProblem(middle))).result;
  const bound = copy === null ? null : copy / (BYTES_A_VISIT * cell_steps);
  const alone = await beamsPerSecond(BEAMS, [
    ...['--one-grid', '--variant', variant],
    ...(variant.endsWith('depth') ? byDepth : []),
  ]);
  const reading = await solver.problem({ ...base, beam: { spots: spread(BEAMS) }, solver: solverSettings(variant) });
  const again = await repeatedTimes(solver, reading, wall_s);
  return [
    rowWithLowerLimit(manyBeamsTarget(variant), alone, bound),
    rowWithLowerLimit(warmBeamsTarget(variant), BEAMS / median(again), bound),
  ];
}

/** Number of beams that keeps several GPUs busy for seconds. A window variant needs longer per beam. */
const BEAMS_ON_SEVERAL_GPUS = { 'cuda-depth': 4 * BEAMS, 'cuda-window': BEAMS } as const;

/** Speed-up of all GPUs of this machine over its first GPU, warm. */
export async function beamsOnAllGpus(solver: Solver, base: object, variant: GpuVariant): Promise<Row> {
  const count = BEAMS_ON_SEVERAL_GPUS[variant];
  const reading = await solver.problem({ ...base, beam: { spots: spread(count) }, solver: solverSettings(variant) });
  const one = median(await repeatedTimes(solver, reading, wall_s));
  const all = median(await repeatedTimes(solver, reading, wall_s, { gpus: 'all' }));
  const gpus = solver.addon.driverDevices().devices.length;
  return rowWithLowerLimit(allGpusTarget(variant, count, gpus), one / all, gpus);
}

/** All beams on one grid. The bound is the time that the steps of one beam need on one core. */
export async function beamsOnCpu(solver: Solver, base: object, cores: number): Promise<Row> {
  const reading = await solver.problem({ ...base, solver: { ...solverSettings('depth'), threads: 1 } });
  const steps: number[] = [];
  for (let i = 0; i < 5; i += 1) steps.push((await solveProblem(solver, transportProblem(reading))).result.solve_s);
  const measured = (await beamsPerSecond(BEAMS, ['--one-grid', '--variant', 'depth', ...byDepth])) / cores;
  const what = `${BEAMS.toLocaleString('en')} beams of 60 to 80 MeV, depth, per core and second on ${cores} cores`;
  return rowWithLowerLimit({ what, limit: 10, text: beamRate }, measured, 1 / median(steps));
}

/**
 * Beams whose steps need next to no time, because they have few range bins and coarse angles. They have the cell size
 * of the default beam.
 */
export async function setupTimeOfBeams(solver: Solver, base: object): Promise<Row> {
  const energies = Array.from({ length: 2048 }, (_, i) => ({ energy_MeV: 4 + i / 2048 }));
  const grid = { dx_mm: 0.25, dz_mm: 0.2, dtheta_mrad: 100, theta_max_mrad: 400 };
  const reading = await solver.problem({
    ...base,
    beam: { spots: energies },
    grid: { ...grid, energy: { kind: 'uniform', step_MeV: 1 } },
    solver: solverSettings('depth'),
  });
  const busy = await repeatedTimes(solver, reading, () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1e6;
  });
  return rowWithUpperLimit(setupOfBeam, median(busy) / energies.length);
}

/**
 * Seconds of each solve by `clock`. The first ones are left out, because they include compilation. `maps`: whether the
 * dose map of each beam is computed too.
 */
async function repeatedTimes(
  solver: Solver,
  reading: ScenarioReading,
  clock: () => number,
  {
    gpus,
    times = 5,
    warmUps = 1,
    maps = false,
  }: { readonly gpus?: 'all'; readonly times?: number; readonly warmUps?: number; readonly maps?: boolean } = {},
): Promise<readonly number[]> {
  if (reading.kind !== 'transport') throw new Error('not a scenario of transport');
  const { cpu, logicalCores, memoryBytes, os } = solver.addon.machine();
  const { version, build, compiler } = solver.addon.buildInfo();
  const taken: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const before = clock();
    await (maps ? runsOnOneGrid : solveOnOneGrid)('beams', reading, {
      addon: solver.addon,
      memoryLimit_bytes: memoryBytes,
      signal: new AbortController().signal,
      program: { version, build, compiler, commit: null },
      machine: { id: null, cpu, logicalCores, memory_bytes: memoryBytes, os },
      gpu: () => null,
      ...(gpus === undefined ? {} : { gpus }),
      onEnded: (_, answer) => {
        if (answer instanceof BraggError) throw answer;
      },
    });
    if (i >= warmUps) taken.push(clock() - before);
  }
  return taken;
}

const MOMENTS_BEAMS = 512;
/** A session solves a hundred beams soon. By then, the JavaScript engine has optimised the host's functions. */
const WARM_UPS = 100;
const TIMES = WARM_UPS + 100;

/** Processor time of all threads of this process, s. */
function processorTime_s(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

interface ReadoutRequest {
  readonly variant: string;
  readonly count: number;
  readonly curves: boolean;
  /** Energies of the first and the last beam; those of the others are evenly spaced. A single beam has the first. */
  readonly energies_MeV?: readonly [number, number];
  readonly times?: number;
  readonly warmUps?: number;
}

/** Computes readouts of beams `warmUps` + `times` times, and returns the results of the last `times`. */
async function readoutsOf(
  solver: Solver,
  base: object,
  { variant, count, curves, energies_MeV: [first, last] = [60, 80], times = 5, warmUps = 1 }: ReadoutRequest,
) {
  const reading = await solver.problem({
    ...base,
    beam: { spots: [{ energy_MeV: first }, { energy_MeV: last }] },
    solver: { ...solverSettings('depth'), variant, precision: 'fp32' },
  });
  const problem = { ...transportProblem(reading), keyframes: 0 };
  const list = new Float64Array(count * BEAM_PARAMETERS);
  const [spot = problem.beam] = problem.spots ?? [];
  for (let i = 0; i < count; i += 1) {
    writeBeamParameters(list, i, { ...spot, energy_MeV: first + ((last - first) * i) / Math.max(count - 1, 1) });
  }
  const solved = [];
  for (let i = 0; i < warmUps + times; i += 1) {
    const [begun, before] = [wall_s(), processorTime_s()];
    const table = await (await solver.addon.layBeams(problem)).readouts(list, curves);
    const [taken_s, used_s] = [wall_s() - begun, processorTime_s() - before];
    const r80 = table.columns.subarray(0, count);
    const bad = r80.findIndex((range, k) => !(range > (r80[k - 1] ?? 0)));
    if (bad !== -1) throw new Error(`R80 of beam ${bad} is ${r80[bad]} mm, after ${r80[bad - 1]} mm`);
    if (i >= warmUps) solved.push({ ...table, problem, taken_s, used_s });
  }
  return solved;
}

/**
 * Beams per second by cuda-moments. The bound follows from the updates of bins, and from the bytes of the rows that a
 * beam writes and reads once.
 */
export async function momentsOnGpu(solver: Solver, base: object, ceilings: Ceilings | null): Promise<readonly Row[]> {
  const variant = 'cuda-moments';
  const alone = await readoutsOf(solver, base, { variant, count: GPU_BEAMS, curves: false });
  const [first] = alone;
  if (first === undefined) throw new Error('nothing was solved');
  const at = readoutColumns.indexOf('bin_steps') * GPU_BEAMS;
  const updates = first.columns.subarray(at, at + GPU_BEAMS).reduce((sum, one) => sum + one, 0) / GPU_BEAMS;
  const { result } = await solveProblem(solver, first.problem);
  const bytes = 2 * ROW_VALUES * 4 * first.rows + 8 * readoutColumns.length;
  const bound =
    ceilings === null
      ? null
      : 1 /
        Math.max((updates * result.flops_per_cell_step) / ceilings.fp32_flops_per_s, bytes / ceilings.copy_bytes_per_s);
  const work = `${Math.round(updates)} updates of ${Math.round(result.flops_per_cell_step)} operations, ${bytes} bytes a beam`;
  const kernel = median(alone.map(({ march_s, readouts_s }) => march_s + readouts_s));
  const curves = await readoutsOf(solver, base, { variant, count: GPU_BEAMS, curves: true });
  const rate = (solved: typeof alone): number => GPU_BEAMS / median(solved.map(({ taken_s }) => taken_s));
  const sweep = ['--readouts', '--variant', variant, '--sweep', 'beam.energy_MeV=60..80/100000', '--json'];
  const study: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    study.push((await runToExit(process.execPath, [cli, 'batch', 'water-70MeV', ...sweep])).wall_s);
  }
  return [
    rowWithLowerLimit(
      { ...momentsKernelTarget, what: `${momentsKernelTarget.what} (${work})` },
      GPU_BEAMS / kernel,
      bound,
    ),
    rowWithLowerLimit(readoutsOfMoments, rate(alone), GPU_BEAMS / kernel),
    rowWithLowerLimit(curvesOfMoments, rate(curves), GPU_BEAMS / kernel),
    rowWithUpperLimit(rangeStudyTarget, median(study)),
  ];
}

export async function momentRows(solver: Solver, base: object): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const reactions of [false, true]) {
    const read = (spots: readonly { readonly energy_MeV: number }[]) =>
      solver.problem({
        ...base,
        beam: { spots },
        grid: { dx_mm: 0.25, dz_mm: spots.length === 1 && reactions ? 1 : 0.2, dtheta_mrad: 5, theta_max_mrad: 400 },
        physics: { nuclear: reactions ? 'icru63' : 'off' },
        solver: { step_mm: 0.2, stepping: 'depth', variant: 'moments', threads: 1 },
      });
    const energy_MeV = reactions ? 150 : 70;
    const one = await read([{ energy_MeV }]);
    const steps: number[] = [];
    for (let i = 0; i < 25; i += 1) steps.push((await solveProblem(solver, transportProblem(one))).result.solve_s);
    const alone = await repeatedTimes(solver, one, processorTime_s, { times: TIMES, warmUps: WARM_UPS });
    const target = momentsTarget(energy_MeV, reactions);
    rows.push(rowWithUpperLimit(target, median(alone), median(steps)));
    const mapped = await repeatedTimes(solver, one, processorTime_s, { times: TIMES, warmUps: WARM_UPS, maps: true });
    rows.push(rowWithUpperLimit(withDoseMap(target), median(mapped), median(steps)));
    const many = await read(
      Array.from({ length: MOMENTS_BEAMS }, (_, i) => ({ energy_MeV: 60 + (20 * i) / (MOMENTS_BEAMS - 1) })),
    );
    const together = await repeatedTimes(solver, many, processorTime_s);
    rows.push(rowWithLowerLimit(beamsByMomentsTarget(MOMENTS_BEAMS, reactions), MOMENTS_BEAMS / median(together)));
    const maps = await repeatedTimes(solver, many, processorTime_s, { maps: true });
    rows.push(
      rowWithLowerLimit(withDoseMap(beamsByMomentsTarget(MOMENTS_BEAMS, reactions)), MOMENTS_BEAMS / median(maps)),
    );
  }
  const processor_s = async (request: Omit<ReadoutRequest, 'variant'>): Promise<number> =>
    median((await readoutsOf(solver, base, { variant: 'moments', ...request })).map(({ used_s }) => used_s));
  const one = { energies_MeV: [70, 80], warmUps: WARM_UPS, times: 100 } as const;
  rows.push(rowWithUpperLimit(readoutsOfBeamTarget(70), await processor_s({ ...one, count: 1, curves: true })));
  for (const curves of [false, true]) {
    const used_s = await processor_s({ count: MOMENTS_BEAMS, curves });
    rows.push(rowWithLowerLimit(readoutsTarget(MOMENTS_BEAMS, curves), MOMENTS_BEAMS / used_s));
  }
  return rows;
}
