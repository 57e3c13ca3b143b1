/**
 * `npm run test:all`: runs all checks for a change, which are `npm test` and the parts below. `-- nightly` also tests
 * every view in every size and theme, and all kinds of damaged values. `-- NAME` runs one part.
 */
import { runInTerminal } from './setup/command.mjs';
import { entryLines, runEntry } from './setup/entries.mjs';
import { inRoot } from './setup/root.mjs';
import { Failure, main } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';
import { runTestCommand } from './suites/entry.mjs';

/**
 * Runs selected tests of the unit project without others. Each has a time limit of half an hour.
 * @param {Readonly<Record<string, string>>} env
 * @param {readonly string[]} words names of the tests
 */
async function runVitestTests(env, words) {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  Object.assign(process.env, env);
  const program = inRoot('node_modules/vitest/vitest.mjs');
  return runInTerminal(process.execPath, [program, 'run', '--project', 'unit', '--testTimeout', '1800000', ...words]);
}

const command = 'npm run test:all';

/** @satisfies {import('./setup/entries.mjs').Entries} */
const parts = {
  long: {
    about: 'slow tests: the largest files, very many calls, a cluster, the finest grids',
    usage: `\`${command} -- long\`: slow tests that \`npm test\` leaves out: see suites/all.mjs.`,
    run: () => runTestCommand(`${command} -- long`, ({ longSuites: long }) => long, { name: 'long' }),
  },
  sanitized: {
    about: 'C++ tests with address and undefined-behaviour sanitizers',
    usage: `\`${command} -- sanitized\`: the C++ tests with sanitizers, with Clang if installed.`,
    run: () =>
      runTestCommand(`${command} -- sanitized`, ({ sanitizedSuites: sanitized }) => sanitized, { name: 'sanitized' }),
  },
  desktop: {
    about: 'end-to-end tests of the desktop program in Electron; FOLDER: of the package in that folder',
    usage: `\`${command} -- desktop [FOLDER]\`: the end-to-end tests of the desktop program in Electron, or of the package in FOLDER.`,
    run: () =>
      runTestCommand(`${command} -- desktop`, ({ desktop }, folder) => desktop(folder), {
        name: 'desktop',
        argument: { name: 'FOLDER of a package' },
      }),
  },
  gates: {
    about: 'all physics limits, on automatically chosen grids',
    usage: `\`${command} -- gates\`: all limits in test/physics on the grids that the program chooses, about ten minutes on two cores. \`npm test\` runs the quick ones.`,
    run: () => runVitestTests({ BRAGGBENCH_GATES: 'all' }, ['--project', 'long', 'test/physics']),
  },
  kills: {
    about: 'kills a host N times while it saves',
    usage: `\`${command} -- kills [N]\`: kills a host N times (40 by default) while it saves, and counts how many acknowledged edits survive. \`npm test\` does this a few times.`,
    run: ([count = '40']) => runVitestTests({ BRAGGBENCH_KILLS: count }, ['killed-saves']),
  },
};

const name = process.argv[2];
if (name === undefined || name === 'nightly') {
  if (name === 'nightly') {
    // Environment variables that test/e2e/appearance-page.ts and test/fuzz/seed.ts read.
    process.env['BRAGGBENCH_LOOKS'] ??= 'all';
    process.env['BRAGGBENCH_FUZZ'] ??= 'all';
  }
  await runTestCommand(command, ({ all }) => all(), { argument: { name: 'nightly', values: ['nightly'] } });
} else if (Object.hasOwn(parts, name)) {
  await main(() => runEntry(command, parts));
} else {
  await main(() => {
    throw new Failure(
      `${command}: unknown name ${name}; allowed: nightly, or one of\n${entryLines(parts).join('\n')}`,
      2,
    );
  });
}
