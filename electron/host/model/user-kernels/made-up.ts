/** The engine's made-up inputs, number for number: native/engine/task.cpp in TypeScript. */
import { aside } from '../../io/aside/task.ts';

const MASK = 0xffff_ffff_ffff_ffffn;
const STEP = 0x9e37_79b9_7f4a_7c15n;

/** Steele, Lea and Flood's SplitMix64. */
function scrambled(index: bigint): bigint {
  let z = (index + STEP) & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK;
  return z ^ (z >> 31n);
}

interface MadeUp {
  readonly count: number;
  readonly seed: number;
  /** Values that are the same for every seed; empty for random ones. */
  readonly edge?: string;
}

const edges: Readonly<Record<string, (index: number) => number>> = {
  zeros: () => 0,
  ones: () => 1,
  alternating: (index) => (index % 2 === 0 ? 1 : -1),
};

/** `count` values in [-1, 1), exact in FP32. A million takes a second: they are made on a thread. */
export function uniformValues({ count, seed, edge = '' }: MadeUp): Float64Array {
  const fixed = edges[edge];
  if (fixed !== undefined) return Float64Array.from({ length: count }, (_, i) => fixed(i));
  const stream = scrambled(BigInt(seed));
  return Float64Array.from(
    { length: count },
    (_, i) => Number(scrambled((stream + BigInt(i)) & MASK) >> 40n) / 2 ** 23 - 1,
  );
}

export const uniformValuesAside = aside('make values up', uniformValues);
