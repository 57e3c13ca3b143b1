/** Studies of days, which are begun only by someone who has heard so. */
import { BraggError } from '../../contract/errors.ts';
import { DOUBTFUL_S, ENDLESS_S } from '../../contract/study/calls.ts';
import type { Study } from '../../contract/study/index.ts';
import { forecastOf } from '../../host/app/studies/forecast.ts';
import type { PlannedStudy } from '../../host/app/studies/plan.ts';
import type { Host } from '../../host/index.ts';
import type { StudyFolder } from '../../host/model/studies/folder.ts';
import { hasFlag } from '../arguments.ts';
import { ask, canAsk } from '../ask.ts';
import type { VerbContext } from '../verb.ts';
import { longTime, shareOf } from './plan.ts';

/** What a study takes on this machine; null where it is soon done, long beyond doubt, or nobody knows. */
export async function hereSeconds({ parsed, signal }: VerbContext, host: Host, found: PlannedStudy) {
  const { least_s, study } = found;
  const isDoubtful = least_s !== null && least_s > DOUBTFUL_S && least_s <= ENDLESS_S;
  if (!isDoubtful || hasFlag(parsed, 'yes') || study.search !== undefined) return null;
  return (await forecastOf(host, found, shareOf(parsed, host), signal))?.expected_s ?? null;
}

interface Begun {
  readonly folder: Pick<StudyFolder, 'folder'> & { readonly head: Pick<StudyFolder['head'], 'least_s' | 'points'> };
  readonly budget: Study['budget'];
  /** By some points that were solved for it; null where that is not known. */
  readonly here_s: number | null;
}

/** `left`: points that are to be solved. Throws BraggError `invalid` where nobody says yes. */
export async function refuseEndless(
  { terminal }: Pick<VerbContext, 'terminal'>,
  { folder: { folder, head }, budget, here_s }: Begun,
  left: number,
): Promise<void> {
  if (budget.minutes !== undefined || budget.points !== undefined) return;
  const share = left / Math.max(1, head.points);
  const [least, here] = [(head.least_s ?? 0) * share, (here_s ?? 0) * share];
  if (Math.max(least, here) <= ENDLESS_S) return;
  const takes =
    here > ENDLESS_S
      ? `${folder}: the ${left} points take about ${longTime(here)} on this machine.`
      : `${folder}: the ${left} points take at least ${longTime(least)} one after the other.`;
  if (canAsk(terminal) && (await ask(`${takes} Begin all the same? [y/N] `))) return;
  throw new BraggError('invalid', `${takes} Begin all the same with --yes, or give the study a budget.`);
}
