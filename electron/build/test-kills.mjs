/**
 * `npm run test:all -- kills [N]`: kills a host N times (40 by default) while it saves, and counts what was acknowledged and
 * is still there. `npm test` does it a few times.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  process.env['BRAGGBENCH_KILLS'] = process.argv[2] ?? '40';
  const words = ['run', '--project', 'unit', '--testTimeout', '1800000', 'killed-saves'];
  return hand(process.execPath, [inRoot('node_modules/vitest/vitest.mjs'), ...words]);
});
