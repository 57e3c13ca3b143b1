import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openTrace } from '../../../../../../electron/host/app/timelines/open.ts';
import { spanArguments } from '../../../../../../electron/host/model/timeline/details.ts';
import { spanDetails } from '../../../../../../electron/host/model/timeline/questions.ts';
import { traceSummary } from '../../../../../../electron/host/model/timeline/summary.ts';
import {
  endOf,
  kindNumber,
  launchersOf,
  type Trace,
  trackOf,
} from '../../../../../../electron/host/model/timeline/trace.ts';
import { useFolder } from '../make.ts';

const folder = useFolder();
let number = 0;

function openText(content: unknown, name = 'trace.json'): Promise<Trace> {
  const text = typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content);
  number += 1;
  return openTrace(folder.write(`${number}-${name}`, text), name);
}

/** Name, lane, start and end of every span, ns. */
function spansOf(trace: Trace): string[] {
  return Array.from(trace.start, (start, span) => {
    const lane = trace.lanes[trace.laneOf[trackOf(trace, span)] ?? 0]?.name;
    return `${trace.names[trace.nameOf[span] ?? 0]} in ${lane} ${start}–${endOf(trace, span)}`;
  });
}

/** A trace in the form of PyTorch's profiler. */
const pytorch = {
  schemaVersion: 1,
  deviceProperties: [{ id: 0, name: 'NVIDIA H200', totalGlobalMem: 1.5e11 }],
  displayTimeUnit: 'ms',
  traceEvents: [
    {
      ph: 'X',
      cat: 'cpu_op',
      name: 'aten::mul',
      pid: 7,
      tid: 7,
      ts: 100,
      dur: 50,
      args: { 'External id': 1, 'Ev Idx': 0 },
    },
    {
      ph: 'X',
      cat: 'cuda_runtime',
      name: 'cudaLaunchKernel',
      pid: 7,
      tid: 7,
      ts: 110.5,
      dur: 5.25,
      args: { correlation: 12, cbid: 211 },
    },
    {
      ph: 'X',
      cat: 'kernel',
      name: 'void mul<float>(float*)',
      pid: 0,
      tid: 7,
      ts: 130,
      dur: 20,
      args: {
        stream: 7,
        correlation: 12,
        'registers per thread': 32,
        'shared memory': 1024,
        grid: [64, 1, 1],
        block: [256, 1, 1],
        'est. achieved occupancy %': 61,
      },
    },
    {
      ph: 'X',
      cat: 'gpu_memcpy',
      name: 'Memcpy DtoH (Device -> Pinned)',
      pid: 0,
      tid: 7,
      ts: 160,
      dur: 4,
      args: { bytes: 4096, correlation: 13 },
    },
    { ph: 's', id: 12, pid: 7, tid: 7, ts: 110.5, cat: 'ac2g', name: 'ac2g' },
    { ph: 'f', id: 12, pid: 0, tid: 7, ts: 130, cat: 'ac2g', name: 'ac2g', bp: 'e' },
    { ph: 'X', cat: 'user_annotation', name: 'ProfilerStep#3', pid: 7, tid: 7, ts: 90, dur: 100 },
    { name: 'process_name', ph: 'M', ts: 90, pid: 7, tid: 0, args: { name: 'python' } },
    { name: 'process_labels', ph: 'M', ts: 90, pid: 0, tid: 0, args: { labels: 'GPU 0' } },
    { name: 'thread_name', ph: 'M', ts: 90, pid: 0, tid: 7, args: { name: 'stream 7 ' } },
  ],
  traceName: 'x.json',
};

describe('a trace from the PyTorch profiler', () => {
  it('has lanes for threads, calls, streams and copies', async () => {
    const trace = await openText(pytorch);
    expect(trace.lanes.map(({ process, name, kind }) => [process, name, kind])).toEqual([
      ['python', 'thread 7', 'thread'],
      ['python', 'thread 7: CUDA calls', 'api'],
      ['GPU 0', 'stream 7', 'stream'],
      ['GPU 0', 'stream 7: copies', 'copies'],
    ]);
    expect(spansOf(trace)).toEqual([
      'ProfilerStep#3 in thread 7 0–100000',
      'aten::mul in thread 7 10000–60000',
      'cudaLaunchKernel in thread 7: CUDA calls 20500–25750',
      'void mul<float>(float*) in stream 7 40000–60000',
      'Memcpy DtoH (Device -> Pinned) in stream 7: copies 70000–74000',
    ]);
    expect(trace.about).toBe('NVIDIA H200');
    expect([...trace.step]).toContain(3);
  });

  it('contains the launch configuration of each kernel, and one link to it from its call', async () => {
    const trace = await openText(pytorch);
    const kernel = spanDetails(trace, 3, null);
    expect(kernel.launchedBy.map(({ name }) => name)).toEqual(['cudaLaunchKernel']);
    const fields = kernel.fields.map(({ name, value, unit }) => `${name}: ${value} ${unit}`.trim());
    expect(fields).toContain('Grid: 64 × 1 × 1 blocks');
    expect(fields).toContain('Registers: 32 per thread');
    expect(fields).toContain('Shared memory: 1\u202f024 bytes per block');
    expect(fields).toContain('est. achieved occupancy %: 61');
    expect(traceSummary(trace).kernels).toMatchObject({ count: 1, unique: 1, sum_ns: 20_000 });
  });

  it('gives the same result if it is compressed, has a byte order mark or has its lists in another order', async () => {
    const plain = spansOf(await openText(pytorch));
    expect(spansOf(await openText(gzipSync(JSON.stringify(pytorch)), 'trace.json.gz'))).toEqual(plain);
    expect(spansOf(await openText(`\ufeff\n ${JSON.stringify(pytorch, null, 2)}\n`))).toEqual(plain);
    const { traceEvents, ...rest } = pytorch;
    expect(spansOf(await openText({ traceEvents, ...rest }))).toEqual(plain);
  });

  it('is read in its first versions too, and with NaN as Python writes it', async () => {
    const about = { pid: 0, tid: 7 };
    const text = JSON.stringify([
      { ph: 'X', cat: 'Runtime', name: 'cudaLaunchKernel', pid: 9, tid: 9, ts: 0, dur: 2, args: { correlation: 4 } },
      { ph: 'X', cat: 'Kernel', name: 'k "NaN"', ...about, ts: 5, dur: 3, args: { correlation: 4, rate: 0 } },
      { ph: 'X', cat: 'Memcpy', name: 'Memcpy DtoH', ...about, ts: 9, dur: 1, args: { bytes: 8 } },
    ]).replace('"rate":0', '"rate":NaN,"other":-Infinity');
    const trace = await openText(text);
    expect(traceSummary(trace)).toMatchObject({
      kernels: { count: 1, top: [{ name: 'k "NaN"' }] },
      copies: { count: 1, bytes: 8 },
      launches: { count: 1 },
      idleShare: 0.6,
    });
    expect(spanDetails(trace, 1, null).launchedBy.map(({ name }) => name)).toEqual(['cudaLaunchKernel']);
  });

  it('resolves a nanosecond even if its times count from 1970', async () => {
    const text = `{"traceEvents":[
      {"ph":"X","name":"a","pid":1,"tid":1,"ts":1732166400123456.001,"dur":0.001},
      {"ph":"X","name":"b","pid":1,"tid":1,"ts":1732166400123456.003,"dur":0.002},
      {"ph":"X","name":"c","pid":1,"tid":1,"ts":"1732166400123457","dur":1}]}`;
    const trace = await openText(text);
    const rounded = Array.from(trace.start, (start) => Math.round(start * 1000) / 1000);
    expect(rounded).toEqual([0, 2, 999]);
  });
});

describe('event phases of the trace format', () => {
  it('nest begin and end events per thread; an unfinished event lasts until the end of the trace', async () => {
    const trace = await openText([
      { ph: 'B', name: 'outer', pid: 1, tid: 1, ts: 0 },
      { ph: 'B', name: 'other thread', pid: 1, tid: 2, ts: 1 },
      { ph: 'B', name: 'inner', pid: 1, tid: 1, ts: 2 },
      { ph: 'E', pid: 1, tid: 1, ts: 5 },
      { ph: 'E', pid: 1, tid: 1, ts: 9 },
      { ph: 'E', pid: 1, tid: 3, ts: 9 },
      { ph: 'X', name: 'last', pid: 1, tid: 1, ts: 10, dur: 2 },
    ]);
    expect(spansOf(trace).sort()).toEqual([
      'inner in thread 1 2000–5000',
      'last in thread 1 10000–12000',
      'other thread in thread 2 1000–12000',
      'outer in thread 1 0–9000',
    ]);
    expect(trace.notes).toEqual([
      '1 events have no end and are extended to the end of the trace.',
      '1 events have an end but no beginning and were omitted.',
    ]);
  });

  it('pair async events by category and id, include instants and flows, and count counters', async () => {
    const trace = await openText([
      { ph: 'b', cat: 'io', id: 1, name: 'read', pid: 1, tid: 1, ts: 0 },
      { ph: 'b', cat: 'io', id: 2, name: 'write', pid: 1, tid: 1, ts: 1 },
      { ph: 'e', cat: 'io', id: 1, name: 'read', pid: 1, tid: 1, ts: 4 },
      { ph: 'e', cat: 'io', id: 2, name: 'write', pid: 1, tid: 1, ts: 3 },
      { ph: 'i', name: 'mark', pid: 1, tid: 1, ts: 2 },
      { ph: 'X', name: 'from', pid: 1, tid: 1, ts: 5, dur: 2 },
      { ph: 'X', name: 'to', pid: 1, tid: 2, ts: 8, dur: 2 },
      { ph: 's', id: '0x1', cat: 'c', name: 'f', pid: 1, tid: 1, ts: 6 },
      { ph: 'f', bp: 'e', id: '0x1', cat: 'c', name: 'f', pid: 1, tid: 2, ts: 8 },
      { ph: 'C', name: 'memory', pid: 1, ts: 1, args: { used: 3 } },
    ]);
    expect(spansOf(trace).sort()).toEqual([
      'from in thread 1 5000–7000',
      'mark in thread 1 2000–2000',
      'read in io 0–4000',
      'to in thread 2 8000–10000',
      'write in io 1000–3000',
    ]);
    expect(trace.notes).toEqual(['1 counter values are not shown.']);
    const from = spansOf(trace).findIndex((text) => text.startsWith('from'));
    expect(spanDetails(trace, from, null).launched.map(({ name }) => name)).toEqual(['to']);
  });

  it('accept numbers in quotes, and skip events without a time', async () => {
    const trace = await openText([
      { ph: 'X', name: 'a', pid: '1', tid: 'main', ts: '1', dur: '2' },
      { ph: 'X', name: 'b', pid: 1, tid: 1, dur: 2 },
      { ph: 'X', name: 'c', pid: 1, tid: 1, ts: 4, dur: -2 },
      { name: 'd', ts: 4 },
    ]);
    expect(spansOf(trace)).toEqual(['a in main 0–2000']);
    expect(trace.notes).toEqual(['3 events have no valid time, phase or duration and were omitted.']);
  });

  it('store equal arguments once, except those that differ in every span', async () => {
    const args = { correlation: 1, bytes: 5, grid: '2 × 3 × 4', long: 'x'.repeat(500), nested: { a: [1] } };
    const trace = await openText(
      Array.from({ length: 50 }, (_, i) => ({
        ph: 'X',
        name: 'k',
        pid: 1,
        tid: 1,
        ts: i,
        dur: 0.5,
        args: { ...args, correlation: i, 'Ev Idx': i },
      })),
    );
    expect(trace.details).toHaveLength(2);
    const values = spanArguments(trace.details[1] ?? '');
    expect(values).toMatchObject({ bytes: 5, grid: [2, 3, 4], more: { nested: '{"a":[1]}' } });
    expect(values.more?.['long']).toHaveLength(200);
  });
});

describe('a truncated trace', () => {
  const whole = JSON.stringify(pytorch);

  it('is rejected with the position of its end if it is an object', async () => {
    const cut = whole.slice(0, whole.indexOf('"ph":"s"'));
    await expect(openText(cut, 'mine.json')).rejects.toThrow(
      `mine.json cannot be opened as a timeline: it is truncated after ${cut.length} bytes and 4 events.`,
    );
  });

  it('may lack its closing bracket if it is a bare array, as the format allows, but not half an event', async () => {
    const event = '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}';
    expect(spansOf(await openText(`[${event},\n${event},\n`))).toHaveLength(2);
    await expect(openText(`[${event},${event.slice(0, 20)}`)).rejects.toThrow(
      'it is truncated after 74 bytes and one event.',
    );
  });

  it('is rejected if it is compressed and cut off or damaged', async () => {
    const packed = gzipSync(whole);
    await expect(openText(packed.subarray(0, -20), 't.json.gz')).rejects.toThrow(
      /its compressed data end too early, after \d+ bytes/,
    );
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, 40, 60);
    await expect(openText(damaged, 't.json.gz')).rejects.toThrow('its compressed data are damaged.');
  });
});

/** Files modelled on public bug reports, with their correct values. Their sources are in cases/README.md. */
describe('a damaged profiler trace', () => {
  const ofCase = (name: string) => openTrace(path.join(import.meta.dirname, 'cases', name), name);
  const kernelsOf = (trace: Trace) => {
    const { count, sum_ns } = traceSummary(trace).kernels;
    return [count, sum_ns];
  };

  it('is read without an event that is not JSON, whose position is reported', async () => {
    const backslash = await ofCase('t01-backslash.trace');
    expect([backslash.start.length, ...kernelsOf(backslash)]).toEqual([4, 2, 50_000]);
    expect(backslash.notes).toEqual([
      '1 damaged events were omitted: the event at byte 563 is not JSON from byte 616.',
    ]);
    const newline = await ofCase('t03-newline.trace');
    expect([newline.start.length, ...kernelsOf(newline)]).toEqual([5, 3, 55_000]);
    expect(newline.notes).toEqual([expect.stringMatching(/^1 damaged events were omitted: the event at byte 563/)]);
  });

  it('is read up to a missing quote at its end, whose position is reported', async () => {
    const trace = await ofCase('t13-missing-quote.trace');
    expect(trace.names).toEqual(['', 'add']);
    expect(trace.notes).toEqual(['1 damaged events were omitted: the event at byte 102 is not JSON from byte 147.']);
  });

  it('continues with the next event after a missing quote in the middle', async () => {
    const event = (name: string, ts: number) => `{"ph":"X","name":"${name}","pid":1,"tid":1,"ts":${ts},"dur":1}`;
    const trace = await openText(
      `{"traceEvents":[${event('a', 1)},${event('b"', 3)},${event('c', 5)},${event('d', 7)}]}`,
    );
    expect(trace.names).toEqual(['', 'a', 'c', 'd']);
    expect(trace.notes).toEqual([expect.stringMatching(/^1 damaged events were omitted: the event at byte 69 is not/)]);
  });

  it('is read without an event whose time comes from another clock', async () => {
    const trace = await ofCase('t04-first-zero.trace');
    expect(kernelsOf(trace)).toEqual([2, 50_500]);
    expect(trace.notes).toEqual(['1 events are more than three years away from the others and were omitted.']);
  });

  it('is read with the kernels of its streams if it comes from XLA and has no categories', async () => {
    const trace = await ofCase('t10-jax.trace');
    expect(kernelsOf(trace)).toEqual([2, 50_000]);
    expect(trace.lanes.map(({ process, name, kind }) => [process, name, kind])).toEqual([
      ['/device:GPU:0', 'Stream #13(Compute)', 'stream'],
    ]);
    const host = await openText([
      { ph: 'M', name: 'process_name', pid: 1, args: { name: '/host:CPU' } },
      { ph: 'M', name: 'thread_name', pid: 1, tid: 1, args: { name: 'stream reader' } },
      { ph: 'X', name: 'read', pid: 1, tid: 1, ts: 0, dur: 5 },
    ]);
    expect(kernelsOf(host)).toEqual([0, 0]);
  });
});

describe('a foreign trace file', () => {
  it.each([
    ['', 'empty.json', 'empty.json cannot be opened as a timeline: it is empty.'],
    ['  \n', 'blank.json', 'it is empty.'],
    ['[]', 'none.json', 'none of its 0 events has a time and a duration.'],
    ['{"traceEvents":[]}', 'none.json', 'none of its 0 events has a time and a duration.'],
    ['{"kind":"transport","version":1}', 'scenario.json', 'it is JSON without a list "traceEvents"'],
    ['{"traceEvents":{}}', 'odd.json', 'at byte 15: "{" instead of the list of events.'],
    ['{"traceEvents":[1]}', 'odd.json', 'at byte 16: "1" instead of an event.'],
    ['{"traceEvents":[{"ph":x}]}', 'odd.json', 'the event at byte 16 is not JSON.'],
    ['{"a":tru}', 'odd.json', 'the value of "a" is not JSON.'],
    ['{a:1}', 'odd.json', 'at byte 1: "a" instead of a name in quotes.'],
    ['[] []', 'two.json', 'at byte 3: "[" instead of the end of the file.'],
    ['hello', 'a.txt', 'it is not a timeline; allowed: Chrome Trace JSON, an SQLite export'],
    ['PK\u0003\u0004', 'a.zip', 'it is a ZIP archive: unpack it first.'],
    ['\u0000\u0001\u0002', 'a.nsys-rep', 'run nsys export --type sqlite.'],
  ])('%j is rejected', async (text, name, message) => {
    await expect(openText(text, name)).rejects.toThrow(message);
  });

  it('is named if it is missing or a folder', async () => {
    await expect(openTrace(folder.path('none.json'), 'none.json')).rejects.toThrow('none.json does not exist.');
    await expect(openTrace(folder.path('.'), 'folder')).rejects.toThrow('folder is a folder.');
  });
});

describe('a recording by PyTorch 2.11 on an H200', () => {
  /** Ten matrix products, each with a ReLU and a sum; a separate program counted the numbers below from the file. */
  const recorded = path.resolve(import.meta.dirname, '../../../../../golden/traces/pytorch-2.11-h200.json.gz');

  it('is read completely: kernels, memory, calls and their arrows', async () => {
    const trace = await openTrace(recorded, 'pytorch-2.11-h200.json.gz');
    const summary = traceSummary(trace);
    expect(trace.device).toBe('NVIDIA H200');
    // 278 complete events and two instants.
    expect(summary.spans).toBe(280);
    expect(summary.kernels).toMatchObject({ count: 40, unique: 4, sum_ns: 189_982 });
    expect(summary.kernels.top[0]).toMatchObject({ count: 10, sum_ns: 98_400 });
    expect(summary.kernels.top[0]?.name).toContain('sm80_xmma_gemm_f32f32');
    expect(summary.copies).toMatchObject({ count: 10, bytes: 40 });
    expect(summary.launches.count).toBe(40);
    expect(summary.graphs.share).toBe(0);
    const product = summary.host.operations.find(({ name }) => name === 'aten::matmul');
    expect(product).toMatchObject({ count: 10, threads: 1 });
    // 75.6 of these 76.4 ms are in the nested calls of aten::mm.
    expect(product?.sum_ns).toBeCloseTo(76_436_000, -1);
    expect(product?.own_ns).toBeCloseTo(76_436_000 - 75_571_668, -1);
    expect(trace.lanes.map(({ process, name }) => `${process}: ${name}`)).toEqual(
      expect.arrayContaining([
        'python3, GPU 0: stream 7',
        'python3, CPU: thread 559 (python3): CUDA calls',
        'Traces: Trace PyTorch Profiler: ranges',
      ]),
    );
    const first = trace.nameOf.findIndex(
      (name, span) => trace.kind[span] === kindNumber('kernel') && trace.names[name] !== '',
    );
    const details = spanArguments(trace.details[trace.detailOf[first] ?? 0] ?? '');
    expect(details).toMatchObject({ grid: [8, 8, 4], block: [128, 1, 1], registers: 121 });
    expect(launchersOf(trace.links, first).map((span) => trace.names[trace.nameOf[span] ?? 0])).toEqual([
      'cudaLaunchKernelExC',
    ]);
  });
});

describe('events that are not in chronological order', () => {
  const on = { pid: 1, tid: 1 };

  it('pair begins and ends by time', async () => {
    const trace = await openText([
      { ph: 'B', name: 'first', ts: 0, ...on },
      { ph: 'B', name: 'second', ts: 10, ...on },
      { ph: 'E', ts: 5, ...on },
      { ph: 'E', ts: 20, ...on },
      { ph: 'E', ts: 40, ...on },
      { ph: 'B', name: 'third', ts: 30, ...on },
    ]);
    expect(spansOf(trace)).toEqual([
      'first in thread 1 0–5000',
      'second in thread 1 10000–20000',
      'third in thread 1 30000–40000',
    ]);
    expect(trace.notes).toEqual([]);
  });

  it('pair an asynchronous end before its begin', async () => {
    const own = { cat: 'io', id: 1, name: 'read', ...on };
    const trace = await openText([
      { ph: 'e', ts: 10, ...own },
      { ph: 'b', ts: 0, ...own },
      { ph: 'X', name: 'later', ts: 30, dur: 1, ...on },
    ]);
    expect(spansOf(trace)).toContainEqual(expect.stringMatching(/^read in .* 0–10000$/));
    expect(trace.notes).toEqual([]);
  });

  it('pair asynchronous events with the same number by their names', async () => {
    const of = (ph: string, name: string, ts: number) => ({ ph, name, ts, cat: 'io', id: 1, ...on });
    const trace = await openText([of('b', 'one', 1), of('b', 'two', 2), of('e', 'one', 4), of('e', 'two', 6)]);
    expect([...trace.duration]).toEqual([3000, 4000]);
  });

  it('accept times given as decimal text', async () => {
    const trace = await openText([
      { ph: 'X', name: 'hexadecimal', ts: '0x10', dur: 1, ...on },
      { ph: 'X', name: 'decimal', ts: ' 1.5 ', dur: '2', ...on },
    ]);
    expect([...trace.duration]).toEqual([2000]);
    expect(trace.notes).toEqual(['1 events have no valid time, phase or duration and were omitted.']);
  });

  it('are counted if they are complete events without a duration', async () => {
    const trace = await openText([
      { ph: 'X', name: 'cut', ts: 0, ...on },
      { ph: 'X', name: 'null', ts: 1, dur: null, ...on },
      { ph: 'X', name: 'whole', ts: 5, dur: 1, ...on },
    ]);
    expect(trace.notes).toEqual(['2 events have no duration and are shown as moments.']);
  });
});
