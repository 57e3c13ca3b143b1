/** A benchmark of a small measured workload for a person. */
import { quantityText } from '../../../../renderer/base/compare-columns.ts';
import { fixedText, intervalsText, timeAndSpread } from '../../../../renderer/base/measured.ts';
import { percent } from '../../../../renderer/base/numbers.ts';
import { reportProvenance } from '../../../../renderer/base/provenance.ts';
import type { MeasuredTask, TaskEntry, TaskReport, TaskSession } from '../../../contract/bench/task-bench.ts';
import { claimsReport, flaggedReport, modesReport } from '../../bench-parts.ts';
import { endedText } from '../../ended.ts';
import { duration, metric, short, smallError, speedup } from '../../numbers.ts';
import { measuredOn, measuredUnder } from '../../reports/measured-on.ts';
import { type Column, table } from '../../table.ts';

export type Style = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

const ofPeak = (share: number | null): string => (share === null ? '' : ` (${percent(share)})`);

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
  const { label, time_s, wall_s, clock, ratio, verdict, spread, samples } = entry;
  const colour = verdict === 'wrong' || verdict === 'slower' ? 'red' : verdict === 'faster' ? 'green' : 'dim';
  return [
    label,
    timeAndSpread(time_s, spread, samples.length),
    clock === 'wall' || wall_s === null ? '' : duration(wall_s),
    verdict === 'reference' ? '' : speedup(ratio),
    style(colour, verdict) + (entry.flagged === 0 ? '' : style('yellow', ` (${entry.flagged} flagged)`)),
    entry.bytes_per_s === null ? '' : `${metric(entry.bytes_per_s)}B/s${ofPeak(entry.share_of_copy)}`,
    entry.flops_per_s === null ? '' : `${metric(entry.flops_per_s)}FLOP/s${ofPeak(entry.share_of_flops)}`,
    checkText(entry, style),
  ];
}

const columns: readonly Column[] = [
  { title: 'Variant' },
  { title: 'Time', align: 'right' },
  { title: 'Wall', align: 'right' },
  { title: 'Speed-up', align: 'right' },
  { title: 'Verdict' },
  { title: 'Declared traffic (of copy)', align: 'right' },
  { title: 'Declared FLOPs (of FMA)', align: 'right' },
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
      return quantityText(value, '');
    }),
  ]);
  return ['', ...table(heads, rows, { styleTitle: bold })];
}

export function taskReport(
  report: TaskReport,
  style: Style,
  { created }: Pick<TaskSession, 'created'>,
): readonly string[] {
  const bold = (text: string): string => style('bold', text);
  const { machine, reference, entries } = report;
  const measured = entries.filter((entry) => entry.status === 'measured');
  const compared = [...new Set(measured.map((entry) => entry.compared))];
  return [
    bold(report.scenario),
    report.title,
    measuredOn(reportProvenance(report, created), machine),
    ...measuredUnder(report.environment, machine.logical_cores),
    ...table(
      columns,
      entries.map((entry) => row(entry, style)),
      { styleTitle: bold },
    ),
    ...flaggedReport(measured),
    ...modesReport(measured, bold),
    ...quantityLines(measured, bold),
    ...claimsReport(report.claims, bold),
    '',
    endedText({ ...report, floor: report.noise.floor }),
    style(
      'dim',
      `Times of a repetition: by the GPU's clock where the wall time stands beside it, else by the host's; medians ± median absolute deviation. Above 1× is faster than ${reference ?? 'nothing'}, with ${intervalsText(report.judged)}.`,
    ),
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
      : [`${label}: ${fixedText(fixed_s)}, and ${duration(slope_s * 1e6)} per million of ${path}`],
  );
  return [
    '',
    style('bold', `Sweep of ${path}`),
    ...table(heads, rows, { styleTitle: (text) => style('bold', text) }),
    '',
    ...lines,
  ];
}
