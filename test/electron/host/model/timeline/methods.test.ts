/** Timelines of every workload, recorded during the test and on an H200, and their export to other programs. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { BraggError } from '../../../../../electron/contract/errors.ts';
import { type TraceState, UPLOAD_PIECE_BYTES } from '../../../../../electron/contract/timeline.ts';
import { fromSavedRecording } from '../../../../../electron/host/model/recording/recording.ts';
import { chromeTraceText } from '../../../../../electron/host/model/timeline/export.ts';
import { importRun } from '../../../../../electron/host/model/timeline/import/run.ts';
import { spanDetails, stepTimes } from '../../../../../electron/host/model/timeline/questions.ts';
import {
  traceDescription as describeTrace,
  spanCount,
  type Trace,
} from '../../../../../electron/host/model/timeline/trace.ts';
import { timelineOf } from '../../../../../electron/host/workloads/index.ts';
import { parseTaskSession, runOfSession } from '../../../../../electron/host/workloads/task/index.ts';
import type { Client } from '../../../../../renderer/data/client/client.ts';
import { assetsFolder, readRun, runScenario, smallScenario } from '../../small-run.ts';
import { eventually, openTestHost, type TestHost } from '../../test-host.ts';
import { renderDocument } from '../../workloads/image.ts';
import { smallImage } from '../../workloads/small-image.ts';
import { overlappedTrace, samples, tracedSession } from './make.ts';

describe('recorded timelines', () => {
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

  function exportedEvents(trace: Trace): readonly TraceEvent[] {
    return JSON.parse([...chromeTraceText(trace, null)].join('')).traceEvents;
  }

  const ofKind = (events: readonly TraceEvent[], kind: TraceEvent['ph']): readonly TraceEvent[] =>
    events.filter(({ ph }) => ph === kind);
  const lanesOf = (trace: Trace): readonly string[] => trace.lanes.map(({ process, name }) => `${process} | ${name}`);
  const everySpan = (trace: Trace) => Array.from({ length: spanCount(trace) }, (_, i) => spanDetails(trace, i, null));

  test('have a lane per thread for a transport run on the CPU, and a slice per span with its step', async () => {
    const run = await runScenario(smallScenario);
    const trace = importRun(timelineOf(run));
    expect(lanesOf(trace)[0]).toBe('Host | thread 0');
    const events = exportedEvents(trace);
    expect(ofKind(events, 'X')).toHaveLength(run.spans.name.length);
    for (const { ts = -1, dur = -1, args } of ofKind(events, 'X')) {
      expect(Math.min(ts, dur)).toBeGreaterThanOrEqual(0);
      expect(args?.['step'] ?? 0).toBeLessThanOrEqual(run.steps);
    }
    const beside = everySpan(trace).filter(({ step }) => step === null);
    expect(beside.map(({ name }) => name)).toEqual(['tables', 'state', 'read back']);
    expect([...ofKind(events, 's'), ...ofKind(events, 'f')]).toEqual([]);
    expect(stepTimes(trace).step.length).toBeGreaterThan(10);
  });

  test('have set-up stages and rows on every thread for an image on the CPU, and no steps for maps', async () => {
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
    expect(stepTimes(trace).step).toHaveLength(0);
  });

  describe('a transport run traced on an H200', async () => {
    const file = path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV-cuda-fused.h5');
    const run = await readRun(readFileSync(file), file);
    const events = exportedEvents(importRun(timelineOf(run)));
    const processes = new Map(
      ofKind(events, 'M')
        .filter(({ name }) => name === 'process_name')
        .map(({ pid, args }) => [pid, args?.['name']]),
    );

    test('contains everything that CUPTI recorded', () => {
      expect(run.trace?.source).toBe('cupti');
      expect(run.trace?.kind.length).toBeGreaterThan(100);
      const kernel = ofKind(events, 'X').find(({ cat }) => cat === 'kernel');
      expect(processes.get(kernel?.pid ?? 0)).toBe('NVIDIA H200');
      expect(kernel?.args?.['grid']).toHaveLength(3);
      expect(kernel?.args?.['registers per thread']).toBeGreaterThan(0);
    });

    test('links kernels to their launches with arrows that point forward in time', () => {
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

  describe('the timeline of a measurement', () => {
    const session = parseTaskSession(JSON.stringify(tracedSession()), 'overlap.json');
    const trace = importRun(timelineOf(runOfSession(session, 'overlap.json')));

    test('is saved as numbers and restored unchanged, with times on the clock of the session', () => {
      const first = session.reports[0]?.recordings?.[0];
      expect(first === undefined ? null : fromSavedRecording(first)).toMatchObject({
        spans: samples,
        trace: overlappedTrace([7]),
      });
    });

    test('has a block of lanes for each variant: samples, driver calls, and each stream with its copies', () => {
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

    test('shows a kernel of one stream next to a copy of another, launches within their variant, and repetitions', () => {
      const spans = everySpan(trace);
      const on = (lane: string) =>
        spans.filter((span) => span.lane === lane && span.process.startsWith('cuda-streams'));
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
});

describe('methods on timelines', () => {
  let test: TestHost;
  let page: Client;
  beforeAll(async () => {
    test = await openTestHost();
    page = await test.page();
  });
  afterAll(() => test.close());

  const recorded = path.resolve(import.meta.dirname, '../../../../golden/runs/h200-cuda-window-graphs.h5');

  async function openRecorded() {
    const bytes = new Uint8Array(readFileSync(recorded));
    const run = await page.call('run.open', { source: { kind: 'bytes', name: 'recorded.h5', bytes } });
    return { run, info: await page.call('timeline.open', { source: { kind: 'run', run: run.id } }) };
  }

  async function upload(name: string, content: Uint8Array): Promise<string> {
    const { upload: id } = await page.call('timeline.upload', { name, size_bytes: content.length });
    for (let offset = 0; offset < content.length; offset += UPLOAD_PIECE_BYTES) {
      const bytes = content.slice(offset, offset + UPLOAD_PIECE_BYTES);
      await page.call('timeline.uploadPiece', { upload: id, offset, bytes });
    }
    return id;
  }

  describe('the timeline of a run on the CPU', () => {
    it.each([smallScenario, smallImage])(
      'contains every operator, whether or not the GPU was requested',
      async (one) => {
        const operators = await Promise.all(
          [false, true].map(async (trace) => {
            const { id } = await page.call('run.start', { scenario: { ...one }, name: '', file: null, trace });
            expect(await test.host.runs.waitForEnd(id)).toMatchObject({ state: 'done', device: 'cpu' });
            const info = await page.call('timeline.open', { source: { kind: 'run', run: id } });
            expect(info.spans).toBeGreaterThan(5);
            expect(info.lanes.map(({ name }) => name)).toContain('thread 0');
            const data = await test.host.runs.data(id);
            if (!('spans' in data)) throw new Error('no spans');
            expect(data.trace).toBeNull();
            // Only the first run in a process is preceded by loading the addon.
            return data.spans.names.filter((name) => name !== 'addon loaded').sort();
          }),
        );
        expect(operators[1]).toEqual(operators[0]);
        expect(await test.host.log.tail()).toContain('This run is on the CPU; its operators are always recorded.');
      },
    );
  });

  describe('notes on a timeline', () => {
    it('are restored when the same run is opened again, and not shown for any other run', async () => {
      const { run, info } = await openRecorded();
      expect(await page.call('timeline.notes', { trace: info.id })).toEqual({ notes: [] });
      const notes = [
        { from_ns: 10, to_ns: 2000, text: 'the graph is built here', created: '2026-01-01T00:00:00.000Z' },
      ];
      await page.call('timeline.keepNotes', { trace: info.id, notes });
      await page.call('timeline.close', { trace: info.id });
      await page.call('run.forget', { run: run.id });
      const again = await openRecorded();
      expect(again.info.id).not.toBe(info.id);
      expect(await page.call('timeline.notes', { trace: again.info.id })).toEqual({ notes });
      const { id } = await page.call('run.start', {
        scenario: { ...smallScenario },
        name: '',
        file: null,
        trace: false,
      });
      await test.host.runs.waitForEnd(id);
      const other = await page.call('timeline.open', { source: { kind: 'run', run: id } });
      expect(await page.call('timeline.notes', { trace: other.id })).toEqual({ notes: [] });
      await page.call('timeline.keepNotes', { trace: again.info.id, notes: [] });
      for (const trace of [again.info.id, other.id]) await page.call('timeline.close', { trace });
      await expect(page.call('timeline.notes', { trace: other.id })).rejects.toThrow('no longer open');
      await page.call('run.forget', { run: again.run.id });
    });
  });

  describe('the timeline of a recorded run', () => {
    it('is opened once, reduced, searched and explained', async () => {
      const { run, info } = await openRecorded();
      expect(info).toMatchObject({ source: 'run', run: run.id, about: 'cuda-window FP32, NVIDIA H200', spans: 966 });
      expect((await page.call('timeline.open', { source: { kind: 'run', run: run.id } })).id).toBe(info.id);
      const trace = info.id;
      const bytes = new Uint8Array(readFileSync(recorded));
      const fresh = await page.call('run.open', { source: { kind: 'bytes', name: 'again.h5', bytes } });
      const source = { kind: 'run', run: fresh.id } as const;
      const twice = await Promise.all([1, 2].map(() => page.call('timeline.open', { source })));
      expect(new Set(twice.map(({ id }) => id)).size).toBe(1);
      const tracks = info.lanes.flatMap(({ firstTrack, tracks: rows }) =>
        Array.from({ length: rows }, (_, i) => firstTrack + i),
      );
      const all = { trace, from_ns: 0, to_ns: info.duration_ns };

      const window = await page.call('timeline.window', { ...all, pixels: 800, tracks });
      expect(window.count.reduce((sum, count) => sum + count, 0)).toBe(966);
      expect(window.left.length).toBeLessThan(966);
      const { texts } = await page.call('timeline.names', { trace, names: [...new Set(window.name)] });
      expect(texts).toContain('transport_fused_collide_path_f32');

      const found = await page.call('timeline.search', { trace, text: 'collide', limit: 1000 });
      expect([found.count, found.span.length]).toEqual([245, 245]);
      const details = await page.call('timeline.span', { trace, span: found.span[0] ?? 0 });
      expect(details.launchedBy.map(({ name }) => name)).toEqual(['cuGraphLaunch']);
      expect(details.fields.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'Grid',
          'Block',
          'Registers',
          'Static shared memory',
          'Dynamic shared memory',
          'Stream',
        ]),
      );

      const statistics = await page.call('timeline.statistics', { ...all, tracks: null, name: details.name });
      expect(statistics.count).toBe(245);
      const arrows = await page.call('timeline.arrows', { ...all, tracks, limit: 2000 });
      expect(arrows.from_ns).toHaveLength(567);
      const { step } = await page.call('timeline.steps', { trace });
      expect([...step]).toEqual([0, 49, 98, 147, 196]);
      expect((await page.call('timeline.summary', { trace })).graphs.launches).toBe(15);
    });

    it('reports the share of the ceiling measured on a GPU with that name', async () => {
      const { info } = await openRecorded();
      const { span } = await page.call('timeline.search', { trace: info.id, text: 'memset', limit: 100 });
      const details = await Promise.all(
        Array.from(span, (each) => page.call('timeline.span', { trace: info.id, span: each })),
      );
      const fills = details.filter(({ kind }) => kind === 'memset');
      expect(fills.length).toBeGreaterThan(10);
      for (const { shareOfCeiling, bytes_per_s } of fills) {
        expect(bytes_per_s).toBeGreaterThan(0);
        const ceiling = (bytes_per_s ?? 0) / (shareOfCeiling ?? 1);
        expect(ceiling).toBeGreaterThan(4.1e12);
        expect(ceiling).toBeLessThan(4.4e12);
      }
    });

    it('reports the rates that the steps of a variant reach, from their declared traffic', async () => {
      const bytes = new Uint8Array(
        readFileSync(path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV-cuda-fused.h5')),
      );
      const run = await page.call('run.open', { source: { kind: 'bytes', name: 'fused.h5', bytes } });
      const { id: trace } = await page.call('timeline.open', { source: { kind: 'run', run: run.id } });
      const { span } = await page.call('timeline.search', { trace, text: 'steps on the device', limit: 10 });
      const details = await page.call('timeline.span', { trace, span: span[0] ?? 0 });
      // The bytes are a whole number of steps over all cells of the scenario's grid, at 8 bytes per cell and step.
      const steps = (details.bytes ?? 0) / 8 / (345 * 41 * 50 * 12);
      expect(steps).toBe(Math.round(steps));
      expect(steps).toBeGreaterThanOrEqual(16);
      expect(steps).toBeLessThan(32);
      // The ceiling is a copy rate of this GPU model. The limits include the rates of all recorded sessions.
      const ceiling = (details.bytes_per_s ?? 0) / (details.shareOfCeiling ?? 1);
      expect(ceiling).toBeGreaterThan(4.1e12);
      expect(ceiling).toBeLessThan(4.4e12);
      expect(details.shareOfCeiling).toBeGreaterThan(0.02);
      expect(details.shareOfCeiling).toBeLessThan(1);
    });

    it('is exported completely or in part, and opens again', async () => {
      const { info } = await openRecorded();
      const whole = await page.call('timeline.export', { trace: info.id, within: null });
      expect(whole).toMatchObject({ name: 'Water-70-MeV-trace.json', mime: 'application/json' });
      const again = await page.call('timeline.open', {
        source: { kind: 'upload', upload: await upload('again.json', whole.bytes) },
      });
      expect(again).toMatchObject({ source: 'chrome-trace', spans: 966, about: info.about, name: 'again.json' });
      const summaries = [info.id, again.id].map((trace) => page.call('timeline.summary', { trace }));
      const [first, second] = await Promise.all(summaries);
      expect(second?.kernels).toEqual(first?.kernels);
      expect(second?.graphs).toEqual(first?.graphs);
      const part = await page.call('timeline.export', {
        trace: info.id,
        within: [info.duration_ns - 1e6, info.duration_ns],
      });
      expect(part.bytes.length).toBeLessThan(whole.bytes.length / 3);
      await page.call('timeline.close', { trace: again.id });
      await expect(page.call('timeline.summary', { trace: again.id })).rejects.toThrow(
        'This timeline is no longer open.',
      );
    });
  });

  describe('a trace from another program', () => {
    it('arrives in pieces, and its progress can be followed', async () => {
      const events = Array.from({ length: 60_000 }, (_, i) => ({
        ph: 'X',
        name: `n${i % 9}`,
        pid: 1,
        tid: 1,
        ts: i,
        dur: 0.5,
        args: { i: 'x'.repeat(60) },
      }));
      const content = new TextEncoder().encode(JSON.stringify(events));
      expect(content.length).toBeGreaterThan(UPLOAD_PIECE_BYTES);
      const seen: TraceState[] = [];
      const stream = page.stream('timelines', {}, { frame: ({ timelines }) => void seen.push(...timelines) });
      const info = await page.call('timeline.open', {
        source: { kind: 'upload', upload: await upload('mine.json', content) },
      });
      expect(info.spans).toBe(60_000);
      await eventually(() => seen.some((state) => state.state === 'open' && state.info.id === info.id));
      expect(seen.some((state) => state.state === 'reading' && state.name === 'mine.json')).toBe(true);
      stream.close();
    });

    it('is rejected with its name if it is invalid, and leaves no files behind', async () => {
      const upload1 = await upload('notes.json', new TextEncoder().encode('{"a": 1}'));
      const opening = page.call('timeline.open', { source: { kind: 'upload', upload: upload1 } });
      await expect(opening).rejects.toThrow(
        'notes.json cannot be opened as a timeline: it is JSON without a list "traceEvents", so not a Chrome trace.',
      );
      await expect(page.call('timeline.open', { source: { kind: 'upload', upload: upload1 } })).rejects.toThrow(
        'The upload of this file has ended. Drop the file again.',
      );
    });

    it('must arrive complete and in order', async () => {
      const { upload: id } = await page.call('timeline.upload', { name: 'part.json', size_bytes: 10 });
      const piece = { upload: id, bytes: new Uint8Array(4) };
      await expect(page.call('timeline.uploadPiece', { ...piece, offset: 3 })).rejects.toThrow(
        'part.json: received data from byte 3, but the next byte is 0. Drop the file again.',
      );
      await page.call('timeline.uploadPiece', { ...piece, offset: 0 });
      await expect(
        page.call('timeline.uploadPiece', { upload: id, bytes: new Uint8Array(7), offset: 4 }),
      ).rejects.toThrow('part.json: received 11 bytes, but the file was announced with 10. Drop the file again.');
      await expect(page.call('timeline.open', { source: { kind: 'upload', upload: id } })).rejects.toThrow(
        'part.json: received 4 bytes of 10.',
      );
    });

    it('cannot be opened if the page did not get it from the host', async () => {
      const requested = page.call('timeline.open', {
        source: { kind: 'file', file: { kind: 'granted', key: '/etc/passwd' } },
      });
      await expect(requested).rejects.toBeInstanceOf(BraggError);
    });
  });
});
