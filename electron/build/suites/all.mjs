import { cppTests, gpuTests, sanitizedCppTests } from './cpp-tests.mjs';
import { cudaCompile } from './cuda-compile.mjs';
import { instructionSets } from './instruction-sets.mjs';
import { staticChecks } from './static-checks.mjs';
import { vitestProject } from './vitest.mjs';

/**
 * Everything that `npm test` runs, quick ones first. One after the other: each uses the cores that there are, and
 * pages that wait for a processor are slow without being wrong.
 */
export const suites = [
  ...staticChecks,
  instructionSets,
  cudaCompile,
  cppTests,
  gpuTests,
  vitestProject('unit*', 'Unit and host tests'),
  vitestProject('alone', 'The event loop while runs compute'),
  sanitizedCppTests,
  vitestProject('e2e', 'End to end in Chromium'),
];
