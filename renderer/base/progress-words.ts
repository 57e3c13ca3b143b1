/** How far a run is, in the few words that fit beside the Run button. */

import type { ProgressDetail } from '../../electron/contract/progress.ts';
import type { TaskProgress } from '../../electron/contract/task.ts';
import { eachTask } from '../../electron/contract/task.ts';
import { count, fixed, percent } from './numbers.ts';

type Words = {
  readonly [W in ProgressDetail['workload']]: (detail: Extract<ProgressDetail, { workload: W }>) => readonly string[];
};

const rounds = ({ phase, what, round }: TaskProgress): readonly string[] =>
  phase === 'rounds' ? [`round ${round + 1}`, what] : [phase, what];

/** A further workload is one entry here. */
const words: Words = {
  transport: ({ step, depth_mm }) => [`step ${count(step)}`, `${fixed(depth_mm, 1)} mm`],
  diffraction: ({ done }) => [`${percent(done)} of the image`],
  ...eachTask(() => rounds),
};

export function progressWords<W extends ProgressDetail['workload']>(
  detail: Extract<ProgressDetail, { workload: W }>,
): readonly string[] {
  return words[detail.workload as W](detail);
}
