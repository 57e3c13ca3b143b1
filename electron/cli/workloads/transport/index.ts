/** Proton transport on the command line. */

import { type GammaDose, gammaDoseSchema } from '../../../contract/dose.ts';
import { summaryDocument } from '../../../contract/run.ts';
import { formatPath, suggest } from '../../../contract/scenario/index.ts';
import { shareInDecimals, shareText } from '../../../contract/units.ts';
import { type ComparedRun, compareRuns } from '../../../host/app/compare/compare.ts';
import { openedAs } from '../../../host/workloads/index.ts';
import { type Override, problemOf } from '../../../host/workloads/scenarios/index.ts';
import { summaryOf } from '../../../host/workloads/transport/readouts.ts';
import { asTransport } from '../../../host/workloads/transport/scenario/reading.ts';
import { flagValue, hasFlag, type ParsedArguments, UsageError } from '../../arguments.ts';
import { duration, metric, millimetres, short, significant, smallError } from '../../numbers.ts';
import { type Fit, fitByName } from '../../read-scenario.ts';
import { runReport } from '../../reports/run-report.ts';
import type { ProgressWords } from '../../run-progress.ts';
import { table } from '../../table.ts';
import type { VerbContext } from '../../verb.ts';
import { runBy, type Solving } from '../solve.ts';
import { type ReadRun, variantList, type Workload } from '../workload.ts';
import { uncertaintyFlags, uncertaintyModel, uncertaintyOfRun } from './uncertainty.ts';

/** `braggbench run` of a transport scenario. */
export const stepWords: ProgressWords<'transport'> = ({ step, depth_mm, weight_left, steps_per_s }) => [
  `step ${step}`,
  `depth ${depth_mm.toFixed(1)} mm`,
  `${shareText(weight_left, 3)} in flight`,
  `${significant(steps_per_s, 3)} steps/s`,
];

export const solvingTransport: Solving<'transport'> = {
  workload: 'transport',
  words: stepWords,
  more: uncertaintyOfRun,
  tell: (run, { scenario, issues, range_mm: beamRange_mm, table }) => {
    const summary = summaryOf(run);
    const range_mm = scenario?.initial.kind === 'beam' ? beamRange_mm : null;
    const { background = 'water', regions = [], ct } = scenario?.geometry ?? {};
    const inWater = background === 'water' && regions.length === 0 && ct === undefined;
    const { z_mm: entrance_mm, angle_deg } = scenario?.beam ?? { z_mm: 0, angle_deg: 0 };
    const facts = { summary, range_mm, inWater, entrance_mm, angle_deg, table: table ?? '' };
    return {
      document: {
        ...summaryDocument(summary),
        csda_range_mm: range_mm,
        // Warnings that are printed before the run starts.
        warnings: issues.filter(({ severity }) => severity === 'warning'),
      },
      lines: (file, style) => runReport({ ...facts, file }, style),
      status: summary.status,
      error: summary.error,
    };
  },
};

/** True if an override sets this path. */
const isSet = (overrides: readonly Override[], path: string): boolean =>
  overrides.some((override) => formatPath(override.path) === path);

/** The variant, and the stepping and precision that it offers where the scenario asks for another and --set does not insist. */
const fitTransport: Fit = (id, reading, given, addon) => {
  const variants = addon.variants();
  const variant = variants.find((one) => one.id === id);
  if (variant === undefined && id !== 'auto') {
    const known = ['auto', ...variants.map((one) => one.id)];
    const near = suggest(id, known);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    throw new UsageError(`--variant: ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`);
  }
  const overrides = [...fitByName(id, reading, given, addon).overrides];
  const notes: string[] = [];
  const solver = reading.kind === 'transport' ? reading.scenario?.solver : undefined;
  if (variant === undefined || solver === undefined) return { overrides, notes };
  const [stepping] = variant.steppings;
  if (stepping !== undefined && !variant.steppings.includes(solver.stepping) && !isSet(given, 'solver.stepping')) {
    overrides.push({ path: ['solver', 'stepping'], value: stepping });
    notes.push(`${id} offers ${stepping} stepping only: solver.stepping is ${stepping} in this run`);
  }
  const [precision] = variant.precisions;
  if (precision !== undefined && !variant.precisions.includes(solver.precision) && !isSet(given, 'solver.precision')) {
    overrides.push({ path: ['solver', 'precision'], value: precision });
    notes.push(`${id} offers ${precision} only: solver.precision is ${precision} in this run`);
  }
  return { overrides, notes };
};

/** `braggbench compare` of transport runs. */
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
function compareTransport({ parsed, terminal }: VerbContext, runs: readonly ReadRun[]): void {
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

export const transport: Workload = {
  fit: fitTransport,
  flags: uncertaintyFlags,
  checkFlags: uncertaintyModel,
  run: runBy(solvingTransport),
  // Variants that fit the scenario's stepping, without the plain reference that they are checked against.
  usual: (addon, reading) => {
    const { stepping } = problemOf(asTransport(reading, '')).solver;
    return addon.variants().filter(({ id, steppings }) => id !== 'reference' && steppings.includes(stepping));
  },
  variants: (addon) =>
    variantList(addon.variants(), [
      { title: 'Precision', text: ({ precisions }) => precisions.join(' ') },
      { title: 'Stepping', text: ({ steppings }) => steppings.join(' ') },
      { title: 'B', align: 'right', text: ({ bytesPerCellStep }) => short(bytesPerCellStep, 3) },
      { title: 'FLOP', align: 'right', text: ({ flopsPerCellStep }) => short(flopsPerCellStep, 3) },
    ]),
  compare: compareTransport,
};
