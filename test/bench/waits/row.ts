/**
 * Rows of the table of a user's waiting times. Each target is defined once, for rows with and without a measurement.
 */
import { availableParallelism } from 'node:os';

export interface Row {
  readonly what: string;
  readonly wanted: string;
  /** Measured value, as text; null if it could not be measured here. */
  readonly measured: string | null;
  readonly met: boolean | null;
  /** Lower bound of a time, or upper bound of a rate, measured by the same command; null if there is none. */
  readonly bound: string | null;
  /** Ratio of the measured value to the bound; for rates, its inverse. It falls below one only because of noise. */
  readonly ratio: string | null;
  /** The hardware or program needed to measure it, if it cannot be measured here. */
  readonly needs?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export const milliseconds = (seconds: number): string => `${(seconds * 1e3).toPrecision(3)} ms`;
export const seconds = (value: number): string => `${value.toPrecision(3)} s`;
export const megabytes = (value: number): string => `${value.toFixed(0)} MB`;

/**
 * Processor time that an answer in Live may use, in seconds. Two cores must give five answers per second; all cores of
 * a machine with a GPU, thirty.
 */
export const liveProcessorTime_s = (gpu: boolean): number => (gpu ? availableParallelism() / 30 : 2 / 5);

const ratioText = (ratio: number): string => `${ratio.toPrecision(3)}×`;

interface Limit {
  readonly what: string;
  readonly limit: number;
  readonly text: (value: number) => string;
}

/** Row of a value for which smaller is better: times and memory. */
export function rowWithUpperLimit(
  { what, limit, text }: Limit,
  value: number | null,
  bound: number | null = null,
): Row {
  return {
    ...{ what, wanted: `≤ ${text(limit)}`, measured: value === null ? null : text(value) },
    met: value === null ? null : value <= limit,
    bound: bound === null ? null : text(bound),
    ratio: value === null || bound === null ? null : ratioText(value / bound),
  };
}

/** Row of a value for which larger is better: rates. */
export function rowWithLowerLimit(
  { what, limit, text }: Limit,
  value: number | null,
  bound: number | null = null,
): Row {
  return {
    ...{ what, wanted: `≥ ${text(limit)}`, measured: value === null ? null : text(value) },
    met: value === null ? null : value >= limit,
    bound: bound === null ? null : text(bound),
    ratio: value === null || bound === null ? null : ratioText(bound / value),
  };
}

const times = (value: number): string => `${value.toPrecision(3)}×`;
export const beamRate = (value: number): string => `${Number(value.toPrecision(3))} beams/s`;
const answerRate = (value: number): string => `${value.toPrecision(3)} answers/s`;

/** Targets on a GPU: seconds of a warm end-to-end run, and beams per second. */
const ON_GPU = {
  'cuda-window': { warm_s: 0.007, beams_per_s: 800 },
  'cuda-depth': { warm_s: 0.004, beams_per_s: 3000 },
} as const;
export type GpuVariant = keyof typeof ON_GPU;
export const VARIANTS_ON_GPU: readonly GpuVariant[] = ['cuda-window', 'cuda-depth'];

export const warmRunTarget = (variant: GpuVariant): Limit => ({
  what: `warm end-to-end run, 65 to 74 MeV, ${variant}, another energy each time`,
  ...{ limit: ON_GPU[variant].warm_s, text: milliseconds },
});
export const shellRunTarget = (name: string, variant: string, gpu: boolean): Limit => ({
  what: `${name} run water-70MeV, ${variant}, from shell to answer`,
  ...{ limit: gpu ? 0.7 : 0.5, text: seconds },
});
/** The computation needs half a millisecond; the limit covers the start of the program and its check of the build. */
export const momentsByShellTarget: Limit = {
  what: 'node braggbench.mjs run water-70MeV, moments, from shell to answer',
  ...{ limit: 0.25, text: seconds },
};
/** Includes the start of the process and all compilation. */
export const firstRunTarget = (variant: GpuVariant, nvcc: boolean): Limit => ({
  what: `first run of water-70MeV, ${variant}, empty caches, ${nvcc ? 'kernels compiled by nvcc' : 'without nvcc'}`,
  ...{ limit: 5, text: seconds },
});
export const manyBeamsTarget = (variant: GpuVariant): Limit => ({
  what: `1,024 beams of 60 to 80 MeV, ${variant}, set-up and read-back included`,
  ...{ limit: ON_GPU[variant].beams_per_s, text: beamRate },
});
/** Excludes the time that a process needs to start CUDA. */
export const warmBeamsTarget = (variant: GpuVariant): Limit => ({
  ...manyBeamsTarget(variant),
  what: `the same by ${variant} in a process that has already solved beams`,
});
/** Speed-up of 1.9 on two GPUs, and the same efficiency on any number of them. */
export const allGpusTarget = (variant: GpuVariant, beams: number, gpus: number): Limit => ({
  what: `${beams.toLocaleString('en')} beams of 60 to 80 MeV, ${variant}, ${gpus} GPUs over one, in a process that has already solved beams`,
  ...{ limit: 0.95 * gpus, text: times },
});
export const setupOfBeam: Limit = {
  what: 'the host for each of 2,048 beams on one grid, from the problem to readouts: processor time of its own thread',
  ...{ limit: 1e-4, text: milliseconds },
};
const reactionText = (reactions: boolean): string => (reactions ? ', reactions followed' : '');
/**
 * Runs on one core. Counts the processor time of all threads, because other programs may use the rest of the machine.
 */
export const momentsTarget = (energy_MeV: number, reactions: boolean): Limit => ({
  what: `${energy_MeV} MeV in water by moments${reactionText(reactions)}: processor time from the problem to readouts and depth dose, warm`,
  ...{ limit: reactions ? 2e-3 : 5e-4, text: milliseconds },
});
export const beamsByMomentsTarget = (beams: number, reactions: boolean): Limit => ({
  what: `${beams.toLocaleString('en')} beams of 60 to 80 MeV by moments${reactionText(reactions)}, readouts and depth doses, per second of processor time`,
  ...{ limit: reactions ? 1000 : 3000, text: beamRate },
});
/** The same beams, each with its dose map, which readouts and the depth dose do not need. */
export const withDoseMap = (target: Limit): Limit => ({ ...target, what: 'the same with the dose map of each beam' });
/** Beams of the rows by cuda-moments: enough that the GPU's multiprocessors are busy until nearly the end. */
export const GPU_BEAMS = 65_536;
const onGpuByMoments = `${GPU_BEAMS.toLocaleString('en')} beams of 60 to 80 MeV, cuda-moments, FP32`;
/** Time of the kernels for marches and readouts, by the clock of the device. */
export const momentsKernelTarget: Limit = {
  what: `${onGpuByMoments}: marches and readouts, time of the device alone`,
  ...{ limit: 1e6, text: beamRate },
};
export const readoutsOfMoments: Limit = {
  what: `${onGpuByMoments}: from a list of beams to readouts in the host's memory, set-up included, warm`,
  ...{ limit: 3e5, text: beamRate },
};
export const curvesOfMoments: Limit = {
  ...readoutsOfMoments,
  what: `the same with the depth doses of ${GPU_BEAMS.toLocaleString('en')} beams`,
};
/** Study with a hundred thousand points. A laptop without a GPU may need minutes. */
export const rangeStudyTarget: Limit = {
  what: '100,000 ranges between 60 and 80 MeV, cuda-moments, from shell to readouts',
  ...{ limit: 60, text: seconds },
};
/** Beams solved as a list, whose readouts are computed in the addon. No dose map and no summary of a run is made. */
export const readoutsOfBeamTarget = (energy_MeV: number): Limit => ({
  what: `${energy_MeV} MeV in water by moments, as a list of one beam: processor time from the problem to readouts and depth dose, warm`,
  ...{ limit: 5e-4, text: milliseconds },
});
export const readoutsTarget = (beams: number, curves: boolean): Limit => ({
  what: `${beams.toLocaleString('en')} beams of 60 to 80 MeV by moments as a list, readouts${curves ? ' and depth doses' : ''}, per second of processor time`,
  ...{ limit: 3000, text: beamRate },
});
export const warmImageTarget = (precision: string, id: string | null): Limit => ({
  what: ['image 4096², warm end-to-end run', precision.toUpperCase(), ...(id === null ? [] : [id])].join(', '),
  ...{ limit: 0.012, text: milliseconds },
});
export const imageInFp32: Limit = { what: 'the image in FP32 over FP64', limit: 1, text: times };
export const liveTarget = (gpu: boolean): Limit => ({
  what: `Live on ${gpu ? 'a GPU' : 'this CPU'}, water-70MeV, answers drawn while dragging`,
  ...{ limit: gpu ? 30 : 5, text: answerRate },
});

/**
 * Rows that only a GPU can measure, without a value and with the command that measures them. They are listed on every
 * machine, because a table without them would look complete.
 */
export function rowsOfGpu(): readonly Row[] {
  return [
    ...VARIANTS_ON_GPU.map((variant) => rowWithUpperLimit(warmRunTarget(variant), null)),
    rowWithUpperLimit(shellRunTarget('npx braggbench', 'cuda-depth', true), null),
    ...[false, true].map((nvcc) => rowWithUpperLimit(firstRunTarget('cuda-window', nvcc), null)),
    ...VARIANTS_ON_GPU.flatMap((variant) => [manyBeamsTarget(variant), warmBeamsTarget(variant)]).map((limit) =>
      rowWithLowerLimit(limit, null),
    ),
    ...[momentsKernelTarget, readoutsOfMoments, curvesOfMoments].map((limit) => rowWithLowerLimit(limit, null)),
    rowWithUpperLimit(rangeStudyTarget, null),
    ...['fp32', 'fp64'].map((precision) => rowWithUpperLimit(warmImageTarget(precision, null), null)),
    rowWithUpperLimit(imageInFp32, null),
    rowWithLowerLimit(liveTarget(true), null),
  ].map((row) => ({ ...row, needs: 'a GPU: npm run bench -- gpu --waits' }));
}
