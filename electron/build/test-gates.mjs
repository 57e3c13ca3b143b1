/**
 * `npm run test:all -- gates`: every gate of test/physics on the grids that the program chooses, some ten minutes on two cores.
 * `npm test` runs those of them that are quick.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  process.env['BRAGGBENCH_GATES'] = 'all';
  const words = ['run', '--project', 'unit', '--project', 'long', '--testTimeout', '1800000', 'test/physics'];
  return hand(process.execPath, [inRoot('node_modules/vitest/vitest.mjs'), ...words]);
});
