import { cppTests, gpuTests } from './cpp-tests.mjs';
import { cudaCompile } from './cuda-compile.mjs';
import { staticChecks } from './static-checks.mjs';
import { vitestProject } from './vitest.mjs';

/** What `npm test` runs, quick ones first; aside.mjs runs beside them. */
export const suites = [
  ...staticChecks,
  cudaCompile,
  cppTests,
  gpuTests,
  vitestProject('unit', 'Unit and host tests'),
  vitestProject('e2e', 'End to end in Chromium'),
];
