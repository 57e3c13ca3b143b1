/** Diffraction images as benchmarks take them. */
import { readClaimsOf } from '../../model/bench/claims.ts';
import { usualProcesses } from '../../model/bench/cold/processes.ts';
import { rivalEntrants } from '../../model/external/entrants.ts';
import { type Benchable, problemFor } from '../benchable.ts';
import { problemOf } from '../scenarios/index.ts';
import { imageWords } from './accuracy.ts';
import { imageArena } from './arena.ts';
import { imageCandidates } from './candidates.ts';
import { imageField } from './field.ts';
import { imageTerms } from './rivals.ts';
import { amountFor, leastOfEach } from './work.ts';

export const imageBenchable: Benchable = {
  problem: (reading) => {
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of ${reading.kind} came to diffraction`);
    return { kind: 'diffraction', problem: problemOf(reading) };
  },
  check: (addon, problem, variants) => {
    imageCandidates(problemFor('diffraction', problem), variants, addon.diffractionVariants());
  },
  least_s: async (addon, problem, variants) => leastOfEach(addon, problemFor('diffraction', problem), variants),
  amount: (addon, problem, variant) => amountFor(addon, problemFor('diffraction', problem), variant),
  usualProcesses,
  words: () => imageWords,
  kernels: 'diffraction',
  readClaims: (assetsFolder) => readClaimsOf(assetsFolder, { workload: 'diffraction', bench: '' }),
  arena: async (addon, any, options) => {
    const problem = problemFor('diffraction', any);
    const { external, signal } = options;
    const place = { workload: 'diffraction', bench: '' };
    const rivals = await rivalEntrants({ addon, external, ...place, terms: () => imageTerms(addon, problem), signal });
    return imageArena(addon, problem, { ...options, rivals });
  },
  field: (problem, answer) => {
    const { width, height } = problemFor('diffraction', problem).detector;
    return imageField({ width, height, image: Float32Array.from(answer) });
  },
};
