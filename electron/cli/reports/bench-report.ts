/** A benchmark for a person: one row per variant, the answer's error beside every speed. */
import { advice } from '../../../renderer/base/advice.ts';
import { intervalsText, spreadText, timesText, toDecideText } from '../../../renderer/base/measured.ts';
import { reportProvenance } from '../../../renderer/base/provenance.ts';
import type {
  BenchEntry,
  BenchReport,
  BenchSession,
  ExternalEntry,
  MeasuredEntry,
} from '../../contract/bench/bench.ts';
import type { Ratio } from '../../contract/bench/bench-session.ts';
import {
  claimsReport,
  coldStartReport,
  flaggedReport,
  modesReport,
  rooflineReport,
  toldClaims,
} from '../bench-parts.ts';
import { endedText } from '../ended.ts';
import { duration, metric, smallError, speedup } from '../numbers.ts';
import { type Column, table } from '../table.ts';
import { measuredOn, measuredUnder } from './measured-on.ts';

/** What a report needs of its session. */
type Kept = Pick<BenchSession, 'created'>;

export type Style = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

function verdictText({ verdict, instances_to_decide }: MeasuredEntry, style: Style): string {
  if (verdict === 'wrong') return style('red', 'wrong');
  if (verdict === 'faster') return style('green', 'faster');
  return verdict === 'slower' ? style('yellow', 'slower') : verdict + toDecideText(instances_to_decide);
}

function determinismText({ determinism }: MeasuredEntry): string {
  return determinism.bitwise ? 'same bits' : smallError(determinism.spread);
}

const ratioText = (ratio: Ratio | null): string => (ratio === null ? '–' : speedup(ratio));

/** Older sessions compare steps alone. */
const tellsWhole = ({ entries }: BenchReport): boolean =>
  entries.some((entry) => entry.status === 'measured' && entry.whole !== undefined);

function wholeText({ label, whole }: MeasuredEntry, reference: string | null): string {
  if (whole === undefined) return '–';
  return label === reference ? '1' : `${speedup(whole.ratio)} ${whole.verdict}`;
}

function adviceLines(report: BenchReport, measured: readonly MeasuredEntry[]): readonly string[] {
  const found = advice(
    measured.map(({ label, wall_s, setup_s, time_s, verdict, rel_l2, ledger_error, whole = null }) => ({
      ...{ name: label, wall_s, setup_s, time_s, whole },
      right: verdict !== 'wrong',
      error: `${rel_l2 === null ? '' : `relL2 ${smallError(rel_l2)}, `}ledger ${smallError(ledger_error)}`,
      isReference: label === report.reference,
    })),
  );
  return found === null ? [] : [found];
}

function row(entry: BenchEntry, report: BenchReport, style: Style): readonly string[] {
  const name = entry.note === null ? entry.label : `${entry.label} (${entry.note})`;
  if (entry.status === 'refused') return [name, `not run: ${entry.reason}`];
  return [
    name,
    duration(entry.time_s),
    spreadText(entry.solve_spread, entry.samples.length),
    duration(entry.wall_s),
    ...(tellsWhole(report) ? [wholeText(entry, report.reference)] : []),
    duration(entry.setup_s),
    `${metric(entry.cell_steps_per_s)}/s`,
    entry.label === report.reference ? '1' : speedup(entry.ratio),
    ratioText(entry.rung),
    ratioText(entry.cumulative),
    entry.rel_l2 === null ? '–' : smallError(entry.rel_l2),
    smallError(entry.ledger_error),
    determinismText(entry),
    verdictText(entry, style) + (entry.flagged === 0 ? '' : style('yellow', ` (${entry.flagged} flagged)`)),
  ];
}

function externalRow({ title, result }: ExternalEntry, report: BenchReport, style: Style): readonly string[] {
  if (result === null) return [];
  return [
    title,
    duration(result.time_s),
    spreadText(result.spread, result.samples.length),
    // Only its steps are timed: starting it, and what it says of them, are not.
    '–',
    ...(tellsWhole(report) ? ['–'] : []),
    duration(result.setup_s),
    `${metric(result.cell_steps / result.time_s)}/s`,
    speedup(result.ratio),
    '–',
    '–',
    result.rel_l2 === null ? '–' : smallError(result.rel_l2),
    smallError(result.ledger_error),
    '–',
    result.wrong ? style('red', 'wrong') : 'other program',
  ];
}

function oracleText({ oracles }: BenchReport): string {
  return oracles
    .map(({ stepping, variant, reason }) =>
      variant === null ? `${stepping}: none (${reason ?? 'no reason known'})` : `${stepping}: ${variant} in fp64`,
    )
    .join('; ');
}

function machineText(report: BenchReport, created: string): readonly string[] {
  const { logical_cores } = report.machine;
  const { compiler, build } = report.program;
  return [
    measuredOn(reportProvenance(report, created), report.machine),
    `${logical_cores} logical cores; ${compiler}, ${build}`,
    ...measuredUnder(report.environment, logical_cores),
  ];
}

function columns(report: BenchReport): readonly Column[] {
  const { reference } = report;
  const against = reference === null ? 'Speed-up' : `vs ${reference}`;
  return [
    { title: 'Variant' },
    { title: 'Steps', align: 'right' },
    { title: 'Spread', align: 'right' },
    { title: 'Whole run', align: 'right' },
    ...(tellsWhole(report) ? [{ title: `Whole ${against}`, align: 'right' as const }] : []),
    { title: 'Set-up', align: 'right' },
    { title: 'Cell-steps', align: 'right' },
    { title: `Steps ${against}`, align: 'right' },
    { title: 'vs one below', align: 'right' },
    { title: 'Cumulative', align: 'right' },
    { title: 'relL2', align: 'right' },
    { title: 'Ledger', align: 'right' },
    { title: 'Repeats', align: 'right' },
    { title: 'Verdict' },
  ];
}

/** A rival may end later: it looks less often whether anything is left. */
function stepsText({ entries }: BenchReport, variant: string, steps: number): string {
  const own = entries.find(({ label }) => label === variant);
  const same = own?.status !== 'measured' || own.steps === steps;
  return same ? '' : `, which takes ${steps} steps to its ${own.steps}`;
}

function rivalText(report: BenchReport): readonly string[] {
  const { external } = report;
  return external.flatMap(({ title, result, reason }) => {
    if (result === null) return [`${title}: not run, ${reason ?? 'no reason known'}`];
    const { over_fastest, wrong } = result;
    if (over_fastest === null || wrong) return [];
    const { variant, ratio } = over_fastest;
    return [`${variant} is ${timesText(ratio)} as fast as ${title}${stepsText(report, variant, result.steps)}`];
  });
}

/** What follows the steps where nuclear reactions are followed, as a share of the steps of the same run. */
function productsText(measured: readonly MeasuredEntry[]): readonly string[] {
  const told = measured.flatMap(({ label, products_s, first }) => {
    const steps = first.device_s ?? first.solve_s;
    if (products_s === undefined || !(steps > 0)) return [];
    return [`${label} ${duration(products_s)}, ${((100 * products_s) / steps).toFixed(0)} % of its steps`];
  });
  return told.length === 0 ? [] : [`Products of nuclear reactions, beside the steps: ${told.join('; ')}`];
}

export function benchReport(report: BenchReport, style: Style, { created }: Kept): readonly string[] {
  const measured = report.entries.filter((entry) => entry.status === 'measured');
  const refused = report.entries.filter((entry) => entry.status === 'refused');
  const rows = [
    ...measured.map((entry) => row(entry, report, style)),
    ...report.external.filter(({ result }) => result !== null).map((entry) => externalRow(entry, report, style)),
  ];
  const styleTitle = (text: string): string => style('bold', text);
  return [
    style('bold', report.scenario),
    ...machineText(report, created),
    '',
    ...adviceLines(report, measured),
    ...(rows.length === 0 ? [] : table(columns(report), rows, { styleTitle })),
    ...refused.map(({ label, reason }) => `${label}: not run, ${reason}`),
    ...productsText(measured),
    ...rivalText(report),
    ...flaggedReport(measured),
    ...modesReport(measured, styleTitle),
    ...coldStartReport(measured, styleTitle),
    ...rooflineReport(report, measured, styleTitle),
    ...claimsReport(toldClaims(report.claims), styleTitle),
    '',
    endedText({ ...report, floor: report.noise.floor }),
    style(
      'dim',
      `Steps by the device's clock (events) on a GPU, by the host's on the CPU: medians, spread as median absolute deviation over the median. Above 1× is faster: ratios with ${intervalsText(report.judged)}. relL2 of dose against ${oracleText(report) || 'nothing'}.`,
    ),
  ];
}
