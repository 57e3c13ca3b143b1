/**
 * Diffraction images in benchmarks: their sessions, the amount of work in an image, and requests to other programs
 * with the accuracy of their answers.
 */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { DiffractionPlan, DiffractionProblem } from '../../io/addon/task.ts';
import { memoizedLast } from '../../io/flow/once.ts';
import { type BenchEntry, type BenchSetup, headOf, type Oracle } from '../../model/bench/bench-candidate.ts';
import { sessionClaims } from '../../model/bench/claim-results.ts';
import { appliesTo, type Claim, readClaimsOf } from '../../model/bench/claims.ts';
import { coldStart, defaultProcesses } from '../../model/bench/cold/processes.ts';
import { type ProgramTerms, programEntries } from '../../model/external/program-candidate.ts';
import { type Amount, type Benchable, fastest, leastSeconds, problemFor, type Work } from '../benchable.ts';
import { problemOf } from '../scenarios/scenarios.ts';
import {
  coldRunOf,
  ImageBenchCandidate,
  imageAccuracy,
  imageCandidates,
  imageError,
  imageWords,
  REFERENCE,
  render,
} from './bench-candidate.ts';
import { imageField } from './summary.ts';

interface ImageBenchOptions {
  /** Ids of variants, or id:gpu. */
  readonly variants: readonly string[];
  readonly claims?: readonly Claim[];
  /** Other programs to time. */
  readonly rivals?: readonly BenchEntry[];
  readonly signal?: AbortSignal | undefined;
}

/** Prepares the measurement. Throws a BraggError for unknown variants, and for a problem that no variant can run. */
function imageBenchSetup(addon: NativeAddon, problem: DiffractionProblem, options: ImageBenchOptions): BenchSetup {
  const { claims = [], rivals = [], signal } = options;
  const all = imageCandidates(problem, options.variants, addon.diffractionVariants());
  const variant = REFERENCE;
  const { width, height, terms } = addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant } }).plan;
  let known: Promise<Oracle> | null = null;
  return {
    bench: '',
    title: 'Diffraction image',
    benchEntries: [
      ...all.map((candidate) => ({
        head: headOf(candidate),
        enter: () => new ImageBenchCandidate(addon, candidate, signal),
        cold: coldStart(coldRunOf(candidate)),
      })),
      ...rivals,
    ],
    // One round, because the state is prepared again for each image.
    roundsPerInstance: 1,
    oracle: () => {
      const { solver: _, ...asked } = problem;
      known ??= memoizedLast(
        addon,
        asked,
        () => render(addon, problem, { variant, mode: 'warm' }, signal),
        ({ result }) => result.status === 'done',
      ).then(({ result }) => ({ values: result.image, told: 'the FP64 reference' }));
      return known;
    },
    facts: () => [['Image', `${width} × ${height} pixels, ${terms} lattice terms`]],
    claims: (report) =>
      sessionClaims(
        claims.filter((claim) => appliesTo(claim, { numbers: { pixels: width * height, terms }, words: {} })),
        report,
      ),
  };
}

function imageTerms(addon: NativeAddon, problem: DiffractionProblem): ProgramTerms {
  const { plan } = addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant: REFERENCE } });
  const pixels = plan.width * plan.height;
  return {
    // The plan determines the oversampling of each pixel edge.
    request: { problem: { ...problem, detector: { ...problem.detector, oversample: plan.oversample } } },
    ...{ precision: 'fp64', samples: 'run', sample_s: 0, lengths: [pixels], size: pixels },
    accuracy: ({ arrays: [image] }, oracle) =>
      image === undefined || oracle === null
        ? []
        : imageAccuracy(imageError(Float32Array.from(image), Float32Array.from(oracle)), true),
    values: ([image]) => image ?? null,
    quantities: (_told, time_s) => [{ id: 'rate', title: 'Pixels', value: pixels / time_s, unit: '1/s' }],
  };
}

export function workOf(addon: NativeAddon, { variant, terms, threads }: DiffractionPlan): Work {
  const onGpu = addon.diffractionVariants().some(({ id, device }) => id === variant && device !== 'cpu');
  const rate = fastest.latticeTerms;
  return { variant, amount: terms, of: 'lattice factors', rate, threads: onGpu ? null : threads };
}

/** Lattice factors per second and thread on an EPYC server with AVX-512, for 128² pixels of a simple cubic lattice. */
const typicalRates: Readonly<Record<string, number>> = {
  'diffraction-fp64': 1.2e8,
  'diffraction-in-loop': 9e6,
  'diffraction-unfused': 1.4e7,
  'diffraction-naive-fp32': 3.5e7,
  'diffraction-delta-fp32': 6.8e7,
  'diffraction-mixed': 7e7,
  'diffraction-chebyshev': 1e8,
  'diffraction-double-float': 2.9e7,
};

/** Null if `id` is the plain reference or cannot run. */
async function amountFor(addon: NativeAddon, problem: DiffractionProblem, id: string): Promise<Amount | null> {
  if (id === REFERENCE) return null;
  try {
    const own = { ...problem, solver: { ...problem.solver, variant: id } };
    const { amount, of, threads } = workOf(addon, addon.createDiffraction(own).plan);
    const right = addon.diffractionVariants().some((one) => one.id === id && one.brightError < 1);
    return { amount, of, threads, usualRate: typicalRates[id] ?? null, right };
  } catch {
    return null;
  }
}

/** Lower bound in seconds for one image by each variant, by default all that can run; 0 for those that cannot. */
function leastOfEach(addon: NativeAddon, problem: DiffractionProblem, labels: readonly string[] | null): number {
  const able = addon.diffractionVariants().filter(({ available }) => available);
  const chosen = imageCandidates(problem, labels ?? able.map(({ id }) => id), addon.diffractionVariants());
  return chosen.reduce((sum_s, each) => {
    try {
      return sum_s + leastSeconds(workOf(addon, addon.createDiffraction(each.problem).plan));
    } catch {
      return sum_s;
    }
  }, 0);
}

export const imageBenchable: Benchable = {
  problem: (reading) => {
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of kind ${reading.kind} was passed to diffraction`);
    return { kind: 'diffraction', problem: problemOf(reading) };
  },
  check: (addon, problem, variants) => {
    imageCandidates(problemFor('diffraction', problem), variants, addon.diffractionVariants());
  },
  least_s: async (addon, problem, variants) => leastOfEach(addon, problemFor('diffraction', problem), variants),
  amount: (addon, problem, variant) => amountFor(addon, problemFor('diffraction', problem), variant),
  usualProcesses: defaultProcesses,
  words: () => imageWords,
  kernels: 'diffraction',
  readClaims: (assetsFolder) => readClaimsOf(assetsFolder, { workload: 'diffraction', bench: '' }),
  arena: async (addon, any, options) => {
    const problem = problemFor('diffraction', any);
    const { external, signal } = options;
    const place = { workload: 'diffraction', bench: '' };
    const rivals = await programEntries({ addon, external, ...place, terms: () => imageTerms(addon, problem), signal });
    return imageBenchSetup(addon, problem, { ...options, rivals });
  },
  field: (problem, answer) => {
    const { width, height } = problemFor('diffraction', problem).detector;
    return imageField({ width, height, image: Float32Array.from(answer) });
  },
};
