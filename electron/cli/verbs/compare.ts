/** `braggbench compare`: stored runs side by side. */
import { type ComparedRun, compareRuns } from '../../host/compare/compare.ts';
import { hasFlag } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { duration, metric, millimetres, significant, smallError } from '../numbers.ts';
import { runFile } from '../run-file.ts';
import { table } from '../table.ts';
import type { Verb } from '../verb.ts';

const dash = '–';

function passText(compared: ComparedRun, index: number): string {
  const found = compared.against_first?.gamma[index];
  return found === undefined ? dash : `${(100 * found.passed).toFixed(1)} %`;
}

function row(one: ComparedRun): readonly string[] {
  const { against_first: versus } = one;
  return [
    one.file,
    `${one.variant} ${one.precision}${one.status === 'done' ? '' : ` (${one.status})`}`,
    duration(one.solve_s),
    duration(one.setup_s),
    `${metric(one.cell_steps_per_s)}/s`,
    versus === null ? '1' : `${significant(1 / versus.time_ratio, 3)}×`,
    versus === null ? dash : versus.same_bits ? 'same bits' : versus.rel_l2 === null ? dash : smallError(versus.rel_l2),
    versus?.rel_linf == null ? dash : smallError(versus.rel_linf),
    passText(one, 0),
    passText(one, 1),
    smallError(one.ledger_error.number),
    smallError(one.ledger_error.energy),
    millimetres(one.r80_mm),
  ];
}

const columns = [
  { title: 'Run' },
  { title: 'Variant' },
  { title: 'Steps', align: 'right' },
  { title: 'Set-up', align: 'right' },
  { title: 'Cell-steps', align: 'right' },
  { title: 'Speed-up', align: 'right' },
  { title: 'relL2', align: 'right' },
  { title: 'L∞', align: 'right' },
  { title: 'γ 1 %/1 mm', align: 'right' },
  { title: 'γ 2 %/2 mm', align: 'right' },
  { title: 'Ledger N', align: 'right' },
  { title: 'Ledger E', align: 'right' },
  { title: 'R80', align: 'right' },
] as const;

function notes({ file, against_first, differences }: ComparedRun): readonly string[] {
  const reason = against_first?.reason ?? null;
  return [
    ...(reason === null ? [] : [`${file}: no relL2, ${reason}`]),
    ...differences.map(({ what, first, here }) => `${file}: ${what} is ${here}, in the first ${first}`),
  ];
}

export const compare: Verb = {
  name: 'compare',
  usage: 'compare RUN.h5 RUN.h5… [--json]',
  summary: 'put stored runs side by side: time, dose, ledger, environment',
  details: [
    "Compares every run with the first: speed of the steps, the dose's relative L2 and largest difference, the share of points that pass the gamma index (global, above 10 % of the maximum), the ledgers, and what differs in machine, program and scenario. One run each has no uncertainty: bench measures that.",
  ],
  flags: [{ name: 'json', help: 'Print one JSON document instead of text.' }],
  examples: ['braggbench compare reference.h5 mine.h5'],
  operands: { min: 2, max: 1000, name: 'at least two run files' },
  run: async ({ parsed, terminal }) => {
    const runs = [];
    for (const file of parsed.operands) runs.push({ file, run: await runFile(file) });
    const compared = compareRuns(runs);
    if (hasFlag(parsed, 'json')) {
      terminal.printJson({ runs: compared });
      return exitCodes.done;
    }
    const lines = table(columns, compared.map(row), { styleTitle: (text) => terminal.style('bold', text) });
    for (const line of lines) terminal.print(line);
    for (const line of compared.flatMap(notes)) terminal.print(line);
    return exitCodes.done;
  },
};
