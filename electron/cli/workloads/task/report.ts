/** A benchmark of a small measured workload for a person. */
import type { TaskClaimResult } from '../../../contract/claims.ts';
import type { MeasuredTask, TaskEntry, TaskReport, TaskSession } from '../../../contract/task-bench.ts';
import { modesReport } from '../../bench-parts.ts';
import { duration, metric, short, significant, smallError, speedup } from '../../numbers.ts';
import { type Column, table } from '../../table.ts';

export type Style = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

const percent = (share: number | null): string => (share === null ? '' : ` (${(100 * share).toFixed(0)} %)`);

/** The checks of a row in one cell: what is wrong, or the largest of what holds over its limit. */
function checkText({ checks, determinism }: MeasuredTask, style: Style): string {
  const broken = checks.find(({ holds }) => !holds);
  const value = (v: number | null): string => (v === null ? 'NaN' : smallError(v));
  if (broken !== undefined) {
    return style('red', `wrong: ${broken.title} ${value(broken.value)}, limit ${smallError(broken.limit)}`);
  }
  const main = checks[0];
  const bits = determinism.bitwise ? '' : ', bits differ between runs';
  return `${main === undefined ? 'none' : value(main.value)}${bits}`;
}

function row(entry: TaskEntry, style: Style): readonly string[] {
  if (entry.status === 'refused') return [entry.label, '', '', '', '', '', '', entry.reason];
  const { label, time_s, wall_s, clock, ratio, verdict, spread } = entry;
  const colour = verdict === 'wrong' || verdict === 'slower' ? 'red' : verdict === 'faster' ? 'green' : 'dim';
  return [
    label,
    `${duration(time_s)} ± ${significant(100 * spread, 2)} %`,
    clock === 'wall' || wall_s === null ? '' : duration(wall_s),
    verdict === 'reference' ? '' : speedup(ratio),
    style(colour, verdict),
    entry.bytes_per_s === null ? '' : `${metric(entry.bytes_per_s)}B/s${percent(entry.share_of_copy)}`,
    entry.flops_per_s === null ? '' : `${metric(entry.flops_per_s)}FLOP/s${percent(entry.share_of_flops)}`,
    checkText(entry, style),
  ];
}

const columns: readonly Column[] = [
  { title: 'Variant' },
  { title: 'Time', align: 'right' },
  { title: 'Wall', align: 'right' },
  { title: 'Speed-up', align: 'right' },
  { title: 'Verdict' },
  { title: 'Traffic (of copy)', align: 'right' },
  { title: 'Arithmetic (of FMA)', align: 'right' },
  { title: 'Largest error' },
];

function quantityLines(entries: readonly MeasuredTask[], bold: (text: string) => string): readonly string[] {
  const told = entries.filter(({ quantities }) => quantities.length > 0);
  if (told.length === 0) return [];
  const ids = [...new Map(told.flatMap(({ quantities }) => quantities.map((q) => [q.id, q] as const))).values()];
  const heads: readonly Column[] = [
    { title: 'Further' },
    ...ids.map(({ title, unit }) => ({ title: unit === '' ? title : `${title}, ${unit}`, align: 'right' as const })),
  ];
  const rows = told.map(({ label, quantities }) => [
    label,
    ...ids.map(({ id }) => {
      const value = quantities.find((one) => one.id === id)?.value;
      return value == null ? '–' : short(value, 4);
    }),
  ]);
  return ['', ...table(heads, rows, { styleTitle: bold })];
}

function claimRows(claim: TaskClaimResult): readonly (readonly string[])[] {
  const { from, to, pairs, values, reason } = claim;
  const range = from === to ? `${from}` : `${from}–${to}`;
  if (reason !== null) return [[claim.claim, range, '–', 'not isolated', reason]];
  return [
    ...pairs.map(({ slower, faster, gain, verdict }) => [
      claim.claim,
      `${range}×`,
      gain === null ? '–' : `${significant(gain.value, 3)}×`,
      verdict,
      `${slower} → ${faster}`,
    ]),
    ...values.map(({ variant, what, value, unit, verdict }) => [
      claim.claim,
      `${range} ${unit}`.trimEnd(),
      value === null ? '–' : `${short(value, 4)} ${unit}`.trimEnd(),
      verdict,
      `${variant}: ${what}`,
    ]),
  ];
}

function claimLines({ claims }: TaskReport, bold: (text: string) => string): readonly string[] {
  if (claims.length === 0) return [];
  const heads: readonly Column[] = [
    { title: 'Claimed against measured' },
    { title: 'Claimed', align: 'right' },
    { title: 'Measured', align: 'right' },
    { title: 'Verdict' },
    { title: 'By' },
  ];
  return ['', ...table(heads, claims.flatMap(claimRows), { styleTitle: bold })];
}

export function taskReport(report: TaskReport, style: Style): readonly string[] {
  const bold = (text: string): string => style('bold', text);
  const { machine, rounds, elapsed_s, stopped, noise, reference, entries } = report;
  const measured = entries.filter((entry) => entry.status === 'measured');
  const floor = noise.floor === null ? 'not measured' : `±${significant(100 * noise.floor, 2)} %`;
  const compared = [...new Set(measured.map((entry) => entry.compared))];
  return [
    bold(report.scenario),
    `${report.title}; ${machine.gpu === null ? '' : `${machine.gpu.name}; `}${machine.cpu}, ${machine.isa}`,
    ...table(
      columns,
      entries.map((entry) => row(entry, style)),
      { styleTitle: bold },
    ),
    ...modesReport(measured, bold),
    ...quantityLines(measured, bold),
    ...claimLines(report, bold),
    '',
    `${rounds} rounds in ${duration(elapsed_s)} (ended: ${stopped}); speed-up over ${reference ?? 'nothing'}, noise floor ${floor}`,
    ...compared.map((text) => style('dim', `Compared: ${text}.`)),
  ];
}

export function taskSweepReport({ path, fits }: NonNullable<TaskSession['sweep']>, style: Style): readonly string[] {
  const heads: readonly Column[] = [
    { title: 'Variant' },
    { title: path, align: 'right' },
    { title: 'Time', align: 'right' },
    { title: 'Set-up', align: 'right' },
  ];
  const rows = fits.flatMap(({ label, points }) =>
    points.map(({ value, time_s, setup_s }, i) => [
      i === 0 ? label : '',
      short(value, 6),
      duration(time_s),
      duration(setup_s),
    ]),
  );
  const lines = fits.flatMap(({ label, fixed_s, slope_s }) =>
    fixed_s === null || slope_s === null
      ? []
      : [`${label}: ${duration(Math.max(0, fixed_s))} fixed, and ${duration(slope_s * 1e6)} per million of ${path}`],
  );
  return [
    '',
    style('bold', `Sweep of ${path}`),
    ...table(heads, rows, { styleTitle: (text) => style('bold', text) }),
    '',
    ...lines,
  ];
}
