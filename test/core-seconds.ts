/** Reports the processor time of each test file to the reporter: of its worker and of the programs that it started. */
import { afterAll } from 'vitest';
import { coreSecondsOf } from '../electron/build/suites/core-seconds.mjs';

declare module 'vitest' {
  interface TaskMeta {
    coreSeconds?: number;
  }
}

const before = coreSecondsOf();

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures a hook needs, here none
afterAll(({}, suite) => {
  const after = coreSecondsOf();
  if (before !== null && after !== null) suite.file.meta.coreSeconds = Math.max(0, after - before);
});
