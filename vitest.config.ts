import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const dist = (name: string): string => path.resolve(import.meta.dirname, 'dist', name);

/** Processes that tests start keep what V8 made of their code: TypeScript starts in half of the time. */
const COMPILED = { NODE_COMPILE_CACHE: dist('.compiled') };

/** Where ccache stands for the compilers: what tests compile of user kernels is mostly what they compiled last time. */
const CCACHE = ['/usr/lib/ccache', '/usr/lib64/ccache'].filter((folder) => existsSync(folder));

/** The interpreter behind a version manager's shim, which takes half a second of the processor for each start. */
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

/** Electron is played by a stand-in, whose modules are of one file only. */
const WITH_STAND_INS = 'test/electron/main/**/*.test.ts';

/** The same stories in Electron itself, where it is: `npm run test:desktop`. */
const IN_ELECTRON = 'test/desktop/**/*.test.ts';

/** What measures delays has the cores to itself. */
const ALONE = 'test/electron/host/event-loop.test.ts';

/** What `npm run test:long` runs: the largest files, floods, a cluster, and the gates on the finest grids. */
const LONG = 'test/**/*.long.test.ts';

/** Each has a cluster of this machine, and all of its cores while it has: one after the other. */
const CLUSTERS = ['test/electron/cli/study-cluster.long.test.ts', 'test/electron/cli/study-sizes.long.test.ts'];

/** A loaded machine is slow and not wrong; what hangs is told apart by then. */
const MOST_MS = 120_000;
const MOST_LONG_MS = 600_000;

const SEED = 'test/fuzz/seed.ts';

/** Holds every run of transport that a test makes to what its protons can come to. */
const HELD = 'test/physics/held-runs.ts';

const inNode = (
  name: string,
  include: readonly string[],
  { isolate = false, exclude = [] as readonly string[], inTurn = false, most_ms = MOST_MS, env = {} } = {},
): TestProjectInlineConfiguration => ({
  test: {
    name,
    isolate,
    fileParallelism: !inTurn,
    testTimeout: most_ms,
    include: [...include],
    exclude: [...exclude],
    globalSetup: ['test/bundled-program.ts'],
    setupFiles: isolate ? [SEED] : [SEED, HELD],
    expect: { poll: { timeout: 60_000 } },
    env: { ...PROCESS, BRAGGBENCH_BUNDLES: dist('workers'), ...env },
  },
});

export default defineConfig({
  test: {
    // Two cores are the design size: as many workers; the tests' runs are short and share them.
    maxWorkers: 2,
    // Asking for one project or file by name is no error where it has no tests yet.
    passWithNoTests: true,
    testTimeout: MOST_MS,
    hookTimeout: 120_000,
    projects: [
      // Workers keep the modules that files share: loaded anew for each they took a quarter of the processor's time.
      inNode('unit', ['test/**/*.test.ts', 'test/**/*.test.tsx'], {
        exclude: ['test/e2e/**', 'test/bench/**', WITH_STAND_INS, IN_ELECTRON, ALONE, LONG],
      }),
      inNode('long', [LONG], { most_ms: MOST_LONG_MS, exclude: CLUSTERS }),
      inNode('clusters', CLUSTERS, { most_ms: MOST_LONG_MS, inTurn: true }),
      inNode('unit-desktop', [WITH_STAND_INS], { isolate: true, env: BRIEF_PAGES }),
      inNode('desktop', [IN_ELECTRON], { isolate: true }),
      inNode('alone', [ALONE], { isolate: true }),
      {
        test: {
          name: 'e2e',
          isolate: false,
          env: { ...PROCESS, ...BRIEF_PAGES },
          include: ['test/e2e/**/*.test.ts'],
          exclude: [LONG],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          // A poll that cannot succeed costs this much, and once more when its file runs again.
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
