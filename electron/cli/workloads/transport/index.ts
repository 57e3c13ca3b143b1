/**
 * Command-line part of proton transport. Includes `run --uncertainty`, which computes the uncertainty band of a depth
 * dose and the contribution of each input.
 */
import {
  clinicalMargin_mm,
  type UncertainInput,
  type Uncertainty,
  type UncertaintyModel,
  uncertainInputs,
  uncertainNames,
} from '../../../contract/beams/uncertainty.ts';
import { type GammaQuantity, gammaQuantitySchema } from '../../../contract/dose.ts';
import { summaryDocument } from '../../../contract/run.ts';
import { formatPath, suggestSimilarWord } from '../../../contract/scenario/index.ts';
import { measuredTime } from '../../../domain/measured.ts';
import { compactCount, millimetres, plainDigits, plainError, shortNumberText } from '../../../domain/numbers.ts';
import { shareInDecimals, shareText } from '../../../domain/values/units.ts';
import { type ComparedRun, compareRuns } from '../../../host/api/benches.ts';
import { type Override, problemOf, requireWorkload, type ScenarioReading } from '../../../host/api/scenarios.ts';
import { narrowToTransport, summaryOf } from '../../../host/api/workloads.ts';
import type { Host } from '../../../host/index.ts';
import { type FlagSpec, flagValue, hasFlag, type ParsedArguments, UsageError } from '../../arguments.ts';
import type { ProgressTexts } from '../../progress-bar.ts';
import { adaptByName, type VariantAdapter } from '../../read-scenario.ts';
import { runReport } from '../../reports/run-report.ts';
import { formatTable } from '../../table.ts';
import type { VerbContext } from '../../verb.ts';
import {
  type AdditionalOutput,
  createRun,
  type ReadRun,
  type RunTexts,
  variantList,
  type Workload,
} from '../workload.ts';

const uncertaintyFlags: readonly FlagSpec[] = [
  {
    name: 'uncertainty',
    help: 'Print the uncertainty of the depth dose and its range, and the contribution of each input.',
  },
  {
    ...{ name: 'vary', value: 'input=sigma', repeats: true },
    help: `With --uncertainty: the standard deviation of an input; 0 excludes it. Inputs: ${uncertainNames.join(', ')}. May be repeated.`,
  },
];

/** Standard deviations of the inputs, from flags; null without --uncertainty. Throws UsageError. */
function uncertaintyModel(parsed: ParsedArguments): UncertaintyModel | null {
  if (!hasFlag(parsed, 'uncertainty')) {
    if (parsed.flags.has('vary')) throw new UsageError('--vary needs --uncertainty');
    return null;
  }
  const model: Partial<Record<UncertainInput, number>> = {};
  for (const text of parsed.flags.get('vary') ?? []) {
    const [name = '', value = '', ...more] = text.split('=');
    const input = uncertainNames.find((one) => one === name);
    const sigma = Number(value);
    const allowed = 'allowed: an input and a standard deviation, such as density_percent=2';
    if (input === undefined)
      throw new UsageError(`--vary: ${name} is not a known input; allowed: ${uncertainNames.join(', ')}`);
    if (more.length > 0 || value.trim() === '' || !Number.isFinite(sigma) || sigma < 0) {
      throw new UsageError(`--vary: ${text} is not valid; ${allowed}`);
    }
    model[input] = sigma;
  }
  return model;
}

const COLUMNS = [
  { title: 'Input' },
  { title: 'Uncertainty', align: 'right' },
  { title: 'R80', align: 'right' },
  { title: 'W80–20', align: 'right' },
  { title: 'Share', align: 'right' },
  { title: 'Source' },
] as const;

const formatSignedLength = (value: number | null): string =>
  value === null ? '–' : `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)} mm`;

const plusMinus = (value: number | null, sigma: number | null): string =>
  value === null ? '–' : `${value.toFixed(2)} ± ${(sigma ?? 0).toFixed(2)} mm`;

function uncertaintyLines(found: Uncertainty, { terminal }: VerbContext): readonly string[] {
  const { parts, r80_mm, r80_sigma_mm, w80_20_mm, w80_20_sigma_mm, differences_because } = found;
  const rows = parts.map((part) => [
    part.title,
    `± ${shortNumberText(part.sigma, 4)} ${part.unit}`,
    formatSignedLength(part.r80_mm),
    formatSignedLength(part.w80_20_mm),
    part.share === null ? '–' : `${(100 * part.share).toFixed(1)} %`,
    part.source,
  ]);
  const by =
    differences_because === null
      ? `Computed by derivatives along with the solution, in ${plainDigits(found.seconds, 2)} s.`
      : `Computed from differences between end-to-end runs, because ${differences_because}; in ${plainDigits(found.seconds, 2)} s.`;
  return [
    '',
    terminal.style('bold', 'Uncertainty, one standard deviation'),
    `R80 ${plusMinus(r80_mm, r80_sigma_mm)}, W80–20 ${plusMinus(w80_20_mm, w80_20_sigma_mm)}`,
    ...formatTable(COLUMNS, rows, { styleTitle: (text) => terminal.style('bold', text) }),
    ...(r80_mm === null
      ? []
      : [
          `For comparison: the clinical margin of 3.5 % of the range plus 1 mm is ${clinicalMargin_mm(r80_mm).toFixed(2)} mm.`,
        ]),
    by,
  ];
}

async function uncertaintyOfRun(context: VerbContext, host: Host, reading: ScenarioReading): Promise<AdditionalOutput> {
  const { parsed, signal } = context;
  const model = uncertaintyModel(parsed);
  if (model === null) return { document: {}, lines: [] };
  const document = (reading.kind === 'transport' ? reading.draft : null) ?? {};
  const found = await host.call('beam.uncertainty', { document, model }, signal);
  const { depth_mm, dose, dose_sigma, ...rest } = found;
  const curve = { depth_mm: [...depth_mm], dose_MeV_per_mm: [...dose], sigma_MeV_per_mm: [...dose_sigma] };
  return {
    document: { uncertainty: { ...rest, inputs: uncertainInputs, curve } },
    lines: uncertaintyLines(found, context),
  };
}

/** Parts of the progress line of a transport run. */
export const transportProgressTexts: ProgressTexts<'transport'> = ({ step, depth_mm, weight_left, steps_per_s }) => [
  `step ${step}`,
  `depth ${depth_mm.toFixed(1)} mm`,
  `${shareText(weight_left, 3)} in flight`,
  `${plainDigits(steps_per_s, 3)} steps/s`,
];

export const transportRunTexts: RunTexts<'transport'> = {
  workload: 'transport',
  words: transportProgressTexts,
  more: uncertaintyOfRun,
  describeRun: (run, { scenario, issues, range_mm: beamRange_mm, table }) => {
    const summary = summaryOf(run);
    const range_mm = scenario?.initial.kind === 'beam' ? beamRange_mm : null;
    const { background = 'water', regions = [], ct } = scenario?.geometry ?? {};
    const inWater = background === 'water' && regions.length === 0 && ct === undefined;
    const { z_mm: entrance_mm, angle_deg } = scenario?.beam ?? { z_mm: 0, angle_deg: 0 };
    const byMoments = run.variant === 'moments' && scenario?.solver.variant === 'auto';
    const facts = { summary, range_mm, inWater, entrance_mm, angle_deg, byMoments, table: table ?? '' };
    return {
      document: {
        ...summaryDocument(summary),
        csda_range_mm: range_mm,
        // Omit warnings, because they are printed before the run.
        warnings: issues.filter(({ severity }) => severity === 'warning'),
      },
      lines: (file, style) => runReport({ ...facts, file }, style),
      status: summary.status,
      error: summary.error,
    };
  },
};

/** Whether an override sets this path. */
const isSet = (overrides: readonly Override[], path: string): boolean =>
  overrides.some((override) => formatPath(override.path) === path);

/**
 * Selects the variant of --variant. If it does not support the scenario's stepping or precision, changes them, unless
 * --set defines them.
 */
const adaptToVariant: VariantAdapter = (id, reading, given, addon) => {
  const variants = addon.variants();
  const variant = variants.find((one) => one.id === id);
  if (variant === undefined && id !== 'auto') {
    const known = ['auto', ...variants.map((one) => one.id)];
    const near = suggestSimilarWord(id, known);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    throw new UsageError(`--variant: ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`);
  }
  const overrides = [...adaptByName(id, reading, given, addon).overrides];
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

/** Shown in place of a missing value in the comparison. */
const dash = '–';

function passText(compared: ComparedRun, index: number): string {
  const found = compared.against_first?.gamma[index];
  return found === undefined ? dash : shareInDecimals(found.passed, 1);
}

function comparisonRow(one: ComparedRun): readonly string[] {
  const { against_first: versus } = one;
  return [
    one.file,
    `${one.variant} ${one.precision}${one.status === 'done' ? '' : ` (${one.status})`}`,
    measuredTime(one.time_s),
    measuredTime(one.setup_s),
    `${compactCount(one.cell_steps_per_s)}/s`,
    versus === null ? '1' : `${plainDigits(1 / versus.time_ratio, 3)}×`,
    versus === null ? dash : versus.same_bits ? 'same bits' : versus.rel_l2 === null ? dash : plainError(versus.rel_l2),
    versus?.rel_linf == null ? dash : plainError(versus.rel_linf),
    passText(one, 0),
    passText(one, 1),
    plainError(one.ledger_error.number),
    plainError(one.ledger_error.energy),
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

function comparisonNotes(
  { file, against_first, differences }: ComparedRun,
  requested: GammaQuantity,
): readonly string[] {
  const reason = against_first?.reason ?? null;
  return [
    ...(reason === null ? [] : [`${file}: no relative L2 error, because ${reason}`]),
    ...(against_first !== null && against_first.gamma_by !== requested
      ? [`${file}: γ by ${against_first.gamma_by}, because one of the runs was stored without densities`]
      : []),
    ...differences.map(({ what, first, here }) => `${file}: ${what} is ${here}, but ${first} in the first`),
  ];
}

/** Throws a UsageError. */
function parseGammaQuantity(parsed: ParsedArguments): GammaQuantity {
  const text = flagValue(parsed, 'gamma') ?? 'mass';
  const found = gammaQuantitySchema.options.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`--gamma is ${JSON.stringify(text)}; allowed: ${gammaQuantitySchema.options.join(', ')}`);
}

const gammaTexts = {
  mass: 'γ of dose (energy per mass).',
  area: 'γ of energy per area, whose largest value lies in dense matter.',
} as const;

/** Compares runs with the first one, which is the reference. Gamma index and ledgers apply to doses only. */
function compareTransport({ parsed, terminal }: VerbContext, runs: readonly ReadRun[]): void {
  const by = parseGammaQuantity(parsed);
  const named = runs.map(({ file, run }) => ({ file, run: requireWorkload('transport', run, file) }));
  const compared = compareRuns(named, by);
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ runs: compared });
    return;
  }
  const used = compared.find(({ against_first }) => against_first !== null)?.against_first?.gamma_by ?? by;
  const lines = formatTable(columns, compared.map(comparisonRow), {
    styleTitle: (text) => terminal.style('bold', text),
  });
  for (const line of lines) terminal.print(line);
  for (const line of compared.flatMap((one) => comparisonNotes(one, by))) terminal.print(line);
  terminal.print(
    terminal.style(
      'dim',
      `Steps are timed by the clock of the GPU if available, otherwise by that of the host; measured once, so without intervals. ${gammaTexts[used]}`,
    ),
  );
}

export const transport: Workload = {
  adapt: adaptToVariant,
  flags: uncertaintyFlags,
  checkFlags: uncertaintyModel,
  run: createRun(transportRunTexts),
  // Variants that support the scenario's stepping, except for the slow reference against which they are checked.
  usual: (addon, reading) => {
    const { stepping } = problemOf(narrowToTransport(reading, '')).solver;
    return addon.variants().filter(({ id, steppings }) => id !== 'reference' && steppings.includes(stepping));
  },
  variants: (addon) =>
    variantList(addon.variants(), [
      { title: 'Precision', text: ({ precisions }) => precisions.join(' ') },
      { title: 'Stepping', text: ({ steppings }) => steppings.join(' ') },
      { title: 'B', align: 'right', text: ({ bytesPerCellStep }) => shortNumberText(bytesPerCellStep, 3) },
      { title: 'FLOP', align: 'right', text: ({ flopsPerCellStep }) => shortNumberText(flopsPerCellStep, 3) },
    ]),
  compare: compareTransport,
};
