/** `npm run bench -- NAME`: one benchmark of the program itself; without a name prints the table of them. */
import { runEntry } from './setup/entries.mjs';
import { main } from './setup/say.mjs';

await main(() =>
  runEntry('npm run bench', {
    cpu: [
      'bench-cpu.mjs',
      'CPU variants against their speed targets, and what a user waits for; --waits: the latter alone',
    ],
    gpu: [
      'bench-gpu.mjs',
      'records the sessions of the measurements page on the GPU of this machine; --plan measures nothing',
    ],
    start: ['bench-start.mjs', 'from start to use; --cold: the first start in a fresh clone'],
    maps: ['bench-maps.mjs', 'main thread per frame while four maps change'],
    timeline: ['bench-timeline.mjs', 'main thread per frame of a timeline of a million spans'],
    studies: ['bench-studies.mjs', 'overhead of a study of a thousand points, and views of a hundred thousand rows'],
    tuning: ['bench-tuning.mjs', 'tunes the shipped kernels on this machine'],
    verdicts: ['bench-verdicts.mjs', 'simulates how often verdicts are wrong'],
    aa: ['bench-aa.mjs', 'measures how often identical code is called faster or slower'],
    power: ['bench-power.mjs', 'measures how often a kernel that is 1, 3 or 10 % slower is found'],
    gate: ['bench-gate.mjs', 'measures how often the gate fails unchanged and slower code'],
    sanitized: ['bench-sanitized.mjs', 'compute-sanitizer on a kernel with an access out of bounds'],
  }),
);
