/** A benchmark for a person: one row per variant, the answer's error beside every speed. */
import type { BenchReport, MeasuredEntry, Ratio } from '../host/bench/index.ts';
import { duration, metric, significant, smallError } from './numbers.ts';
import { table } from './table.ts';

type Style = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

/** How many times faster, from a ratio of times: `3.42× (3.38–3.47)`. */
export function speedup({ value, interval }: Ratio): string {
  const times = `${significant(1 / value, 3)}×`;
  return interval === null
    ? times
    : `${times} (${significant(1 / interval.high, 3)}–${significant(1 / interval.low, 3)})`;
}

function verdictText({ verdict }: MeasuredEntry, style: Style): string {
  if (verdict === 'wrong') return style('red', 'wrong');
  if (verdict === 'faster') return style('green', 'faster');
  return verdict === 'slower' ? style('yellow', 'slower') : verdict;
}

function determinismText({ determinism }: MeasuredEntry): string {
  return determinism.bitwise ? 'same bits' : smallError(determinism.spread);
}

function row(entry: MeasuredEntry, report: BenchReport, style: Style): readonly string[] {
  const name = entry.note === null ? entry.variant : `${entry.variant} (${entry.note})`;
  return [
    name,
    duration(entry.solve_s),
    entry.samples.length < 2 ? '–' : `${(100 * entry.solve_spread).toFixed(1)} %`,
    duration(entry.setup_s),
    duration(entry.first.wall_s),
    `${metric(entry.cell_steps_per_s)}/s`,
    entry.variant === report.reference ? '1' : speedup(entry.ratio),
    entry.rung === null ? '–' : speedup(entry.rung),
    entry.rel_l2 === null ? '–' : smallError(entry.rel_l2),
    smallError(entry.ledger_error),
    determinismText(entry),
    verdictText(entry, style),
  ];
}

const stopText: Readonly<Record<BenchReport['stopped'], string>> = {
  narrow: 'every ratio is known to 1 %',
  settled: 'the noise has settled',
  time: 'the time limit was reached',
  rounds: 'the limit of rounds was reached',
  cancelled: 'interrupted',
  refused: 'no variant could run',
};

function noiseText({ noise }: BenchReport): string {
  if (noise.floor === null) return 'too few rounds to tell the noise, so no verdicts';
  return `noise floor ±${(100 * noise.floor).toFixed(1)} % (${noise.ratio === null ? '' : 'the first variant against itself'})`;
}

function oracleText({ oracles }: BenchReport): string {
  return oracles
    .map(({ stepping, variant, reason }) =>
      variant === null ? `${stepping}: none (${reason ?? 'no reason known'})` : `${stepping}: ${variant} in fp64`,
    )
    .join('; ');
}

export function benchReport(report: BenchReport, style: Style): readonly string[] {
  const { machine, program, rounds } = report;
  const measured = report.entries.filter((entry) => entry.status === 'measured');
  const refused = report.entries.filter((entry) => entry.status === 'refused');
  const against = report.reference === null ? 'Speed-up' : `vs ${report.reference}`;
  const columns = [
    { title: 'Variant' },
    { title: 'Solve', align: 'right' },
    { title: 'Spread', align: 'right' },
    { title: 'Set-up', align: 'right' },
    { title: 'First run', align: 'right' },
    { title: 'Cell-steps', align: 'right' },
    { title: against, align: 'right' },
    { title: 'vs one below', align: 'right' },
    { title: 'relL2', align: 'right' },
    { title: 'Ledger', align: 'right' },
    { title: 'Repeats', align: 'right' },
    { title: 'Verdict' },
  ] as const;
  const lines =
    measured.length === 0
      ? []
      : table(
          columns,
          measured.map((entry) => row(entry, report, style)),
          { styleTitle: (text) => style('bold', text) },
        );
  return [
    style('bold', report.scenario),
    `${machine.cpu}, ${machine.logical_cores} logical cores, ${machine.isa}; braggbench ${program.version}, ${program.compiler}, ${program.build}`,
    '',
    ...lines,
    ...refused.map((entry) => `${entry.variant}: not run. ${entry.reason}`),
    '',
    `${rounds} interleaved round${rounds === 1 ? '' : 's'} in ${duration(report.elapsed_s)}, ended because ${stopText[report.stopped]}; ${noiseText(report)}.`,
    style(
      'dim',
      `Medians; ratios of medians with 95 % bootstrap intervals, seed ${report.seed}. relL2 of dose against ${oracleText(report) || 'nothing'}.`,
    ),
  ];
}
