/**
 * `npm run fuzz [FILES] [SEED]`: reads FILES damaged files (2,800 by default) of every supported kind, and valid files
 * with one changed header field. Then tests scenarios and problems, messages of the page and of agents, and answers of
 * remote machines with the same seed. `npm test` uses fewer files. The same seed generates the same files; by default
 * it depends on the clock.
 *
 * `npm run fuzz -- cpp [SECONDS]`: runs libFuzzer on each parser in C++ for SECONDS in total (600 by default), with
 * address and undefined-behaviour sanitizers. Needs Clang with its runtime libraries. Inputs that fail are saved in
 * dist/fuzz.
 */

import { runInTerminal } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { runEntryScript } from './steps/all.mjs';
import { cppFuzz } from './suites/cpp-fuzz.mjs';

await runEntryScript(async (args) => {
  if (args[0] === 'cpp') return cppFuzz(Number(args[1] ?? 600));
  const [files = '2800', seed = String(Date.now() % 2 ** 31)] = args;
  process.env['BRAGGBENCH_FUZZ_FILES'] = files;
  process.env['BRAGGBENCH_FUZZ_SEED'] = seed;
  console.log(`Fuzzing ${files} files with seed ${seed} …`);
  const words = [
    'run',
    '--project',
    'unit',
    '--testTimeout',
    '1800000',
    'test/fuzz/files.test.ts',
    'test/fuzz/header-fields.test.ts',
    'test/fuzz/table-fields.test.ts',
    'test/fuzz/scenario.test.ts',
    'test/fuzz/contract.test.ts',
    'test/electron/host/app/remote/probe.test.ts',
    'test/electron/cli/mcp.test.ts',
  ];
  return runInTerminal(process.execPath, [inRoot('node_modules/vitest/vitest.mjs'), ...words]);
});
