/**
 * A run's timeline as Chrome Trace Event JSON, which Perfetto and
 * chrome://tracing open. Times in microseconds since the run began.
 * Format: "Trace Event Format", the Chromium project.
 */
import type { DeviceTrace, Spans } from '../addon.ts';

export interface TraceEvent {
  readonly ph: 'X' | 'M' | 's' | 'f';
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly cat?: string;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  /** A flow's end belongs to the slice that encloses it. */
  readonly bp?: 'e';
  readonly args?: Readonly<Record<string, string | number>>;
}

const HOST = 1;
const DEVICE = 2;
/** Driver calls stand in the host's process, below its threads. */
const DRIVER_LANE = 1000;
const kinds = ['kernel', 'copy', 'memset', 'graph', 'driver call'] as const;
const DRIVER_CALL = 4;

const microseconds = (ns: number | undefined): number => (ns ?? 0) / 1000;

function named(pid: number, what: 'process_name' | 'thread_name', tid: number, name: string): TraceEvent {
  return { ph: 'M', name: what, pid, tid, args: { name } };
}

/** Of a run on the GPU the recorder's second thread is the device. */
function laneName(thread: number, onGpu: boolean): string {
  if (!onGpu) return `thread ${thread}`;
  return thread === 0 ? 'host' : 'device, by events';
}

function spanEvents(spans: Spans, onGpu: boolean): TraceEvent[] {
  const lanes = Array.from({ length: spans.threads }, (_, thread) =>
    named(HOST, 'thread_name', thread, laneName(thread, onGpu)),
  );
  const slices = Array.from(spans.name, (name, i): TraceEvent => {
    const ts = microseconds(spans.start_ns[i]);
    return {
      ph: 'X',
      name: spans.names[name] ?? '?',
      cat: 'step',
      pid: HOST,
      tid: spans.thread[i] ?? 0,
      ts,
      dur: Math.max(0, microseconds(spans.end_ns[i]) - ts),
      args: { step: spans.step[i] ?? 0 },
    };
  });
  return [...lanes, ...slices];
}

function detail(trace: DeviceTrace, i: number): Record<string, string | number> {
  const correlation = trace.correlation[i] ?? 0;
  const triple = (column: Uint32Array): string => [...column.subarray(3 * i, 3 * i + 3)].join(' × ');
  const kind = trace.kind[i];
  if (kind === DRIVER_CALL) return { correlation };
  if (kind === 1 || kind === 2) {
    return { correlation, stream: trace.stream[i] ?? 0, bytes: trace.bytes[i] ?? 0 };
  }
  return {
    correlation,
    stream: trace.stream[i] ?? 0,
    grid: triple(trace.grid),
    block: triple(trace.block),
    'registers per thread': trace.registers[i] ?? 0,
    'static shared memory, bytes': trace.static_shared_bytes[i] ?? 0,
    'dynamic shared memory, bytes': trace.dynamic_shared_bytes[i] ?? 0,
    ...((trace.graph[i] ?? 0) === 0 ? {} : { graph: trace.graph[i] ?? 0, 'graph node': trace.graph_node[i] ?? 0 }),
  };
}

function traceEvents(trace: DeviceTrace): TraceEvent[] {
  const events: TraceEvent[] = [];
  const lanes = new Map<string, TraceEvent>();
  const calls = new Map<number, TraceEvent>();
  const work: TraceEvent[] = [];
  for (const [i, kind] of trace.kind.entries()) {
    const onHost = kind === DRIVER_CALL;
    const [pid, tid] = onHost ? [HOST, DRIVER_LANE] : [DEVICE, trace.stream[i] ?? 0];
    lanes.set(`${pid} ${tid}`, named(pid, 'thread_name', tid, onHost ? 'CUDA driver' : `stream ${tid}`));
    const ts = microseconds(trace.start_ns[i]);
    const event: TraceEvent = {
      ph: 'X',
      name: trace.names[trace.name[i] ?? 0] ?? '?',
      cat: kinds[kind] ?? 'other',
      pid,
      tid,
      ts,
      dur: Math.max(0, microseconds(trace.end_ns[i]) - ts),
      args: detail(trace, i),
    };
    events.push(event);
    const correlation = trace.correlation[i] ?? 0;
    if (correlation === 0) continue;
    if (onHost) calls.set(correlation, event);
    else work.push({ ...event, id: correlation });
  }
  return [...lanes.values(), ...events, ...arrows(work, calls)];
}

/** From each launch to what it launched; a graph's launch has an arrow to each of its nodes. */
function arrows(work: readonly TraceEvent[], calls: ReadonlyMap<number, TraceEvent>): TraceEvent[] {
  let flow = 0;
  return work.flatMap(({ id = 0, pid, tid, ts = 0 }): TraceEvent[] => {
    const call = calls.get(id);
    if (call === undefined) return [];
    flow += 1;
    const common = { name: 'launch', cat: 'launch', id: flow } as const;
    return [
      { ...common, ph: 's', pid: call.pid, tid: call.tid, ts: call.ts ?? 0 },
      { ...common, ph: 'f', bp: 'e', pid, tid, ts },
    ];
  });
}

/** What a timeline is made of: a run, or a traced sample of a small workload. */
export interface Timeline {
  readonly name: string;
  readonly variant: string;
  readonly precision: string;
  readonly machine: { readonly device: string | null; readonly cpu: string };
  readonly program: { readonly version: string };
  readonly spans: Spans;
  /** Null where there is none of the device. */
  readonly trace: DeviceTrace | null;
}

export function chromeTrace(run: Timeline): {
  readonly displayTimeUnit: 'ms';
  readonly otherData: Readonly<Record<string, string>>;
  readonly traceEvents: readonly TraceEvent[];
} {
  const onGpu = run.machine.device !== null;
  return {
    displayTimeUnit: 'ms',
    otherData: {
      run: run.name,
      variant: run.variant,
      precision: run.precision,
      machine: run.machine.device === null ? run.machine.cpu : `${run.machine.device}, ${run.machine.cpu}`,
      program: `braggbench ${run.program.version}`,
    },
    traceEvents: [
      named(HOST, 'process_name', 0, `host: ${run.machine.cpu}`),
      ...(run.trace === null ? [] : [named(DEVICE, 'process_name', 0, 'GPU')]),
      ...spanEvents(run.spans, onGpu),
      ...(run.trace === null ? [] : traceEvents(run.trace)),
    ],
  };
}
