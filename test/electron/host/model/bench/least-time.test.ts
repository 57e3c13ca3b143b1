/** The shortest time that a problem can need, with numbers worked out by hand. */
import { expect, test } from 'vitest';
import { leastTime } from '../../../../../electron/host/model/bench/roofline.ts';

const MiB = 2 ** 20;
const work = (bytes: number) => ({ bytes, fp32_flops: null, fp64_flops: null, other_flops: null });

/** 10 GB/s from memory, of which 15 % more are allowed: 11.5. */
const processor = { cores: 2, last_level_cache_bytes: 32 * MiB, memory_bytes_per_s: () => 10e9 };

test('a state larger than all caches cannot be read faster than memory', () => {
  const least = leastTime(work(1.15e9), 1.15e9, processor);
  expect(least?.time_s).toBeCloseTo(0.1, 12);
  expect(least?.sum).toContain('1.15e+9 bytes');
});

test('a small state that is read many times is bounded by reading it once, at what cores load', () => {
  // 2 cores of 128 bytes a cycle at 6.2 GHz: 1.5872 TB/s.
  expect(leastTime(work(1e12), 1.5872e6, processor)?.time_s).toBeCloseTo(1e-6, 18);
});

test('nothing is said where nothing is declared, or nothing is known of the machine', () => {
  expect(leastTime(work(0), MiB, processor)).toBeNull();
  expect(leastTime(work(1e9), 1e9, null)).toBeNull();
});
