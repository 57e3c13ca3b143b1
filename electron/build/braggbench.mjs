#!/usr/bin/env node
/**
 * `npm run braggbench -- …` and `npx braggbench …`: the command line, built
 * first where it is out of date. Standard output belongs to the command.
 */
import { hand } from './setup/command.mjs';
import { callerFolder, inRoot } from './setup/root.mjs';
import { main, sayOn } from './setup/say.mjs';
import { build, commandLineSteps, everyStep, prepare } from './steps/all.mjs';

await main(async () => {
  sayOn(process.stderr);
  const args = process.argv.slice(2);
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  await build(args[0] === 'serve' ? await everyStep() : await commandLineSteps());
  return hand(process.execPath, [inRoot('dist/host/cli.js'), ...args], { cwd: callerFolder });
});
