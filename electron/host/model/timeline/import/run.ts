/**
 * Builds the timeline of a run or session of Braggbench, for any workload. It contains the engine's spans and, if the
 * run was traced, the GPU's work and the driver's calls.
 */
import type { SpanKind } from '../../../../contract/timeline.ts';
import type { DeviceTrace } from '../../../io/addon/addon.ts';
import type { Recording } from '../../recording/recording.ts';
import { TraceBuilder } from '../builder.ts';
import { argumentsText, type SpanArguments } from '../details.ts';
import { NO_STEP, type Trace } from '../trace.ts';

/** Lane for one thread of a recording. */
export interface RecordedLane {
  readonly name: string;
  /** Whether its spans are work of the GPU, not of a CPU thread. */
  readonly onDevice: boolean;
}

/** Recording of one engine. A run has one, a session has one for each variant. */
export interface RecordedPart extends Recording {
  /** Title for its group of lanes; null if it is the only one. */
  readonly title: string | null;
  /** Name of the GPU; null for a variant on the CPU. */
  readonly device: string | null;
  /** Lanes of the threads in `spans`, in their order. */
  readonly lanes: readonly RecordedLane[];
}

/** Recordings from which a timeline is built. All parts use the same clock. */
export interface RunTimeline {
  readonly name: string;
  readonly variant: string;
  readonly precision: string;
  readonly machine: { readonly device: string | null; readonly cpu: string };
  readonly parts: readonly RecordedPart[];
  /**
   * Label for the step of a span, such as `First row`. Null if it is a step of the simulation; the maps of a run then
   * follow the timeline.
   */
  readonly counts: string | null;
  /**
   * Bytes that each step on the device moves, as the variant declares, and the number of steps; null if not declared.
   */
  readonly traffic: { readonly steps: number; readonly bytesPerStep: number } | null;
}

export function threadLanes(threads: number): readonly RecordedLane[] {
  return Array.from({ length: threads }, (_, thread) => ({ name: `thread ${thread}`, onDevice: false }));
}

const kinds: readonly SpanKind[] = ['kernel', 'copy', 'memset', 'graph', 'call'];
const HOST = 'Host';
/**
 * Difference between the sort keys of two parts. It keeps the threads, driver calls and device streams of each part
 * together.
 */
const PART_ORDER = 1_000_000;

/** Returns a function from a span to the bytes that its batch of steps reads and writes, as the variant declares. */
function declaredBytes({ traffic }: RunTimeline, { spans }: Recording): (span: number) => number | undefined {
  const { steps, bytesPerStep } = traffic ?? { steps: 0, bytesPerStep: 0 };
  const firsts = [...new Set(spans.step)].sort((a, b) => a - b);
  const next = new Map(firsts.map((step, i) => [step, firsts[i + 1] ?? steps]));
  return (span) => {
    const step = spans.step[span] ?? 0;
    const count = (next.get(step) ?? steps) - step;
    return bytesPerStep > 0 && count > 0 ? Math.round(count * bytesPerStep) : undefined;
  };
}

class PartImport {
  readonly #builder: TraceBuilder;
  readonly #run: RunTimeline;
  readonly #part: RecordedPart;
  readonly #place: number;

  constructor(builder: TraceBuilder, run: RunTimeline, place: number, part: RecordedPart) {
    this.#builder = builder;
    this.#run = run;
    this.#part = part;
    this.#place = place;
  }

  addRecording(): void {
    const { spans, trace } = this.#part;
    this.#addSpans();
    this.#noteDropped(spans.dropped);
    if (trace === null) return;
    this.#addTrace(trace);
    this.#noteDropped(trace.dropped);
  }

  get #host(): string {
    return this.#part.title ?? HOST;
  }

  get #device(): string {
    const { title, device } = this.#part;
    const name = device ?? 'GPU';
    return title === null ? name : `${title}: ${name}`;
  }

  #sortKey(within: number): number {
    return this.#place * PART_ORDER + within;
  }

  #addSpans(): void {
    const { spans, lanes } = this.#part;
    const { counts } = this.#run;
    const numbers = lanes.map(({ name, onDevice }, thread) =>
      this.#builder.addLane({
        process: onDevice ? this.#device : this.#host,
        name,
        kind: 'thread',
        scope: this.#place,
        order: this.#sortKey(onDevice ? 2000 : thread),
        alwaysShown: !onDevice && spans.name.length > 0,
      }),
    );
    const bytes = declaredBytes(this.#run, this.#part);
    for (const [i, name] of spans.name.entries()) {
      const thread = spans.thread[i] ?? 0;
      const lane = numbers[thread];
      if (lane === undefined) continue;
      const onDevice = lanes[thread]?.onDevice ?? false;
      const step = spans.step[i] ?? NO_STEP;
      this.#builder.addSpan({
        lane,
        name: spans.names[name] ?? '?',
        kind: onDevice ? 'range' : 'other',
        start_ns: spans.start_ns[i] ?? 0,
        duration_ns: (spans.end_ns[i] ?? 0) - (spans.start_ns[i] ?? 0),
        ...(counts === null ? { step } : {}),
        detail: argumentsText({
          ...trafficArguments(onDevice ? bytes(i) : undefined),
          ...(counts === null || step === NO_STEP ? {} : { more: { [counts]: String(step) } }),
        }),
      });
    }
  }

  #addTrace(trace: DeviceTrace): void {
    const lanes = new Map<string, number>();
    const laneFor = (i: number, kind: SpanKind): number => {
      const stream = trace.stream[i] ?? 0;
      const onHost = kind === 'call';
      const copies = kind === 'copy' || kind === 'memset';
      const key = onHost ? 'api' : `${copies ? 'copies' : 'stream'} ${stream}`;
      const known = lanes.get(key);
      if (known !== undefined) return known;
      const scope = this.#place;
      const lane = this.#builder.addLane(
        onHost
          ? { process: this.#host, name: 'CUDA driver', kind: 'api', scope, order: this.#sortKey(1000) }
          : {
              process: this.#device,
              name: copies ? `stream ${stream}: copies` : `stream ${stream}`,
              kind: copies ? 'copies' : 'stream',
              scope,
              order: this.#sortKey(3000 + 2 * Math.min(stream, 100_000) + (copies ? 1 : 0)),
            },
      );
      lanes.set(key, lane);
      return lane;
    };
    for (const [i, number] of trace.kind.entries()) {
      const kind = kinds[number] ?? 'other';
      this.#builder.addSpan({
        lane: laneFor(i, kind),
        name: trace.names[trace.name[i] ?? 0] ?? '?',
        kind,
        start_ns: trace.start_ns[i] ?? 0,
        duration_ns: (trace.end_ns[i] ?? 0) - (trace.start_ns[i] ?? 0),
        correlation: trace.correlation[i] ?? 0,
        detail: argumentsText(argumentsOf(trace, i)),
      });
    }
  }

  #noteDropped(dropped: number): void {
    const of = this.#part.title === null ? '' : ` of ${this.#part.title}`;
    if (dropped > 0) this.#builder.addNote(`${dropped} spans${of} were not recorded because the recorder was full.`);
  }
}

function trafficArguments(bytes: number | undefined): SpanArguments {
  return bytes === undefined ? {} : { bytes, more: { Traffic: 'as declared by the variant for these steps' } };
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
        // The number of a graph node is different in each launch, so only the graph is shown.
        ...(graph === 0 ? {} : { graph }),
      };
    }
  }
}

export function importRun(run: RunTimeline): Trace {
  const builder = new TraceBuilder();
  for (const [place, part] of run.parts.entries()) new PartImport(builder, run, place, part).addRecording();
  if (builder.spanCount === 0)
    builder.addNote('No times were recorded: the file is from an earlier version, or recording was interrupted.');
  const { device, cpu } = run.machine;
  return builder.build({
    source: 'run',
    name: run.name,
    about: `${run.variant} ${run.precision.toUpperCase()}, ${device ?? cpu}`,
    device,
  });
}
