/** The timeline of a run of ours: the recorder's spans and, of a traced run, the GPU's work and the driver's calls. */

import type { SpanKind } from '../../../contract/timeline.ts';
import type { DeviceTrace, Spans } from '../../addon.ts';
import type { RunData } from '../../workloads/transport/run-data.ts';
import { TraceBuilder } from '../builder.ts';
import { argumentsText, type SpanArguments } from '../details.ts';
import type { Trace } from '../trace.ts';

/** What of a run its timeline is made from. */
export type RunTimeline = Pick<RunData, 'name' | 'variant' | 'machine' | 'spans' | 'trace' | 'steps' | 'cell_steps'> & {
  readonly precision: string;
  /** Declared by the variant; 0 when unknown. */
  readonly bytesPerCellStep: number;
};

const kinds: readonly SpanKind[] = ['kernel', 'copy', 'memset', 'graph', 'call'];
const HOST = 'Host';
const DEVICE_STEPS = 1;

/** Bytes that the steps of each batch read and write, as the variant declares them; by span. */
function declaredBytes(run: RunTimeline): (span: number) => number | undefined {
  const { spans, steps, cell_steps, bytesPerCellStep } = run;
  const perStep = steps > 0 ? (cell_steps / steps) * bytesPerCellStep : 0;
  const firsts = [...new Set(spans.step)].sort((a, b) => a - b);
  const next = new Map(firsts.map((step, i) => [step, firsts[i + 1] ?? steps]));
  return (span) => {
    const step = spans.step[span] ?? 0;
    const count = (next.get(step) ?? steps) - step;
    return perStep > 0 && count > 0 ? Math.round(count * perStep) : undefined;
  };
}

function addSpans(builder: TraceBuilder, run: RunTimeline): void {
  const { spans, machine } = run;
  const onGpu = machine.device !== null;
  const lanes = Array.from({ length: spans.threads }, (_, thread) =>
    builder.lane({
      process: onGpu && thread === DEVICE_STEPS ? (machine.device ?? '') : HOST,
      name: onGpu ? (thread === 0 ? 'main thread' : 'steps, by events') : `thread ${thread}`,
      kind: 'thread',
      scope: 0,
      order: onGpu && thread === DEVICE_STEPS ? 2000 : thread,
    }),
  );
  const bytes = declaredBytes(run);
  for (const [i, name] of spans.name.entries()) {
    const thread = spans.thread[i] ?? 0;
    const lane = lanes[thread];
    if (lane === undefined) continue;
    const onDevice = onGpu && thread === DEVICE_STEPS;
    const declared = onDevice ? bytes(i) : undefined;
    builder.span({
      lane,
      name: spans.names[name] ?? '?',
      kind: onDevice ? 'range' : 'other',
      start_ns: spans.start_ns[i] ?? 0,
      duration_ns: (spans.end_ns[i] ?? 0) - (spans.start_ns[i] ?? 0),
      step: spans.step[i] ?? 0,
      detail:
        declared === undefined
          ? ''
          : argumentsText({ bytes: declared, more: { Traffic: 'as the variant declares it for these steps' } }),
    });
  }
  noteDropped(builder, spans);
}

function noteDropped(builder: TraceBuilder, { dropped }: Pick<Spans, 'dropped'>): void {
  if (dropped > 0) builder.note(`${dropped} spans were not recorded because the recorder was full.`);
}

function argumentsOf(trace: DeviceTrace, i: number): SpanArguments {
  const triple = (column: Uint32Array): readonly number[] => [...column.subarray(3 * i, 3 * i + 3)];
  const stream = trace.stream[i] ?? 0;
  switch (kinds[trace.kind[i] ?? 0]) {
    case 'call':
      return {};
    case 'copy':
    case 'memset':
      return { bytes: trace.bytes[i] ?? 0, stream };
    default: {
      const graph = trace.graph[i] ?? 0;
      return {
        grid: triple(trace.grid),
        block: triple(trace.block),
        registers: trace.registers[i] ?? 0,
        staticShared_bytes: trace.static_shared_bytes[i] ?? 0,
        dynamicShared_bytes: trace.dynamic_shared_bytes[i] ?? 0,
        stream,
        // A node's number differs from launch to launch: that there is one says enough.
        ...(graph === 0 ? {} : { graph }),
      };
    }
  }
}

function addTrace(builder: TraceBuilder, trace: DeviceTrace, device: string): void {
  const lanes = new Map<string, number>();
  const laneFor = (i: number, kind: SpanKind): number => {
    const stream = trace.stream[i] ?? 0;
    const key =
      kind === 'call' ? 'api' : kind === 'copy' || kind === 'memset' ? `copies ${stream}` : `stream ${stream}`;
    const known = lanes.get(key);
    if (known !== undefined) return known;
    const lane = builder.lane(
      kind === 'call'
        ? { process: HOST, name: 'CUDA driver', kind: 'api', scope: 0, order: 1000 }
        : key.startsWith('copies')
          ? { process: device, name: `stream ${stream}: copies`, kind: 'copies', scope: 0, order: 3001 + 2 * stream }
          : { process: device, name: `stream ${stream}`, kind: 'stream', scope: 0, order: 3000 + 2 * stream },
    );
    lanes.set(key, lane);
    return lane;
  };
  for (const [i, number] of trace.kind.entries()) {
    const kind = kinds[number] ?? 'other';
    builder.span({
      lane: laneFor(i, kind),
      name: trace.names[trace.name[i] ?? 0] ?? '?',
      kind,
      start_ns: trace.start_ns[i] ?? 0,
      duration_ns: (trace.end_ns[i] ?? 0) - (trace.start_ns[i] ?? 0),
      correlation: trace.correlation[i] ?? 0,
      detail: argumentsText(argumentsOf(trace, i)),
    });
  }
  noteDropped(builder, trace);
}

export function importRun(run: RunTimeline): Trace {
  const builder = new TraceBuilder();
  const { device, cpu } = run.machine;
  addSpans(builder, run);
  if (run.trace !== null) addTrace(builder, run.trace, device ?? 'GPU');
  return builder.build({
    source: 'run',
    name: run.name,
    about: `${run.variant} ${run.precision.toUpperCase()}, ${device ?? cpu}`,
    device,
  });
}
