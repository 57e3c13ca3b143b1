/**
 * `braggbench study plan`: lists points, expected cost and points that cannot run, without solving any. Also `study
 * status` and `study stop`.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { formatPath, formatValue } from '../../contract/scenario/index.ts';
import { MAX_UNCONFIRMED_S, type StudyForecast } from '../../contract/study/calls.ts';
import { measuredTime } from '../../domain/measured.ts';
import { plainDigits } from '../../domain/numbers.ts';
import { formatBytes } from '../../domain/values/units.ts';
import {
  entireMachine,
  forecastOf,
  type PlannedStudy,
  planStudy,
  type Share,
  type StudyFolder,
  type StudyPoint,
  type StudyStatus,
  statusOf,
  stopOnCluster,
} from '../../host/api/studies.ts';
import type { Host } from '../../host/index.ts';
import { flagNumber, hasFlag } from '../arguments.ts';
import { scenarioPath } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import { formatTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { type ExitCode, exitCodes, type VerbContext } from '../verb.ts';

export const MAX_PRINTED_POINTS = 20;
const DAY_S = 24 * 3600;
const MAX_PRINTED_REFUSALS = 5;
const DAYS_A_YEAR = 365;

/** Formats a duration in units up to days and years, because a study may be far too large. */
export function studyDurationText(seconds: number): string {
  const days = seconds / DAY_S;
  if (days < 1) return measuredTime(seconds);
  return days < DAYS_A_YEAR ? `${days.toPrecision(2)} days` : `${Number((days / DAYS_A_YEAR).toPrecision(2))} years`;
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : formatValue(value));

function settingsText({ settings }: StudyPoint): string {
  return settings.map(({ path: at, value }) => `${formatPath(at)} = ${valueText(value)}`).join(', ');
}

function countText({ points, combinations, repeated }: PlannedStudy): string {
  const left = combinations - points.length - repeated;
  const parts = [
    ...(left > 0 ? [`${left} excluded by conditions`] : []),
    ...(repeated > 0 ? [`${repeated} identical to another`] : []),
  ];
  const of = parts.length === 0 ? '' : ` of ${combinations} combinations (${parts.join(', ')})`;
  return `${points.length} ${points.length === 1 ? 'point' : 'points'}${of}`;
}

function printNeeds(terminal: Terminal, { checked, points, state_bytes, least_s }: PlannedStudy): void {
  const refused = checked.filter(({ refusal }) => refusal !== null);
  const from = checked.length < points.length ? `, for ${checked.length} of them` : '';
  if (state_bytes !== null) terminal.print(`Memory per point: up to ${formatBytes(state_bytes)}${from}`);
  if (least_s !== null) {
    terminal.print(
      `Time: at least ${studyDurationText(least_s)} in sequence (lower bound for any current machine)${from}`,
    );
    if (least_s > MAX_UNCONFIRMED_S)
      terminal.print(terminal.style('yellow', 'This takes longer than a day on any machine.'));
  }
  for (const { point, refusal } of refused.slice(0, MAX_PRINTED_REFUSALS)) {
    terminal.print(`${terminal.style('red', 'cannot be run')} ${point.id} (${settingsText(point)}): ${refusal}`);
  }
  if (refused.length > MAX_PRINTED_REFUSALS) {
    terminal.print(
      `… and ${refused.length - MAX_PRINTED_REFUSALS} more of the ${checked.length} checked points cannot be run`,
    );
  }
}

function printForecast(terminal: Terminal, forecast: StudyForecast): void {
  const { machine, cpu, cores, gpus, probed, expected_s, isLeast, at_once, memory_bytes } = forecast;
  const parts = [cpu, `${cores} ${cores === 1 ? 'core' : 'cores'}`, ...(gpus > 0 ? [`${gpus} GPUs`] : [])];
  const on = `On ${machine} (${parts.join(', ')})`;
  if (expected_s === null) {
    terminal.print(`${on}: no forecast, because the trial point cannot be run`);
    return;
  }
  const by = `estimated from ${probed === 1 ? 'one trial point' : `${probed} trial points`}`;
  const memory = memory_bytes === null ? '' : `, up to ${formatBytes(memory_bytes)}`;
  const together = at_once === 1 ? `, one point at a time${memory}` : `, ${at_once} points at a time${memory}`;
  terminal.print(`${on}: ${isLeast ? 'more than' : 'about'} ${studyDurationText(expected_s)}${together}, ${by}`);
}

function showPlan(terminal: Terminal, planned: PlannedStudy, forecast: StudyForecast | null, all: boolean): void {
  const { study, points, bases } = planned;
  terminal.print(terminal.style('bold', study.name === '' ? path.parse(planned.file).name : study.name));
  terminal.print(countText(planned));
  printNeeds(terminal, planned);
  if (forecast !== null) printForecast(terminal, forecast);
  terminal.print('');
  const shown = all ? points : points.slice(0, MAX_PRINTED_POINTS);
  const columns = [...new Set(points[0]?.settings.map(({ path: at }) => formatPath(at)) ?? [])];
  const rows = shown.map(({ id, base, settings }) => [
    id,
    bases[base]?.name ?? '',
    ...settings.map(({ value }) => valueText(value)),
  ]);
  const titles = ['point', 'base', ...columns].map((title) => ({ title }));
  for (const line of formatTable(titles, rows, { styleTitle: (text) => terminal.style('bold', text) }))
    terminal.print(line);
  if (shown.length < points.length) terminal.print(`… and ${points.length - shown.length} more: --points shows all`);
}

function planDocument(planned: PlannedStudy, forecast: StudyForecast | null): object {
  const { study, file, bases, points, combinations, repeated, checked, state_bytes, least_s } = planned;
  const settings = ({ settings: all }: StudyPoint): object =>
    Object.fromEntries(all.map(({ path: at, value }) => [formatPath(at), value]));
  return {
    name: study.name,
    file,
    combinations,
    repeated,
    ...{ state_bytes, least_s, forecast },
    checked: checked.map(({ point, need, refusal }) => ({ id: point.id, need, refusal })),
    points: points.map((point) => ({ id: point.id, base: bases[point.base]?.name, settings: settings(point) })),
  };
}

/** Path of a base scenario: in the study's folder, otherwise among the built-in scenarios. */
function findBase(folder: string, file: string): string {
  const beside = path.resolve(folder, file);
  return scenarioPath(existsSync(beside) ? beside : file);
}

/** CPU cores and GPUs of this machine that points may use. */
export function machineShare(parsed: VerbContext['parsed'], host: Host): Share {
  const cores = flagNumber(parsed, 'cores', { min: 1, max: 4096, whole: true }) ?? availableParallelism();
  return entireMachine(host, { cores });
}

/** Plans a study from its file. Throws BraggError `invalid` with all errors in it. */
export function planStudyFile(
  file: string,
  { addon, scenarios, userKernels }: Host,
  signal: AbortSignal,
): Promise<PlannedStudy> {
  return planStudy(file, { addon, scenarios, userKernels, find: findBase, signal });
}

export async function planOnly({ parsed, terminal, signal }: VerbContext, host: Host, file: string): Promise<ExitCode> {
  const found = await planStudyFile(file, host, signal);
  const forecast = await forecastOf(host, found, machineShare(parsed, host), signal);
  if (hasFlag(parsed, 'json')) terminal.printJson(planDocument(found, forecast));
  else showPlan(terminal, found, forecast, hasFlag(parsed, 'points'));
  if (signal.aborted) return exitCodes.interrupted;
  return found.checked.every(({ refusal }) => refusal === null) ? exitCodes.done : exitCodes.badInput;
}

function statusLines(status: StudyStatus, style: VerbContext['terminal']['style']): readonly string[] {
  const { name, points, done, failed, working, lost, failures, stopping, attempts, on } = status;
  const left = points - done - failed;
  const per_s = working.reduce((sum, beat) => sum + (beat.per_s ?? 0), 0);
  const rate =
    per_s > 0 ? `: ${plainDigits(per_s, 3)} a second, ${studyDurationText(left / per_s)} left at this rate` : '';
  return [
    style('bold', name),
    `${done} of ${points} points are solved${failed > 0 ? `, ${failed} failed` : ''}, ${left} are left${rate}`,
    ...(stopping ? ['A stop was requested.'] : []),
    ...(on === null
      ? []
      : [
          `sent to the cluster ${on.cluster}${working.length > 0 || left === 0 ? '' : `; resume --on ${JSON.stringify(on.cluster)} fetches newer results`}`,
        ]),
    ...working.map(
      ({ machine, pid, job, ...beat }) =>
        `working: ${machine}, process ${pid}${job === null ? '' : `, job ${job}`}: ${beat.done} done`,
    ),
    ...lost.map(
      ({ machine, pid, at }) =>
        `lost: ${machine}, process ${pid} has reported nothing since ${at}; resume solves its points`,
    ),
    ...attempts.map(
      ({ node, job, task, end, ...attempt }) => `task ${job}_${task} on ${node}: ${attempt.done} done, then ${end}`,
    ),
    ...failures.map(({ id, message }) => `${style('red', 'failed')} ${id}: ${message}`),
    ...(failures.length < failed
      ? [`… and ${failed - failures.length} more: braggbench study collect lists them`]
      : []),
  ];
}

export async function showStatus({ parsed, terminal }: VerbContext, folder: StudyFolder): Promise<ExitCode> {
  const status = await statusOf(folder);
  if (hasFlag(parsed, 'json')) terminal.printJson(status);
  else for (const line of statusLines(status, (style, text) => terminal.style(style, text))) terminal.print(line);
  return exitCodes.done;
}

/**
 * Requests a stop and returns at once. A process that works on the study stops within a second. Without such a process,
 * the study's cluster jobs are cancelled.
 */
export async function stopStudy({ terminal }: VerbContext, folder: StudyFolder): Promise<ExitCode> {
  await folder.requestStop();
  const { working, on } = await statusOf(folder);
  if (working.length === 0 && on?.there !== undefined) {
    const cluster = await withHost((host) => host.clusters.requireCluster(on.cluster));
    await stopOnCluster(cluster, on.there);
    terminal.print(
      `Requested a stop on ${on.cluster}; continue with braggbench study resume ${folder.folder} --on ${JSON.stringify(on.cluster)}.`,
    );
    return exitCodes.done;
  }
  const requested =
    working.length === 0 ? 'No process is working on this study' : `Requested a stop of ${working.length}`;
  terminal.print(`${requested}; continue with braggbench study resume ${folder.folder}.`);
  return exitCodes.done;
}
