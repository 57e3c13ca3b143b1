/**
 * `npm run fuzz [FILES] [SEED]`: reads FILES damaged files (2,800 by default) of every kind that the program reads, and
 * good files with one field of their header changed.
 * `npm test` does it with fewer. A seed that is given finds the same files again; the usual one is of the clock.
 *
 * `npm run fuzz -- cpp [SECONDS]`: libFuzzer on each parser in C++, SECONDS (600 by default) in all, with address and
 * undefined-behaviour sanitizers. Needs Clang with its runtime libraries. Inputs that fail are left in dist/fuzz.
 */

import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';
import { cppFuzz } from './suites/cpp-fuzz.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  if (process.argv[2] === 'cpp') return cppFuzz(Number(process.argv[3] ?? 600));
  const [files = '2800', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
  process.env['BRAGGBENCH_FUZZ_FILES'] = files;
  process.env['BRAGGBENCH_FUZZ_SEED'] = seed;
  console.log(`Fuzzing ${files} files with seed ${seed} …`);
  const words = [
    'run',
    '--project',
    'unit',
    '--testTimeout',
    '1800000',
    'test/fuzz/files.test.ts',
    'test/fuzz/header-fields.test.ts',
  ];
  return hand(process.execPath, [inRoot('node_modules/vitest/vitest.mjs'), ...words]);
});
