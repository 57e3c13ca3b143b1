/**
 * Every run of the tests tries the same values: one that fails here fails for whoever looks into it. To search on,
 * give BRAGGBENCH_FUZZ_SEED another whole number.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['BRAGGBENCH_FUZZ_SEED'] ?? 20_261_121) });
