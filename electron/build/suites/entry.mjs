import { Failure, main } from '../setup/say.mjs';
import { build, everyStep, prepare } from '../steps/all.mjs';

/** @typedef {import('./run.mjs').Phase} Phase */

/**
 * @param {readonly Phase[]} phases
 * @param {boolean} whole whether these are all tests of the command
 */
async function runAll(phases, whole) {
  const { runPhase } = await import('./run.mjs');
  const { report } = await import('./report.mjs');
  const start = performance.now();
  /** @type {import('./run.mjs').Ran[]} */
  const ran = [];
  for (const phase of phases) ran.push(...(await runPhase(phase)));
  return report(ran, { seconds: (performance.now() - start) / 1000, whole });
}

/**
 * An entry script that runs tests: installs what is missing, builds, runs them, and reports.
 * @param {string} command as a person types it
 * @param {(all: typeof import('./all.mjs'), argument: string | null) => readonly Phase[]} choose
 * @param {Readonly<{ name: string, values?: readonly string[] }> | null} [takes] its one optional argument, which may be
 * any text where `values` does not list all; null: it has none
 */
export const testing = (command, choose, takes = null) =>
  main(async () => {
    const args = process.argv.slice(2);
    const unknown = args[0] !== undefined && takes?.values?.includes(args[0]) === false;
    if (unknown || args.length > (takes === null ? 0 : 1)) {
      const allowed = takes === null ? 'no arguments' : `at most one argument, ${takes.name}`;
      throw new Failure(`${command}: ${args.join(' ')} is not known; allowed: ${allowed}`, 2);
    }
    const elsewhere = await prepare(args);
    if (elsewhere !== null) return elsewhere;

    const { cppTestsStep } = await import('../steps/native.mjs');
    await build([...(await everyStep({ userKernels: true })), cppTestsStep()]);
    return runAll(choose(await import('./all.mjs'), args[0] ?? null), true);
  });

/** `npm test`: all of its suites, or only the chosen files and suites after building only what these need. */
export const testingSome = () =>
  main(async () => {
    const args = process.argv.slice(2);
    const elsewhere = await prepare(args);
    if (elsewhere !== null) return elsewhere;

    const { phasesFor, readArguments } = await import('./chosen.mjs');
    const all = await import('./all.mjs');
    const { cppTestsStep } = await import('../steps/native.mjs');
    const chosen = args.length === 0 ? null : readArguments(args);
    const some = chosen === null ? null : await phasesFor(chosen, all, await import('./cpp-tests.mjs'));
    await build([
      ...(some === null || some.built ? await everyStep({ userKernels: true }) : []),
      ...(some === null || some.cppTests ? [cppTestsStep()] : []),
    ]);
    return runAll(some === null ? all.suites : some.phases, some === null);
  });
