import { Failure, main } from '../setup/say.mjs';
import { build, everyStep, prepare } from '../steps/all.mjs';

/**
 * An entry script that runs tests: installs what is missing, builds, runs them, and says what they found.
 * @param {string} command as a person types it
 * @param {(all: typeof import('./all.mjs'), argument: string | null) => readonly import('./all.mjs').Lanes[]} choose
 * @param {string | null} [takes] what its one argument is, which may be left out; null: it takes none
 */
export const testing = (command, choose, takes = null) =>
  main(async () => {
    const args = process.argv.slice(2);
    if (args.length > (takes === null ? 0 : 1)) {
      const what = takes === null ? 'no arguments' : `one argument at most, ${takes}`;
      throw new Failure(`${command} takes ${what}, got: ${args.join(' ')}`, 2);
    }
    const elsewhere = await prepare(args);
    if (elsewhere !== null) return elsewhere;

    const { cppTestsStep } = await import('../steps/native.mjs');
    await build([...(await everyStep()), cppTestsStep()]);

    const { runLanes } = await import('./run.mjs');
    const { report } = await import('./report.mjs');
    /** @type {import('./run.mjs').Ran[]} */
    const ran = [];
    for (const lanes of choose(await import('./all.mjs'), args[0] ?? null)) ran.push(...(await runLanes(lanes)));
    return report(ran);
  });
