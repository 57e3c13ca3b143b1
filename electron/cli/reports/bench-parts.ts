/**
 * Further tables of a benchmark: flagged samples, cold start, roofline, claims, and effects of optimisations. A table
 * is empty if it has no data. Also one line with the conditions of the measurement.
 */
import { type Environment, environmentFacts, type Ratio, usedGpus } from '../../contract/bench/bench-session.ts';
import type { TaskClaimResult } from '../../contract/bench/claims.ts';
import type { Provenance } from '../../contract/bench/comparison.ts';
import type { Factorial } from '../../contract/bench/factorial.ts';
import { aboveCeilingTexts, type MeasuredSessionEntry, type SessionReport } from '../../contract/bench/session.ts';
import { claimedText, claimTitle, claimVerdictText, pairText, sortByPriority } from '../../domain/claim-texts.ts';
import { factorialRows, factorSetText } from '../../domain/factorial-texts.ts';
import { factorText, measuredTime, speedupOf } from '../../domain/measured.ts';
import { compactCount, percent, plainDigits, shortNumberText } from '../../domain/numbers.ts';
import { provenanceText } from '../../domain/provenance.ts';
import { bootstrapRatio } from '../../host/api/benches.ts';
import { type Column, formatTable } from '../table.ts';
import { wrapLines } from './session-table.ts';

type Bold = (text: string) => string;

/**
 * Ratio without flagged samples; null if no sample is flagged or no round is left. For older sessions, which do not
 * contain it, it is computed from rounds in which neither sample is flagged.
 */
function unflaggedRatio(
  own: MeasuredSessionEntry,
  reference: MeasuredSessionEntry | undefined,
  seed: number,
): Ratio | null {
  if (own.ratio_unflagged !== undefined) return own.ratio_unflagged;
  const against = reference?.samples ?? [];
  const clean = own.samples.map(({ flag }, i) => flag === null && against[i]?.flag === null);
  if (clean.every(Boolean) || !clean.some(Boolean)) return null;
  const times = (samples: MeasuredSessionEntry['samples']) =>
    samples.filter((_, i) => clean[i]).map(({ time_s }) => time_s);
  return bootstrapRatio(times(own.samples), times(against), seed);
}

/** Lists flagged samples with the reasons, and ratios without them. Empty if no sample is flagged. */
export function flaggedReport(
  { reference, seed }: Pick<SessionReport, 'reference' | 'seed'>,
  entries: readonly MeasuredSessionEntry[],
): readonly string[] {
  const flaggedEntries = entries.filter(({ flagged }) => (flagged ?? 0) > 0);
  if (flaggedEntries.length === 0) return [];
  const reasons = [...new Set(flaggedEntries.flatMap(({ samples }) => samples.flatMap(({ flag }) => flag ?? [])))];
  const counts = flaggedEntries.map(({ label, flagged, samples }) => `${label} ${flagged} of ${samples.length}`);
  const against = entries.find(({ label }) => label === reference);
  const without = entries.flatMap((entry) => {
    const ratio = unflaggedRatio(entry, against, seed);
    return ratio === null ? [] : [`${entry.label} ${factorText(speedupOf(ratio))}`];
  });
  const lines = [
    `Flagged samples (included in the results): ${counts.join(', ')} (${reasons.join('; ')})`,
    ...(without.length === 0
      ? []
      : [`Ratios that exclude rounds with a flagged sample of the variant or the reference: ${without.join(', ')}`]),
  ];
  return wrapLines(lines);
}

/** Set-up times of the first run and of later runs, by part. */
export function coldStartReport(entries: readonly MeasuredSessionEntry[], bold: Bold): readonly string[] {
  const names = [...new Set(entries.flatMap(({ setup_parts }) => setup_parts.map(({ name }) => name)))];
  if (names.length < 2) return [];
  const columns = [
    { title: 'Set-up' },
    { title: 'First run', align: 'right' },
    { title: 'Later', align: 'right' },
    ...names.map((name) => ({ title: name, align: 'right' as const })),
  ] as const;
  const text = (seconds: number | null): string => (seconds === null ? '–' : measuredTime(seconds));
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
  return ['', ...formatTable(columns, rows, { styleTitle: bold })];
}

/** DRAM traffic by hardware counters: bytes per second, and relative to the declared bytes. Null without counters. */
function countedDramRate({ quantities, roofline, time_s }: MeasuredSessionEntry) {
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
  const rooflineEntries = entries.filter(({ roofline }) => roofline !== null);
  if (rooflineEntries.length === 0) return [];
  const anyCounted = rooflineEntries.some((entry) => countedDramRate(entry) !== null);
  const known = usedGpus(machine, rooflineEntries).flatMap(({ name, ceilings }) =>
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
    const found = countedDramRate(entry);
    return [found === null ? '–' : `${compactCount(found.rate)}B/s`, or(found?.ofDeclared ?? null, percent)];
  };
  const rows = rooflineEntries.flatMap((entry) => {
    const { label, roofline } = entry;
    return roofline === null
      ? []
      : [
          [
            label,
            or(roofline.flops_per_byte, (value) => plainDigits(value, 3)),
            or(roofline.bytes_per_s, (value) => `${compactCount(value)}B/s`),
            or(roofline.share_of_copy, percent),
            or(roofline.flops_per_s, (value) => `${compactCount(value)}FLOP/s`),
            or(roofline.share_of_flops, percent),
            ...(anyCounted ? countedCells(entry) : []),
          ],
        ];
  });
  return [
    '',
    ...formatTable(columns, rows, { styleTitle: bold }),
    ...known.map(
      ({ name, ceilings: { copy_bytes_per_s, fp32_flops_per_s, fp64_flops_per_s } }) =>
        `Measured ceilings${known.length === 1 ? '' : ` of ${name}`}: copy ${compactCount(copy_bytes_per_s)}B/s read and written, FP32 ${compactCount(fp32_flops_per_s)}FLOP/s, FP64 ${compactCount(fp64_flops_per_s)}FLOP/s.`,
    ),
    ...rooflineEntries.flatMap(({ label, roofline }) =>
      (roofline === null ? [] : aboveCeilingTexts(roofline)).map((reason) => `${label}: ${reason}.`),
    ),
    anyCounted
      ? 'Declared: bytes stated by each variant. Counted: DRAM traffic of all kernels in a run, measured by ncu, divided by the time of the steps.'
      : 'Bytes and operations as declared by each variant; no hardware counters.',
  ];
}

const claimColumns: readonly Column[] = [
  { title: 'Claimed and measured' },
  { title: 'Claimed', align: 'right' },
  { title: 'Measured', align: 'right' },
  { title: 'Verdict' },
  { title: 'By' },
];

type ReportedClaim = Omit<TaskClaimResult, 'values'> & Partial<Pick<TaskClaimResult, 'values'>>;

/** Rows of the claims table: one for each measured pair and value. */
function claimRows(claim: ReportedClaim): readonly (readonly string[])[] {
  const { pairs, values = [] } = claim;
  return [
    ...pairs.flatMap((pair) => {
      if (pair.gain === null) return [];
      const verdict = claimVerdictText(pair, claim);
      return [[claimTitle(claim), claimedText(claim), factorText(pair.gain), verdict, pairText(pair)]];
    }),
    ...values.flatMap(({ variant, what, value, unit, verdict }) => {
      if (value === null) return [];
      const measured = `${shortNumberText(value, 4)} ${unit}`.trimEnd();
      const text = claimVerdictText({ verdict }, claim);
      return [[claimTitle(claim), claimedText(claim, unit), measured, text, `${variant}: ${what}`]];
    }),
  ];
}

/** Table of the claims that this session measured, and the number of other claims. Empty if it measured none. */
export function claimsReport(claims: readonly ReportedClaim[], bold: Bold): readonly string[] {
  const sorted = sortByPriority(claims).map(claimRows);
  const measured = sorted.flat();
  const rest = sorted.filter((rows) => rows.length === 0).length;
  if (measured.length === 0) return [];
  return [
    '',
    ...formatTable(claimColumns, measured, { styleTitle: bold }),
    ...(rest === 0
      ? []
      : [`${rest} more claims about this workload were not measured in this session: braggbench claims`]),
  ];
}

export function factorialReport(all: readonly Factorial[], bold: Bold): readonly string[] {
  return all.flatMap((one) => {
    const { title, cells, absent } = one;
    const [first] = cells;
    const heads = [
      { title },
      { title: 'Variant' },
      { title: 'Time', align: 'right' as const },
      { title: `Over ${first?.label ?? 'the first'}`, align: 'right' as const },
    ];
    const combined = cells.map((cell) => [
      factorSetText(one, cell.with),
      cell.label,
      measuredTime(cell.time_s),
      cell === first ? '1' : factorText(cell.gain) + (cell.wrong ? ', wrong' : ''),
    ]);
    const effects = factorialRows(one).map(({ name, ratio, verdict }) => [name, factorText(ratio), verdict]);
    const reasons = Map.groupBy(absent, ({ reason }) => reason);
    return [
      '',
      ...formatTable(heads, combined, { styleTitle: bold }),
      ...[...reasons].map(
        ([reason, own]) => `Not measured: ${own.map((each) => factorSetText(one, each.with)).join('; ')}: ${reason}.`,
      ),
      '',
      ...formatTable(
        [
          {
            title:
              'Gain of the optimisations alone and together; × is the combined gain divided by the product of the separate gains',
          },
          { title: 'Times', align: 'right' },
          { title: 'Verdict' },
        ],
        effects,
        { styleTitle: bold },
      ),
    ];
  });
}

/** Line with device, driver, clocks, version, commit and date, followed by the processor unless that is the device. */
export function hardwareLine(
  provenance: Provenance,
  { cpu, isa }: { readonly cpu: string; readonly isa: string },
): string {
  return `${provenanceText(provenance)}; ${provenance.machine === cpu ? isa : `${cpu}, ${isa}`}`;
}

/** Conditions of the measurement, one per line. Empty for older sessions without them. */
export function conditionLines(environment: Environment | undefined, cores: number): readonly string[] {
  return environmentFacts(environment, cores).map(([name, value]) => `${name}: ${value}`);
}
