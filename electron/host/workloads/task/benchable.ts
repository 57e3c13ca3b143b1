/** Small measured workloads as benchmarks take them. */
import type { TaskKind } from '../../../contract/scenario/kinds.ts';
import { readTaskClaims } from '../../model/bench/claims.ts';
import { type Benchable, problemFor } from '../benchable.ts';
import { problemOf } from '../scenarios/index.ts';
import { taskWords } from './accuracy.ts';
import { taskArena } from './arena.ts';
import { taskCandidates } from './candidates.ts';
import { amountFor, leastOfEach } from './work.ts';

export function taskBenchable(kind: TaskKind): Benchable {
  return {
    problem: (reading) => {
      if (reading.kind !== kind) throw new Error(`a scenario of ${reading.kind} came to ${kind}`);
      return { kind, problem: problemOf(reading) };
    },
    check: (addon, problem, variants) => {
      taskCandidates(problemFor(kind, problem), variants, addon.taskVariants(kind));
    },
    least_s: async (addon, problem, variants) => leastOfEach(addon, problemFor(kind, problem), variants),
    amount: (addon, problem, variant) => amountFor(addon, problemFor(kind, problem), variant),
    // The measured object is a kernel, prepared once and repeated.
    usualProcesses: 0,
    words: taskWords,
    // Folders of C++ have underscores.
    kernels: kind.replaceAll('-', '_'),
    readClaims: (assetsFolder, problem) => readTaskClaims(assetsFolder, problemFor(kind, problem)),
    arena: async (addon, problem, options) => taskArena(addon, problemFor(kind, problem), options),
    field: () => null,
  };
}
