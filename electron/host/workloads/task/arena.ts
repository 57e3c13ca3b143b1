/** A small measured workload as sessions take it. */

import { randomInt } from 'node:crypto';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { usedGpu } from '../../io/addon/gpu.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import type { Arena } from '../../model/bench/arena.ts';
import { sessionClaims } from '../../model/bench/claim-results.ts';
import type { Claim } from '../../model/bench/claims.ts';
import { coldStart } from '../../model/bench/cold/process.ts';
import { headOf } from '../../model/bench/contestant.ts';
import { type ExternalAsked, rivalEntrants } from '../../model/external/entrants.ts';
import { costText } from './audits.ts';
import { type TaskCandidate, taskCandidates, variantsFor } from './candidates.ts';
import { coldRunOf, TaskContestant, usualSample_s } from './contestant.ts';
import { furtherProblems, hiddenSeed } from './further.ts';
import { taskTerms } from './rivals.ts';

/**
 * Prepared variants retain their memory. Above this share of the GPU's memory each is prepared again for every sample.
 */
const shareKept = 0.5;

/** A median that one odd sample does not move; more would not tell what varies between instances. */
const ROUNDS_PER_INSTANCE = 3;

/** Hidden seeds of a user's own problem in a session. */
const MOST_OWN_SEEDS = 3;

/** Variants that cannot stay prepared are prepared for each sample. */
export const roundsPerInstance = (keep: boolean): number => (keep ? ROUNDS_PER_INSTANCE : 1);

interface TaskArenaOptions {
  /** Ids, or id:gpu. */
  readonly variants: readonly string[];
  readonly claims?: readonly Claim[];
  /** Other programs. */
  readonly external?: ExternalAsked | null;
  /** A sample repeats the task for at least this long. */
  readonly sample_s?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

function estimate(addon: NativeAddon, { problem }: TaskCandidate): number {
  try {
    return addon.createTask(problem).plan.estimate_bytes;
  } catch {
    // The variant's row reports the refusal.
    return 0;
  }
}

/** Whether all may stay prepared at once. The first counts twice, for its control is prepared as well. */
export function allFit(addon: NativeAddon, problem: TaskProblem, all: readonly TaskCandidate[]): boolean {
  const memory = usedGpu({ cuda: addon.driverDevices() })?.memory_bytes ?? null;
  const needs = (device: 'cpu' | 'cuda'): number =>
    [...all.slice(0, 1), ...all]
      .filter(({ variant }) => variant.device === device && variant.available)
      .reduce((sum, candidate) => sum + estimate(addon, candidate), 0);
  const onCpu = needs('cpu') <= shareKept * problem.memory_limit_bytes;
  return onCpu && (memory === null || needs('cuda') <= shareKept * memory);
}

/** Throws a BraggError for variants that are not known. */
export async function taskArena(addon: NativeAddon, problem: TaskProblem, options: TaskArenaOptions): Promise<Arena> {
  const { claims = [], external, sample_s = usualSample_s, signal } = options;
  const variants = addon.taskVariants(problem.workload);
  const all = taskCandidates(problem, options.variants, variants);
  const keep = allFit(addon, problem, all);
  const { workload, bench } = problem;
  // The first instance has the scenario's own inputs unless a user kernel takes part, which may know them.
  const anyUserKernel = all.some(({ variant }) => isUserKernelId(variant.id));
  const seeds: number[] = [anyUserKernel ? hiddenSeed() : problem.seed];
  // The answer to a user's own problem needs a program to run: some seeds come again, in an order that nobody can know.
  const most = problem.workload === USER_PROBLEM || problem.bench === 'own' ? MOST_OWN_SEEDS : Number.POSITIVE_INFINITY;
  const seedOf = (instance: number): number => {
    while (seeds.length <= instance) {
      seeds.push(seeds.length < most ? hiddenSeed() : (seeds[randomInt(0, most)] ?? hiddenSeed()));
    }
    return seeds[instance] ?? problem.seed;
  };
  const furtherSeeds = new Map<number, number>();
  const furtherSeed = (of: number): number => {
    const seed = furtherSeeds.get(of) ?? hiddenSeed();
    furtherSeeds.set(of, seed);
    return seed;
  };
  const contestants: TaskContestant[] = [];
  const terms = () => taskTerms(addon, problem, { sample_s, keep });
  const rivals = await rivalEntrants({ addon, external, workload, bench, terms, signal });
  return {
    bench,
    title: variantsFor(problem, variants)[0]?.benchTitle ?? problem.workload,
    entrants: [
      ...all.map((candidate) => ({
        head: headOf(candidate),
        enter: () => {
          const further = furtherProblems(candidate, furtherSeed);
          const contestant = new TaskContestant(addon, candidate, { sample_s, keep, seedOf, further, signal });
          contestants.push(contestant);
          return contestant;
        },
        cold: coldStart(coldRunOf(candidate)),
      })),
      ...rivals,
    ],
    roundsPerInstance: roundsPerInstance(keep),
    oracle: async () => null,
    facts: () => {
      const cost = costText(contestants.map(({ auditCost }) => auditCost));
      return cost === null ? [] : [['Cost of audits', cost]];
    },
    claims: (report) => sessionClaims(claims, report),
  };
}
