/** Accuracy of a small measured workload, and the wording of its sessions. */
import type { Accuracy, Words } from '../../../contract/bench/session.ts';
import type { TaskVerdict } from '../../io/addon/task.ts';

/** `swept`: the value of the scenario that a sweep changes. */
export const taskWords = (swept: string | undefined): Words => ({
  time: 'Time',
  timeTip: 'of one repetition',
  size: swept ?? 'sizes',
  rate: null,
});

/** Checks in a column's head; their sentences are the tips. */
const heads: Readonly<Record<string, string>> = {
  relative: 'Relative error',
  nan: 'NaN mismatches',
  mask: 'Mask mismatches',
  bits: 'Mask bits',
  largest: 'Largest error',
  l2: 'RMS error',
};

export function taskAccuracy({ checks, compared }: Pick<TaskVerdict, 'checks' | 'compared'>): Accuracy[] {
  return checks.map(({ id, title, value, limit, holds, where }) => ({
    ...{ id, value, holds },
    title: heads[id] ?? title,
    tip: `${title}: ${compared}${holds || where === '' ? '' : `; ${where}`}`,
    unit: '',
    bound: limit,
  }));
}
