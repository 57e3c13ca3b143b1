/** `braggbench trace`: what a trace says at a glance, of a run or of another profiler. */
import path from 'node:path';
import { percent } from '../../../renderer/base/numbers.ts';
import type { TraceSummary } from '../../contract/timeline.ts';
import { formatBytes } from '../../contract/units.ts';
import { TraceWorker } from '../../host/app/timelines/trace-worker.ts';
import { hasFlag } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { duration } from '../numbers.ts';
import { pairs, table } from '../table.ts';
import type { Verb } from '../verb.ts';

const seconds = (ns: number): string => duration(ns * 1e-9);

function rows(summary: TraceSummary): readonly (readonly [string, string])[] {
  const { kernels, copies, graphs, launches } = summary;
  const all: (readonly [string, string])[] = [
    ['Length', `${seconds(summary.duration_ns)}, ${summary.spans} spans`],
    ['Kernels', `${kernels.count}, ${kernels.unique} different, ${seconds(kernels.sum_ns)} together`],
  ];
  if (summary.device_ns === null) return all;
  return [
    ...all,
    ['Copies and fills', `${copies.count}, ${formatBytes(copies.bytes)}, ${seconds(copies.sum_ns)} together`],
    ['Device time', `${seconds(summary.device_ns)} from the first launch to the last work`],
    ['GPU idle', `${percent(summary.idleShare)} of the device time`],
    ['In launch calls', `${percent(launches.share)} of the device time, ${launches.count} calls`],
    ['Replayed in graphs', `${percent(graphs.share)} of the kernels' time, ${graphs.launches} launches of graphs`],
  ];
}

export const traceVerb: Verb = {
  name: 'trace',
  usage: 'trace FILE [--json]',
  summary: "summarize a timeline of ours or of another profiler's",
  details: [
    "Reads a timeline and says what it holds: kernels in total and different ones; the kernels that take the most time; the share that was replayed in CUDA graphs; the share of time that the CPU spent in launch calls; the share in which the GPU did nothing. Reads runs (.h5, and .json of measurements), Chrome Trace JSON (PyTorch's profiler, Perfetto's tools; also .gz, of any size) and SQLite databases that Nsight Systems exports.",
  ],
  flags: [{ name: 'json', help: 'Print one JSON document instead of text.' }],
  examples: ['braggbench trace mine.h5', 'braggbench trace pytorch.json.gz', 'braggbench trace report.sqlite --json'],
  operands: { min: 1, max: 1, name: 'a file with a timeline' },
  run: async ({ parsed, terminal, signal }) => {
    const file = parsed.operands[0] ?? '';
    const worker = new TraceWorker();
    const stop = (): void => void worker.close();
    signal.addEventListener('abort', stop);
    try {
      const about = await worker.openFile(file, path.basename(file), () => undefined);
      const summary = await worker.ask('summary', {});
      if (hasFlag(parsed, 'json')) {
        const { name, source, notes, lanes } = about;
        terminal.printJson({ name, source, about: about.about, lanes, notes, summary });
        return exitCodes.done;
      }
      terminal.print(terminal.style('bold', about.about === '' ? about.name : `${about.name}: ${about.about}`));
      for (const line of pairs(rows(summary))) terminal.print(line);
      if (summary.kernels.top.length > 0) {
        terminal.print();
        const columns = [
          { title: 'Share', align: 'right' },
          { title: 'Time', align: 'right' },
          { title: 'Count', align: 'right' },
          { title: 'Median', align: 'right' },
          { title: 'Kernel' },
        ] as const;
        const cells = summary.kernels.top.map(({ name, count, sum_ns, median_ns, share }) => [
          percent(share),
          seconds(sum_ns),
          String(count),
          seconds(median_ns),
          name,
        ]);
        const look = { styleTitle: (text: string) => terminal.style('bold', text), width: terminal.width };
        for (const line of table(columns, cells, look)) terminal.print(line);
      }
      for (const note of about.notes) terminal.say(`${terminal.styleSaid('yellow', 'note')} ${note}`);
      return exitCodes.done;
    } catch (error) {
      if (signal.aborted) return exitCodes.interrupted;
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      await worker.close();
    }
  },
};
