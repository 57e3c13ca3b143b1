import { cppTests, gpuTests } from './cpp-tests.mjs';
import { cudaCompile } from './cuda-compile.mjs';
import { staticChecks } from './static-checks.mjs';
import { vitestProject } from './vitest.mjs';

/** What `npm test` runs first: what is quick, and what builds, which aside.mjs does too. */
export const firstSuites = [...staticChecks, cudaCompile];

/** And then, with aside.mjs beside them. */
export const suites = [
  cppTests,
  gpuTests,
  vitestProject('unit', 'Unit and host tests'),
  vitestProject('e2e', 'End to end in Chromium'),
];
