import { describe, expect, it } from 'vitest';
import type { TraceInfo, TraceState } from '../../../electron/contract/timeline.ts';
import { isTimelineFile } from '../../../renderer/actions/timelines.ts';
import { createTimelinesStore } from '../../../renderer/state/timelines.ts';

const info = (id: string): TraceInfo => ({
  id,
  name: id,
  source: 'run',
  run: null,
  about: '',
  duration_ns: 1,
  spans: 1,
  lanes: [],
  firstKernel_ns: null,
  notes: [],
  memory_bytes: 1,
});

describe('the list of timelines', () => {
  it('keeps what it knows as it is while another one is read', () => {
    const store = createTimelinesStore();
    const first: TraceState = { state: 'open', info: info('a') };
    store.listed([first]);
    const before = store.getState().open[0];
    store.listed([
      { state: 'open', info: info('a') },
      { state: 'reading', id: 'b', name: 'b.json', read_bytes: 5, total_bytes: 10, spans: 2 },
    ]);
    expect(store.getState().open[0]).toBe(before);
    expect(store.getState().reading.map(({ name }) => name)).toEqual(['b.json']);
    store.listed([{ state: 'open', info: info('b') }]);
    expect(store.getState().open.map(({ id }) => id)).toEqual(['b']);
    expect(store.getState().reading).toEqual([]);
  });

  it('has the files on their way, each once', () => {
    const store = createTimelinesStore();
    const file = { key: 1, name: 'a', total_bytes: 10 };
    store.sending({ ...file, sent_bytes: 0 });
    store.sending({ ...file, sent_bytes: 5 });
    expect(store.getState().sending).toEqual([{ ...file, sent_bytes: 5 }]);
    store.sent(1);
    expect(store.getState().sending).toEqual([]);
  });
});

describe('a dropped file', () => {
  it.each([
    ['trace.json', '{"schemaVersion":1,"traceEvents":[]}', true],
    ['trace.json', '\ufeff [ {"ph":"X"}', true],
    ['scenario.json', '{"kind":"transport","version":1}', false],
    ['trace.json.gz', '\u001f\u008b', true],
    ['report.sqlite', '', true],
    ['run.h5', '', false],
    ['scenario.yaml', 'kind: transport', false],
  ])('%s that begins with %j is a timeline: %s', async (name, text, expected) => {
    expect(await isTimelineFile(new File([text], name))).toBe(expected);
  });
});
