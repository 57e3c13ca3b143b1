/** The further tables of a benchmark: modes, cold start, roofline, claims. Each is empty where it has nothing to say. */
import { byPriority, claimedText, claimTitle, claimVerdictText, pairText } from '../../../renderer/base/claims.ts';
import { timesText } from '../../../renderer/base/measured.ts';
import { percent } from '../../../renderer/base/numbers.ts';
import { gpusUsed, type Ratio } from '../../contract/bench/bench-session.ts';
import type { TaskClaimResult } from '../../contract/bench/claims.ts';
import { aboveCeilings, type MeasuredSessionEntry, type SessionReport } from '../../contract/bench/session.ts';
import { bootstrapRatioOf } from '../../host/model/bench/comparison.ts';
import { duration, metric, short, significant, speedup } from '../numbers.ts';
import { type Column, table } from '../table.ts';

type Bold = (text: string) => string;

/** Fields of an entry that describe its modes. */
type InModes = Pick<MeasuredSessionEntry, 'label' | 'time_s' | 'modes'>;

/** Older sessions do not keep it: by the rounds in which neither is flagged. Null where none or every one is. */
function unflagged(own: MeasuredSessionEntry, reference: MeasuredSessionEntry | undefined, seed: number): Ratio | null {
  if (own.ratio_unflagged !== undefined) return own.ratio_unflagged;
  const against = reference?.samples ?? [];
  const clean = own.samples.map(({ flag }, i) => flag === null && against[i]?.flag === null);
  if (clean.every(Boolean) || !clean.some(Boolean)) return null;
  const times = (samples: MeasuredSessionEntry['samples']) =>
    samples.filter((_, i) => clean[i]).map(({ time_s }) => time_s);
  return bootstrapRatioOf(times(own.samples), times(against), seed);
}

/** Which samples are doubtful and why, and the ratios without them; nothing where there are none. */
export function flaggedReport(
  { reference, seed }: Pick<SessionReport, 'reference' | 'seed'>,
  entries: readonly MeasuredSessionEntry[],
): readonly string[] {
  const told = entries.filter(({ flagged }) => (flagged ?? 0) > 0);
  if (told.length === 0) return [];
  const reasons = [...new Set(told.flatMap(({ samples }) => samples.flatMap(({ flag }) => flag ?? [])))];
  const counts = told.map(({ label, flagged, samples }) => `${label} ${flagged} of ${samples.length}`);
  const against = entries.find(({ label }) => label === reference);
  const without = entries.flatMap((entry) => {
    const ratio = unflagged(entry, against, seed);
    return ratio === null ? [] : [`${entry.label} ${speedup(ratio)}`];
  });
  return [
    `Samples flagged, and kept: ${counts.join(', ')} (${reasons.join('; ')})`,
    ...(without.length === 0
      ? []
      : [`Without the rounds in which it or the reference was flagged: ${without.join(', ')}`]),
  ];
}

/** Steps with cold caches and with graph replay, compared with warm steps. */
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

/** Separate processes, from their start to the answer, compared with warm end-to-end runs. */
export function processReport(
  entries: readonly MeasuredSessionEntry[],
  reference: string | null,
  bold: Bold,
): readonly string[] {
  const told = entries.flatMap(({ label, wall_s, process }) =>
    process === undefined ? [] : [{ label, wall_s, process }],
  );
  if (told.length === 0) return [];
  const columns = [
    { title: 'Cold process' },
    { title: 'Start to answer', align: 'right' },
    { title: `vs ${reference ?? 'nothing'}`, align: 'right' },
    { title: 'Verdict' },
    { title: 'Warm, end to end', align: 'right' },
  ] as const;
  const rows = told.map(({ label, wall_s, process: { time_s, ratio, verdict } }) => [
    label,
    time_s === null ? '–' : duration(time_s),
    label === reference ? '1' : ratio === null ? '–' : speedup(ratio),
    verdict,
    wall_s === null ? '–' : duration(wall_s),
  ]);
  const reasons = told.flatMap(({ label, process: { reason } }) => (reason === null ? [] : [`${label}: ${reason}`]));
  return ['', ...table(columns, rows, { styleTitle: bold }), ...reasons];
}

/** Set-up time of a first run and of a later one, part by part. */
export function coldStartReport(entries: readonly MeasuredSessionEntry[], bold: Bold): readonly string[] {
  const names = [...new Set(entries.flatMap(({ setup_parts }) => setup_parts.map(({ name }) => name)))];
  if (names.length < 2) return [];
  const columns = [
    { title: 'Set-up' },
    { title: 'First run', align: 'right' },
    { title: 'Later', align: 'right' },
    ...names.map((name) => ({ title: name, align: 'right' as const })),
  ] as const;
  const text = (seconds: number | null): string => (seconds === null ? '–' : duration(seconds));
  const rows = entries.map((entry) => [
    entry.label,
    text(entry.first_setup_s),
    text(entry.setup_s),
    ...names.map((name) => {
      const part = entry.setup_parts.find((one) => one.name === name);
      if (part === undefined) return '–';
      return part.warm_s === null ? text(part.first_s) : `${text(part.first_s)} → ${text(part.warm_s)}`;
    }),
  ]);
  return ['', ...table(columns, rows, { styleTitle: bold })];
}

/** DRAM bytes over the time, and over what was declared; null where nothing was counted. */
function counted({ quantities, roofline, time_s }: MeasuredSessionEntry) {
  const bytes = quantities.find(({ id }) => id === 'ncu_dram_bytes')?.value ?? null;
  if (bytes === null) return null;
  const declared = roofline?.bytes_per_s ?? null;
  return { rate: bytes / time_s, ofDeclared: declared === null ? null : bytes / time_s / declared };
}

export function rooflineReport(
  { machine }: Pick<SessionReport, 'machine'>,
  entries: readonly MeasuredSessionEntry[],
  bold: Bold,
): readonly string[] {
  const told = entries.filter(({ roofline }) => roofline !== null);
  if (told.length === 0) return [];
  const anyCounted = told.some((entry) => counted(entry) !== null);
  const known = gpusUsed(machine, told).flatMap(({ name, ceilings }) =>
    ceilings === null ? [] : [{ name, ceilings }],
  );
  const columns = [
    { title: 'Roofline' },
    { title: 'FLOP/B', align: 'right' },
    { title: 'Declared bytes', align: 'right' },
    { title: 'of copy', align: 'right' },
    { title: 'Declared FLOPs', align: 'right' },
    { title: 'of FMA', align: 'right' },
    ...(anyCounted
      ? ([
          { title: 'Counted DRAM', align: 'right' },
          { title: 'of declared', align: 'right' },
        ] as const)
      : []),
  ] as const;
  const or = (value: number | null, text: (value: number) => string): string => (value === null ? '–' : text(value));
  const countedCells = (entry: MeasuredSessionEntry): readonly string[] => {
    const found = counted(entry);
    return [found === null ? '–' : `${metric(found.rate)}B/s`, or(found?.ofDeclared ?? null, percent)];
  };
  const rows = told.flatMap((entry) => {
    const { label, roofline } = entry;
    return roofline === null
      ? []
      : [
          [
            label,
            or(roofline.flops_per_byte, (value) => significant(value, 3)),
            or(roofline.bytes_per_s, (value) => `${metric(value)}B/s`),
            or(roofline.share_of_copy, percent),
            or(roofline.flops_per_s, (value) => `${metric(value)}FLOP/s`),
            or(roofline.share_of_flops, percent),
            ...(anyCounted ? countedCells(entry) : []),
          ],
        ];
  });
  return [
    '',
    ...table(columns, rows, { styleTitle: bold }),
    ...known.map(
      ({ name, ceilings: { copy_bytes_per_s, fp32_flops_per_s, fp64_flops_per_s } }) =>
        `Measured ceilings${known.length === 1 ? '' : ` of ${name}`}: copy ${metric(copy_bytes_per_s)}B/s read and written, FP32 ${metric(fp32_flops_per_s)}FLOP/s, FP64 ${metric(fp64_flops_per_s)}FLOP/s.`,
    ),
    ...told.flatMap(({ label, roofline }) =>
      (roofline === null ? [] : aboveCeilings(roofline)).map((reason) => `${label}: ${reason}.`),
    ),
    anyCounted
      ? 'Declared: by each variant. Counted: DRAM of all kernels of a run, by ncu, over the time of the steps.'
      : 'Counted from what each variant declares: no counters.',
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

/** A row for each pair and value that was measured. */
function claimRows(claim: Claimed): readonly (readonly string[])[] {
  const { pairs, values = [] } = claim;
  return [
    ...pairs.flatMap((pair) => {
      if (pair.gain === null) return [];
      const verdict = claimVerdictText(pair, claim);
      return [[claimTitle(claim), claimedText(claim), timesText(pair.gain), verdict, pairText(pair)]];
    }),
    ...values.flatMap(({ variant, what, value, unit, verdict }) => {
      if (value === null) return [];
      const measured = `${short(value, 4)} ${unit}`.trimEnd();
      const text = claimVerdictText({ verdict }, claim);
      return [[claimTitle(claim), claimedText(claim, unit), measured, text, `${variant}: ${what}`]];
    }),
  ];
}

/** The claims that this session measured, and how many it did not; nothing where it measured none. */
export function claimsReport(claims: readonly Claimed[], bold: Bold): readonly string[] {
  const sorted = byPriority(claims).map(claimRows);
  const measured = sorted.flat();
  const rest = sorted.filter((rows) => rows.length === 0).length;
  if (measured.length === 0) return [];
  return [
    '',
    ...table(claimColumns, measured, { styleTitle: bold }),
    ...(rest === 0 ? [] : [`${rest} further claims about this workload were not measured here: braggbench claims`]),
  ];
}
