import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRun } from '../../../../electron/host/run-files/read.ts';
import { chromeTrace, type TraceEvent } from '../../../../electron/host/trace/chrome-trace.ts';
import { assetsFolder, runScenario, smallScenario } from '../small-run.ts';

const slices = (events: readonly TraceEvent[]): readonly TraceEvent[] => events.filter(({ ph }) => ph === 'X');

test('a run on the CPU: one slice per span, on its thread', async () => {
  const run = await runScenario(smallScenario);
  const { traceEvents } = chromeTrace(run);
  expect(slices(traceEvents)).toHaveLength(run.spans.name.length);
  for (const { ts = -1, dur = -1, pid, tid } of slices(traceEvents)) {
    expect(ts).toBeGreaterThanOrEqual(0);
    expect(dur).toBeGreaterThanOrEqual(0);
    expect(pid).toBe(1);
    expect(tid).toBeLessThan(run.spans.threads);
  }
  expect(traceEvents.filter(({ ph }) => ph === 's' || ph === 'f')).toEqual([]);
});

describe('a run traced on an H200', async () => {
  const file = path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV-cuda-fused.h5');
  const run = await readRun(readFileSync(file), file);
  const { traceEvents } = chromeTrace(run);

  test('keeps what CUPTI saw', () => {
    expect(run.trace?.source).toBe('cupti');
    expect(run.trace?.kind.length).toBeGreaterThan(100);
    const kernel = slices(traceEvents).find(({ cat }) => cat === 'kernel');
    expect(kernel?.pid).toBe(2);
    expect(kernel?.args?.['grid']).toMatch(/^\d+ × \d+ × \d+$/);
    expect(kernel?.args?.['registers per thread']).toBeGreaterThan(0);
  });

  test('ties kernels to their launches with arrows that point forward in time', () => {
    const starts = new Map(traceEvents.filter(({ ph }) => ph === 's').map((event) => [event.id, event]));
    const ends = traceEvents.filter(({ ph }) => ph === 'f');
    expect(ends.length).toBeGreaterThan(50);
    expect(starts.size).toBe(ends.length);
    for (const { id, ts = 0, pid } of ends) {
      expect(pid).toBe(2);
      expect(starts.get(id)?.pid).toBe(1);
      expect(starts.get(id)?.ts).toBeLessThanOrEqual(ts);
    }
  });
});
