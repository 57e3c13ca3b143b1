#!/usr/bin/env node
/**
 * `npm run braggbench -- …` and `npx braggbench …`: runs the command line, and builds it first if it is out of date.
 * Build output is not written to standard output, which belongs to the command.
 */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { runInTerminal } from './setup/command.mjs';
import { LOCK } from './setup/lock.mjs';
import { nodeForEntry, snapshotCommand } from './setup/pinned-node.mjs';
import { callerFolder, inRoot } from './setup/root.mjs';
import { main, setOutputStream } from './setup/say.mjs';
import { COMMAND_LINE, inputsNow, isUnchanged, saveState } from './steps/input-state.mjs';

const cli = inRoot('dist/host/cli.js');

/**
 * Runs the command line from its start-up snapshot if possible. Otherwise runs it in this process if its Node version
 * is suitable, because starting another process needs 40 ms.
 * @param {readonly string[]} args
 */
async function runCommandLine(args) {
  const image = snapshotCommand(args);
  if (image !== null) return runInTerminal(image.node, [...image.flags, cli, ...args], { cwd: callerFolder });
  const other = nodeForEntry();
  if (other !== null) return runInTerminal(other, [cli, ...args], { cwd: callerFolder });
  process.chdir(callerFolder);
  process.argv = [process.execPath, cli, ...args];
  await import(pathToFileURL(cli).href);
  return Number(process.exitCode ?? 0);
}

/** @param {readonly string[]} args */
async function runAfterBuilding(args) {
  const { build, commandLineSteps, allSteps, prepare } = await import('./steps/all.mjs');
  const elsewhere = await prepare(args, { developer: false });
  if (elsewhere !== null) return elsewhere;
  const inputs = inputsNow(COMMAND_LINE);
  const steps = await commandLineSteps();
  await build(args[0] === 'serve' ? await allSteps() : steps);
  saveState(
    COMMAND_LINE,
    inputs,
    steps.flatMap(({ outputs }) => outputs),
  );
  return runCommandLine(args);
}

await main(async () => {
  setOutputStream(process.stderr);
  const args = process.argv.slice(2);
  // Do not check the page for commands other than `serve`, because they do not use it.
  const asLooked = args[0] !== 'serve' && !existsSync(LOCK) && isUnchanged(COMMAND_LINE);
  return asLooked ? runCommandLine(args) : runAfterBuilding(args);
});
