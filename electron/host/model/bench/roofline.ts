/** Compares a variant's declared work with the device's ceilings; needs no hardware counters. */
import type { MeasuredSessionEntry } from '../../../contract/bench/session.ts';
import type { Ceilings } from '../../../contract/devices.ts';
import type { Work } from './contestant.ts';

const sum = (parts: readonly (number | null)[]): number | null => {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.reduce((all, part) => all + part, 0);
};

const ratio = (a: number | null, b: number | null | undefined): number | null =>
  a === null || b == null || b === 0 ? null : a / b;

/** Null if the variant declares nothing. The FLOP share refers to the ceiling that its arithmetic reaches first. */
export function roofline(
  { bytes, fp32_flops, fp64_flops, other_flops }: Work,
  time_s: number,
  ceilings: Ceilings | null,
): MeasuredSessionEntry['roofline'] {
  const flops = sum([fp32_flops, fp64_flops, other_flops]);
  if ((bytes === null && flops === null) || !(time_s > 0)) return null;
  const rate = (work: number | null): number | null => (work === null ? null : work / time_s);
  const shares = [
    ratio(rate(fp32_flops), ceilings?.fp32_flops_per_s),
    ratio(rate(fp64_flops), ceilings?.fp64_flops_per_s),
  ].filter((share) => share !== null);
  return {
    bytes_per_s: rate(bytes),
    flops_per_s: rate(flops),
    flops_per_byte: ratio(flops, bytes),
    share_of_copy: ratio(rate(bytes), ceilings?.copy_bytes_per_s),
    share_of_flops: shares.length === 0 ? null : Math.max(...shares),
  };
}

/** The shortest time that a problem can need on a machine: what is below it was not computed. */
export interface LeastTime {
  readonly time_s: number;
  /** Derivation from the problem and the machine. */
  readonly sum: string;
}

/** Ceilings of a processor. */
export interface Processor {
  readonly cores: number;
  readonly last_level_cache_bytes: number;
  /** Measured at the first call. */
  readonly memory_bytes_per_s: () => number;
}

/**
 * No core loads more than two 64-byte vectors in a cycle (Intel, AMD and ARM cores to 2026). None is sold that clocks
 * above 6.2 GHz. No cache level exceeds this bound.
 */
const core = { bytes: 128, GHz: 6.2 } as const;

/** Last-level caches are reported for one socket or one group of cores; a server has up to eight such groups. */
const CACHE_GROUPS = 8;

/** Larger than the L2 cache of any GPU sold to 2026. */
const LARGEST_L2_BYTES = 256e6;

/**
 * Measured ceilings are best values of samples. A repetition may be faster by as much as they vary between
 * measurements.
 */
const MEASURED_MARGIN = 1.15;

const amount = (value: number, unit: string): string => `${value.toPrecision(3)} ${unit}`;

interface Bound {
  readonly work: number;
  readonly unit: string;
  readonly rate: number;
  readonly of: string;
}

function timeOf({ work, unit, rate, of }: Bound): LeastTime {
  const time_s = work / rate;
  return {
    time_s,
    sum: `${amount(work, unit)} / ${amount(rate, `${unit}/s`)} (${of}) = ${amount(time_s, 's')}`,
  };
}

function boundsOnProcessor(
  { bytes }: Work,
  state_bytes: number,
  { cores, last_level_cache_bytes, memory_bytes_per_s }: Processor,
): Bound[] {
  if (bytes === null) return [];
  const cached: Bound = {
    ...{ work: bytes, unit: 'bytes', rate: cores * core.bytes * core.GHz * 1e9 },
    of: `${cores} cores, each at most ${core.bytes} bytes a cycle at ${core.GHz} GHz`,
  };
  if (state_bytes <= CACHE_GROUPS * last_level_cache_bytes) return [cached];
  const rate = MEASURED_MARGIN * memory_bytes_per_s();
  return [cached, { work: bytes, unit: 'bytes', rate, of: 'read rate of memory as measured here, plus 15 %' }];
}

function boundsOnGpu({ bytes, fp32_flops, fp64_flops }: Work, state_bytes: number, ceilings: Ceilings): Bound[] {
  const { copy_bytes_per_s, fp32_flops_per_s, fp64_flops_per_s } = ceilings;
  const measured = (work: number | null, unit: string, rate: number, of: string): Bound[] =>
    work === null ? [] : [{ work, unit, rate: MEASURED_MARGIN * rate, of: `${of} as measured here, plus 15 %` }];
  return [
    // A multiprocessor has at least 64 FP32 lanes, which do 128 operations a cycle, and loads at most 128 bytes in it.
    ...measured(bytes, 'bytes', fp32_flops_per_s, '128 bytes a cycle and multiprocessor'),
    ...(bytes !== null && state_bytes > LARGEST_L2_BYTES
      ? measured(bytes, 'bytes', copy_bytes_per_s, 'copy rate')
      : []),
    ...measured(fp32_flops, 'FLOP', fp32_flops_per_s, 'FP32 rate'),
    ...measured(fp64_flops, 'FLOP', fp64_flops_per_s, 'FP64 rate'),
  ];
}

/**
 * The largest of the bounds that apply; null where nothing is known of the work or of the machine. Inputs and outputs are
 * a part of the state: each once cannot be more than that, whatever traffic a variant declares. The state's size also
 * chooses the level of cache.
 */
export function leastTime(work: Work, state_bytes: number, where: Processor | Ceilings | null): LeastTime | null {
  if (where === null) return null;
  const once = { ...work, bytes: work.bytes === null ? null : Math.min(work.bytes, state_bytes) };
  const bounds = 'cores' in where ? boundsOnProcessor(once, state_bytes, where) : boundsOnGpu(once, state_bytes, where);
  const all = bounds.filter((bound) => bound.work > 0).map(timeOf);
  return all.reduce<LeastTime | null>((most, one) => (most === null || one.time_s > most.time_s ? one : most), null);
}
