/** Texts about a study. */
import {
  MAX_UNCONFIRMED_S,
  type StudyCell,
  type StudyColumnInfo,
  type StudyEntry,
  type StudyForecast,
  type StudyPlan,
} from '../../../electron/contract/study/calls.ts';
import type { Study } from '../../../electron/contract/study/index.ts';
import { measuredTime } from '../../../electron/domain/measured.ts';
import { count, NO_VALUE, significant } from '../../../electron/domain/numbers.ts';
import { formatBytes } from '../../../electron/domain/values/units.ts';

const DAY_S = 24 * 3600;
const DAYS_A_YEAR = 365;
const plural = (n: number, one: string): string => `${count(n)} ${one}${n === 1 ? '' : 's'}`;

export function studyDurationText(seconds: number): string {
  const days = seconds / DAY_S;
  if (days < 1) return measuredTime(seconds);
  return days < DAYS_A_YEAR ? `${significant(days, 2)} days` : `${significant(days / DAYS_A_YEAR, 2)} years`;
}

/**
 * Whether the study needs more than a day: by the lower bound for any machine, or by the forecast for this one.
 * `forecast`: null for another machine or without a forecast.
 */
export function isTooLong(
  { least_s }: Pick<StudyPlan, 'least_s'>,
  forecast: Pick<StudyForecast, 'expected_s'> | null,
  budget: Partial<Study['budget']> = {},
): boolean {
  if (budget.minutes !== undefined || budget.points !== undefined) return false;
  return Math.max(least_s ?? 0, forecast?.expected_s ?? 0) > MAX_UNCONFIRMED_S;
}

/** `probing`: true while trial points are being solved for the forecast. */
export function forecastText(forecast: StudyForecast | null, probing: boolean): string {
  if (forecast === null) return probing ? 'Solving trial points to estimate the time…' : '';
  const { machine, cpu, cores, gpus, probed, expected_s, isLeast, at_once, memory_bytes } = forecast;
  const on = `On ${machine} (${cpu}, ${plural(cores, 'core')}${gpus > 0 ? `, ${plural(gpus, 'GPU')}` : ''})`;
  if (expected_s === null) return `${on}: no forecast, because no trial point can be run.`;
  const memory = memory_bytes === null ? '' : `, up to ${formatBytes(memory_bytes)}`;
  const together = at_once === 1 ? 'one point at a time' : `${count(at_once)} points at a time`;
  const by = `estimated from ${probed === 1 ? 'one trial point' : `${count(probed)} trial points`}`;
  return `${on}: ${isLeast ? 'more than' : 'about'} ${studyDurationText(expected_s)}, ${together}${memory}, ${by}.`;
}

export function planText(plan: StudyPlan): string {
  const { points, combinations, looked, state_bytes, least_s } = plan;
  const of = combinations > points ? ` of ${plural(combinations, 'combination')}` : '';
  const by = looked < points ? `, for ${looked} of them` : '';
  return [
    `${plural(points, 'point')}${of}.`,
    ...(state_bytes === null ? [] : [`Memory per point: up to ${formatBytes(state_bytes)}${by}.`]),
    ...(least_s === null ? [] : [`Lower bound, in sequence: ${studyDurationText(least_s)}.`]),
  ].join(' ');
}

export function stateText({ state, points, done, failed, per_s, left_s, error, on }: StudyEntry): string {
  const left = points - done - failed;
  const parts = [
    `${count(done)} of ${plural(points, 'point')} solved`,
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(state === 'running' && per_s !== null ? [`${significant(per_s, 3)} a second`] : []),
    ...(state === 'running' && left_s !== null ? [`${studyDurationText(left_s)} left at this rate`] : []),
    ...(state === 'running' && on !== null ? [`on ${on}`] : []),
    ...(state === 'stopping' ? ['stopping'] : []),
    ...(state === 'elsewhere' ? ['another process is working on it'] : []),
    ...(state === 'open' && left > 0 ? [`${count(left)} left`] : []),
    ...(error === null ? [] : [`ended early: ${error}`]),
  ];
  return parts.join(', ');
}

/** Column title as in filters, with the unit unless the name ends with it, as in `r80_mm`. */
export const columnTitle = ({ name, unit }: Pick<StudyColumnInfo, 'name' | 'unit'>): string =>
  unit === '' || name.endsWith(`_${unit.replaceAll('/', '_per_')}`) ? name : `${name} [${unit}]`;

/** Text of a cell: values of axes as entered, others with six digits. */
export function cellText(cell: StudyCell | undefined, of: StudyColumnInfo['of']): string {
  if (cell === null || cell === undefined) return NO_VALUE;
  if (typeof cell !== 'number') return cell;
  return of === 'axis' ? String(Number(cell.toPrecision(9))) : significant(cell, 6);
}
