/** Timelines of what was recorded here and on an H200, of every workload, and their export for other programs. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { timelineOf } from '../../../../../electron/host/app/timelines/timeline-of.ts';
import { recordingOf } from '../../../../../electron/host/model/recording/kept.ts';
import { describe as describeTrace } from '../../../../../electron/host/model/timeline/description.ts';
import { chromeTraceText } from '../../../../../electron/host/model/timeline/export.ts';
import { importRun } from '../../../../../electron/host/model/timeline/import/run.ts';
import { spanDetails, stepsOf } from '../../../../../electron/host/model/timeline/questions.ts';
import { spanCount, type Trace } from '../../../../../electron/host/model/timeline/trace.ts';
import { parseTaskSession } from '../../../../../electron/host/workloads/task/session-file.ts';
import { runOfSession } from '../../../../../electron/host/workloads/task/task-file.ts';
import { readRun } from '../../read-transport.ts';
import { assetsFolder, runScenario, smallScenario } from '../../small-run.ts';
import { renderDocument } from '../../workloads/image.ts';
import { smallImage } from '../../workloads/small-image.ts';
import { overlapped, samples, tracedSession } from './traced-session.ts';

interface TraceEvent {
  readonly ph: 'X' | 'M' | 's' | 'f';
  readonly name: string;
  readonly cat?: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

function exported(trace: Trace): readonly TraceEvent[] {
  return JSON.parse([...chromeTraceText(trace, null)].join('')).traceEvents;
}

const ofKind = (events: readonly TraceEvent[], kind: TraceEvent['ph']): readonly TraceEvent[] =>
  events.filter(({ ph }) => ph === kind);
const lanesOf = (trace: Trace): readonly string[] => trace.lanes.map(({ process, name }) => `${process} | ${name}`);
const everySpan = (trace: Trace) => Array.from({ length: spanCount(trace) }, (_, i) => spanDetails(trace, i, null));

test('a transport run on the CPU: a lane per thread, a slice per span with its step', async () => {
  const run = await runScenario(smallScenario);
  const trace = importRun(timelineOf(run));
  expect(lanesOf(trace)[0]).toBe('Host | thread 0');
  const events = exported(trace);
  expect(ofKind(events, 'X')).toHaveLength(run.spans.name.length);
  for (const { ts = -1, dur = -1, args } of ofKind(events, 'X')) {
    expect(Math.min(ts, dur)).toBeGreaterThanOrEqual(0);
    expect(args?.['step'] ?? 0).toBeLessThanOrEqual(run.steps);
  }
  const beside = everySpan(trace).filter(({ step }) => step === null);
  expect(beside.map(({ name }) => name)).toEqual(['tables', 'state', 'read back']);
  expect([...ofKind(events, 's'), ...ofKind(events, 'f')]).toEqual([]);
  expect(stepsOf(trace).step.length).toBeGreaterThan(10);
});

test('an image on the CPU: the stages of its set-up, then rows on every thread; no steps for maps to follow', async () => {
  const run = await renderDocument(smallImage);
  const trace = importRun(timelineOf(run));
  expect(lanesOf(trace)[0]).toBe('Host | thread 0');
  const spans = everySpan(trace);
  expect(spans.slice(0, 4).map(({ name }) => name)).toEqual([
    'structure factors',
    'detector and beam',
    'orientations',
    'image and threads',
  ]);
  const rows = spans.filter(({ name }) => name === 'rows');
  expect(rows.map(({ fields }) => fields)).toContainEqual([{ name: 'First row', value: '0', unit: '' }]);
  expect(rows.every(({ step }) => step === null)).toBe(true);
  expect(stepsOf(trace).step).toHaveLength(0);
});

describe('a transport run traced on an H200', async () => {
  const file = path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV-cuda-fused.h5');
  const run = await readRun(readFileSync(file), file);
  const events = exported(importRun(timelineOf(run)));
  const processes = new Map(
    ofKind(events, 'M')
      .filter(({ name }) => name === 'process_name')
      .map(({ pid, args }) => [pid, args?.['name']]),
  );

  test('keeps what CUPTI saw', () => {
    expect(run.trace?.source).toBe('cupti');
    expect(run.trace?.kind.length).toBeGreaterThan(100);
    const kernel = ofKind(events, 'X').find(({ cat }) => cat === 'kernel');
    expect(processes.get(kernel?.pid ?? 0)).toBe('NVIDIA H200');
    expect(kernel?.args?.['grid']).toHaveLength(3);
    expect(kernel?.args?.['registers per thread']).toBeGreaterThan(0);
  });

  test('ties kernels to their launches with arrows that point forward in time', () => {
    const starts = new Map(ofKind(events, 's').map((event) => [event.id, event]));
    const ends = ofKind(events, 'f');
    expect(ends.length).toBeGreaterThan(50);
    expect(starts.size).toBe(ends.length);
    for (const { id, ts = 0, pid } of ends) {
      expect(processes.get(pid)).toBe('NVIDIA H200');
      expect(processes.get(starts.get(id)?.pid ?? 0)).toBe('Host');
      expect(starts.get(id)?.ts).toBeLessThanOrEqual(ts);
    }
  });
});

describe('a measurement', () => {
  const session = parseTaskSession(JSON.stringify(tracedSession()), 'overlap.json');
  const trace = importRun(timelineOf(runOfSession(session, 'overlap.json')));

  test('a recording is kept as numbers and comes back as it was, on the session’s clock', () => {
    const first = session.reports[0]?.recordings?.[0];
    expect(first === undefined ? null : recordingOf(first)).toMatchObject({ spans: samples, trace: overlapped([7]) });
  });

  test('has a block of lanes for each variant: its samples, the driver’s calls, and each stream with its copies', () => {
    expect(lanesOf(trace)).toEqual([
      'cuda-one | samples',
      'cuda-one | CUDA driver',
      'cuda-one: NVIDIA H200 | stream 7',
      'cuda-one: NVIDIA H200 | stream 7: copies',
      'cuda-streams | samples',
      'cuda-streams | CUDA driver',
      'cuda-streams: NVIDIA H200 | stream 13',
      'cuda-streams: NVIDIA H200 | stream 13: copies',
      'cuda-streams: NVIDIA H200 | stream 14',
      'cuda-streams: NVIDIA H200 | stream 14: copies',
    ]);
    expect(describeTrace(trace).about).toContain('NVIDIA H200');
  });

  test('shows a kernel of one stream beside a copy of another, launches within their own variant, and repetitions', () => {
    const spans = everySpan(trace);
    const on = (lane: string) => spans.filter((span) => span.lane === lane && span.process.startsWith('cuda-streams'));
    const [kernel] = on('stream 13');
    const copy = on('stream 14: copies')[0];
    if (kernel === undefined || copy === undefined) throw new Error('not there');
    expect(Math.max(kernel.start_ns, copy.start_ns)).toBeLessThan(
      Math.min(kernel.start_ns + kernel.duration_ns, copy.start_ns + copy.duration_ns),
    );
    expect(kernel.launchedBy).toHaveLength(1);
    const launcher = spans.find(({ span }) => span === kernel.launchedBy[0]?.span);
    expect(launcher?.process).toBe('cuda-streams');
    const batch = spans.find(({ name }) => name === 'repetitions');
    expect(batch?.fields).toContainEqual({ name: 'Repetitions', value: '3', unit: '' });
    expect(spans.find(({ name }) => name === 'prepare')?.fields).toEqual([]);
  });
});
