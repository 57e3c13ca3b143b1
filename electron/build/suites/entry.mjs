import { Failure, main } from '../setup/say.mjs';
import { allSteps, build, prepare } from '../steps/all.mjs';

/** @typedef {import('./run.mjs').Phase} Phase */

/**
 * @param {readonly Phase[]} phases
 * @param {boolean} whole whether these are all tests of the command
 */
async function runAll(phases, whole) {
  const { runPhase } = await import('./run.mjs');
  const { report } = await import('./report.mjs');
  const { coreSecondsOf } = await import('./core-seconds.mjs');
  const [start, before] = [performance.now(), coreSecondsOf()];
  /** @type {import('./run.mjs').SuiteRun[]} */
  const ran = [];
  for (const phase of phases) ran.push(...(await runPhase(phase)));
  const after = coreSecondsOf();
  const coreSeconds = before === null || after === null ? null : after - before;
  return report(ran, { seconds: (performance.now() - start) / 1000, coreSeconds, whole });
}

/**
 * Runs a test command: installs missing packages, builds, runs the tests, and reports.
 * @param {string} command as a person types it
 * @param {(all: typeof import('./all.mjs'), argument: string | null) => readonly Phase[]} choose
 * @param {Readonly<{ name?: string, argument?: Readonly<{ name: string, values?: readonly string[] }> }>} [takes]
 * `name`: the first word, if it chose the tests; `argument`: the one optional argument, any text unless `values` lists
 * all
 * @returns {Promise<number>} exit code
 */
export async function runTestCommand(command, choose, { name, argument } = {}) {
  await main(async () => {
    const args = process.argv.slice(name === undefined ? 2 : 3);
    const unknown = args[0] !== undefined && argument?.values?.includes(args[0]) === false;
    if (unknown || args.length > (argument === undefined ? 0 : 1)) {
      const allowed = argument === undefined ? 'no arguments' : `at most one argument: ${argument.name}`;
      throw new Failure(`${command}: ${args.join(' ')} is not known; allowed: ${allowed}`, 2);
    }
    const elsewhere = await prepare(process.argv.slice(2));
    if (elsewhere !== null) return elsewhere;

    const { cppTestsStep } = await import('../steps/native.mjs');
    await build([...(await allSteps({ userKernels: true })), cppTestsStep()]);
    return runAll(choose(await import('./all.mjs'), args[0] ?? null), true);
  });
  return Number(process.exitCode ?? 0);
}

/**
 * Implements `npm test`: runs all its suites, or only selected files and suites. For a selection, only the required
 * parts are built.
 */
export const runNpmTest = () =>
  main(async () => {
    const args = process.argv.slice(2);
    const elsewhere = await prepare(args);
    if (elsewhere !== null) return elsewhere;

    const { phasesOfSelection: phasesFor, readArguments } = await import('./chosen.mjs');
    const all = await import('./all.mjs');
    const { cppTestsStep } = await import('../steps/native.mjs');
    const chosen = args.length === 0 ? null : readArguments(args);
    const some = chosen === null ? null : await phasesFor(chosen, all, await import('./cpp-tests.mjs'));
    await build([
      ...(some === null || some.built ? await allSteps({ userKernels: true }) : []),
      ...(some === null || some.cppTests ? [cppTestsStep()] : []),
    ]);
    return runAll(some === null ? all.suites : some.phases, some === null);
  });
