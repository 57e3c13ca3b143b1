/** `braggbench compare` of transport runs. */
import { type GammaDose, gammaDoseSchema } from '../../../contract/dose.ts';
import { shareInDecimals } from '../../../contract/units.ts';
import { type ComparedRun, compareRuns } from '../../../host/app/compare/compare.ts';
import { openedAs } from '../../../host/workloads/index.ts';
import { flagValue, hasFlag, type ParsedArguments, UsageError } from '../../arguments.ts';
import { duration, metric, millimetres, significant, smallError } from '../../numbers.ts';
import { table } from '../../table.ts';
import type { VerbContext } from '../../verb.ts';
import type { ReadRun } from '../workload.ts';

const dash = '–';

function passText(compared: ComparedRun, index: number): string {
  const found = compared.against_first?.gamma[index];
  return found === undefined ? dash : shareInDecimals(found.passed, 1);
}

function row(one: ComparedRun): readonly string[] {
  const { against_first: versus } = one;
  return [
    one.file,
    `${one.variant} ${one.precision}${one.status === 'done' ? '' : ` (${one.status})`}`,
    duration(one.time_s),
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

function notes({ file, against_first, differences }: ComparedRun, asked: GammaDose): readonly string[] {
  const reason = against_first?.reason ?? null;
  return [
    ...(reason === null ? [] : [`${file}: no relL2, ${reason}`]),
    ...(against_first !== null && against_first.gamma_by !== asked
      ? [`${file}: γ by ${against_first.gamma_by}, for one of the runs was stored without densities`]
      : []),
    ...differences.map(({ what, first, here }) => `${file}: ${what} is ${here}, in the first ${first}`),
  ];
}

/** Throws a UsageError. */
function gammaBy(parsed: ParsedArguments): GammaDose {
  const text = flagValue(parsed, 'gamma') ?? 'mass';
  const found = gammaDoseSchema.options.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`--gamma is ${JSON.stringify(text)}; allowed: ${gammaDoseSchema.options.join(', ')}`);
}

const gammaTexts = {
  mass: 'γ of dose, which is energy by mass.',
  area: 'γ of energy by area, whose largest value lies in dense matter.',
} as const;

/** Two runs or more; the first is the reference. Gamma and ledgers are of doses alone. */
export function compareTransport({ parsed, terminal }: VerbContext, runs: readonly ReadRun[]): void {
  const by = gammaBy(parsed);
  const named = runs.map(({ file, run }) => ({ file, run: openedAs('transport', run, file) }));
  const compared = compareRuns(named, by);
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ runs: compared });
    return;
  }
  const used = compared.find(({ against_first }) => against_first !== null)?.against_first?.gamma_by ?? by;
  const lines = table(columns, compared.map(row), { styleTitle: (text) => terminal.style('bold', text) });
  for (const line of lines) terminal.print(line);
  for (const line of compared.flatMap((one) => notes(one, by))) terminal.print(line);
  terminal.print(
    terminal.style(
      'dim',
      `Steps by the GPU's clock where one took them, else by the host's; once each, so without intervals. ${gammaTexts[used]}`,
    ),
  );
}
