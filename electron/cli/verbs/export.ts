/** `braggbench export`: a run's timeline for other programs. */

import { writeAtomically } from '../../host/scenarios/index.ts';
import { chromeTrace } from '../../host/trace/chrome-trace.ts';
import { flagValue, UsageError } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { runFile } from '../run-file.ts';
import type { Verb } from '../verb.ts';

export const exportVerb: Verb = {
  name: 'export',
  usage: 'export RUN.h5 --trace OUT.json',
  summary: "write a run's timeline for Perfetto",
  details: [
    "Writes the timeline of a run as Chrome Trace Event JSON, which https://ui.perfetto.dev and chrome://tracing open: the operators of every thread, and of a run with --trace the GPU's kernels and copies with stream, grid, block, registers and shared memory, each with an arrow from its launch.",
  ],
  flags: [{ name: 'trace', value: 'OUT.json', help: 'Where to write the timeline.' }],
  examples: ['braggbench run water-70MeV --trace --out mine.h5', 'braggbench export mine.h5 --trace trace.json'],
  operands: { min: 1, max: 1, name: 'a run file' },
  run: async ({ parsed, terminal }) => {
    const out = flagValue(parsed, 'trace');
    if (out === undefined) throw new UsageError('export needs --trace OUT.json');
    const trace = chromeTrace(await runFile(parsed.operands[0] ?? ''));
    await writeAtomically(out, `${JSON.stringify(trace)}\n`, 'replace');
    const slices = trace.traceEvents.filter(({ ph }) => ph === 'X').length;
    terminal.say(`${slices} spans written to ${out}`);
    return exitCodes.done;
  },
};
