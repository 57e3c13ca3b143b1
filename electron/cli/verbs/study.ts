/** `braggbench study`: axes over base scenarios. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { formatPath, showValue } from '../../contract/scenario/index.ts';
import { formatBytes } from '../../contract/units.ts';
import { MOST_CHECKED, type PlannedStudy, planStudy } from '../../host/app/studies/plan.ts';
import type { StudyPoint } from '../../host/model/studies/points.ts';
import { hasFlag, UsageError } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { duration } from '../numbers.ts';
import { withHost } from '../open-host.ts';
import { scenarioPath } from '../scenario-file.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import type { Verb } from '../verb.ts';

const FEW_POINTS = 20;
const DAY_S = 24 * 3600;
const DAYS_A_YEAR = 365;

/** As people say it, in days and years too: a study may be far too large. */
function longTime(seconds: number): string {
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
    if (least_s > DAY_S)
      terminal.print(terminal.style('yellow', 'This takes longer than a day, however fast the machine.'));
  }
  for (const { point, refusal } of refused) {
    terminal.print(`${terminal.style('red', 'cannot be run')} ${point.id} (${settingsText(point)}): ${refusal}`);
  }
}

function showPlan(terminal: Terminal, planned: PlannedStudy, all: boolean): void {
  const { study, points, bases } = planned;
  terminal.print(terminal.style('bold', study.name === '' ? path.parse(planned.file).name : study.name));
  terminal.print(countText(planned));
  sayNeeds(terminal, planned);
  terminal.print('');
  const shown = all ? points : points.slice(0, FEW_POINTS);
  const columns = [...new Set(points[0]?.settings.map(({ path: at }) => formatPath(at)) ?? [])];
  const rows = shown.map(({ id, base, settings }) => [
    id,
    bases[base] ?? '',
    ...settings.map(({ value }) => valueText(value)),
  ]);
  const titles = ['point', 'base', ...columns].map((title) => ({ title }));
  for (const line of table(titles, rows, { styleTitle: (text) => terminal.style('bold', text) })) terminal.print(line);
  if (shown.length < points.length) terminal.print(`… and ${points.length - shown.length} more: --points shows all`);
}

function planDocument({ study, file, bases, points, combinations, repeated, checked, ...rest }: PlannedStudy): object {
  const settings = ({ settings: all }: StudyPoint): object =>
    Object.fromEntries(all.map(({ path: at, value }) => [formatPath(at), value]));
  return {
    name: study.name,
    file,
    combinations,
    repeated,
    state_bytes: rest.state_bytes,
    least_s: rest.least_s,
    checked: checked.map(({ point, need, refusal }) => ({ id: point.id, need, refusal })),
    points: points.map((point) => ({ id: point.id, base: bases[point.base], settings: settings(point) })),
  };
}

/** From the study's folder first; a shipped scenario by its name. */
function findBase(folder: string, file: string): string {
  const beside = path.resolve(folder, file);
  return existsSync(beside) ? beside : scenarioPath(file);
}

export const studyVerb: Verb = {
  name: 'study',
  usage: 'study plan STUDY [--points] [--json]',
  summary: 'plan a study: its points, what they take, and which cannot be run',
  details: [
    'Reads a study (kind: study, JSON or YAML), crosses its axes over its base scenarios, and prints the points. Nothing is solved.',
    `Up to ${MOST_CHECKED} points, evenly through the plan, are laid out for their memory and their least time. Exit code 2 if one of those cannot be run.`,
  ],
  flags: [
    { name: 'points', help: `Print every point, not only the first ${FEW_POINTS}.` },
    { name: 'json', help: 'Print one JSON document instead of text.' },
  ],
  examples: ['braggbench study plan energies.yaml', 'braggbench study plan energies.yaml --json'],
  operands: { min: 2, max: 2, name: 'what to do and a study: plan STUDY' },
  run: ({ parsed, terminal, signal }) => {
    const [what = '', file = ''] = parsed.operands;
    if (what !== 'plan') throw new UsageError(`study: ${JSON.stringify(what)} is not known; allowed: plan`);
    return withHost(async ({ addon, scenarios }) => {
      const planned = await planStudy(file, { addon, scenarios, find: findBase, signal });
      if (hasFlag(parsed, 'json')) terminal.printJson(planDocument(planned));
      else showPlan(terminal, planned, hasFlag(parsed, 'points'));
      if (signal.aborted) return exitCodes.interrupted;
      return planned.checked.every(({ refusal }) => refusal === null) ? exitCodes.done : exitCodes.badInput;
    });
  },
};
