/**
 * `npm run bench`: the CPU variants against each other on the two scenarios
 * that the speed targets are stated for. With arguments, the command line's
 * `bench` on those: `npm run bench -- SCENARIO --variants a,b`.
 */
import { hand } from './setup/command.mjs';
import { callerFolder, inRoot } from './setup/root.mjs';
import { main, say } from './setup/say.mjs';
import { build, commandLineSteps, prepare } from './steps/all.mjs';

/** Scenario and variants; the first variant is what the ratios are against. Those that keep all of phase space take minutes on the first. */
const TARGETS = [
  ['water-70MeV', 'window,depth'],
  ['uniform-grid-70MeV', 'scatter,gather,fused,window'],
];

await main(async () => {
  const args = process.argv.slice(2);
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  await build(await commandLineSteps());
  const cli = inRoot('dist/host/cli.js');
  if (args.length > 0) return hand(process.execPath, [cli, 'bench', ...args], { cwd: callerFolder });

  let worst = 0;
  for (const [scenario, variants] of TARGETS) {
    say(`\n${scenario}`);
    const file = inRoot(`assets/scenarios/${scenario}.json`);
    worst = Math.max(worst, await hand(process.execPath, [cli, 'bench', file, '--variants', `${variants}`]));
  }
  return worst;
});
