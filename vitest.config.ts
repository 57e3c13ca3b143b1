import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const dist = (name: string): string => path.resolve(import.meta.dirname, 'dist', name);

/** Processes that tests start keep what V8 made of their code: TypeScript starts in half of the time. */
const COMPILED = { NODE_COMPILE_CACHE: dist('.compiled') };

/** Electron is played by a stand-in, whose modules are of one file only. */
const WITH_STAND_INS = 'test/electron/main/**/*.test.ts';

/** What measures delays has the cores to itself. */
const ALONE = 'test/electron/host/event-loop.test.ts';

const inNode = (name: string, include: readonly string[], isolate: boolean): TestProjectInlineConfiguration => ({
  test: {
    name,
    isolate,
    include: [...include],
    exclude: isolate ? [] : ['test/e2e/**', 'test/bench/**', WITH_STAND_INS, ALONE],
    globalSetup: ['test/bundled-program.ts'],
    setupFiles: ['test/fuzz/seed.ts'],
    expect: { poll: { timeout: 60_000 } },
    env: { ...COMPILED, BRAGGBENCH_BUNDLES: dist('host') },
  },
});

export default defineConfig({
  test: {
    // Two cores are the design size: as many workers; the tests' runs are short and share them.
    maxWorkers: 2,
    // Asking for one project or file by name is no error where it has no tests yet.
    passWithNoTests: true,
    // A loaded machine is slow and not wrong; what hangs is told apart by then.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      // Workers keep the modules that files share: loaded anew for each they took a quarter of the processor's time.
      inNode('unit', ['test/**/*.test.ts', 'test/**/*.test.tsx'], false),
      inNode('unit-desktop', [WITH_STAND_INS], true),
      inNode('alone', [ALONE], true),
      {
        test: {
          name: 'e2e',
          isolate: false,
          env: COMPILED,
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          // A page under a loaded machine takes its time; what is waited for is what is asserted.
          expect: { poll: { timeout: 90_000 } },
        },
      },
    ],
  },
});
