/** The further tables of a benchmark: modes, cold start, roofline, claims. Each is empty where it has nothing to say. */
import { claimedText, claimVerdictText, pairText } from '../../renderer/base/claims.ts';
import { timesText } from '../../renderer/base/measured.ts';
import { percent } from '../../renderer/base/numbers.ts';
import type { BenchReport, MeasuredEntry, ModeEntry } from '../contract/bench/bench.ts';
import { gpusUsed, type Ratio } from '../contract/bench/bench-session.ts';
import type { TaskClaimResult } from '../contract/bench/claims.ts';
import { duration, metric, short, significant, speedup } from './numbers.ts';
import { type Column, table } from './table.ts';

type Bold = (text: string) => string;

/** What an entry of any workload says of its modes. */
interface InModes {
  readonly label: string;
  readonly time_s: number;
  readonly modes: readonly Omit<ModeEntry, 'samples'>[];
}

/** What an entry of any workload says of its doubtful samples. */
interface Flagged {
  readonly label: string;
  readonly flagged: number;
  readonly ratio_unflagged: Ratio | null;
  readonly samples: readonly { readonly flag: string | null }[];
}

/** Which samples are doubtful and why, and the ratios without them; nothing where there are none. */
export function flaggedReport(entries: readonly Flagged[]): readonly string[] {
  const told = entries.filter(({ flagged }) => flagged > 0);
  if (told.length === 0) return [];
  const reasons = [...new Set(told.flatMap(({ samples }) => samples.flatMap(({ flag }) => flag ?? [])))];
  const counts = told.map(({ label, flagged, samples }) => `${label} ${flagged} of ${samples.length}`);
  const without = entries.flatMap(({ label, ratio_unflagged }) =>
    ratio_unflagged === null ? [] : [`${label} ${speedup(ratio_unflagged)}`],
  );
  return [
    `Samples flagged, and kept: ${counts.join(', ')} (${reasons.join('; ')})`,
    ...(without.length === 0
      ? []
      : [`Without the rounds in which it or the reference was flagged: ${without.join(', ')}`]),
  ];
}

/** Steps on emptied caches, and replayed as a graph, beside the warm ones. */
export function modesReport(entries: readonly InModes[], bold: Bold): readonly string[] {
  const kinds = [...new Set(entries.flatMap(({ modes }) => modes.map(({ mode }) => mode)))];
  if (kinds.length === 0) return [];
  const columns: readonly Column[] = [
    { title: 'Variant' },
    { title: 'Warm', align: 'right' },
    ...kinds.flatMap((mode): Column[] => [
      { title: mode === 'cold' ? 'Cold caches' : 'As one graph', align: 'right' },
      { title: 'Speed-up', align: 'right' },
    ]),
  ];
  const reasons: string[] = [];
  const rows = entries.map((entry) => [
    entry.label,
    duration(entry.time_s),
    ...kinds.flatMap((kind) => {
      const found = entry.modes.find(({ mode }) => mode === kind);
      if (found?.reason != null) reasons.push(`${entry.label}, ${kind}: ${found.reason}`);
      if (found?.time_s == null || found.ratio === null) return ['–', '–'];
      return [duration(found.time_s), speedup(found.ratio)];
    }),
  ]);
  return ['', ...table(columns, rows, { styleTitle: bold }), ...reasons];
}

/** What a first run costs, and a later one's set-up, part by part. */
export function coldStartReport(entries: readonly MeasuredEntry[], bold: Bold): readonly string[] {
  const names = [...new Set(entries.flatMap(({ setup_parts }) => setup_parts.map(({ name }) => name)))];
  if (names.length < 2) return [];
  const columns = [
    { title: 'Set-up' },
    { title: 'First run', align: 'right' },
    { title: 'Later', align: 'right' },
    ...names.map((name) => ({ title: name, align: 'right' as const })),
  ] as const;
  const rows = entries.map((entry) => [
    entry.label,
    duration(entry.first.setup_s),
    duration(entry.setup_s),
    ...names.map((name) => {
      const part = entry.setup_parts.find((one) => one.name === name);
      return part === undefined ? '–' : `${duration(part.first_s)} → ${duration(part.warm_s)}`;
    }),
  ]);
  return ['', ...table(columns, rows, { styleTitle: bold })];
}

export function rooflineReport(
  { machine }: BenchReport,
  entries: readonly MeasuredEntry[],
  bold: Bold,
): readonly string[] {
  const known = gpusUsed(machine, entries).flatMap(({ name, ceilings }) =>
    ceilings === null ? [] : [{ name, ceilings }],
  );
  if (known.length === 0) return [];
  const columns = [
    { title: 'Roofline' },
    { title: 'FLOP/B', align: 'right' },
    { title: 'Declared bytes', align: 'right' },
    { title: 'of copy', align: 'right' },
    { title: 'Declared FLOPs', align: 'right' },
    { title: 'of FMA', align: 'right' },
    { title: 'Time per step', align: 'right' },
  ] as const;
  const rows = entries
    .filter(({ device }) => device === 'cuda')
    .map(({ label, roofline, time_s, steps }) => [
      label,
      significant(roofline.flops_per_byte, 3),
      `${metric(roofline.bytes_per_s)}B/s`,
      percent(roofline.share_of_copy),
      `${metric(roofline.flops_per_s)}FLOP/s`,
      percent(roofline.share_of_flops),
      duration(time_s / steps),
    ]);
  return [
    '',
    ...table(columns, rows, { styleTitle: bold }),
    ...known.map(
      ({ name, ceilings: { copy_bytes_per_s, fp32_flops_per_s, fp64_flops_per_s } }) =>
        `Measured ceilings${known.length === 1 ? '' : ` of ${name}`}: copy ${metric(copy_bytes_per_s)}B/s read and written, FP32 ${metric(fp32_flops_per_s)}FLOP/s, FP64 ${metric(fp64_flops_per_s)}FLOP/s.`,
    ),
    'Counted from what each variant declares per cell and step: no counters.',
  ];
}

const claimColumns: readonly Column[] = [
  { title: 'Claimed against measured' },
  { title: 'Claimed', align: 'right' },
  { title: 'Measured', align: 'right' },
  { title: 'Verdict' },
  { title: 'By' },
];

type Claimed = Omit<TaskClaimResult, 'values'> & Partial<Pick<TaskClaimResult, 'values'>>;

function claimRows(claim: Claimed): readonly (readonly string[])[] {
  const { pairs, values = [], reason } = claim;
  if (reason !== null) return [[claim.claim, claimedText(claim), '–', 'not isolated', reason]];
  return [
    ...pairs.map((pair) => [
      claim.claim,
      claimedText(claim),
      pair.gain === null ? '–' : timesText(pair.gain),
      claimVerdictText(pair, claim),
      pairText(pair),
    ]),
    ...values.map(({ variant, what, value, unit, verdict }) => [
      claim.claim,
      claimedText(claim, unit),
      value === null ? '–' : `${short(value, 4)} ${unit}`.trimEnd(),
      claimVerdictText({ verdict }, claim),
      `${variant}: ${what}`,
    ]),
  ];
}

/** None of them where none was measured. */
export function toldClaims<C extends Claimed>(claims: readonly C[]): readonly C[] {
  const told = claims.some(
    ({ pairs, values = [] }) => pairs.some(({ gain }) => gain !== null) || values.some(({ value }) => value !== null),
  );
  return told ? claims : [];
}

export function claimsReport(claims: readonly Claimed[], bold: Bold): readonly string[] {
  return claims.length === 0 ? [] : ['', ...table(claimColumns, claims.flatMap(claimRows), { styleTitle: bold })];
}
