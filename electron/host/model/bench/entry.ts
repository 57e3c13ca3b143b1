/**
 * Builds a candidate's entry in the report from its samples. Also relates the work that a variant declares to the
 * device's measured ceilings, which needs no hardware counters.
 */
import { gpuOfEntry, type Quantity, type Ratio } from '../../../contract/bench/bench-session.ts';
import {
  type Accuracy,
  correctnessOf,
  type MeasuredSessionEntry,
  MIN_TIME_CHECK,
  type SessionReport,
  type TimedSample,
} from '../../../contract/bench/session.ts';
import type { Ceilings } from '../../../contract/capabilities.ts';
import { intervalHalfWidth } from '../verdicts/levels.ts';
import {
  type BenchCandidate,
  type CandidateIdentity,
  type DeclaredWork,
  type DeterminismCheck,
  firstRunPosition,
  type RawSample,
  type TimedRun,
  toRawSample,
} from './bench-candidate.ts';
import {
  type ComparisonBasis,
  type ComparisonCandidate,
  compareTimes,
  type FlaggedSample,
  groupByInstance,
  type SampleSet,
} from './comparison.ts';
import { ENERGY_QUANTITY } from './conditions/energy.ts';
import { median } from './statistics.ts';

const sumOfKnown = (parts: readonly (number | null)[]): number | null => {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.reduce((all, part) => all + part, 0);
};

const ratioOrNull = (a: number | null, b: number | null | undefined): number | null =>
  a === null || b == null || b === 0 ? null : a / b;

/**
 * Rates of the declared work and their shares of the device's ceilings; null if the variant declares no work.
 * `share_of_flops` is the larger of the FP32 and FP64 shares.
 */
export function roofline(
  { bytes, fp32_flops, fp64_flops, other_flops }: DeclaredWork,
  time_s: number,
  ceilings: Ceilings | null,
): MeasuredSessionEntry['roofline'] {
  const flops = sumOfKnown([fp32_flops, fp64_flops, other_flops]);
  if ((bytes === null && flops === null) || !(time_s > 0)) return null;
  const rate = (work: number | null): number | null => (work === null ? null : work / time_s);
  const shares = [
    ratioOrNull(rate(fp32_flops), ceilings?.fp32_flops_per_s),
    ratioOrNull(rate(fp64_flops), ceilings?.fp64_flops_per_s),
  ].filter((share) => share !== null);
  return {
    bytes_per_s: rate(bytes),
    flops_per_s: rate(flops),
    flops_per_byte: ratioOrNull(flops, bytes),
    share_of_copy: ratioOrNull(rate(bytes), ceilings?.copy_bytes_per_s),
    share_of_flops: shares.length === 0 ? null : Math.max(...shares),
  };
}

/** Shortest time in which a machine can solve a problem. An answer in less time cannot have been computed. */
interface TimeLowerBound {
  readonly time_s: number;
  /** Calculation of the time from the problem and the machine, as text. */
  readonly sum: string;
}

/** Properties of a processor that limit how fast a problem can be solved. */
export interface ProcessorLimits {
  readonly cores: number;
  readonly last_level_cache_bytes: number;
  /** Rate at which all cores read memory; measured on the first call. */
  readonly memory_bytes_per_s: () => number;
}

/**
 * Upper limit for reading any cache. No Intel, AMD or ARM core up to 2026 loads more than two 64-byte vectors per
 * cycle, or is sold with more than 6.2 GHz.
 */
const CORE_LIMITS = { bytes: 128, GHz: 6.2 } as const;

/**
 * Maximum number of last-level caches in a machine. The reported size is that of one socket or one group of cores; a
 * server has up to eight groups.
 */
const CACHE_GROUPS = 8;

/** State size in bytes that exceeds the L2 cache of any GPU sold up to 2026. */
const LARGEST_L2_BYTES = 256e6;

/**
 * Factor by which measured ceilings are raised. They are the best of several samples, and vary between measurements,
 * so a correct repetition may be a little faster.
 */
const MEASURED_MARGIN = 1.15;

const amountText = (value: number, unit: string): string => `${value.toPrecision(3)} ${unit}`;

interface TimeBound {
  readonly work: number;
  readonly unit: string;
  readonly rate: number;
  readonly of: string;
}

function boundTime({ work, unit, rate, of }: TimeBound): TimeLowerBound {
  const time_s = work / rate;
  return {
    time_s,
    sum: `${amountText(work, unit)} / ${amountText(rate, `${unit}/s`)} (${of}) = ${amountText(time_s, 's')}`,
  };
}

function processorBounds(
  { bytes }: DeclaredWork,
  state_bytes: number,
  { cores, last_level_cache_bytes, memory_bytes_per_s }: ProcessorLimits,
): TimeBound[] {
  if (bytes === null) return [];
  const cached: TimeBound = {
    ...{ work: bytes, unit: 'bytes', rate: cores * CORE_LIMITS.bytes * CORE_LIMITS.GHz * 1e9 },
    of: `${cores} cores, each at most ${CORE_LIMITS.bytes} bytes a cycle at ${CORE_LIMITS.GHz} GHz`,
  };
  if (state_bytes <= CACHE_GROUPS * last_level_cache_bytes) return [cached];
  const rate = MEASURED_MARGIN * memory_bytes_per_s();
  return [cached, { work: bytes, unit: 'bytes', rate, of: 'memory read rate measured on this machine, plus 15 %' }];
}

function gpuBounds(
  { bytes, fp32_flops, fp64_flops }: DeclaredWork,
  state_bytes: number,
  ceilings: Ceilings,
): TimeBound[] {
  const { copy_bytes_per_s, fp32_flops_per_s, fp64_flops_per_s } = ceilings;
  const measured = (work: number | null, unit: string, rate: number, of: string): TimeBound[] =>
    work === null
      ? []
      : [{ work, unit, rate: MEASURED_MARGIN * rate, of: `${of} measured on this machine, plus 15 %` }];
  return [
    // Every multiprocessor has at least 64 FP32 lanes, which perform 128 operations per cycle, and loads at most 128
    // bytes per cycle. The FP32 rate in FLOP/s is therefore also a limit in bytes/s.
    ...measured(bytes, 'bytes', fp32_flops_per_s, '128 bytes a cycle and multiprocessor'),
    ...(bytes !== null && state_bytes > LARGEST_L2_BYTES
      ? measured(bytes, 'bytes', copy_bytes_per_s, 'copy rate')
      : []),
    ...measured(fp32_flops, 'FLOP', fp32_flops_per_s, 'FP32 rate'),
    ...measured(fp64_flops, 'FLOP', fp64_flops_per_s, 'FP64 rate'),
  ];
}

/**
 * Lower bound for the time: the largest of the applicable bounds, or null if nothing is known about the work or the
 * machine. Bytes count only up to the size of the state, which contains inputs and outputs, even if a variant declares
 * more traffic. The size of the state also determines which caches can hold it.
 */
export function timeLowerBound(
  work: DeclaredWork,
  state_bytes: number,
  where: ProcessorLimits | Ceilings | null,
): TimeLowerBound | null {
  if (where === null) return null;
  const once = { ...work, bytes: work.bytes === null ? null : Math.min(work.bytes, state_bytes) };
  const bounds = 'cores' in where ? processorBounds(once, state_bytes, where) : gpuBounds(once, state_bytes, where);
  const all = bounds.filter((bound) => bound.work > 0).map(boundTime);
  return all.reduce<TimeLowerBound | null>(
    (most, one) => (most === null || one.time_s > most.time_s ? one : most),
    null,
  );
}

/** Data that a session collects about one candidate. */
export interface CandidateData {
  readonly head: CandidateIdentity;
  readonly candidate: BenchCandidate;
  readonly first: TimedRun;
  readonly determinism: DeterminismCheck;
  /** Errors of the answer, including those that audits have found so far. */
  accuracy: () => readonly Accuracy[];
  readonly warm: SampleSet<RawSample>;
  /** Series in the other requested modes: cold, graph, or both. */
  readonly others: readonly SampleSet<RawSample>[];
  /** Energy of a run in joules; null if not measured. */
  energy_J: number | null;
}

interface EntryFacts {
  readonly basis: ComparisonBasis<RawSample>;
  /** Basis for comparing end-to-end times; null if these are not timed. */
  readonly whole: ComparisonBasis<RawSample> | null;
  /** Machine of the session, with the ceilings of each GPU that entries used. */
  readonly machine: SessionReport['machine'];
  readonly processor: ProcessorLimits;
}

export function toComparisonCandidate({ head, first, warm, others }: CandidateData): ComparisonCandidate<RawSample> {
  return { label: head.label, buildsOn: head.builds_on, first: toRawSample(first, firstRunPosition), warm, others };
}

/** Converts a sample to the form in files, without the quantities that the variant reported. */
export function toStoredSample({ raw, flag }: FlaggedSample<RawSample>): TimedSample {
  const { clocks, parts: _, reportedQuantities: __, wall_s, ...sample } = raw;
  return { ...sample, ...(wall_s === null ? {} : { wall_s }), sm_MHz: clocks.after?.sm_MHz ?? null, flag };
}

function medianOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

function medianSetupParts(first: TimedRun, samples: readonly RawSample[]): MeasuredSessionEntry['setup_parts'] {
  const later = samples.filter(({ setup_s }) => setup_s !== null);
  return [...first.parts].map(([name, first_s]) => ({
    name,
    first_s,
    warm_s: later.length === 0 ? null : median(later.map(({ parts }) => parts.get(name) ?? 0)),
  }));
}

/** Ratio for the report: for the reference itself exactly 1, without an interval. */
const ratioUnlessReference = (ratio: Ratio, isReference: boolean): Ratio =>
  isReference ? { value: 1, interval: null } : ratio;

const energyQuantity = (value: number): Quantity => ({
  ...{ id: ENERGY_QUANTITY, title: 'Energy of a run', value, unit: 'J' },
});

/** A quantity with its interval, and its value in each sample if these differ. */
interface ReportedSeries {
  readonly quantity: Quantity;
  readonly apart: ReadonlyMap<RawSample, number> | null;
}

function reportedSeries(
  candidate: BenchCandidate,
  time_s: number,
  samples: readonly RawSample[],
): readonly ReportedSeries[] {
  const quantitiesBySample = samples.map((sample) => sample.reportedQuantities ?? candidate.quantities(sample.time_s));
  const areAllReported = samples.every((sample) => sample.reportedQuantities !== undefined);
  return candidate.quantities(time_s).map((quantity) => {
    const values = quantitiesBySample.map((all) => all.find(({ id }) => id === quantity.id)?.value ?? Number.NaN);
    const of = new Map(samples.map((sample, i) => [sample, values[i] ?? Number.NaN]));
    // A reported quantity is the median over the samples. A quantity derived from the time must match the time in the
    // report.
    const value = areAllReported && values.length > 0 ? median(values) : quantity.value;
    if (value === null || values.length === 0 || values.some(Number.isNaN)) {
      return { quantity: { ...quantity, interval: null }, apart: null };
    }
    const half = intervalHalfWidth(
      groupByInstance(samples, (sample) => of.get(sample) ?? Number.NaN),
      0.05,
    );
    const interval = half === null ? null : { low: value - half, high: value + half };
    return {
      quantity: { ...quantity, value, interval },
      apart: areAllReported && new Set(values).size > 1 ? of : null,
    };
  });
}

/** Reported quantities of a sample, for those that differ between samples. */
function differingMetrics(sample: RawSample, all: readonly ReportedSeries[]): Pick<TimedSample, 'told'> {
  const own = all.flatMap(({ quantity: { id }, apart }): [string, number][] => {
    const value = apart?.get(sample);
    return value === undefined ? [] : [[id, value]];
  });
  return own.length === 0 ? {} : { told: Object.fromEntries(own) };
}

/** A failed check if the time is below the minimum for this machine; otherwise empty. */
function impossibleTimeCheck(time_s: number, least: TimeLowerBound | null): Accuracy[] {
  if (least === null || !(time_s < least.time_s)) return [];
  const tip = `${time_s.toPrecision(3)} s is less than this machine needs: ${least.sum}`;
  return [
    { id: MIN_TIME_CHECK, title: 'Least time', tip, unit: 's', value: time_s, bound: least.time_s, holds: false },
  ];
}

export function buildMeasuredEntry(
  gathered: CandidateData,
  { basis, whole, machine, processor }: EntryFacts,
): MeasuredSessionEntry {
  const { head, candidate, first, determinism, energy_J } = gathered;
  const own = basis.all.find(({ label }) => label === head.label) ?? toComparisonCandidate(gathered);
  const { raw, verdict, modes, samples, ratio, ...times } = compareTimes(own, basis);
  const { work, repeats, note, compared: _, ...known } = candidate.properties();
  const isReference = verdict === 'reference';
  const judgedWhole = whole === null ? null : compareTimes(own, whole);
  const allReported = reportedSeries(candidate, times.time_s, gathered.warm.samples);
  const ceilings = head.device === 'cuda' ? (gpuOfEntry(machine, head.gpu)?.ceilings ?? null) : null;
  const least = timeLowerBound(work, known.state_bytes, head.device === 'cuda' ? ceilings : processor);
  const accuracy = [...gathered.accuracy(), ...impossibleTimeCheck(times.time_s, least)];
  const correctness = correctnessOf(accuracy);
  return {
    ...head,
    note: head.note ?? note,
    status: 'measured',
    ...known,
    ...times,
    ratio: ratioUnlessReference(ratio, isReference),
    verdict: correctness === 'correct' ? verdict : correctness,
    ...(judgedWhole !== null && {
      whole: {
        ratio: ratioUnlessReference(judgedWhole.ratio, isReference),
        verdict: judgedWhole.verdict,
      },
    }),
    first: { time_s: first.time_s, wall_s: first.wall_s },
    first_setup_s: first.setup_s,
    setup_s: medianOfKnown(raw.map(({ setup_s }) => setup_s)) ?? first.setup_s ?? 0,
    setup_parts: medianSetupParts(first, raw),
    wall_s: medianOfKnown(raw.map(({ wall_s }) => wall_s)),
    roofline: roofline(work, times.time_s, ceilings),
    accuracy,
    determinism: repeats ?? determinism.report(),
    quantities: [
      ...allReported.map(({ quantity }) => quantity),
      ...(energy_J === null ? [] : [energyQuantity(energy_J)]),
    ],
    modes: modes.map(({ samples: all, spread: _, ...mode }) => ({ ...mode, samples: all.map(toStoredSample) })),
    samples: samples.map((sample) => ({ ...toStoredSample(sample), ...differingMetrics(sample.raw, allReported) })),
  };
}
