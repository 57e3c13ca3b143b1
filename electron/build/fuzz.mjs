/**
 * `npm run fuzz [FILES] [SEED]`: reads FILES damaged files (2,800 by default) of every kind that the program reads, and
 * good files with one field of their header changed.
 * `npm test` does it with fewer. A seed that is given finds the same files again; the usual one is of the clock.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
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
