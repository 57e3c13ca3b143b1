/**
 * `npm run test:gpu`: tests that need a GPU, run on what is built. Parity of every CUDA variant with the reference; the
 * physics gates with the variants that `auto` selects here; the device layer; last an error that makes the device
 * unusable for its process. The last line is `N passed, N failed`.
 *
 * Needs Node and dist/host, dist/workers, dist/native, dist/kernels, assets, electron/contract, test/gpu,
 * test/cheats/kernels and this folder; no package and no network, so that a packed folder runs on a machine without
 * them.
 */
import { existsSync } from 'node:fs';
import { capture } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { Failure, main, say } from './setup/say.mjs';

const EXE = process.platform === 'win32' ? '.exe' : '';

/** Programs of dist/native with parts of the names of the tests to run; none is all. */
const PROGRAMS = /** @type {const} */ ([
  ['braggbench_gpu_tests', []],
  ['braggbench_tests', ['parity with reference: cuda-', 'gate, ', '-in fine grids, on the CPU: ']],
  // Each of them breaks the device for its process.
  ['braggbench_fault_tests', ['illegal store']],
  ['braggbench_fault_tests', ['whose device fails']],
]);

/** Scripts of this repository, run by this Node. */
const SCRIPTS = [
  'test/gpu/occupancy.mjs',
  'test/gpu/user-kernels.mjs',
  'test/gpu/cheats.mjs',
  'test/gpu/problem-folder.mjs',
];

/** All take under a minute on an H200; a hang should end. */
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
      if (!TOTALS.test(line)) say(`  ${line}`);
    },
  });
  const totals = TOTALS.exec(output);
  const skipped = [...output.matchAll(/^skip /gm)].length;
  if (totals) return { passed: Number(totals[1]), failed: Number(totals[2]), skipped };
  say(timedOut ? `  stopped after ${TIMEOUT_S} s` : `  ended with code ${code}`);
  return { passed: [...output.matchAll(/^ok {3}/gm)].length, failed: 1, skipped };
}

await main(async () => {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const all = [
    ...SCRIPTS.map((script) => ({ name: script, program: process.execPath, args: [inRoot(script)] })),
    ...PROGRAMS.map(([name, args]) => ({ name, program: inRoot('dist/native', name + EXE), args })),
  ];
  for (const { name, program, args } of all) {
    say(`\n${name}`);
    const { passed, failed, skipped } = await run(program, args);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  const skips = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  say(`\n${total.passed} passed, ${total.failed} failed${skips}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
});
