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
}

/** `count` values in [-1, 1), exact in FP32. A million takes a second: they are made on a thread. */
export function uniformValues({ count, seed }: MadeUp): Float64Array {
  const stream = scrambled(BigInt(seed));
  return Float64Array.from(
    { length: count },
    (_, i) => Number(scrambled((stream + BigInt(i)) & MASK) >> 40n) / 2 ** 23 - 1,
  );
}

export const uniformValuesAside = aside('make values up', uniformValues);
