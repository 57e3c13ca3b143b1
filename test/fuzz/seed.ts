/**
 * Every test run tries the same values, so that a failure is reproducible. Set BRAGGBENCH_FUZZ_SEED to another integer
 * to try others.
 */
import fc from 'fast-check';

export const fuzzSeed = Number(process.env['BRAGGBENCH_FUZZ_SEED'] ?? 20_261_121);
fc.configureGlobal({ seed: fuzzSeed });
