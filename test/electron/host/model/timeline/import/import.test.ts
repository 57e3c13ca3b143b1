import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { openTrace } from '../../../../../../electron/host/app/timelines/open.ts';
import { NO_SPANS } from '../../../../../../electron/host/model/recording/recording.ts';
import { spanArguments } from '../../../../../../electron/host/model/timeline/details.ts';
import { appendHostPart, prependHostParts } from '../../../../../../electron/host/model/timeline/import/host-parts.ts';
import { spanDetails } from '../../../../../../electron/host/model/timeline/questions.ts';
import { traceSummary } from '../../../../../../electron/host/model/timeline/summary.ts';
import { launchersOf, NO_STEP, trackOf } from '../../../../../../electron/host/model/timeline/trace.ts';
import { useFolder } from '../make.ts';
import { GLOBAL_TID, START, writeNsight } from './nsight-file.ts';

describe('recording work outside a run', () => {
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

  test('places work before a run consecutively on its first thread, and shifts everything else accordingly', () => {
    const parts = [
      { name: 'addon loaded', seconds: 5e-9 },
      { name: 'scenario read', seconds: 2e-9 },
    ];
    const whole = prependHostParts({ spans, trace }, parts);
    expect(whole.spans.names).toEqual(['tables', 'step', 'addon loaded', 'scenario read']);
    expect([...whole.spans.name]).toEqual([2, 3, 0, 1]);
    expect([...whole.spans.thread]).toEqual([0, 0, 0, 1]);
    expect([...whole.spans.step]).toEqual([NO_STEP, NO_STEP, NO_STEP, 3]);
    for (const [i, start] of [0, 5, 7, 47].entries()) expect(whole.spans.start_ns[i]).toBeCloseTo(start, 6);
    for (const [i, end] of [5, 7, 37, 97].entries()) expect(whole.spans.end_ns[i]).toBeCloseTo(end, 6);
    expect(whole.trace?.start_ns[0]).toBeCloseTo(57, 6);
    expect(whole.trace?.end_ns[0]).toBeCloseTo(67, 6);
  });

  test('places work after a run at its end, and adds nothing to a run without recorded threads', () => {
    const { spans: extended } = appendHostPart({ spans, trace: null }, { name: 'file written', seconds: 1e-8 });
    expect(extended.start_ns[0]).toBe(90);
    expect(extended.end_ns[0]).toBeCloseTo(100, 6);
    const unknown = { spans: NO_SPANS, trace: null };
    expect(appendHostPart(unknown, { name: 'file written', seconds: 1 })).toBe(unknown);
    expect(prependHostParts(unknown, [{ name: 'scenario read', seconds: 1 }])).toBe(unknown);
  });
});

const folder = useFolder();

describe('a database of Nsight Systems', () => {
  const file = folder.path('report.sqlite');
  writeNsight(file);

  it('has lanes for calls, ranges, streams and copies', async () => {
    const trace = await openTrace(file, 'report.sqlite');
    expect(trace.lanes.map(({ process, name, kind }) => [process, name, kind])).toEqual([
      ['process 4711', 'solver (4712): CUDA calls', 'api'],
      ['process 4711', 'solver (4712): NVTX', 'thread'],
      ['GPU 0: NVIDIA H200', 'stream 7', 'stream'],
      ['GPU 0: NVIDIA H200', 'stream 7: copies', 'copies'],
      ['GPU 0: NVIDIA H200', 'stream 8', 'stream'],
    ]);
    expect(trace.device).toBe('NVIDIA H200');
    const spans = Array.from(trace.start, (start, span) => {
      const lane = trace.lanes[trace.laneOf[trackOf(trace, span)] ?? 0]?.name;
      return `${trace.names[trace.nameOf[span] ?? 0]} in ${lane} ${start}+${trace.duration[span]}`;
    });
    expect(spans).toEqual([
      'cudaLaunchKernel in solver (4712): CUDA calls 0+100',
      'cudaGraphLaunch in solver (4712): CUDA calls 150+100',
      'cudaMemcpyAsync in solver (4712): CUDA calls 300+20',
      'cudaGraphLaunch in solver (4712): CUDA calls 330+20',
      'main loop in solver (4712): NVTX 10+890',
      'mark in solver (4712): NVTX 20+0',
      'void march<float>(float *) in stream 7 200+300',
      'void march<float>(float *) in stream 7 500+100',
      'copy Device-to-Device in stream 7: copies 700+100',
      'memset in stream 7: copies 810+10',
      'graph 3 in stream 8 850+100',
    ]);
  });

  it('contains launches, resources and a summary', async () => {
    const trace = await openTrace(file, 'report.sqlite');
    const kernel = spanDetails(trace, 7, null);
    expect(kernel.launchedBy.map(({ name, start_ns }) => `${name} ${start_ns}`)).toEqual(['cudaGraphLaunch 150']);
    expect(kernel.fields.map(({ name, value }) => `${name} ${value}`)).toEqual([
      'Grid 8 × 2 × 1',
      'Block 256 × 1 × 1',
      'Threads 4\u202f096',
      'Registers 40',
      'Static shared memory 512',
      'Dynamic shared memory 1\u202f024',
      'Stream 7',
      'Device 0',
      'Graph node 5',
    ]);
    expect(spanDetails(trace, 8, 8e10)).toMatchObject({ bytes: 4096, bytes_per_s: 4.096e10, shareOfCeiling: 1.024 });
    const summary = traceSummary(trace);
    expect(summary).toMatchObject({ device_ns: 950, kernels: { count: 2, unique: 1, sum_ns: 400 } });
    expect(summary.graphs).toEqual({ launches: 2, kernels: 1, share: 200 / 500 });
    expect(summary.launches).toMatchObject({ count: 3, sum_ns: 220 });
    expect(summary.idleShare).toBeCloseTo(1 - 610 / 950, 12);
  });

  it('shows spans with a duration, no registered names, and unfinished ranges up to the end', async () => {
    const ranges = folder.path('nvtx.sqlite');
    writeNsight(ranges);
    const database = new DatabaseSync(ranges);
    // Inserts a domain, a category, a thread's name, and a range that was open when the recording stopped.
    for (const [type, name] of [
      [75, 'NCCL'],
      [33, 'io'],
      [39, 'worker'],
      [59, 'open'],
    ] as const) {
      database
        .prepare('INSERT INTO NVTX_EVENTS VALUES (?, NULL, ?, ?, NULL, ?)')
        .run(START + 400, type, name, GLOBAL_TID);
    }
    database.close();
    const trace = await openTrace(ranges, 'nvtx.sqlite');
    const spans = Array.from(
      trace.start,
      (start, i) => `${trace.names[trace.nameOf[i] ?? 0]} ${start}+${trace.duration[i]}`,
    );
    expect(spans).toContain('open 400+550');
    expect(spans.filter((text) => /NCCL|io |worker/.test(text))).toEqual([]);
    expect(trace.notes).toEqual(['1 NVTX ranges have no end and are extended to the end of the trace.']);
  });

  it('links kernels without a process to the calls of the only process', async () => {
    const old = folder.path('no-pid.sqlite');
    writeNsight(old);
    const database = new DatabaseSync(old);
    for (const table of ['KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE']) {
      database.exec(`ALTER TABLE CUPTI_ACTIVITY_KIND_${table} DROP COLUMN globalPid`);
    }
    database.close();
    const trace = await openTrace(old, 'no-pid.sqlite');
    expect(spanDetails(trace, 6, null).launchedBy.map(({ name }) => name)).toEqual(['cudaLaunchKernel']);
  });

  it('is read as far as possible if it comes from another version with other columns and tables', async () => {
    const old = folder.path('old.sqlite');
    const database = new DatabaseSync(old);
    database.exec(`
      CREATE TABLE StringIds (id INTEGER, value TEXT);
      INSERT INTO StringIds VALUES (1, 'kernel');
      CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, shortName INT);
      INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 7, 1), (30, 25, 0, 7, 1), ('x', 40, 0, 7, 1), (50, 60, 0, 7, 99);
    `);
    database.close();
    const trace = await openTrace(old, 'old.sqlite');
    expect(trace.names).toEqual(['', 'kernel', '(kernel without a name)']);
    expect(trace.notes).toEqual(['2 rows without a valid start and end were omitted.']);
  });

  /** Files modelled on public bug reports; cases/README.md has their sources and correct values. */
  const ofCase = (name: string) => openTrace(path.join(import.meta.dirname, 'cases', name), name);

  it('resolves nanoseconds in absolute times of 61 bits', async () => {
    const trace = await ofCase('q01-absolute-times.sqlite');
    // Three kernels of 600 ns, 1.7e18 ns after 1970. The range began first, 1000 ns before the second kernel.
    expect(traceSummary(trace).kernels).toMatchObject({ count: 3, sum_ns: 1800 });
    expect(trace.duration_ns).toBe(3900);
    expect(trace.notes).toEqual([]);
  });

  it('includes tables with a version in their name, and reports the skipped ones', async () => {
    const trace = await ofCase('q05-versioned-tables.sqlite');
    expect(traceSummary(trace).kernels).toMatchObject({ count: 3, sum_ns: 1800 });
    expect(trace.names).toContain('step');
    const other = folder.path('unread.sqlite');
    writeNsight(other);
    const database = new DatabaseSync(other);
    database.exec(`CREATE TABLE CUPTI_ACTIVITY_KIND_NEW_WORK (start INTEGER, end INTEGER);
      INSERT INTO CUPTI_ACTIVITY_KIND_NEW_WORK VALUES (1, 2);`);
    database.close();
    expect((await openTrace(other, 'unread.sqlite')).notes).toEqual(['Not read: CUPTI_ACTIVITY_KIND_NEW_WORK.']);
  });

  it('contains the idle share of each GPU', async () => {
    const summary = traceSummary(await ofCase('q06-two-gpus.sqlite'));
    expect(summary.gpus).toEqual([
      { name: 'GPU 0: NVIDIA H100', idleShare: 0.5 },
      { name: 'GPU 1: NVIDIA H100', idleShare: 0.5 },
    ]);
    expect(summary.idleShare).toBe(0.5);
  });

  it('keeps valid times even if one start time is wrong', async () => {
    const wrong = folder.path('wrong-start.sqlite');
    writeNsight(wrong);
    const database = new DatabaseSync(wrong);
    database.exec(`UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 1700000000000000000 + start, end = 1700000000000000000 + end;
      INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;
      UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 0 WHERE rowid = 1;`);
    database.exec('DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME; DELETE FROM NVTX_EVENTS');
    database.close();
    const trace = await openTrace(wrong, 'wrong-start.sqlite');
    // The kernel, the copy, the fill and the graph whose start times are in 1970 are left out: three of four kernels
    // remain.
    expect(traceSummary(trace).kernels.count).toBe(3);
    expect(trace.notes).toEqual(['4 rows without a valid start and end were omitted.']);
  });

  it('counts kernels without an end', async () => {
    const half = folder.path('unended.sqlite');
    const database = new DatabaseSync(half);
    database.exec(`CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER);
      INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 200, 0, 1), (300, NULL, 0, 1)`);
    database.close();
    const trace = await openTrace(half, 'unended.sqlite');
    expect([...trace.duration]).toEqual([100, 0]);
    expect(trace.notes).toEqual([
      '1 rows have no end and are shown as moments.',
      'CUPTI_ACTIVITY_KIND_KERNEL has no demangledName or shortName or mangledName or name, so this is unknown for its rows.',
      'It has no StringIds: kernels, calls and ranges have no names, and launches cannot be matched with calls.',
    ]);
  });

  it('is rejected if it is truncated, damaged or from another program', async () => {
    const bytes = readFileSync(file);
    const cut = folder.write('cut.sqlite', bytes.subarray(0, 6000));
    await expect(openTrace(cut, 'cut.sqlite')).rejects.toThrow(
      `cut.sqlite cannot be opened as a timeline: it is truncated after 6000 of ${bytes.length} bytes.`,
    );
    const damaged = Buffer.from(bytes).fill(0x5a, 100, 4000);
    await expect(openTrace(folder.write('bad.sqlite', damaged), 'bad.sqlite')).rejects.toThrow(
      'the database is damaged or truncated.',
    );
    const other = folder.path('other.sqlite');
    const database = new DatabaseSync(other);
    database.exec('CREATE TABLE bookmarks (id INTEGER, url TEXT)');
    database.close();
    await expect(openTrace(other, 'other.sqlite')).rejects.toThrow(
      'it is an SQLite database without the tables of Nsight Systems, such as CUPTI_ACTIVITY_KIND_KERNEL (it has: bookmarks).',
    );
  });
});

/**
 * Twenty rounds of an elementwise kernel, a sum and a copy by CuPy 14.2. Tables that are not about the GPU were removed
 * from the file (environment, other processes). A separate program counted the numbers below from its tables.
 */
describe('a recording by Nsight Systems 2025.3 on an H200', () => {
  it('is read completely: kernels, copies, calls and their arrows', async () => {
    const packed = readFileSync(
      path.resolve(import.meta.dirname, '../../../../../golden/traces/nsight-systems-2025.3-h200.sqlite.gz'),
    );
    const file = folder.write('nsight.sqlite', gunzipSync(packed));
    const trace = await openTrace(file, 'nsight.sqlite');
    const summary = traceSummary(trace);
    expect(trace.device).toBe('NVIDIA H200');
    expect(summary.kernels).toMatchObject({ count: 62, unique: 5, sum_ns: 194_815 });
    expect(summary.kernels.top[0]).toMatchObject({ name: 'saxpy_one', count: 20, sum_ns: 123_616 });
    expect(summary.copies).toMatchObject({ count: 21, bytes: 81_924, sum_ns: 33_472 });
    expect(summary.idle).toMatchObject({ count: 61, sum_ns: 158_513_131, extent_ns: 158_707_946 });
    const copying = summary.idle?.causes.find(({ cause }) => cause === 'copy');
    expect(copying).toMatchObject({ sum_ns: 29_952 });
    expect(summary.idle?.longest[0]).toMatchObject({ duration_ns: 69_537_914, cause: 'host', host: null });
    expect(summary.host.calls[0]).toMatchObject({ name: 'cudaMalloc', count: 6, sum_ns: 120_858_101 });
    // The trace has 640 calls, 62 kernels and 21 copies; the 21 waits are among the calls.
    expect(summary.spans).toBe(723);
    expect(trace.lanes.map(({ process, name }) => `${process}: ${name}`)).toEqual(
      expect.arrayContaining(['GPU 0: NVIDIA H200: stream 7', 'GPU 0: NVIDIA H200: stream 7: copies']),
    );
    const kernel = trace.nameOf.findIndex((name) => trace.names[name] === 'saxpy_one');
    const details = spanArguments(trace.details[trace.detailOf[kernel] ?? 0] ?? '');
    expect(details).toMatchObject({ grid: [8192, 1, 1], block: [128, 1, 1], registers: 24 });
    expect(launchersOf(trace.links, kernel).map((span) => trace.names[trace.nameOf[span] ?? 0])).toEqual([
      'cuLaunchKernel',
    ]);
  });
});
