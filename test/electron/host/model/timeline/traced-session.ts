/** The recorded session of copies concurrent with kernels, with traces as a session recorded now would have them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Session, SessionReport } from '../../../../../electron/contract/bench/session.ts';
import type { KeptRecording } from '../../../../../electron/contract/recording.ts';
import type { DeviceTrace, Spans } from '../../../../../electron/host/io/addon/addon.ts';
import { keptRecording } from '../../../../../electron/host/model/recording/kept.ts';
import { noSpans } from '../../../../../electron/host/model/recording/recording.ts';
import { parseTaskSession } from '../../../../../electron/host/workloads/task/session-file.ts';
import { assetsFolder } from '../../small-run.ts';

/**
 * Copies on one stream concurrent with a kernel on another, as CUPTI reports them: three pieces of work for each of two
 * streams.
 */
export function overlapped(streams: readonly number[]): DeviceTrace {
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
  const recordings: KeptRecording[] = [
    keptRecording({ label: 'cuda-one', device: 'NVIDIA H200' }, { spans: samples, trace: overlapped([7]) }, 0),
    keptRecording(
      { label: 'cuda-streams', device: 'NVIDIA H200' },
      { spans: samples, trace: overlapped([13, 14]) },
      1e6,
    ),
    keptRecording({ label: 'cpu', device: null }, { spans: noSpans, trace: null }, 0),
  ];
  return { ...session, reports: [{ ...(report as SessionReport), recordings }] };
}
