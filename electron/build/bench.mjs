/** `npm run bench -- NAME`: runs one benchmark of this program. Without a name, lists the benchmarks. */
import { runInTerminal } from './setup/command.mjs';
import { runEntry } from './setup/entries.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { allSteps, build, commandLineSteps, prepare } from './steps/all.mjs';

/** @typedef {(words: readonly string[]) => Promise<import('./steps/up-to-date.mjs').Step[]>} StepsFor build steps */

/**
 * Creates an entry that installs packages and runs its build steps first. With `--as-built` or `--from`, it does
 * neither.
 * @param {string} usage see setup/entries.mjs
 * @param {string} about
 * @param {StepsFor | null} steps null if it needs no build
 * @param {(words: readonly string[]) => Promise<number>} run returns the exit code
 * @param {{ developer?: boolean }} [options] see prepare()
 * @returns {import('./setup/entries.mjs').Entry}
 */
const benchEntry = (usage, about, steps, run, options = {}) => ({
  about,
  usage,
  run: async (words) => {
    if (!words.includes('--as-built') && !words.includes('--from')) {
      const elsewhere = await prepare(process.argv.slice(2), options);
      if (elsewhere !== null) return elsewhere;
      if (steps !== null) await build(await steps(words));
    }
    return run(words);
  },
});

/**
 * Creates an entry whose code is in the folder bench. The code is loaded after prepare(), because only the pinned Node
 * runs TypeScript.
 * @param {string} file
 * @param {string} about
 * @param {StepsFor} steps
 * @param {{ developer?: boolean }} [options] see prepare()
 */
const scriptEntry = (file, about, steps, options) =>
  benchEntry(
    `electron/build/bench/${file}`,
    about,
    steps,
    async (words) => (await import(`./bench/${file}`)).run(words),
    options,
  );

/** @param {string} file program in test/bench @param {readonly string[]} words */
const startTestProgram = (file, words) => runInTerminal(process.execPath, [inRoot('test/bench', file), ...words]);

/**
 * Creates an entry that starts a program in test/bench.
 * @param {string} file
 * @param {string} about
 * @param {StepsFor | null} steps
 */
const programEntry = (file, about, steps) =>
  benchEntry(`test/bench/${file}`, about, steps, (words) => startTestProgram(file, words));

const userKernelSteps = () => commandLineSteps({ userKernels: true });
const pageSteps = () => allSteps();

/** @type {StepsFor} */
const stepsOfCpu = async (words) => {
  const { waitsArguments } = await import('./bench/waits.mjs');
  return waitsArguments(words.filter((word) => word !== '--keep')).others.length > 0 ? commandLineSteps() : allSteps();
};

await main(() =>
  runEntry('npm run bench', {
    cpu: scriptEntry(
      'cpu.mjs',
      'measures CPU variants and user-visible latencies, and compares them with their targets; --waits: only latencies',
      stepsOfCpu,
      { developer: false },
    ),
    gpu: scriptEntry(
      'gpu.mjs',
      'records the measurement sessions of the handbook on the GPU of this machine; --plan only lists them',
      async (words) => (words.includes('--plan') ? [] : allSteps()),
      { developer: false },
    ),
    start: benchEntry(
      '`npm run bench -- start`: measures the time from starting the program until a user can work with it, and the parts of that time. With --cold, measures the first start in a fresh clone with empty caches.',
      'measures the time from start to first use; --cold: for the first start in a fresh clone',
      async (words) => (words.includes('--cold') ? [] : allSteps()),
      (words) => startTestProgram(words.includes('--cold') ? 'cold-start.ts' : 'start.ts', words),
    ),
    maps: programEntry('maps.ts', 'measures main-thread time per frame while four maps change', null),
    timeline: programEntry(
      'timeline.ts',
      'measures main-thread time per frame for a timeline with a million spans',
      pageSteps,
    ),
    studies: scriptEntry(
      'study-cost.mjs',
      'measures the overhead of a study with 1,000 points, and the time to show a table with 100,000 rows',
      pageSteps,
    ),
    tuning: scriptEntry('tuning.mjs', 'tunes the shipped kernels on this machine', () => commandLineSteps()),
    verdicts: programEntry('verdicts/main.ts', 'simulates how often verdicts are wrong', null),
    aa: programEntry('aa/main.ts', 'measures how often identical code is called faster or slower', userKernelSteps),
    power: programEntry(
      'aa/power.ts',
      'measures how often a kernel that is 1, 3 or 10 % slower is detected',
      userKernelSteps,
    ),
    cheats: programEntry(
      'cheats.ts',
      'runs kernels that try to cheat the checks, each with an equivalent honest kernel',
      userKernelSteps,
    ),
    gate: programEntry(
      'gate.ts',
      'measures how often the gate rejects unchanged code and slower code',
      userKernelSteps,
    ),
    sanitized: scriptEntry('sanitized.ts', 'runs compute-sanitizer on a kernel with an out-of-bounds access', () =>
      commandLineSteps(),
    ),
  }),
);
