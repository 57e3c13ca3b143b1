/** A timeline as Chrome Trace Event JSON, in pieces, for Perfetto and for the importer here. */
import { spanArguments } from './details.ts';
import { endOf, kindOf, NO_STEP, spanCount, type Trace, trackOf } from './trace.ts';

/** Events per piece of text. */
const PIECE = 4096;

const categories = {
  other: 'span',
  kernel: 'kernel',
  copy: 'gpu_memcpy',
  memset: 'gpu_memset',
  graph: 'graph',
  call: 'cuda_driver',
  range: 'gpu_user_annotation',
} as const;

function argumentsOf(trace: Trace, span: number): Record<string, unknown> {
  const { grid, block, registers, staticShared_bytes, dynamicShared_bytes, shared_bytes, graphNode, more, ...rest } =
    spanArguments(trace.details[trace.detailOf[span] ?? 0] ?? '');
  const step = trace.step[span] ?? NO_STEP;
  return {
    ...(grid && { grid }),
    ...(block && { block }),
    ...(registers !== undefined && { 'registers per thread': registers }),
    ...(staticShared_bytes !== undefined && { 'static shared memory, bytes': staticShared_bytes }),
    ...(dynamicShared_bytes !== undefined && { 'dynamic shared memory, bytes': dynamicShared_bytes }),
    ...(shared_bytes !== undefined && { 'shared memory': shared_bytes }),
    ...rest,
    ...(graphNode !== undefined && { 'graph node': graphNode }),
    ...more,
    ...(step !== NO_STEP && { step }),
  };
}

/** Yields the file's text; of the spans with a part in `within`, or of all. */
export function* chromeTraceText(trace: Trace, within: readonly [number, number] | null): Iterable<string> {
  const processes = [...new Set(trace.lanes.map(({ process }) => process))];
  const inside = (span: number): boolean =>
    within === null || ((trace.start[span] ?? 0) < within[1] && endOf(trace, span) > within[0]);
  const pid = (lane: number): number => processes.indexOf(trace.lanes[lane]?.process ?? '') + 1;
  const otherData = { name: trace.name, about: trace.about };
  yield `{"displayTimeUnit":"ns","otherData":${JSON.stringify(otherData)},"traceEvents":[\n`;
  let batch: string[] = [];
  let first = true;
  const flush = (): string => {
    const text = `${first ? '' : ',\n'}${batch.join(',\n')}`;
    first = false;
    batch = [];
    return text;
  };
  for (const [i, process] of processes.entries()) {
    batch.push(JSON.stringify({ ph: 'M', name: 'process_name', pid: i + 1, args: { name: process } }));
  }
  for (const [lane, { name }] of trace.lanes.entries()) {
    const about = { pid: pid(lane), tid: lane };
    batch.push(JSON.stringify({ ph: 'M', name: 'thread_name', ...about, args: { name } }));
    batch.push(JSON.stringify({ ph: 'M', name: 'thread_sort_index', ...about, args: { sort_index: lane } }));
  }
  const microseconds = (ns: number): number => Number((ns / 1000).toFixed(3));
  for (let span = 0; span < spanCount(trace); span += 1) {
    if (!inside(span)) continue;
    const lane = trace.laneOf[trackOf(trace, span)] ?? 0;
    batch.push(
      JSON.stringify({
        ph: 'X',
        name: trace.names[trace.nameOf[span] ?? 0],
        cat: (trace.step[span] ?? NO_STEP) === NO_STEP ? categories[kindOf(trace, span)] : 'step',
        pid: pid(lane),
        tid: lane,
        ts: microseconds(trace.start[span] ?? 0),
        dur: microseconds(trace.duration[span] ?? 0),
        args: argumentsOf(trace, span),
      }),
    );
    if (batch.length >= PIECE) yield flush();
  }
  const { from, to } = trace.links;
  for (const [i, launching] of from.entries()) {
    const launched = to[i] ?? 0;
    if (!inside(launching) || !inside(launched)) continue;
    const end = (span: number): object => {
      const lane = trace.laneOf[trackOf(trace, span)] ?? 0;
      return {
        name: 'launch',
        cat: 'launch',
        id: i + 1,
        pid: pid(lane),
        tid: lane,
        ts: microseconds(trace.start[span] ?? 0),
      };
    };
    batch.push(JSON.stringify({ ph: 's', ...end(launching) }), JSON.stringify({ ph: 'f', bp: 'e', ...end(launched) }));
    if (batch.length >= PIECE) yield flush();
  }
  if (batch.length > 0) yield flush();
  yield '\n]}\n';
}
