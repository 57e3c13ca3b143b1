/** `braggbench study plan`: points, what they take, what cannot be run; nothing is solved. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { formatPath, showValue } from '../../contract/scenario/index.ts';
import { ENDLESS_S, type StudyForecast } from '../../contract/study/calls.ts';
import { formatBytes } from '../../contract/units.ts';
import { forecastOf } from '../../host/app/studies/forecast.ts';
import { wholeMachine } from '../../host/app/studies/local/engine.ts';
import type { Share } from '../../host/app/studies/local/groups.ts';
import { type PlannedStudy, planStudy } from '../../host/app/studies/plan.ts';
import type { Host } from '../../host/index.ts';
import type { StudyPoint } from '../../host/model/studies/points.ts';
import { flagNumber, hasFlag } from '../arguments.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { duration } from '../numbers.ts';
import { scenarioPath } from '../scenario-file.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import type { VerbContext } from '../verb.ts';

export const FEW_POINTS = 20;
const DAY_S = 24 * 3600;
const FEW_REFUSALS = 5;
const DAYS_A_YEAR = 365;

/** As people say it, in days and years too: a study may be far too large. */
export function longTime(seconds: number): string {
  const days = seconds / DAY_S;
  if (days < 1) return duration(seconds);
  return days < DAYS_A_YEAR ? `${days.toPrecision(2)} days` : `${Number((days / DAYS_A_YEAR).toPrecision(2))} years`;
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : showValue(value));

function settingsText({ settings }: StudyPoint): string {
  return settings.map(({ path: at, value }) => `${formatPath(at)} = ${valueText(value)}`).join(', ');
}

function countText({ points, combinations, repeated }: PlannedStudy): string {
  const left = combinations - points.length - repeated;
  const parts = [
    ...(left > 0 ? [`${left} left out by conditions`] : []),
    ...(repeated > 0 ? [`${repeated} the same as another`] : []),
  ];
  const of = parts.length === 0 ? '' : ` of ${combinations} combinations (${parts.join(', ')})`;
  return `${points.length} ${points.length === 1 ? 'point' : 'points'}${of}`;
}

function sayNeeds(terminal: Terminal, { checked, points, state_bytes, least_s }: PlannedStudy): void {
  const refused = checked.filter(({ refusal }) => refusal !== null);
  const from = checked.length < points.length ? `, by ${checked.length} of them` : '';
  if (state_bytes !== null) terminal.print(`Memory of a point: up to ${formatBytes(state_bytes)}${from}`);
  if (least_s !== null) {
    terminal.print(
      `Time: at least ${longTime(least_s)} one after the other, which no machine of today undercuts${from}`,
    );
    if (least_s > ENDLESS_S)
      terminal.print(terminal.style('yellow', 'This takes longer than a day, however fast the machine.'));
  }
  for (const { point, refusal } of refused.slice(0, FEW_REFUSALS)) {
    terminal.print(`${terminal.style('red', 'cannot be run')} ${point.id} (${settingsText(point)}): ${refusal}`);
  }
  if (refused.length > FEW_REFUSALS) {
    terminal.print(`… nor can ${refused.length - FEW_REFUSALS} more of the ${checked.length} that were looked at`);
  }
}

function sayForecast(terminal: Terminal, forecast: StudyForecast): void {
  const { machine, cpu, cores, gpus, probed, expected_s, isLeast, at_once, memory_bytes } = forecast;
  const parts = [cpu, `${cores} ${cores === 1 ? 'core' : 'cores'}`, ...(gpus > 0 ? [`${gpus} GPUs`] : [])];
  const on = `On ${machine} (${parts.join(', ')})`;
  if (expected_s === null) {
    terminal.print(`${on}: no forecast, as what cannot be run tells nothing`);
    return;
  }
  const by = `estimated from ${probed === 1 ? 'one trial point' : `${probed} trial points`}`;
  const memory = memory_bytes === null ? '' : `, up to ${formatBytes(memory_bytes)}`;
  const together = at_once === 1 ? `, one point at a time${memory}` : `, ${at_once} points at a time${memory}`;
  terminal.print(`${on}: ${isLeast ? 'more than' : 'about'} ${longTime(expected_s)}${together}, ${by}`);
}

function showPlan(terminal: Terminal, planned: PlannedStudy, forecast: StudyForecast | null, all: boolean): void {
  const { study, points, bases } = planned;
  terminal.print(terminal.style('bold', study.name === '' ? path.parse(planned.file).name : study.name));
  terminal.print(countText(planned));
  sayNeeds(terminal, planned);
  if (forecast !== null) sayForecast(terminal, forecast);
  terminal.print('');
  const shown = all ? points : points.slice(0, FEW_POINTS);
  const columns = [...new Set(points[0]?.settings.map(({ path: at }) => formatPath(at)) ?? [])];
  const rows = shown.map(({ id, base, settings }) => [
    id,
    bases[base]?.name ?? '',
    ...settings.map(({ value }) => valueText(value)),
  ]);
  const titles = ['point', 'base', ...columns].map((title) => ({ title }));
  for (const line of table(titles, rows, { styleTitle: (text) => terminal.style('bold', text) })) terminal.print(line);
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

/** From the study's folder first; a shipped scenario by its name. */
function findBase(folder: string, file: string): string {
  const beside = path.resolve(folder, file);
  return existsSync(beside) ? beside : scenarioPath(file);
}

/** Share of this machine that points may use. */
export function shareOf(parsed: VerbContext['parsed'], host: Host): Share {
  const cores = flagNumber(parsed, 'cores', { min: 1, max: 4096, whole: true }) ?? availableParallelism();
  return wholeMachine(host, { cores });
}

/** Throws BraggError `invalid` with every error in the study. */
export function planned(
  file: string,
  { addon, scenarios, userKernels }: Host,
  signal: AbortSignal,
): Promise<PlannedStudy> {
  return planStudy(file, { addon, scenarios, userKernels, find: findBase, signal });
}

export async function planOnly({ parsed, terminal, signal }: VerbContext, host: Host, file: string): Promise<ExitCode> {
  const found = await planned(file, host, signal);
  const forecast = await forecastOf(host, found, shareOf(parsed, host), signal);
  if (hasFlag(parsed, 'json')) terminal.printJson(planDocument(found, forecast));
  else showPlan(terminal, found, forecast, hasFlag(parsed, 'points'));
  if (signal.aborted) return exitCodes.interrupted;
  return found.checked.every(({ refusal }) => refusal === null) ? exitCodes.done : exitCodes.badInput;
}
