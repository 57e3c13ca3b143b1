/**
 * Imports benchmarks of images that were recorded before all workloads had one format. Their files have an entry for each variant and mode, and name
 * variants by their ids alone: titles and what each builds on are the registry's.
 */
import { gpuOf, type Ratio } from '../../../contract/bench/bench-session.ts';
import { environmentFacts } from '../../../contract/bench/environment.ts';
import type { ImageBenchEntry, ImageBenchReport, ImageSession } from '../../../contract/bench/recorded/image.ts';
import {
  type MeasuredSessionEntry,
  SESSION_FORMAT,
  type Session,
  type SessionEntry,
  type SessionReport,
} from '../../../contract/bench/session.ts';
import type { Variant } from '../../../contract/capabilities.ts';
import { relativeSpread } from '../../model/bench/statistics.ts';
import { imageAccuracy, imageWords } from './accuracy.ts';

function rooflineOf(
  { roofline, gpu }: ImageBenchEntry,
  machine: ImageBenchReport['machine'],
): MeasuredSessionEntry['roofline'] {
  if (roofline === null) return null;
  const { fp32_per_s, fp64_per_s, bytes_per_s } = roofline;
  const ceilings = gpuOf(machine, gpu)?.ceilings ?? null;
  const flops_per_s = fp32_per_s + fp64_per_s;
  return {
    bytes_per_s,
    flops_per_s,
    flops_per_byte: bytes_per_s === 0 ? null : flops_per_s / bytes_per_s,
    share_of_copy: ceilings === null ? null : bytes_per_s / ceilings.copy_bytes_per_s,
    share_of_flops:
      ceilings === null
        ? null
        : Math.max(fp32_per_s / ceilings.fp32_flops_per_s, fp64_per_s / ceilings.fp64_flops_per_s),
  };
}

type Known = ReadonlyMap<string, Variant>;

/** Compares two series of a report. */
export type RatioOf = (
  times: readonly number[],
  references: readonly number[],
  report: Pick<ImageBenchReport, 'judged' | 'seed'>,
) => Ratio;

interface Means {
  readonly known: Known;
  readonly ratioOf: RatioOf;
}

const labelOf = ({ label, variant }: ImageBenchEntry): string => label ?? variant;

function headOf(entry: ImageBenchEntry, known: Known) {
  const { variant, device, gpu = null } = entry;
  const { title = variant, buildsOn = null, precisions = [] } = known.get(variant) ?? {};
  const precision = precisions[0] ?? '';
  return { label: labelOf(entry), variant, title, builds_on: buildsOn, device, precision, note: null, gpu };
}

/** The labels that a variant stands on among those that were measured, its base first. */
function chainOf(variant: string, known: Known, times: ReadonlyMap<string, readonly number[]>): readonly string[] {
  const links: string[] = [];
  for (let base = known.get(variant)?.buildsOn; base != null && times.has(base) && !links.includes(base); ) {
    links.push(base);
    base = known.get(base)?.buildsOn;
  }
  return links;
}

/** All entries of one variant: the warm one is what the variant is told by. */
function entryOf(
  all: readonly ImageBenchEntry[],
  report: ImageBenchReport,
  { known, ratioOf }: Means,
): SessionEntry | null {
  const own = all.find(({ mode }) => mode === 'warm') ?? all[0];
  if (own === undefined) return null;
  const head = headOf(own, known);
  if (own.refused !== null) return { ...head, status: 'refused', reason: own.refused };
  const { median_s, setup_s, image_s, wall_s, samples_s, threads, ns_per_term, first_s, first_setup, device } = own;
  const { clocks = [], flagged = null, wall_samples_s } = own;
  if (median_s === null || setup_s === null || own.ratio === null) {
    return { ...head, status: 'refused', reason: 'The session ended before a round was whole.' };
  }
  const warm = new Map(
    report.entries.flatMap((one) =>
      one.mode === own.mode && one.median_s !== null ? [[labelOf(one), one.samples_s] as const] : [],
    ),
  );
  const chain = chainOf(own.variant, known, warm);
  const over = (base: string | undefined): Ratio | null =>
    base === undefined ? null : ratioOf(samples_s, warm.get(base) ?? [], report);
  const accuracy = own.error === null ? [] : imageAccuracy(own.error, true);
  const isReference = head.label === report.reference;
  return {
    ...head,
    status: 'measured',
    threads: device === 'cpu' ? threads : null,
    first_setup_s: first_setup.length === 0 ? null : first_setup.reduce((sum, part) => sum + part.seconds, 0),
    setup_s,
    setup_parts: first_setup.map(({ name, seconds }) => ({ name, first_s: seconds, warm_s: null })),
    time_s: median_s,
    wall_s,
    spread: relativeSpread(samples_s),
    ratio: own.ratio,
    flagged,
    verdict: own.correct === false ? 'wrong' : (own.verdict ?? (isReference ? 'reference' : 'undecided')),
    rung: over(chain[0]),
    cumulative: over(chain.at(-1)),
    roofline: rooflineOf(own, report.machine),
    accuracy,
    determinism: own.determinism ?? null,
    quantities: [
      { id: 'to_host', title: 'Until in memory', value: image_s, unit: 's' },
      { id: 'per_term', title: 'Per lattice term and core', value: ns_per_term, unit: 'ns' },
      ...(first_s === null ? [] : [{ id: 'first', title: 'First image', value: first_s, unit: 's' }]),
    ],
    size: report.width * report.height,
    modes: all
      .filter((one) => one !== own)
      .map(({ mode, refused, median_s: time_s, samples_s: times }) => ({
        mode,
        reason: refused ?? (time_s === null ? 'the session ended before a round was whole' : null),
        time_s,
        ratio: time_s === null ? null : ratioOf(times, samples_s, report),
      })),
    samples: samples_s.map((time_s, round) => ({
      ...(report.judged === undefined ? {} : { instance: round }),
      ...{ round, time_s },
      ...(wall_samples_s[round] === undefined ? {} : { wall_s: wall_samples_s[round] }),
      ...(clocks[round] ?? { sm_MHz: null, flag: null }),
    })),
  };
}

function reportOf(report: ImageBenchReport, commit: string | null, means: Means): SessionReport {
  const { scenario, build, program, document, resources, reference, seed, rounds, stopped, judged, elapsed_s } = report;
  const { logicalCores, ...machine } = report.machine;
  const each = [...Map.groupBy(report.entries, labelOf).values()];
  return {
    bench: '',
    ...{ scenario, reference, seed, rounds, stopped, elapsed_s },
    ...(judged === undefined ? {} : { judged }),
    machine: { ...machine, logical_cores: logicalCores },
    noise: {
      ratio: null,
      floor: report.noise_floor,
      ...(report.whole_noise_floor === undefined ? {} : { whole_floor: report.whole_noise_floor }),
    },
    program: { version: program?.version ?? null, build, compiler: program?.compiler ?? null, commit },
    ...(document === undefined ? {} : { document }),
    ...(resources === undefined ? {} : { resources }),
    facts: [
      ['Image', `${report.width} × ${report.height} pixels, ${report.terms} lattice terms`],
      ['Images held to', 'the FP64 reference'],
      ...environmentFacts(report.environment, logicalCores),
    ],
    entries: each.flatMap((all) => entryOf(all, report, means) ?? []),
    external: [],
    claims: report.claims ?? [],
  };
}

export function imageSession(
  { created, command, commit, reports, sweep }: ImageSession,
  variants: readonly Variant[],
  ratioOf: RatioOf,
): Session {
  const means: Means = { known: new Map(variants.map((variant) => [variant.id, variant])), ratioOf };
  return {
    format: SESSION_FORMAT,
    format_version: 2,
    workload: 'diffraction',
    words: imageWords,
    created,
    command,
    reports: reports.map((report) => reportOf(report, commit, means)),
    sweep: sweep && {
      ...sweep,
      fits: sweep.fits.map(({ variant, mode, points, kernel }) => ({
        label: mode === 'warm' ? variant : `${variant}, ${mode}`,
        fixed_s: kernel?.fixed_s ?? null,
        slope_s: kernel?.slope_s_per_pixel ?? null,
        points: points.map(({ value, pixels, kernel_s, wall_s, setup_share }) => ({
          ...{ value, setup_share },
          size: pixels,
          time_s: kernel_s,
          setup_s: setup_share * wall_s,
          rate: kernel_s === 0 ? null : pixels / kernel_s,
        })),
      })),
    },
  };
}
