/** Trace files from any source: each either opens, or is rejected with one sentence that names the file. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BraggError } from '../../electron/contract/errors.ts';
import { openTrace } from '../../electron/host/app/timelines/open.ts';
import { JsonEvents } from '../../electron/host/model/timeline/import/json-events.ts';
import { timelineWindow } from '../../electron/host/model/timeline/questions.ts';
import { traceSummary } from '../../electron/host/model/timeline/summary.ts';
import { writeNsight } from '../electron/host/model/timeline/import/nsight-file.ts';
import { useFolder } from '../electron/host/model/timeline/make.ts';
import { runs } from './seed.ts';

const folder = useFolder();
const RUNS = runs(300);

/** Opens the file and makes a panel's requests; it may be rejected, but no other error may occur. */
async function opensWithoutOtherErrors(bytes: Uint8Array | string, name: string): Promise<boolean> {
  const file = folder.write('fuzzed', bytes);
  try {
    const trace = await openTrace(file, name);
    expect(trace.start.length).toBeGreaterThan(0);
    for (const column of [trace.start, trace.duration]) expect(column.every((value) => value >= 0)).toBe(true);
    traceSummary(trace);
    const to_ns = Math.max(1, trace.duration_ns);
    timelineWindow(trace, { from_ns: 0, to_ns, pixels: 100, tracks: [...trace.laneOf.keys()] });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(BraggError);
    const { code, message } = error as BraggError;
    expect(['foreign-file', 'io', 'memory']).toContain(code);
    expect(message).toMatch(new RegExp(`^${name}.*\\.$`, 's'));
    return false;
  }
}

const phase = fc.constantFrom('X', 'B', 'E', 'b', 'e', 'i', 's', 't', 'f', 'M', 'C', 'S', 'F', 'N', '', 'XX');
const value = fc.oneof(
  fc.integer(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.string(),
  fc.constant(null),
);
const event = fc.record(
  {
    ph: phase,
    ts: fc.oneof(fc.integer({ min: 0, max: 10_000 }), value),
    dur: fc.oneof(fc.integer({ min: 0, max: 100 }), value),
    name: fc.oneof(fc.constantFrom('a', 'process_name', 'thread_name', 'cuLaunchKernel'), value),
    cat: fc.oneof(fc.constantFrom('kernel', 'cuda_runtime', 'gpu_memcpy', 'step'), value),
    pid: fc.oneof(fc.integer({ min: 0, max: 2 }), value),
    tid: fc.oneof(fc.integer({ min: 0, max: 2 }), value),
    id: value,
    args: fc.oneof(
      fc.dictionary(fc.constantFrom('correlation', 'bytes', 'grid', 'step', 'name', 'x'), fc.jsonValue()),
      value,
    ),
  },
  { requiredKeys: [] },
);

describe('Chrome Trace JSON', () => {
  it('opens or is rejected with any events', async () => {
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), fc.boolean(), async (events, bare) => {
        if (await opensWithoutOtherErrors(JSON.stringify(bare ? events : { traceEvents: events }), 'any.json'))
          opened += 1;
      }),
      { numRuns: RUNS },
    );
    expect(opened).toBeGreaterThan(RUNS / 3);
  });

  it('opens or is rejected with any JSON or text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (text) => {
        await opensWithoutOtherErrors(text, 'any.json');
      }),
      { numRuns: RUNS },
    );
  });

  it('opens or is rejected if it is cut anywhere or any byte is changed', async () => {
    const events = Array.from({ length: 20 }, (_, i) => ({
      ph: 'X',
      name: `µ ${i}`,
      pid: 1,
      tid: 1,
      ts: i,
      dur: 1,
      args: { i },
    }));
    const whole = Buffer.from(JSON.stringify({ traceEvents: events, displayTimeUnit: 'ms' }));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cut) => {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        const opened = await opensWithoutOtherErrors(cut ? whole.subarray(0, at) : changed, 'any.json');
        if (cut) expect(opened).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  it('is split identically at any chunk boundaries', () => {
    const collect = (chunks: readonly Buffer[]): readonly string[] => {
      const seen: string[] = [];
      const json = new JsonEvents({
        event: (text) => seen.push(text),
        damaged: (text) => seen.push(`damaged ${text}`),
        value: (key, text) => seen.push(`${key}=${text}`),
      });
      for (const chunk of chunks) json.push(Buffer.from(chunk));
      json.end();
      return seen;
    };
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 6 }),
        fc.dictionary(fc.stringMatching(/^[a-z"\\]+$/), fc.jsonValue(), { maxKeys: 3 }),
        fc.array(fc.nat(400), { maxLength: 12 }),
        (events, rest, cuts) => {
          const text = Buffer.from(JSON.stringify({ ...rest, traceEvents: events, 'ä"\\': [1, '}'] }));
          const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
          const chunks = places.slice(1).map((to, i) => text.subarray(places[i], to));
          const whole = collect([text]);
          expect(collect(chunks)).toEqual(whole);
          expect(collect(Array.from(text, (byte) => Buffer.of(byte)))).toEqual(whole);
          expect(whole.filter((seen) => seen.startsWith('{')).map((seen) => JSON.parse(seen))).toEqual(
            JSON.parse(JSON.stringify(events)),
          );
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('files of any bytes', () => {
  it('are rejected, also after known signatures', async () => {
    const heads = ['', '\x1f\x8b\x08', 'SQLite format 3\0', '\x89HDF\r\n\x1a\n', '{"traceEvents":['].map((head) =>
      Buffer.from(head, 'latin1'),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 600 }), async (head, tail) => {
        expect(await opensWithoutOtherErrors(Buffer.concat([head, tail]), 'any.bin')).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  it('damaged Nsight Systems databases open or are rejected', async () => {
    const file = folder.path('whole.sqlite');
    writeNsight(file);
    const whole = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 16, max: whole.length - 1 }), fc.nat(255)), {
          minLength: 1,
          maxLength: 40,
        }),
        fc.option(fc.nat(whole.length - 1), { nil: undefined }),
        async (changes, length) => {
          const changed = Buffer.from(whole.subarray(0, length));
          for (const [at, byte] of changes) if (at < changed.length) changed[at] = byte;
          await opensWithoutOtherErrors(changed, 'any.sqlite');
        },
      ),
      { numRuns: RUNS },
    );
  });
});
