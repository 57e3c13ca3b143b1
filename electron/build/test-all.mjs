/**
 * `npm run test:all`: what a change must pass: `npm test` and the named parts below in one run. `-- nightly` also takes
 * every view in every size and theme, and all damaged values; `-- NAME` runs one of the parts.
 */
import { entryLines, runEntry } from './setup/entries.mjs';
import { Failure, main } from './setup/say.mjs';
import { testing } from './suites/entry.mjs';

const parts = /** @type {const} */ ({
  long: ['test-long.mjs', 'tests that take long: largest files, floods, a cluster, finest grids'],
  sanitized: ['test-sanitized.mjs', 'C++ tests with address and undefined-behaviour sanitizers'],
  desktop: ['test-desktop.mjs', 'desktop stories in Electron itself; FOLDER: in the package of a folder'],
  gates: ['test-gates.mjs', 'every gate on the physics, on the grids that the program chooses'],
  kills: ['test-kills.mjs', 'kills a host N times while it saves'],
});

const name = process.argv[2];
if (name === undefined || name === 'nightly') {
  if (name === 'nightly') {
    // See test/e2e/looks.ts and test/fuzz/runs.ts.
    process.env['BRAGGBENCH_LOOKS'] ??= 'all';
    process.env['BRAGGBENCH_FUZZ'] ??= 'all';
  }
  await testing('npm run test:all', ({ all }) => all(), { name: 'nightly', values: ['nightly'] });
} else if (Object.hasOwn(parts, name)) {
  await main(() => runEntry('npm run test:all', parts));
} else {
  await main(() => {
    throw new Failure(
      `npm run test:all: unknown name ${name}; allowed: nightly, or one of\n${entryLines(parts).join('\n')}`,
      2,
    );
  });
}
