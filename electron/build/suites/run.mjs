import { besideEachOther, Failure, say } from '../setup/say.mjs';

/** @typedef {import('./result.mjs').Suite} Suite */
/** @typedef {import('./result.mjs').Result} Result */
/** @typedef {Readonly<{ name: string, result: Result, seconds: number }>} Ran a suite that has ended */

/** @param {number} seconds */
export const inSeconds = (seconds) => `${seconds.toFixed(1)} s`;

/**
 * A suite that breaks counts as one failure; the others still run.
 * @param {Suite} suite
 * @param {import('./result.mjs').Quiet} quiet
 * @returns {Promise<Ran>}
 */
export async function runSuite(suite, quiet = async () => {}) {
  say(`\n${suite.name}`);
  const start = performance.now();
  /** @type {Result} */
  let result = { passed: 0, failed: 1, skipped: [] };
  try {
    result = await suite.run(quiet);
  } catch (error) {
    say(error instanceof Failure ? error.message : String(/** @type {Error} */ (error).stack));
  }
  const skips = result.skipped.length > 0 ? `, ${result.skipped.length} not run` : '';
  const unsteady = (result.unsteady ?? []).length;
  const twice = unsteady > 0 ? `, UNSTEADY: ${unsteady}` : '';
  const seconds = (performance.now() - start) / 1000;
  say(`  → ${result.passed} good, ${result.failed} bad${skips}${twice} (${inSeconds(seconds)})`);
  return { name: suite.name, result, seconds };
}

/**
 * Lanes of suites beside each other; those of a lane one after the other.
 * @param {readonly (readonly Suite[])[]} lanes
 * @returns {Promise<readonly Ran[]>} in the order of the lanes
 */
export async function runLanes(lanes) {
  let busy = lanes.length;
  const allQuiet = Promise.withResolvers();
  const leave = () => {
    busy -= 1;
    if (busy === 0) allQuiet.resolve(undefined);
  };
  /** Who waits for quiet has it when those before have ended. @type {Promise<unknown>} */
  let turn = allQuiet.promise;
  const lane = async (/** @type {readonly Suite[]} */ suites) => {
    const ended = Promise.withResolvers();
    /** @type {Promise<unknown> | null} */
    let mine = null;
    const quiet = async () => {
      if (mine === null) {
        const before = turn;
        mine = before;
        turn = before.then(() => ended.promise);
        leave();
      }
      await mine;
    };
    /** @type {Ran[]} */
    const ran = [];
    for (const suite of suites) ran.push(await runSuite(suite, quiet));
    if (mine === null) leave();
    ended.resolve(undefined);
    return ran;
  };
  return (await besideEachOther(lanes.map((suites) => () => lane(suites)))).flat();
}
