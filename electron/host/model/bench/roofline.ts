/** How near a variant comes to what the device can do, from what it declares: needs no counters. */
import type { MeasuredSessionEntry } from '../../../contract/bench/session.ts';
import type { Ceilings } from '../../../contract/devices.ts';
import type { Work } from './contestant.ts';

const sum = (parts: readonly (number | null)[]): number | null => {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.reduce((all, part) => all + part, 0);
};

const ratio = (a: number | null, b: number | null | undefined): number | null =>
  a === null || b == null || b === 0 ? null : a / b;

/** Null where the variant declares nothing. The share of FLOPs is of the ceiling that its arithmetic meets first. */
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
