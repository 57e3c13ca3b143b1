/**
 * Small traces for tests, and a file of each kind in a temporary folder. Also the recorded session of copies concurrent
 * with kernels, with traces in the current format.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import type { Session, SessionReport } from '../../../../../electron/contract/bench/session.ts';
import type { SavedRecording } from '../../../../../electron/contract/recording.ts';
import type { DeviceTrace, Spans } from '../../../../../electron/host/io/addon/addon.ts';
import { NO_SPANS, toSavedRecording } from '../../../../../electron/host/model/recording/recording.ts';
import {
  type LaneDescription,
  type NewSpan,
  TraceBuilder,
} from '../../../../../electron/host/model/timeline/builder.ts';
import type { Trace } from '../../../../../electron/host/model/timeline/trace.ts';
import { parseTaskSession } from '../../../../../electron/host/workloads/task/index.ts';
import { assetsFolder } from '../../small-run.ts';

export type SpanInput = Partial<NewSpan> & Pick<NewSpan, 'start_ns' | 'duration_ns'>;

/** Creates a trace with one lane per list. Spans are called `span` by default. */
export function traceOf(
  ...lanes: readonly (Partial<LaneDescription> & { readonly spans: readonly SpanInput[] })[]
): Trace {
  const builder = new TraceBuilder();
  for (const [i, { spans, ...key }] of lanes.entries()) {
    const lane = builder.addLane({ process: 'p', name: `lane ${i}`, kind: 'thread', scope: 0, order: i, ...key });
    for (const span of spans) builder.addSpan({ name: 'span', kind: 'other', ...span, lane });
  }
  return builder.build({ source: 'chrome-trace', name: 'test', about: '', device: null });
}

/** Seeded pseudo-random numbers in [0, 1). Source: linear congruential generator of Numerical Recipes. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface TestFolder {
  write(name: string, content: string | Uint8Array): string;
  path(name: string): string;
}

/** Call at the top of a test file; the folder is removed after its tests. */
export function useFolder(): TestFolder {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-timeline-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    path: (name) => path.join(folder, name),
    write: (name, content) => {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    },
  };
}

/**
 * Copies on one stream concurrent with a kernel on another, as CUPTI reports them: three operations on each of two
 * streams.
 */
export function overlappedTrace(streams: readonly number[]): DeviceTrace {
  const work = [0, 1, 2].flatMap((piece) =>
    streams.flatMap((stream, k) => [
      { kind: 4, name: 0, start: 1000 * piece + 100 * k, end: 1000 * piece + 100 * k + 50, stream: 1, piece },
      { kind: 1, name: 1, start: 1000 * piece + 500 * k + 100, end: 1000 * piece + 500 * k + 600, stream, piece },
      { kind: 0, name: 2, start: 1000 * piece + 500 * k + 600, end: 1000 * piece + 500 * k + 1100, stream, piece },
    ]),
  );
  const ones = (count: number): Uint32Array => new Uint32Array(count).fill(1);
  return {
    source: 'cupti',
    names: ['cuLaunchKernel', 'HtoD', 'micro_stream_work'],
    dropped: 0,
    kind: Uint16Array.from(work, ({ kind }) => kind),
    name: Uint32Array.from(work, ({ name }) => name),
    start_ns: Float64Array.from(work, ({ start }) => start),
    end_ns: Float64Array.from(work, ({ end }) => end),
    stream: Uint32Array.from(work, ({ stream }) => stream),
    correlation: Uint32Array.from(work, ({ kind, piece, stream }) => (kind === 1 ? 0 : 1 + 10 * piece + (stream % 2))),
    grid: ones(3 * work.length),
    block: ones(3 * work.length),
    registers: ones(work.length),
    static_shared_bytes: ones(work.length),
    dynamic_shared_bytes: ones(work.length),
    bytes: new Float64Array(work.length).fill(4096),
    graph: new Uint32Array(work.length),
    graph_node: new Float64Array(work.length),
  };
}

export const samples: Spans = {
  names: ['prepare', 'repetitions'],
  threads: 1,
  name: Uint16Array.of(0, 1),
  thread: Uint16Array.of(0, 0),
  step: Uint32Array.of(0xffffffff, 3),
  start_ns: Float64Array.of(0, 100),
  end_ns: Float64Array.of(90, 5000),
  dropped: 0,
};

export function tracedSession(): Session {
  const file = path.join(assetsFolder, 'runs', 'micro', 'overlap.json');
  const session = parseTaskSession(readFileSync(file, 'utf8'), file);
  const [report] = session.reports;
  const recordings: SavedRecording[] = [
    toSavedRecording({ label: 'cuda-one', device: 'NVIDIA H200' }, { spans: samples, trace: overlappedTrace([7]) }, 0),
    toSavedRecording(
      { label: 'cuda-streams', device: 'NVIDIA H200' },
      { spans: samples, trace: overlappedTrace([13, 14]) },
      1e6,
    ),
    toSavedRecording({ label: 'cpu', device: null }, { spans: NO_SPANS, trace: null }, 0),
  ];
  return { ...session, reports: [{ ...(report as SessionReport), recordings }] };
}
