import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import LongestFirst from './electron/build/suites/order.mjs';

const dist = (name: string): string => path.resolve(import.meta.dirname, 'dist', name);

/** Processes of tests share V8's cache of compiled code: TypeScript starts in half of the time. */
const COMPILED = { NODE_COMPILE_CACHE: dist('.compiled') };

/** Folders in which ccache stands in for the compilers: tests mostly compile the user kernels of the last run. */
const CCACHE = ['/usr/lib/ccache', '/usr/lib64/ccache'].filter((folder) => existsSync(folder));

/** The folder of the interpreter behind a version manager's shim, which costs half a core-second per start. */
function pythonBehindShim(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const first = folders.find((folder) => existsSync(path.join(folder, 'python3')));
  if (first === undefined || path.basename(first) !== 'shims') return [];
  const ask = ['-c', 'import sys; print(sys.executable)'];
  const { status, stdout } = spawnSync(path.join(first, 'python3'), ask, { encoding: 'utf8' });
  return status === 0 ? [path.dirname(stdout.trim())] : [];
}

const PATH = [...CCACHE, ...pythonBehindShim(), process.env['PATH'] ?? ''].join(path.delimiter);
const PROCESS = { ...COMPILED, PATH };

/** Pages of stories live for seconds: see test/e2e/chromium.ts. */
const BRIEF_PAGES = { BRAGGBENCH_PAGES: 'brief' };

/** The desktop program over a stand-in of Electron, whose modules belong to one file. */
const WITH_STAND_INS = 'test/electron/main/**/*.test.ts';

/** The same stories in Electron itself: `npm run test:all -- desktop`. */
const IN_ELECTRON = 'test/desktop/**/*.test.ts';

/** `npm run test:all -- long`: the largest files, floods, a cluster, and the gates on the finest grids. */
const LONG = 'test/**/*.long.test.ts';

/** Tests that measure delays: nothing else may run. */
const LONG_ALONE = 'test/**/*.alone.long.test.ts';

/** Each starts a cluster on all cores of this machine. */
const CLUSTERS = ['test/electron/cli/study-cluster.long.test.ts', 'test/electron/cli/study-sizes.long.test.ts'];

/** Limits for what hangs: a loaded machine is slow and not wrong. */
const TIMEOUT_MS = 300_000;
const LONG_TIMEOUT_MS = 600_000;

/** A poll that cannot succeed costs this much, and once more when its file runs again. */
const POLL_MS = 30_000;

const SEED = 'test/fuzz/seed.ts';

/** Reports the processor time of each file. */
const CORE_SECONDS = 'test/core-seconds.ts';

/** Checks every transport run of a test against what its protons can come to. */
const HELD = 'test/physics/held-runs.ts';

const project = (
  name: string,
  include: readonly string[],
  {
    isolate = false,
    exclude = [] as readonly string[],
    inTurn = false,
    timeout_ms = TIMEOUT_MS,
    poll_ms = POLL_MS,
    env = {},
  } = {},
): TestProjectInlineConfiguration => ({
  test: {
    name,
    isolate,
    fileParallelism: !inTurn,
    sequence: { groupOrder: inTurn ? 1 : 0 },
    testTimeout: timeout_ms,
    include: [...include],
    exclude: [...exclude],
    globalSetup: ['test/bundled-program.ts'],
    setupFiles: isolate ? [CORE_SECONDS, SEED] : [CORE_SECONDS, SEED, HELD],
    expect: { poll: { timeout: poll_ms } },
    env: { ...PROCESS, BRAGGBENCH_BUNDLES: dist('workers'), ...env },
  },
});

const long = { timeout_ms: LONG_TIMEOUT_MS, poll_ms: 60_000 };
const inTurn = { ...long, inTurn: true };

export default defineConfig({
  test: {
    // `npm test` sets the number of its workers: see electron/build/suites/all.mjs.
    maxWorkers: 2,
    // Asking for one project or file by name is no error where it has no tests yet.
    passWithNoTests: true,
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    tags: [{ name: 'slow', description: 'left to `npm run test:all`; `npm test` runs faster tests of the same code' }],
    projects: [
      // Host tests and stories are one project: a worker keeps its modules, and its Chromium, for the next file.
      project('unit', ['test/**/*.test.ts', 'test/**/*.test.tsx'], {
        exclude: ['test/bench/**', WITH_STAND_INS, IN_ELECTRON, LONG],
        env: BRIEF_PAGES,
      }),
      project('long', [LONG], { ...long, exclude: [LONG_ALONE, ...CLUSTERS] }),
      project('long-alone', [LONG_ALONE], inTurn),
      project('clusters', CLUSTERS, inTurn),
      project('unit-desktop', [WITH_STAND_INS], { isolate: true, env: BRIEF_PAGES }),
      project('desktop', [IN_ELECTRON], { isolate: true }),
    ],
  },
});
