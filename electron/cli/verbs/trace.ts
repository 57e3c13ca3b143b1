/** `braggbench trace`: what a trace says at a glance, of a run or of another profiler. */
import path from 'node:path';
import { TraceProcess } from '../../host/app/timelines/trace-process.ts';
import { forkChild } from '../../host/io/processes/link.ts';
import { hasFlag, jsonFlag } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { traceFacts, traceTables } from '../reports/trace-report.ts';
import { pairs } from '../table.ts';
import type { Verb } from '../verb.ts';

export const traceVerb: Verb = {
  name: 'trace',
  usage: 'trace FILE [--json]',
  summary: "summarize a timeline of ours or of another profiler's",
  details: [
    "Reads a timeline and says what it holds: kernels in total and different ones; the kernels that take the most time; the share that was replayed in CUDA graphs; the share of time that the CPU spent in launch calls; the share in which the GPU did nothing. Says why no kernel ran (copy, launch, wait), what the host's operations took, and how evenly its threads were used. Reads runs (.h5, and .json of measurements). Reads Chrome Trace JSON (PyTorch's profiler, Perfetto's tools) and SQLite databases that Nsight Systems exports, both also as .gz. Reports of Nsight Systems (.nsys-rep) are converted by its program nsys, where that is installed.",
  ],
  flags: [jsonFlag],
  examples: ['braggbench trace mine.h5', 'braggbench trace pytorch.json.gz', 'braggbench trace report.sqlite --json'],
  operands: { min: 1, max: 1, name: 'a file with a timeline' },
  run: async ({ parsed, terminal, signal }) => {
    const file = parsed.operands[0] ?? '';
    const timeline = new TraceProcess(forkChild);
    const stop = (): void => void timeline.close();
    signal.addEventListener('abort', stop);
    try {
      const about = await timeline.openFile(file, path.basename(file), () => undefined);
      const summary = await timeline.ask('summary', {});
      if (hasFlag(parsed, 'json')) {
        const { name, source, notes, lanes } = about;
        terminal.printJson({ name, source, about: about.about, lanes, notes, summary });
        return exitCodes.done;
      }
      terminal.print(terminal.style('bold', about.about === '' ? about.name : `${about.name}: ${about.about}`));
      for (const line of pairs(traceFacts(summary))) terminal.print(line);
      const look = { styleTitle: (text: string) => terminal.style('bold', text), width: terminal.width };
      for (const line of traceTables(summary, look)) terminal.print(line);
      for (const note of about.notes) terminal.say(`${terminal.styleSaid('yellow', 'note')} ${note}`);
      return exitCodes.done;
    } catch (error) {
      if (signal.aborted) return exitCodes.interrupted;
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      await timeline.close();
    }
  },
};
