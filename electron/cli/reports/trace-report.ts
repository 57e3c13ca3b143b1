/** A trace as a person reads it. */
import { percent } from '../../../renderer/base/numbers.ts';
import { threadUseText } from '../../../renderer/base/thread-use.ts';
import {
  type HostOperation,
  type IdleTime,
  idleWords,
  type NamedTime,
  type ThreadUse,
  type TraceSummary,
} from '../../contract/timeline.ts';
import { formatBytes } from '../../contract/units.ts';
import { duration } from '../numbers.ts';
import { type Column, type TableLook, table } from '../table.ts';

const seconds = (ns: number): string => duration(ns * 1e-9);
/** The page lists more. */
const MOST_OPERATIONS = 15;
const MOST_GAPS = 5;

export function traceFacts(summary: TraceSummary): readonly (readonly [string, string])[] {
  const { kernels, copies, graphs, launches, gpus } = summary;
  const all: (readonly [string, string])[] = [
    ['Length', `${seconds(summary.duration_ns)}, ${summary.spans} spans`],
    ['Kernels', `${kernels.count}, ${kernels.unique} different, ${seconds(kernels.sum_ns)} together`],
  ];
  if (summary.device_ns === null) return all;
  return [
    ...all,
    ['Copies and fills', `${copies.count}, ${formatBytes(copies.bytes)}, ${seconds(copies.sum_ns)} together`],
    ['Device time', `${seconds(summary.device_ns)} from the first launch to the last work`],
    ...(gpus.length > 1
      ? gpus.map(
          ({ name, idleShare }, i) => [`GPU ${i} idle`, `${percent(idleShare)} of the device time (${name})`] as const,
        )
      : [['GPU idle', `${percent(summary.idleShare)} of the device time`] as const]),
    ['In launch calls', `${percent(launches.share)} of the device time, ${launches.count} calls`],
    ['Replayed in graphs', `${percent(graphs.share)} of the kernels' time, ${graphs.launches} launches of graphs`],
  ];
}

const right = (title: string): Column => ({ title, align: 'right' });

function kernelTable(rows: readonly NamedTime[], look: TableLook): readonly string[] {
  const columns = [right('Share'), right('Time'), right('Count'), right('Median'), { title: 'Kernel' }];
  const cells = rows.map(({ name, count, sum_ns, median_ns, share }) => [
    percent(share),
    seconds(sum_ns),
    String(count),
    seconds(median_ns),
    name,
  ]);
  return table(columns, cells, look);
}

function operationTable(title: string, rows: readonly HostOperation[], look: TableLook): readonly string[] {
  const columns = ['Share', 'Own time', 'Time', 'Calls', 'Threads', 'Uneven'].map(right);
  const cells = rows
    .slice(0, MOST_OPERATIONS)
    .map(({ name, count, sum_ns, own_ns, share, threads, imbalance }) => [
      percent(share),
      seconds(own_ns),
      seconds(sum_ns),
      String(count),
      String(threads),
      imbalance === null ? '' : `+${percent(imbalance)}`,
      name,
    ]);
  return table([...columns, { title }], cells, look);
}

function idleTable({ causes, longest, sum_ns, extent_ns }: IdleTime, gpus: number, look: TableLook): readonly string[] {
  const share = extent_ns > 0 ? sum_ns / extent_ns : null;
  const columns = [right('Share'), right('Time'), right('Gaps'), { title: 'Why no kernel ran' }];
  const cells = causes.map((row) => [percent(row.share), seconds(row.sum_ns), String(row.count), idleWords[row.cause]]);
  const gaps = longest
    .slice(0, MOST_GAPS)
    .map(({ start_ns, duration_ns, cause, host, next }) => [
      seconds(start_ns),
      seconds(duration_ns),
      `${idleWords[cause]}${host === null ? '' : ` (${host})`}, then ${next}`,
    ]);
  return [
    `No kernel ran${gpus > 1 ? ` on any of ${gpus} GPUs` : ''} for ${seconds(sum_ns)}, ${percent(share)} of the time from the first to the last.`,
    ...table(columns, cells, look),
    '',
    ...table([right('At'), right('Length'), { title: 'Longest gaps' }], gaps, look),
  ];
}

function threadTable(use: ThreadUse, look: TableLook): readonly string[] {
  const { threads, threadCount } = use;
  const columns = [right('Busy'), right('Share'), { title: 'Thread' }];
  const cells = threads.map(({ name, busy_ns, share }) => [seconds(busy_ns), percent(share), name]);
  const more = threadCount > threads.length ? [`and ${threadCount - threads.length} more`] : [];
  return [threadUseText(use), ...table(columns, cells, look), ...more];
}

/** Tables one below the other, an empty line before each. */
export function traceTables({ kernels, idle, host, gpus }: TraceSummary, look: TableLook): readonly string[] {
  const tables = [
    ...(kernels.top.length > 0 ? [kernelTable(kernels.top, look)] : []),
    ...(idle === null || idle.causes.length === 0 ? [] : [idleTable(idle, gpus.length, look)]),
    ...(host.operations.length > 0 ? [operationTable('Operation of the host', host.operations, look)] : []),
    ...(host.calls.length > 0 ? [operationTable('Call of CUDA', host.calls, look)] : []),
    ...host.processes.map((use) => threadTable(use, look)),
  ];
  return tables.flatMap((lines) => ['', ...lines]);
}
