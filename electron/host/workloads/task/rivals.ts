/** Requests of small measured workloads to other programs; the engine compares their answers with its own reference. */
import { BraggError } from '../../../contract/errors.ts';
import { fromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import type { RivalTerms } from '../../model/external/contestant.ts';
import { taskAccuracy } from './accuracy.ts';
import { variantsFor } from './candidates.ts';
import type { TaskMeasuring } from './contestant.ts';

/** By the variant whose arithmetic is the program's: it knows what rounding may do. */
async function held(addon: NativeAddon, problem: TaskProblem, arrays: readonly Float64Array[], precision: string) {
  const able = variantsFor(problem, addon.taskVariants(problem.workload)).filter((one) => one.precision === precision);
  const judge = able.find(({ device }) => device === 'cpu') ?? able[0];
  if (judge === undefined) throw new BraggError('unsupported', `no variant computes in ${precision}, to judge it by`);
  try {
    const told = await addon.createTask({ ...problem, variant: judge.id }).compare(arrays);
    if (told === null) throw new BraggError('internal', `${judge.id} gave no answer`);
    return { accuracy: taskAccuracy(told), compared: told.compared };
  } catch (error) {
    throw fromNative(error);
  }
}

export function taskTerms(
  addon: NativeAddon,
  problem: TaskProblem,
  { sample_s, keep }: Pick<TaskMeasuring, 'sample_s' | 'keep'>,
): RivalTerms {
  return {
    request: { problem },
    ...{ precision: 'fp32', samples: keep ? 'prepared' : 'anew', sample_s, size: null },
    accuracy: () => [],
    hold: (arrays, precision) => held(addon, problem, arrays, precision),
    values: () => null,
    // As variants state it of themselves, where a repetition takes several steps.
    quantities: (_told, time_s) => {
      const { steps } = problem.numbers;
      if (steps === undefined) return [];
      return [{ id: 'per-step', title: 'Time per step', value: (1e6 * time_s) / steps, unit: 'µs' }];
    },
  };
}
