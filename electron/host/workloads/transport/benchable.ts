/** Proton transport as benchmarks take it. */

import { candidates } from '../../model/bench/candidates.ts';
import { readClaimsOf } from '../../model/bench/claims.ts';
import { usualProcesses } from '../../model/bench/cold/processes.ts';
import { rivalEntrants } from '../../model/external/entrants.ts';
import type { ChosenBaseline } from '../../model/external/registry.ts';
import { type Benchable, problemFor } from '../benchable.ts';
import { problemOf } from '../scenarios/index.ts';
import { transportWords } from './accuracy.ts';
import { transportArena } from './bench/arena.ts';
import { rangesOf } from './bench/expected-time.ts';
import { transportTerms } from './bench/rivals.ts';
import { doseFieldOf } from './field.ts';
import { amountFor, leastOfEach } from './work.ts';

export const transportBenchable: Benchable = {
  problem: (reading) => {
    if (reading.kind !== 'transport') throw new Error(`a scenario of ${reading.kind} came to transport`);
    return { kind: 'transport', problem: problemOf(reading) };
  },
  check: (addon, problem, variants) => {
    candidates(problemFor('transport', problem), variants, addon.variants());
  },
  least_s: (addon, problem, variants, reading) =>
    leastOfEach(
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
  usualProcesses,
  words: () => transportWords,
  kernels: 'transport',
  readClaims: (assetsFolder) => readClaimsOf(assetsFolder, { workload: 'transport', bench: '' }),
  arena: async (addon, any, options) => {
    const problem = problemFor('transport', any);
    const { external, signal } = options;
    const place = { workload: 'transport', bench: '' };
    const terms = (chosen: ChosenBaseline) => transportTerms(addon, problem, chosen);
    const rivals = await rivalEntrants({ addon, external, ...place, terms, signal });
    return transportArena(addon, problem, { ...options, rivals });
  },
  field: (problem, answer) => doseFieldOf(problemFor('transport', problem), Float64Array.from(answer)),
};
