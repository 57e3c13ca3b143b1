/** `run --uncertainty`: the band of a depth dose, and each input's part of it. */
import {
  marginOf,
  type UncertainInput,
  type Uncertainty,
  type UncertaintyModel,
  uncertainInputs,
  uncertainNames,
} from '../../../contract/beams/uncertainty.ts';
import type { Host } from '../../../host/index.ts';
import type { AnyReading } from '../../../host/workloads/scenarios/index.ts';
import { type FlagSpec, hasFlag, type ParsedArguments, UsageError } from '../../arguments.ts';
import { short, significant } from '../../numbers.ts';
import { table } from '../../table.ts';
import type { VerbContext } from '../../verb.ts';
import type { More } from '../solve.ts';

export const uncertaintyFlags: readonly FlagSpec[] = [
  {
    name: 'uncertainty',
    help: 'Print the uncertainty of the depth dose and its range, and the part of each input.',
  },
  {
    ...{ name: 'vary', value: 'input=sigma', repeats: true },
    help: `With --uncertainty: the standard deviation of an input; 0 leaves it out. Inputs: ${uncertainNames.join(', ')}. Repeats.`,
  },
];

/** The standard deviations that flags give; null without --uncertainty. Throws a UsageError. */
export function uncertaintyModel(parsed: ParsedArguments): UncertaintyModel | null {
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
    if (input === undefined) throw new UsageError(`--vary: ${text}: allowed inputs: ${uncertainNames.join(', ')}`);
    if (more.length > 0 || value.trim() === '' || !Number.isFinite(sigma) || sigma < 0) {
      throw new UsageError(`--vary: ${text}; ${allowed}`);
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

const signed = (value: number | null): string =>
  value === null ? '–' : `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)} mm`;

const plusMinus = (value: number | null, sigma: number | null): string =>
  value === null ? '–' : `${value.toFixed(2)} ± ${(sigma ?? 0).toFixed(2)} mm`;

function linesOf(found: Uncertainty, { terminal }: VerbContext): readonly string[] {
  const { parts, r80_mm, r80_sigma_mm, w80_20_mm, w80_20_sigma_mm, differences_because } = found;
  const rows = parts.map((part) => [
    part.title,
    `± ${short(part.sigma, 4)} ${part.unit}`,
    signed(part.r80_mm),
    signed(part.w80_20_mm),
    part.share === null ? '–' : `${(100 * part.share).toFixed(1)} %`,
    part.source,
  ]);
  const by =
    differences_because === null
      ? `By derivatives along with the solution, in ${significant(found.seconds, 2)} s.`
      : `By differences of whole runs, because ${differences_because}; in ${significant(found.seconds, 2)} s.`;
  return [
    '',
    terminal.style('bold', 'Uncertainty, one standard deviation'),
    `R80 ${plusMinus(r80_mm, r80_sigma_mm)}, W80–20 ${plusMinus(w80_20_mm, w80_20_sigma_mm)}`,
    ...table(COLUMNS, rows, { styleTitle: (text) => terminal.style('bold', text) }),
    ...(r80_mm === null
      ? []
      : [`For comparison: a margin of 3.5 % of the range and 1 mm is ${marginOf(r80_mm).toFixed(2)} mm.`]),
    by,
  ];
}

export async function uncertaintyOfRun(context: VerbContext, host: Host, reading: AnyReading): Promise<More> {
  const { parsed, signal } = context;
  const model = uncertaintyModel(parsed);
  if (model === null) return { document: {}, lines: [] };
  const document = (reading.kind === 'transport' ? reading.draft : null) ?? {};
  const found = await host.call('beam.uncertainty', { document, model }, signal);
  const { depth_mm, dose, dose_sigma, ...rest } = found;
  const curve = { depth_mm: [...depth_mm], dose_MeV_per_mm: [...dose], sigma_MeV_per_mm: [...dose_sigma] };
  return {
    document: { uncertainty: { ...rest, inputs: uncertainInputs, curve } },
    lines: linesOf(found, context),
  };
}
