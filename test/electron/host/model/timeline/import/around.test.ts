import { expect, test } from 'vitest';
import { noSpans } from '../../../../../../electron/host/model/recording/recording.ts';
import { withPartAfter, withPartsBefore } from '../../../../../../electron/host/model/timeline/import/around.ts';
import { NO_STEP } from '../../../../../../electron/host/model/timeline/trace.ts';

const spans = {
  names: ['tables', 'step'],
  threads: 2,
  name: Uint16Array.of(0, 1),
  thread: Uint16Array.of(0, 1),
  step: Uint32Array.of(NO_STEP, 3),
  start_ns: Float64Array.of(0, 40),
  end_ns: Float64Array.of(30, 90),
  dropped: 0,
};
const words = new Uint32Array(3);
const trace = {
  ...{ source: 'CUPTI', names: ['k'], dropped: 0, kind: Uint16Array.of(0), name: Uint32Array.of(0) },
  ...{ start_ns: Float64Array.of(50), end_ns: Float64Array.of(60), stream: Uint32Array.of(7) },
  ...{ correlation: Uint32Array.of(1), grid: words, block: words, registers: Uint32Array.of(8) },
  ...{ static_shared_bytes: Uint32Array.of(0), dynamic_shared_bytes: Uint32Array.of(0), bytes: Float64Array.of(0) },
  ...{ graph: Uint32Array.of(0), graph_node: Float64Array.of(0) },
};

test('parts before a run stand one behind the other on its first thread, and all else moves back by as much', () => {
  const parts = [
    { name: 'addon loaded', seconds: 5e-9 },
    { name: 'scenario read', seconds: 2e-9 },
  ];
  const whole = withPartsBefore({ spans, trace }, parts);
  expect(whole.spans.names).toEqual(['tables', 'step', 'addon loaded', 'scenario read']);
  expect([...whole.spans.name]).toEqual([2, 3, 0, 1]);
  expect([...whole.spans.thread]).toEqual([0, 0, 0, 1]);
  expect([...whole.spans.step]).toEqual([NO_STEP, NO_STEP, NO_STEP, 3]);
  for (const [i, start] of [0, 5, 7, 47].entries()) expect(whole.spans.start_ns[i]).toBeCloseTo(start, 6);
  for (const [i, end] of [5, 7, 37, 97].entries()) expect(whole.spans.end_ns[i]).toBeCloseTo(end, 6);
  expect(whole.trace?.start_ns[0]).toBeCloseTo(57, 6);
  expect(whole.trace?.end_ns[0]).toBeCloseTo(67, 6);
});

test('a part after it begins at its end; nothing is said of a run whose threads were not recorded', () => {
  const { spans: told } = withPartAfter({ spans, trace: null }, { name: 'file written', seconds: 1e-8 });
  expect(told.start_ns[0]).toBe(90);
  expect(told.end_ns[0]).toBeCloseTo(100, 6);
  const unknown = { spans: noSpans, trace: null };
  expect(withPartAfter(unknown, { name: 'file written', seconds: 1 })).toBe(unknown);
  expect(withPartsBefore(unknown, [{ name: 'scenario read', seconds: 1 }])).toBe(unknown);
});
