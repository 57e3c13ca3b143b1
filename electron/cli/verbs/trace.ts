/** `braggbench trace`: summarises the trace of a run, or of another profiler, as a text report. */
import path from 'node:path';
import {
  type HostOperation,
  type IdleTime,
  idleCauseTexts,
  type NamedTime,
  type ThreadUse,
  type TraceSummary,
} from '../../contract/timeline.ts';
import { measuredTime } from '../../domain/measured.ts';
import { percent, threadUseText } from '../../domain/numbers.ts';
import { formatBytes } from '../../domain/values/units.ts';
import { TraceProcess } from '../../host/api/files.ts';
import { forkChild } from '../../host/index.ts';
import { hasFlag, jsonFlag } from '../arguments.ts';
import { type Column, formatPairs, formatTable, type TableLayout } from '../table.ts';
import { exitCodes, type Verb } from '../verb.ts';

const seconds = (ns: number): string => measuredTime(ns * 1e-9);
/** Largest number of operations in a table; the page lists more. */
const MAX_OPERATIONS = 15;
const MAX_GAPS = 5;

function traceFacts(summary: TraceSummary): readonly (readonly [string, string])[] {
  const { kernels, copies, graphs, launches, gpus } = summary;
  const all: (readonly [string, string])[] = [
    ['Length', `${seconds(summary.duration_ns)}, ${summary.spans} spans`],
    ['Kernels', `${kernels.count}, ${kernels.unique} different, ${seconds(kernels.sum_ns)} in total`],
  ];
  if (summary.device_ns === null) return all;
  return [
    ...all,
    ['Copies and fills', `${copies.count}, ${formatBytes(copies.bytes)}, ${seconds(copies.sum_ns)} in total`],
    ['Device time', `${seconds(summary.device_ns)} from the first launch to the end of the last GPU work`],
    ...(gpus.length > 1
      ? gpus.map(
          ({ name, idleShare }, i) => [`GPU ${i} idle`, `${percent(idleShare)} of the device time (${name})`] as const,
        )
      : [['GPU idle', `${percent(summary.idleShare)} of the device time`] as const]),
    ['In launch calls', `${percent(launches.share)} of the device time, ${launches.count} calls`],
    ['Replayed in graphs', `${percent(graphs.share)} of the kernels' time, ${graphs.launches} launches of graphs`],
  ];
}

const rightColumn = (title: string): Column => ({ title, align: 'right' });

function kernelTable(rows: readonly NamedTime[], look: TableLayout): readonly string[] {
  const columns = [
    rightColumn('Share'),
    rightColumn('Time'),
    rightColumn('Count'),
    rightColumn('Median'),
    { title: 'Kernel' },
  ];
  const cells = rows.map(({ name, count, sum_ns, median_ns, share }) => [
    percent(share),
    seconds(sum_ns),
    String(count),
    seconds(median_ns),
    name,
  ]);
  return formatTable(columns, cells, look);
}

function operationTable(title: string, rows: readonly HostOperation[], look: TableLayout): readonly string[] {
  const columns = ['Share', 'Own time', 'Time', 'Calls', 'Threads', 'Uneven'].map(rightColumn);
  const cells = rows
    .slice(0, MAX_OPERATIONS)
    .map(({ name, count, sum_ns, own_ns, share, threads, imbalance }) => [
      percent(share),
      seconds(own_ns),
      seconds(sum_ns),
      String(count),
      String(threads),
      imbalance === null ? '' : `+${percent(imbalance)}`,
      name,
    ]);
  return formatTable([...columns, { title }], cells, look);
}

function idleTable(
  { causes, longest, sum_ns, extent_ns }: IdleTime,
  gpus: number,
  look: TableLayout,
): readonly string[] {
  const share = extent_ns > 0 ? sum_ns / extent_ns : null;
  const columns = [rightColumn('Share'), rightColumn('Time'), rightColumn('Gaps'), { title: 'Why no kernel ran' }];
  const cells = causes.map((row) => [
    percent(row.share),
    seconds(row.sum_ns),
    String(row.count),
    idleCauseTexts[row.cause],
  ]);
  const gaps = longest
    .slice(0, MAX_GAPS)
    .map(({ start_ns, duration_ns, cause, host, next }) => [
      seconds(start_ns),
      seconds(duration_ns),
      `${idleCauseTexts[cause]}${host === null ? '' : ` (${host})`}, then ${next}`,
    ]);
  return [
    `No kernel ran${gpus > 1 ? ` on any of ${gpus} GPUs` : ''} for ${seconds(sum_ns)}, ${percent(share)} of the time from the first to the last kernel.`,
    ...formatTable(columns, cells, look),
    '',
    ...formatTable([rightColumn('At'), rightColumn('Length'), { title: 'Longest gaps' }], gaps, look),
  ];
}

function threadTable(use: ThreadUse, look: TableLayout): readonly string[] {
  const { threads, threadCount } = use;
  const columns = [rightColumn('Busy'), rightColumn('Share'), { title: 'Thread' }];
  const cells = threads.map(({ name, busy_ns, share }) => [seconds(busy_ns), percent(share), name]);
  const more = threadCount > threads.length ? [`and ${threadCount - threads.length} more`] : [];
  return [threadUseText(use), ...formatTable(columns, cells, look), ...more];
}

/** Tables of a trace, each preceded by an empty line. */
function traceTables({ kernels, idle, host, gpus }: TraceSummary, look: TableLayout): readonly string[] {
  const tables = [
    ...(kernels.top.length > 0 ? [kernelTable(kernels.top, look)] : []),
    ...(idle === null || idle.causes.length === 0 ? [] : [idleTable(idle, gpus.length, look)]),
    ...(host.operations.length > 0 ? [operationTable('Host operation', host.operations, look)] : []),
    ...(host.calls.length > 0 ? [operationTable('CUDA call', host.calls, look)] : []),
    ...host.processes.map((use) => threadTable(use, look)),
  ];
  return tables.flatMap((lines) => ['', ...lines]);
}

export const traceVerb: Verb = {
  name: 'trace',
  usage: 'trace FILE [--json]',
  summary: 'summarize a timeline of Braggbench or of another profiler',
  details: [
    "Reads a timeline and summarises it: total and distinct kernels; the kernels that take the most time; the share that was replayed in CUDA graphs; the share of time that the CPU spent in launch calls; the share in which the GPU was idle. Shows why no kernel ran (copy, launch, wait), how long the host's operations took, and how evenly its threads were used. Reads runs (.h5, and .json of measurements). Reads Chrome Trace JSON (PyTorch's profiler, Perfetto's tools) and SQLite databases exported by Nsight Systems, both also as .gz. Reports of Nsight Systems (.nsys-rep) are converted by its program nsys, if installed.",
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
      for (const line of formatPairs(traceFacts(summary))) terminal.print(line);
      const look = { styleTitle: (text: string) => terminal.style('bold', text), width: terminal.width };
      for (const line of traceTables(summary, look)) terminal.print(line);
      for (const note of about.notes) terminal.printNote(`${terminal.styleNote('yellow', 'note')} ${note}`);
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
