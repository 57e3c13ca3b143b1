/** Targets for a user's waiting times, each defined once for rows with and without a measurement. */
import { atLeast, atMost, type Limit, milliseconds, type Row, seconds } from './row.ts';

const times = (value: number): string => `${value.toPrecision(3)}×`;
export const beamRate = (value: number): string => `${Number(value.toPrecision(3))} beams/s`;
const answerRate = (value: number): string => `${value.toPrecision(3)} answers/s`;

/** Seconds of a warm end-to-end run, and beams per second, on a GPU. */
const ON_GPU = {
  'cuda-window': { warm_s: 0.007, beams_per_s: 800 },
  'cuda-depth': { warm_s: 0.004, beams_per_s: 3000 },
} as const;
export type OnGpu = keyof typeof ON_GPU;
export const VARIANTS_ON_GPU: readonly OnGpu[] = ['cuda-window', 'cuda-depth'];

export const warm = (variant: OnGpu): Limit => ({
  what: `warm whole run, 65 to 74 MeV, ${variant}, another energy each time`,
  ...{ limit: ON_GPU[variant].warm_s, text: milliseconds },
});
export const fromShell = (name: string, variant: string, gpu: boolean): Limit => ({
  what: `${name} run water-70MeV, ${variant}, from shell to answer`,
  ...{ limit: gpu ? 0.7 : 0.5, text: seconds },
});
/** The process is included, and so is all that is compiled. */
export const firstRun = (variant: OnGpu, nvcc: boolean): Limit => ({
  what: `first run of water-70MeV, ${variant}, empty caches, ${nvcc ? 'kernels compiled by nvcc' : 'without nvcc'}`,
  ...{ limit: 5, text: seconds },
});
export const manyBeams = (variant: OnGpu): Limit => ({
  what: `1,024 beams of 60 to 80 MeV, ${variant}, set-up and read-back included`,
  ...{ limit: ON_GPU[variant].beams_per_s, text: beamRate },
});
/** Without what a process takes to start CUDA. */
export const manyBeamsAgain = (variant: OnGpu): Limit => ({
  ...manyBeams(variant),
  what: `the same by ${variant} in a process that has solved some`,
});
/** 1.9 times on two, and that share of any number. */
export const allGpus = (variant: OnGpu, beams: number, gpus: number): Limit => ({
  what: `${beams.toLocaleString('en')} beams of 60 to 80 MeV, ${variant}, ${gpus} GPUs over one, in a process that has solved some`,
  ...{ limit: 0.95 * gpus, text: times },
});
export const hostOfBeam: Limit = {
  what: 'the host for each of 2,048 beams on one grid, from the problem to readouts: processor time of its own thread',
  ...{ limit: 1e-4, text: milliseconds },
};
const reacting = (reactions: boolean): string => (reactions ? ', reactions followed' : '');
/** One core: all threads' processor time counts, since other programs may have the rest of the machine. */
export const byMoments = (energy_MeV: number, reactions: boolean): Limit => ({
  what: `${energy_MeV} MeV in water by moments${reacting(reactions)}: processor time from the problem to readouts, warm`,
  ...{ limit: reactions ? 2e-3 : 5e-4, text: milliseconds },
});
export const manyByMoments = (beams: number, reactions: boolean): Limit => ({
  what: `${beams.toLocaleString('en')} beams of 60 to 80 MeV by moments${reacting(reactions)}, readouts included, per second of processor time`,
  ...{ limit: reactions ? 1000 : 3000, text: beamRate },
});
export const warmImage = (precision: string, id: string | null): Limit => ({
  what: ['image 4096², whole warm run', precision.toUpperCase(), ...(id === null ? [] : [id])].join(', '),
  ...{ limit: 0.012, text: milliseconds },
});
export const imageInFp32: Limit = { what: 'the image in FP32 over FP64', limit: 1, text: times };
export const liveOn = (gpu: boolean): Limit => ({
  what: `Live on ${gpu ? 'a GPU' : 'this CPU'}, water-70MeV, answers drawn while dragging`,
  ...{ limit: gpu ? 30 : 5, text: answerRate },
});

/** The rows that only a GPU can give, with what gives them: a table without them would look complete. */
export function rowsOfGpu(): readonly Row[] {
  return [
    ...VARIANTS_ON_GPU.map((variant) => atMost(warm(variant), null)),
    atMost(fromShell('npx braggbench', 'cuda-depth', true), null),
    ...[false, true].map((nvcc) => atMost(firstRun('cuda-window', nvcc), null)),
    ...VARIANTS_ON_GPU.flatMap((variant) => [manyBeams(variant), manyBeamsAgain(variant)]).map((limit) =>
      atLeast(limit, null),
    ),
    ...['fp32', 'fp64'].map((precision) => atMost(warmImage(precision, null), null)),
    atMost(imageInFp32, null),
    atLeast(liveOn(true), null),
  ].map((row) => ({ ...row, needs: 'a GPU: npm run bench -- gpu --waits' }));
}
