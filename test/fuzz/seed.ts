/**
 * Every test run tries the same values, so that a failure is reproducible. Set BRAGGBENCH_FUZZ_SEED to another integer
 * to try others.
 */
import fc from 'fast-check';

export const fuzzSeed = Number(process.env['BRAGGBENCH_FUZZ_SEED'] ?? 20_261_121);
fc.configureGlobal({ seed: fuzzSeed });

/** The number of values that a test tries: a quarter of those of `npm run test:all -- nightly`. */
export const runs = (all: number): number => (process.env['BRAGGBENCH_FUZZ'] === 'all' ? all : Math.ceil(all / 4));
