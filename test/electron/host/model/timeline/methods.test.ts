import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BraggError } from '../../../../../electron/contract/errors.ts';
import { type TraceState, UPLOAD_PIECE_BYTES } from '../../../../../electron/contract/timeline.ts';
import type { Client } from '../../../../../renderer/client/index.ts';
import { assetsFolder, smallScenario } from '../../small-run.ts';
import { eventually, openTestHost, type TestHost } from '../../test-host.ts';
import { smallImage } from '../../workloads/small-image.ts';

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

describe("a run's timeline on the CPU", () => {
  it.each([smallScenario, smallImage])('has every operator, whether or not the GPU was to be recorded', async (one) => {
    const operators = await Promise.all(
      [false, true].map(async (trace) => {
        const { id } = await page.call('run.start', { scenario: { ...one }, name: '', file: null, trace });
        expect(await test.host.runs.ended(id)).toMatchObject({ state: 'done', device: 'cpu' });
        const info = await page.call('timeline.open', { source: { kind: 'run', run: id } });
        expect(info.spans).toBeGreaterThan(5);
        expect(info.lanes.map(({ name }) => name)).toContain('thread 0');
        const data = await test.host.runs.data(id);
        if (!('spans' in data)) throw new Error('no spans');
        expect(data.trace).toBeNull();
        // Only the first run of a program has the addon's loading before it.
        return data.spans.names.filter((name) => name !== 'addon loaded').sort();
      }),
    );
    expect(operators[1]).toEqual(operators[0]);
    expect(await test.host.log.tail()).toContain('The run is on the CPU, whose operators are always recorded.');
  });
});

describe('notes on a timeline', () => {
  it('are found again when the same run is opened anew, and by no other', async () => {
    const { run, info } = await openRecorded();
    expect(await page.call('timeline.notes', { trace: info.id })).toEqual({ notes: [] });
    const notes = [{ from_ns: 10, to_ns: 2000, text: 'the graph is built here', created: '2026-01-01T00:00:00.000Z' }];
    await page.call('timeline.keepNotes', { trace: info.id, notes });
    await page.call('timeline.close', { trace: info.id });
    await page.call('run.forget', { run: run.id });
    const again = await openRecorded();
    expect(again.info.id).not.toBe(info.id);
    expect(await page.call('timeline.notes', { trace: again.info.id })).toEqual({ notes });
    const { id } = await page.call('run.start', { scenario: { ...smallScenario }, name: '', file: null, trace: false });
    await test.host.runs.ended(id);
    const other = await page.call('timeline.open', { source: { kind: 'run', run: id } });
    expect(await page.call('timeline.notes', { trace: other.id })).toEqual({ notes: [] });
    await page.call('timeline.keepNotes', { trace: again.info.id, notes: [] });
    for (const trace of [again.info.id, other.id]) await page.call('timeline.close', { trace });
    await expect(page.call('timeline.notes', { trace: other.id })).rejects.toThrow('no longer open');
    await page.call('run.forget', { run: again.run.id });
  });
});

describe("a recorded run's timeline", () => {
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
      expect.arrayContaining(['Grid', 'Block', 'Registers', 'Static shared memory', 'Dynamic shared memory', 'Stream']),
    );

    const statistics = await page.call('timeline.statistics', { ...all, tracks: null, name: details.name });
    expect(statistics.count).toBe(245);
    const arrows = await page.call('timeline.arrows', { ...all, tracks, limit: 2000 });
    expect(arrows.from_ns).toHaveLength(567);
    const { step } = await page.call('timeline.steps', { trace });
    expect([...step]).toEqual([0, 49, 98, 147, 196]);
    expect((await page.call('timeline.summary', { trace })).graphs.launches).toBe(15);
  });

  it('says the share of the ceiling that was measured on a GPU of that name', async () => {
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

  it('says what the steps of a variant reach with the traffic that it declares', async () => {
    const bytes = new Uint8Array(
      readFileSync(path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV-cuda-fused.h5')),
    );
    const run = await page.call('run.open', { source: { kind: 'bytes', name: 'fused.h5', bytes } });
    const { id: trace } = await page.call('timeline.open', { source: { kind: 'run', run: run.id } });
    const { span } = await page.call('timeline.search', { trace, text: 'steps on the device', limit: 10 });
    const details = await page.call('timeline.span', { trace, span: span[0] ?? 0 });
    // Whole steps of every cell of the scenario's grid, at the 8 bytes that one pass over it moves.
    const steps = (details.bytes ?? 0) / 8 / (345 * 41 * 50 * 12);
    expect(steps).toBe(Math.round(steps));
    expect(steps).toBeGreaterThanOrEqual(16);
    expect(steps).toBeLessThan(32);
    // The copy rates of all sessions on this GPU, whichever of them gives the ceiling.
    const ceiling = (details.bytes_per_s ?? 0) / (details.shareOfCeiling ?? 1);
    expect(ceiling).toBeGreaterThan(4.1e12);
    expect(ceiling).toBeLessThan(4.4e12);
    expect(details.shareOfCeiling).toBeGreaterThan(0.02);
    expect(details.shareOfCeiling).toBeLessThan(1);
  });

  it('is exported, whole or in part, and opens again', async () => {
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

describe('a file of another program', () => {
  it('comes in pieces, and its opening can be followed', async () => {
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

  it('is refused with its name when it is none, and leaves nothing behind', async () => {
    const upload1 = await upload('notes.json', new TextEncoder().encode('{"a": 1}'));
    const opening = page.call('timeline.open', { source: { kind: 'upload', upload: upload1 } });
    await expect(opening).rejects.toThrow(
      'notes.json cannot be opened as a timeline: it is JSON without a list "traceEvents", so not a Chrome trace.',
    );
    await expect(page.call('timeline.open', { source: { kind: 'upload', upload: upload1 } })).rejects.toThrow(
      'This file is no longer being taken in. Drop it again.',
    );
  });

  it('must come whole and in order', async () => {
    const { upload: id } = await page.call('timeline.upload', { name: 'part.json', size_bytes: 10 });
    const piece = { upload: id, bytes: new Uint8Array(4) };
    await expect(page.call('timeline.uploadPiece', { ...piece, offset: 3 })).rejects.toThrow(
      'Byte 3 of part.json came where 0 was due.',
    );
    await page.call('timeline.uploadPiece', { ...piece, offset: 0 });
    await expect(page.call('timeline.open', { source: { kind: 'upload', upload: id } })).rejects.toThrow(
      'Of part.json 4 bytes came of 10.',
    );
  });

  it('that a page did not get from the host cannot be named', async () => {
    const asked = page.call('timeline.open', {
      source: { kind: 'file', file: { kind: 'granted', key: '/etc/passwd' } },
    });
    await expect(asked).rejects.toBeInstanceOf(BraggError);
  });
});
