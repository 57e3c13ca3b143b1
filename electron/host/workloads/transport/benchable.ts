/** Proton transport as benchmarks take it. */

import type { NativeAddon } from '../../io/addon/addon.ts';
import { candidates } from '../../model/bench/candidates.ts';
import { usualProcesses } from '../../model/bench/cold/processes.ts';
import { chooseBaselines, readRegistry } from '../../model/external/registry.ts';
import { type ArenaOptions, type Benchable, problemFor } from '../benchable.ts';
import { problemOf } from '../scenarios/index.ts';
import { transportWords } from './accuracy.ts';
import { transportArena } from './bench/arena.ts';
import { externalRuns, type Rivals, rivals } from './bench/rivals.ts';
import { readClaims } from './claims.ts';
import { doseFieldOf } from './field.ts';
import { amountFor, leastOfEach } from './work.ts';

async function rivalsOf(
  addon: NativeAddon,
  { external, signal }: Pick<ArenaOptions, 'external' | 'signal'>,
): Promise<Rivals | undefined> {
  if (external == null) return undefined;
  const registry = await readRegistry(external.assetsFolder);
  const baselines = chooseBaselines(registry, external.ids);
  return rivals({ addon, folder: registry.folder, baselines, scenario: external.scenario, ...externalRuns, signal });
}

export const transportBenchable: Benchable = {
  problem: (reading) => {
    if (reading.kind !== 'transport') throw new Error(`a scenario of ${reading.kind} came to transport`);
    return { kind: 'transport', problem: problemOf(reading) };
  },
  check: (addon, problem, variants) => {
    candidates(problemFor('transport', problem), variants, addon.variants());
  },
  least_s: async (addon, problem, variants) => leastOfEach(addon, problemFor('transport', problem), variants),
  amount: (addon, problem, variant) => amountFor(addon, problemFor('transport', problem), variant),
  usualProcesses,
  hasRivals: true,
  words: () => transportWords,
  kernels: 'transport',
  readClaims: (assetsFolder) => readClaims(assetsFolder),
  arena: async (addon, problem, options) =>
    transportArena(addon, problemFor('transport', problem), { ...options, rivals: await rivalsOf(addon, options) }),
  field: (problem, answer) => doseFieldOf(problemFor('transport', problem), Float64Array.from(answer)),
};
