/** `npm run bench -- NAME`: runs one benchmark of the program itself; without a name prints the table of benchmarks. */
import { handOver } from './setup/command.mjs';
import { runEntry, script } from './setup/entries.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { allSteps, build, commandLineSteps, prepare } from './steps/all.mjs';

const userKernels = () => commandLineSteps({ userKernels: true });

/**
 * Entry for a program in test/bench, which is started after `steps` are up to date.
 * @param {string} file path below test/bench
 * @param {string} about
 * @param {(() => Promise<import('./steps/up-to-date.mjs').Step[]>) | null} steps build steps; null if it needs no build
 * @returns {import('./setup/entries.mjs').Entry}
 */
const program = (file, about, steps) => ({
  about,
  usage: `test/bench/${file}`,
  run: async (words) => {
    const elsewhere = await prepare(process.argv.slice(2));
    if (elsewhere !== null) return elsewhere;
    if (steps !== null) await build(await steps());
    return handOver(process.execPath, [inRoot('test/bench', file), ...words]);
  },
});

await main(() =>
  runEntry('npm run bench', {
    cpu: script(
      'bench-cpu.mjs',
      'times CPU variants and user-visible latencies against their targets; --waits: only the latencies',
    ),
    gpu: script(
      'bench-gpu.mjs',
      'records the sessions of the measurements page on the GPU of this machine; --plan measures nothing',
    ),
    start: script('bench-start.mjs', 'time from start to first use; --cold: the first start in a fresh clone'),
    maps: program('maps.ts', 'main-thread time per frame while four maps change', null),
    timeline: program('timeline.ts', 'main-thread time per frame of a timeline of a million spans', allSteps),
    studies: script(
      'bench-studies.mjs',
      'overhead of a study of a thousand points, and views of a hundred thousand rows',
    ),
    tuning: script('bench-tuning.mjs', 'tunes the shipped kernels on this machine'),
    verdicts: program('verdicts/main.ts', 'simulates how often verdicts are wrong', null),
    aa: program('aa/main.ts', 'measures how often identical code is called faster or slower', userKernels),
    power: program('aa/power.ts', 'measures how often a kernel that is 1, 3 or 10 % slower is detected', userKernels),
    cheats: program('cheats.ts', 'repeats every attack on the judge with its honest twin', userKernels),
    gate: program('gate.ts', 'measures how often the gate fails unchanged and slower code', userKernels),
    sanitized: script('bench-sanitized.mjs', 'compute-sanitizer on a kernel with an access out of bounds'),
  }),
);
