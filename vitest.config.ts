import { defineConfig } from 'vitest/config';

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
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
          exclude: ['test/e2e/**', 'test/bench/**'],
          globalSetup: ['test/bundled-program.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
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
