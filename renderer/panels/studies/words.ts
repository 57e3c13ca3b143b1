/** What the panel says of a study. */
import type { StudyCell, StudyColumnInfo, StudyEntry, StudyPlan } from '../../../electron/contract/study/calls.ts';
import { formatBytes } from '../../../electron/contract/units.ts';
import { measuredTime } from '../../base/measured.ts';
import { count, NO_VALUE, significant } from '../../base/numbers.ts';

const DAY_S = 86_400;
const DAYS_A_YEAR = 365;
const plural = (n: number, one: string): string => `${count(n)} ${one}${n === 1 ? '' : 's'}`;

export function longTime(seconds: number): string {
  const days = seconds / DAY_S;
  if (days < 1) return measuredTime(seconds);
  return days < DAYS_A_YEAR ? `${significant(days, 2)} days` : `${significant(days / DAYS_A_YEAR, 2)} years`;
}

/** Longer than this it is begun only by someone who has read so. */
export const isEndless = ({ least_s }: StudyPlan): boolean => least_s !== null && least_s > DAY_S;

export function planText(plan: StudyPlan): string {
  const { points, combinations, looked, state_bytes, least_s } = plan;
  const of = combinations > points ? ` of ${plural(combinations, 'combination')}` : '';
  const by = looked < points ? `, by ${looked} of them` : '';
  return [
    `${plural(points, 'point')}${of}.`,
    ...(state_bytes === null ? [] : [`Memory of one: up to ${formatBytes(state_bytes)}${by}.`]),
    ...(least_s === null ? [] : [`One after the other at least ${longTime(least_s)} on the fastest machine of today.`]),
    ...(isEndless(plan) ? ['That is longer than a day.'] : []),
  ].join(' ');
}

export function stateText({ state, points, done, failed, per_s, left_s, error, on }: StudyEntry): string {
  const left = points - done - failed;
  const parts = [
    `${count(done)} of ${plural(points, 'point')} solved`,
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(state === 'running' && per_s !== null ? [`${significant(per_s, 3)} a second`] : []),
    ...(state === 'running' && left_s !== null ? [`${longTime(left_s)} left at this rate`] : []),
    ...(state === 'running' && on !== null ? [`on ${on}`] : []),
    ...(state === 'stopping' ? ['stopping'] : []),
    ...(state === 'elsewhere' ? ['another process works on it'] : []),
    ...(state === 'open' && left > 0 ? [`${count(left)} left`] : []),
    ...(error === null ? [] : [`ended early: ${error}`]),
  ];
  return parts.join(', ');
}

export const columnTitle = ({ name, unit }: Pick<StudyColumnInfo, 'name' | 'unit'>): string =>
  unit === '' ? name : `${name} [${unit}]`;

/** Values of axes as they were given, others with six digits. */
export function cellText(cell: StudyCell | undefined, of: StudyColumnInfo['of']): string {
  if (cell === null || cell === undefined) return NO_VALUE;
  if (typeof cell !== 'number') return cell;
  return of === 'axis' ? String(Number(cell.toPrecision(9))) : significant(cell, 6);
}
