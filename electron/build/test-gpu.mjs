/**
 * `npm run test:gpu`: runs tests that need a GPU on the built programs. They cover parity of every CUDA variant with
 * the reference, the physics gates with the variants that `auto` selects, and the device layer. Last comes an error
 * that makes the device unusable for its process. The last line is `N passed, N failed`.
 * Names, or parts of them, select programs and scripts: `npm run test:gpu -- cheats`.
 * Needs Node and dist/host, dist/workers, dist/native, dist/kernels, assets, electron/{contract,domain}, test/gpu,
 * test/cheats/kernels and this folder. Needs neither packages nor a network, so that a copied folder runs on a machine
 * without them.
 */
import { existsSync } from 'node:fs';
import { capture } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { Failure, main, printLine } from './setup/say.mjs';

const EXE = process.platform === 'win32' ? '.exe' : '';

/** Programs in dist/native, and parts of the names of the tests to run. An empty list selects all tests. */
const PROGRAMS = /** @type {const} */ ([
  ['braggbench_gpu_tests', []],
  ['braggbench_tests', ['parity with reference: cuda-', 'gate, ', '-in fine grids, on the CPU: ']],
  // Each of these tests makes the device unusable for its process, so each runs in a separate process.
  ['braggbench_fault_tests', ['illegal store']],
  ['braggbench_fault_tests', ['whose device fails']],
]);

/** Scripts of this repository that the current Node runs. */
const SCRIPTS = [
  'test/gpu/occupancy.mjs',
  'test/gpu/user-kernels.mjs',
  'test/gpu/cheats.mjs',
  'test/gpu/problem-folder.mjs',
];

/** Time limit of a program or script. All need less than a minute on an H200, so only a hanging one is ended. */
const TIMEOUT_S = 600;

const TOTALS = /^(\d+) passed, (\d+) failed$/m;

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
async function run(program, args) {
  if (!existsSync(program)) throw new Failure(`${program} does not exist. Run: npm test`);
  const { code, output, timedOut } = await capture(program, args, {
    env: { ...process.env, BRAGGBENCH_ASSETS: inRoot('assets'), BRAGGBENCH_KERNELS: inRoot('dist/kernels') },
    timeout_s: TIMEOUT_S,
    onLine: (line) => {
      if (!TOTALS.test(line)) printLine(`  ${line}`);
    },
  });
  const totals = TOTALS.exec(output);
  const skipped = [...output.matchAll(/^skip /gm)].length;
  if (totals) return { passed: Number(totals[1]), failed: Number(totals[2]), skipped };
  printLine(timedOut ? `  stopped after ${TIMEOUT_S} s` : `  exited with code ${code}`);
  return { passed: [...output.matchAll(/^ok {3}/gm)].length, failed: 1, skipped };
}

await main(async () => {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const all = [
    ...SCRIPTS.map((script) => ({ name: script, program: process.execPath, args: [inRoot(script)] })),
    ...PROGRAMS.map(([name, args]) => ({ name, program: inRoot('dist/native', name + EXE), args })),
  ];
  const chosen = process.argv.slice(2);
  const unknown = chosen.find((part) => !all.some(({ name }) => name.includes(part)));
  if (unknown !== undefined) {
    const names = [...new Set(all.map(({ name }) => name))].join(', ');
    throw new Failure(`npm run test:gpu: no test is named ${JSON.stringify(unknown)}; allowed: parts of ${names}`, 2);
  }
  for (const { name, program, args } of all) {
    if (chosen.length > 0 && !chosen.some((part) => name.includes(part))) continue;
    printLine(`\n${name}`);
    const { passed, failed, skipped } = await run(program, args);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  const skips = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  printLine(`\n${total.passed} passed, ${total.failed} failed${skips}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
});
