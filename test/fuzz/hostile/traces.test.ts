/**
 * Traces, counters and files of tuners that other programs wrote, or that were damaged. Each is read correctly, read
 * with a warning, or rejected with a message that names the problem. This file is long, because each format is one
 * table of cases.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openTrace } from '../../../electron/host/app/timelines/open.ts';
import { traceSummary } from '../../../electron/host/model/timeline/summary.ts';
import { parseTuning } from '../../../electron/host/model/tuning/files/t4.ts';
import { writeNsight } from '../../electron/host/model/timeline/import/nsight-file.ts';
import { chrome, chromeWith, folder, ncu, ncuHead, nsys, span, t4, testHostileFiles, tuner } from './files.ts';

const namedEvent = (pid: number | string, name: string, tid?: number) => ({
  ph: 'M',
  pid,
  ...(tid === undefined ? { name: 'process_name' } : { name: 'thread_name', tid }),
  args: { name },
});

const work =
  (...events: readonly object[]) =>
  async () => {
    const file = path.join(folder, 'work.json');
    writeFileSync(file, JSON.stringify(events));
    const trace = await openTrace(file, 'work.json');
    const { kernels, copies, host, gpus } = traceSummary(trace);
    return {
      kernels: [kernels.count, kernels.sum_ns],
      copies: [copies.count, copies.sum_ns, copies.bytes],
      operations: host.operations.map(({ name }) => name),
      gpus: gpus.map(({ name }) => name),
      shares: host.operations.map(({ share }) => share),
      notes: trace.notes,
    };
  };

/** Consecutive spans on a thread of XLA's device. */
const xla = (lane: string, spans: readonly (readonly [name: string, dur: number, args?: object])[]) =>
  work(
    namedEvent(1, '/device:GPU:0'),
    namedEvent(1, lane, 14),
    ...spans.map(([name, dur, args], i) => ({
      ph: 'X',
      name,
      pid: 1,
      tid: 14,
      ts: 100 * i,
      dur,
      ...(args && { args }),
    })),
  );

/** The second kernel ran in a process that sees only the second GPU, as its device 0. */
const TWO_GPUS = `INSERT INTO TARGET_INFO_GPU VALUES (1, 'NVIDIA A100', 8e10);
  CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT DEFAULT 'u', numMultiprocessors INTEGER);
  UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = 200 * (1 << 24) WHERE rowid = 2`;

const tuningFile = (document: object) => () => parseTuning({ text: JSON.stringify(document), name: 'a.json' }).notes;

testHostileFiles([
  [
    'Chrome traces',
    [
      ['a time with a comma', chrome(span, { ...span, ts: '1,5' }), /1 events have no valid time/],
      [
        'counters and marks',
        chrome(span, { ...span, ph: 'C' }, { ...span, ph: 'P' }),
        /1 counter values are not shown.*1 events of kinds without a duration/,
      ],
      [
        'a beginning without an end',
        chrome(span, { ...span, ph: 'B', ts: 20 }),
        /1 events have no end and are extended to the end of the trace/,
      ],
      [
        'times of processors alone',
        chrome({ ...span, dur: undefined, tdur: 3, tts: 1 }),
        /1 events have no duration and are shown as moments/,
      ],
      [
        'scopes of one number',
        chrome(
          ...['a', 'b'].flatMap((scope, i) => [
            { ...span, ph: 'b', id: 1, cat: 'c', scope, ts: 10 * i },
            { ...span, ph: 'e', id: 1, cat: 'c', scope, ts: 100 - 10 * i },
          ]),
        ),
        /"duration":\[100000,80000\]/,
      ],
      ...(
        [{ timeUnit: 'ns' }, { otherData: { timestamp_unit: 'ns' } }, { metadata: { time_unit: 'ms' } }] as const
      ).map(
        (more) =>
          [
            `a unit of time in ${Object.keys(more)[0]}`,
            chromeWith(more, span),
            /^refused: .*(timeUnit|otherData\.timestamp_unit|metadata\.time_unit) is "[nm]s"; allowed: us/,
          ] as const,
      ),
      [
        'microseconds, and nanoseconds on the display',
        chromeWith({ timeUnit: 'us', displayTimeUnit: 'ns' }, span),
        /"duration":\[5000\],"notes":\[\]/,
      ],
      ['a negative duration', chrome(span, { ...span, dur: -5 }), /1 events have no valid time, phase or duration/],
      ['a time in hexadecimal digits', chrome(span, { ...span, ts: '0x10' }), /1 events have no valid time/],
      [
        'a stream of XLA for all its work',
        xla('Stream #14(Compute,MemcpyD2D,MemcpyH2D,Memset)', [
          ['gemm_fusion_dot_3', 30],
          ['loop_add_fusion', 20.5],
          ['copy.3', 1],
          ['MemcpyH2D', 5, { memcpy_details: 'kind_src:pinned size:4' }],
          ['Memset', 2],
        ]),
        /"kernels":\[3,51500\],"copies":\[2,7000,4\],"operations":\[\],"gpus":\["\/device:GPU:0"\].*"notes":\["The size of 1 copies and fills is unknown: sums of bytes exclude them\."\]/,
      ],
      [
        'a stream of XLA for fills',
        xla('Stream #13(Memset)', [['fill', 3]]),
        /"kernels":\[0,0\],"copies":\[1,3000,\d+\],"operations":\[\]/,
      ],
      [
        'a stream of XLA for copies',
        xla('Stream #13(MemcpyD2H,MemcpyH2D)', [['x', 3]]),
        /"kernels":\[0,0\],"copies":\[1,3000,\d+\],"operations":\[\]/,
      ],
      [
        'operations of XLA beside its stream',
        work(
          namedEvent(1, '/device:GPU:0'),
          namedEvent(1, 'XLA Ops', 2),
          namedEvent(1, 'Stream #13(Compute)', 3),
          ...[2, 3].map((tid) => ({ ...span, name: 'fusion', pid: 1, tid })),
        ),
        /"kernels":\[1,5000\],"copies":\[0,0,\d+\],"operations":\[\],"gpus":\["\/device:GPU:0"\].*"notes":\[\]/,
      ],
      [
        'operations of a TPU',
        xla('XLA Ops', [['fusion.1', 50]]),
        /"kernels":\[0,0\].*1 events in lanes with GPU names \(\/device:GPU:0: XLA Ops\) have no kernel category/,
      ],
      [
        'all streams of TensorFlow, and what launches them',
        work(
          namedEvent(1, '/job:localhost/replica:0/task:0/device:GPU:0 Compute'),
          namedEvent(2, '/device:GPU:0/stream:all Compute'),
          namedEvent(3, '/device:GPU:0/memcpy Compute'),
          { ...span, cat: 'Op', name: 'MatMul', pid: 1 },
          { ...span, cat: 'Op', name: 'MatMul', pid: 2, dur: 50 },
          { ...span, cat: 'Op', name: 'Relu', pid: 2, dur: 30, ts: 60 },
          { ...span, cat: 'Op', name: 'edge_9', pid: 3, dur: 3, ts: 60 },
        ),
        /"kernels":\[2,80000\],"copies":\[1,3000,0\],"operations":\["MatMul"\],"gpus":\["\/device:GPU:0"\].*"notes":\["The size of 1 copies/,
      ],
      [
        'streams of TensorFlow, each and all',
        work(
          namedEvent(2, '/device:GPU:0/stream:all Compute'),
          namedEvent(3, '/device:GPU:0/stream:14 Compute'),
          namedEvent(4, '/device:GPU:0/stream:15 Compute'),
          ...[2, 3].map((pid) => ({ ...span, cat: 'Op', name: 'MatMul', pid, dur: 50 })),
          ...[2, 4].map((pid) => ({ ...span, cat: 'Op', name: 'MEMCPYHtoD', pid, dur: 4 })),
        ),
        /"kernels":\[1,50000\],"copies":\[1,4000,\d+\].*"gpus":\["\/device:GPU:0"\]/,
      ],
      [
        "PyTorch's older profiler",
        work(
          { ...span, name: 'aten::mm', pid: 'CPU functions' },
          ...[0, 1].map((tid) => ({ ...span, name: 'volta_sgemm', pid: 'CUDA functions', tid, dur: 40 })),
          { ...span, name: 'Memcpy HtoD (Pageable -> Device)', pid: 'CUDA functions', tid: 0, ts: 60 },
        ),
        /"kernels":\[2,80000\],"copies":\[1,5000,\d+\],"operations":\["aten::mm"\],"gpus":\["GPU 0","GPU 1"\]/,
      ],
      [
        'rocprof',
        work(
          namedEvent(6, '6 GPU0'),
          namedEvent(2, '2 CPU HIP API'),
          { ...span, name: 'hipLaunchKernel', pid: 2 },
          { ...span, name: 'gemm.kd', pid: 6, tid: 0, dur: 50 },
        ),
        /"kernels":\[1,50000\].*"operations":\["hipLaunchKernel"\],"gpus":\["GPU0"\].*"notes":\[\]/,
      ],
      [
        'nvprof, converted: streams alone',
        work(
          { ...span, cat: 'cuda', name: 'gemm', pid: '[0:0] Compute', tid: 'Stream 7', dur: 40 },
          { ...span, cat: 'cuda', name: 'cudaLaunchKernel', pid: 'Process 1', tid: 'Thread 1: Runtime API' },
        ),
        /"kernels":\[1,40000\].*"operations":\["cudaLaunchKernel"\],"gpus":\["GPU 0"\]/,
      ],
      [
        'nvprof, converted: by kind, and again by kernel',
        work(
          { ...span, cat: 'cuda', name: 'gemm', pid: '[0:0] Overview', tid: 'Compute', dur: 40 },
          { ...span, cat: 'cuda', name: 'gemm', pid: '[0:0] Compute', tid: 'gemm', dur: 40 },
          { ...span, cat: 'cuda', name: 'Memcpy HtoD', pid: '[0] Overview', tid: 'MemCpy (HtoD)', ts: 60 },
        ),
        /"kernels":\[1,40000\],"copies":\[1,5000,\d+\].*"gpus":\["GPU 0"\]/,
      ],
      [
        'a stream of an unknown program',
        work({ ...span, cat: 'cuda', name: 'gemm', pid: 'render', tid: 'Stream 7' }),
        /"kernels":\[0,0\].*1 events in lanes with GPU names \(render: Stream 7\)/,
      ],
      [
        'waits of a stream beside its kernels',
        work(
          { ...span, cat: 'kernel', name: 'gemm', pid: 0, tid: 7 },
          { ...span, cat: 'cuda_sync', name: 'Stream Synchronize', pid: 0, tid: 7, ts: 10, dur: 500 },
        ),
        /"kernels":\[1,5000\],"copies":\[0,0,\d+\],"operations":\[\]/,
      ],
      [
        'the time 0 in all of its first events',
        work(
          ...Array.from({ length: 9000 }, (_, i) => ({ ...span, ts: i / 1000, dur: 0.5 })),
          ...Array.from({ length: 100 }, (_, i) => ({ ...span, cat: 'kernel', ts: 1.7e15 + 10 * i, dur: 5 })),
        ),
        /"kernels":\[100,500000\].*"notes":\["9000 events are more than three years away/,
      ],
      [
        'the time 0 in the first half of its events, without work of a device',
        work(
          ...Array.from({ length: 9000 }, (_, i) => ({ ...span, ts: i / 1000, dur: 0.5 })),
          ...Array.from({ length: 9500 }, (_, i) => ({ ...span, ts: 1.7e15 + 10 * i, dur: 5 })),
        ),
        /"notes":\["9000 events are more than three years away/,
      ],
      [
        'lists of categories',
        work(
          { ...span, cat: 'kernel,cuda', name: 'gemm', pid: 0, tid: 7 },
          { ...span, cat: 'gpu, gpu_memcpy', name: 'copy', pid: 0, tid: 7, ts: 10 },
          { ...span, cat: 'cuda_runtime,api', name: 'cudaLaunchKernel', pid: 1, tid: 1 },
          { ...span, cat: 'python,function', name: 'step', pid: 1, tid: 1 },
        ),
        /"kernels":\[1,5000\],"copies":\[1,5000,\d+\],"operations":\["step"\]/,
      ],
      [
        'a list of categories that host and device share',
        work(namedEvent(1, '/device:GPU:0'), namedEvent(1, 'Stream #14(Compute)', 14), {
          ...span,
          cat: 'cuda,op',
          name: 'gemm',
          pid: 1,
          tid: 14,
        }),
        /"kernels":\[1,5000\].*"operations":\[\],"gpus":\["\/device:GPU:0"\]/,
      ],
      [
        'rocprofv3',
        work(
          { ...span, cat: 'kernel_dispatch', name: 'gemm.kd', pid: 4, tid: 0, dur: 50 },
          { ...span, cat: 'memory_copy', name: 'MEMORY_COPY_HOST_TO_DEVICE', pid: 4, tid: 1 },
          { ...span, cat: 'hip_runtime_api', name: 'hipLaunchKernel', pid: 2, tid: 1 },
        ),
        /"kernels":\[1,50000\],"copies":\[1,5000,\d+\],"operations":\[\]/,
      ],
      [
        'kernels of a list of categories far after its first events',
        work(
          ...Array.from({ length: 9000 }, (_, i) => ({ ...span, ts: i / 1000, dur: 0.5 })),
          ...Array.from({ length: 100 }, (_, i) => ({ ...span, cat: 'gpu,kernel', ts: 1.7e15 + 10 * i, dur: 5 })),
        ),
        /"kernels":\[100,500000\].*"notes":\["9000 events are more than three years away/,
      ],
      [
        'kernels of two devices in one process',
        work(...[0, 1].map((device) => ({ ...span, cat: 'kernel', name: 'gemm', pid: 0, tid: 7, args: { device } }))),
        /"kernels":\[2,10000\].*"notes":\["Work of devices 0, 1 is in one process \(0\) and is counted as one GPU/,
      ],
      [
        'spans and time of the profiler',
        work(
          { ...span, cat: 'cpu_op', name: 'aten::mm', dur: 50 },
          { ...span, cat: 'cpu_op', name: 'aten::add', ts: 60, dur: 40 },
          { ...span, cat: 'Trace', name: 'PyTorch Profiler (0)', pid: 'Spans', tid: 'PyTorch Profiler', dur: 1000 },
          { ...span, ph: 'i', name: 'Iteration Start: PyTorch Profiler', pid: 'Traces', tid: 'Trace PyTorch Profiler' },
          { ...span, cat: 'overhead', name: 'Activity Buffer Request', pid: -1, tid: 0, dur: 50 },
        ),
        /"operations":\["aten::mm","aten::add"\].*"shares":\[0\.55555\d+,0\.44444\d+\].*"notes":\[\]/,
      ],
      [
        'work of other accelerators',
        work(
          { ...span, cat: 'hpu_op', name: 'gemm_hpu', pid: 0, tid: 7, args: { stream: 7, device: 0 } },
          { ...span, cat: 'hpu_op', name: 'Memcpy HtoD', pid: 0, tid: 7, ts: 10, args: { bytes: 8 } },
          { ...span, cat: 'mtia_ccp_events', name: 'k', pid: 2, tid: 3 },
          { ...span, cat: 'mtia_runtime', name: 'launch', pid: 1, tid: 3 },
        ),
        /"kernels":\[2,10000\],"copies":\[1,5000,8\],"operations":\[\].*"notes":\[\]/,
      ],
      [
        'work on a stream of an unknown kind',
        work(
          { ...span, cat: 'npu_op', name: 'k', pid: 0, tid: 7, args: { stream: 7, device: 0 } },
          { ...span, cat: 'gpu_op', name: 'k', pid: 0, tid: 7, ts: 10, args: { stream: 7 } },
          { ...span, cat: 'cpu_op', name: 'aten::mm', args: { stream: 7, device: 0 } },
        ),
        /"kernels":\[0,0\].*"operations":\["aten::mm"\].*1 events of the category npu_op belong to a device of unknown kind, and are not counted\.","1 events of the category gpu_op belong to a device/,
      ],
      [
        'sizes of copies in other forms',
        work(
          ...[
            { bytes: '4 MB' },
            { Bytes: 2048 },
            { memcpy_details: 'kind:H2D size:4096 dest:0' },
            { bytes: '1 KiB' },
          ].map((args, i) => ({ ...span, cat: 'gpu_memcpy', name: 'Memcpy HtoD', pid: 0, tid: 7, ts: 10 * i, args })),
          {
            ...span,
            cat: 'gpu_memset',
            name: 'Memset',
            pid: 0,
            tid: 7,
            args: { memset_details: 'kind:D num_bytes:2' },
          },
        ),
        // Bytes of all copies: 4,000,000 + 2,048 + 4,096 + 1,024 + 2.
        /"copies":\[5,25000,4007170\].*"notes":\[\]/,
      ],
      [
        'a peer copy of -1 bytes',
        work({ ...span, cat: 'gpu_memcpy', name: 'Memcpy PtoP', pid: 0, tid: 7, args: { bytes: -1 } }),
        /"copies":\[1,5000,0\].*The size of 1 copies and fills is unknown/,
      ],
      [
        'a copy with an unreadable size',
        work({ ...span, cat: 'gpu_memcpy', name: 'Memcpy HtoD', pid: 0, tid: 7, args: { bytes: 'many' } }),
        /"copies":\[1,5000,0\].*The size of 1 copies and fills is unknown/,
      ],
      [
        'two devices, of which one worked',
        async () => {
          const file = path.join(folder, 'devices.json');
          const deviceProperties = ['A100', 'H100'].map((name, id) => ({ id, name }));
          const kernel = { ...span, cat: 'kernel', args: { device: 1 } };
          writeFileSync(file, JSON.stringify({ deviceProperties, traceEvents: [kernel] }));
          return (await openTrace(file, 'devices.json')).device;
        },
        /^"H100"$/,
      ],
      ['no phase', chrome(span, { ...span, ph: null }), /1 events have no valid time, phase/],
      ['an end without a beginning', chrome(span, { ...span, ph: 'E' }), /1 events have an end but no beginning/],
    ],
  ],
  [
    'nsys databases',
    [
      [
        'events of MPI',
        nsys('CREATE TABLE MPI_P2P_EVENTS (start INTEGER, end INTEGER); INSERT INTO MPI_P2P_EVENTS VALUES (1, 2)'),
        /Not read: MPI_P2P_EVENTS\./,
      ],
      [
        'samples of counters',
        nsys(
          'CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, timestamp INTEGER, value INTEGER); INSERT INTO GPU_METRICS VALUES (1, 2, 3)',
        ),
        /Not read: GPU_METRICS\./,
      ],
      [
        'the analysis of a recording',
        nsys(
          'CREATE TABLE ANALYSIS_DETAILS (start INTEGER, duration INTEGER); INSERT INTO ANALYSIS_DETAILS VALUES (1, 2)',
        ),
        /"notes":\[\]/,
      ],
      [
        'a kernel that ends before it starts',
        nsys('UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start - 1 WHERE rowid = 1'),
        /"kernels":1,"notes":\["1 rows without a valid start/,
      ],
      [
        'two processes that see a GPU each',
        nsys(`${TWO_GPUS}; INSERT INTO TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid) VALUES (0, 0, 4711), (1, 0, 200)`),
        /"GPU 0: NVIDIA H200","idleShare".*"GPU 1: NVIDIA A100","idleShare".*"device":"NVIDIA H200","kernels":2,"notes":\[\]/,
      ],
      [
        'one process on the second GPU',
        nsys(
          `${TWO_GPUS}; INSERT INTO TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid) VALUES (1, 0, 4711); UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = NULL`,
        ),
        /"gpus":\[\{"name":"GPU 1: NVIDIA A100"[^}]*\}\],"device":"NVIDIA A100"/,
      ],
      [
        'a process of which no device is listed, where others differ',
        nsys(`${TWO_GPUS}; INSERT INTO TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid) VALUES (0, 0, 4711), (1, 0, 300)`),
        /"GPU 0: NVIDIA H200".*"device 0 of process 200"/,
      ],
      [
        'an empty newer table beside the filled one',
        nsys('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V3 AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE 0'),
        /"kernels":2.*"notes":\[\]/,
      ],
      [
        'a filled newer table beside the filled one',
        nsys('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V3 AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1'),
        /"kernels":1.*"notes":\["Not read: CUPTI_ACTIVITY_KIND_KERNEL\."\]/,
      ],
      [
        'tables without rows',
        nsys(
          ['KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE', 'RUNTIME']
            .map((table) => `DELETE FROM CUPTI_ACTIVITY_KIND_${table}`)
            .join('; ')
            .concat('; DELETE FROM NVTX_EVENTS'),
        ),
        /its tables contain no events that can be shown \(CUPTI_ACTIVITY_KIND_KERNEL, /,
      ],
      ...(
        [
          ['KERNEL', 'deviceId'],
          ['KERNEL', 'streamId'],
          ['MEMCPY', 'bytes'],
          ['MEMSET', 'bytes'],
          ['RUNTIME', 'nameId'],
        ] as const
      ).map(
        ([table, column]) =>
          [
            `no ${column} of ${table}`,
            nsys(`ALTER TABLE CUPTI_ACTIVITY_KIND_${table} DROP COLUMN ${column}`),
            new RegExp(`CUPTI_ACTIVITY_KIND_${table} has no ${column}, so this is unknown for its rows`),
          ] as const,
      ),
      [
        'kernels without an end',
        nsys('ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN end'),
        /2 rows have no end and are shown as moments.*KERNEL has no end/,
      ],
      [
        'a column that an empty table lacks',
        nsys('DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET; ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET DROP COLUMN bytes'),
        /"notes":\[\]/,
      ],
      [
        'no names',
        nsys('DROP TABLE StringIds'),
        /"kernels":2,"notes":\["It has no StringIds: kernels, calls and ranges have no names, and launches/,
      ],
      [
        'a copy of NULL bytes',
        nsys(
          'CREATE TABLE m AS SELECT * FROM CUPTI_ACTIVITY_KIND_MEMCPY; UPDATE m SET bytes = NULL; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY; ALTER TABLE m RENAME TO CUPTI_ACTIVITY_KIND_MEMCPY',
        ),
        /"notes":\["The size of 1 copies and fills is unknown: sums of bytes exclude them\."\]/,
      ],
      [
        'pages cut off after the tables that are read',
        async () => {
          const file = path.join(folder, 'cut.sqlite');
          writeNsight(file);
          const bytes = readFileSync(file);
          const cut = path.join(folder, 'shorter.sqlite');
          writeFileSync(cut, bytes.subarray(0, bytes.length - 4096));
          return openTrace(cut, 'shorter.sqlite');
        },
        /shorter\.sqlite cannot be opened as a timeline: it is truncated after 36864 of 40960 bytes/,
      ],
      [
        'times as text',
        nsys("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon' WHERE rowid = 1"),
        /"kernels":1,"notes":\["1 rows without a valid start/,
      ],
    ],
  ],
  [
    'Nsight Compute',
    [
      [
        'one number of a launch on two devices',
        ncu(
          '"ID","Device","Metric Name","Metric Unit","Metric Value"\n"0","0","lts__t_bytes.sum","byte","4"\n"0","1","lts__t_bytes.sum","byte","5"',
        ),
        /"launches":2.*"l2_bytes":9/,
      ],
      [
        'an error in the middle',
        ncu(`${ncuHead}\n"0","lts__t_bytes.sum","byte","4"\n==ERROR== The application returned`),
        /ncu failed \(==ERROR==/,
      ],
      [
        'a number below zero',
        ncu(`${ncuHead}\n"0","lts__t_bytes.sum","byte","-4"`),
        /lts__t_bytes\.sum is -4; allowed: at least 0/,
      ],
      [
        'an occupancy above all warps',
        ncu(`${ncuHead}\n"0","sm__warps_active.avg.pct_of_peak_sustained_active","%","455"`),
        /sustained_active is 455; allowed: 0 to 100/,
      ],
      [
        'an attribute of -1 next to its counters',
        ncu(
          `${ncuHead}\n"0","lts__t_bytes.sum","byte","4"\n"0","launch__cluster_max_active","","-1"\n"0","device__attribute_numa_id","","-1"`,
        ),
        /"l2_bytes":4/,
      ],
      [
        'semicolons',
        ncu(`${ncuHead.replaceAll(',', ';')}\n"0";"lts__t_bytes.sum";"Mbyte";"9,00"`),
        /"l2_bytes":9000000/,
      ],
      [
        'a last line that is cut',
        ncu(`${ncuHead}\n"0","lts__t_bytes.sum","byte","4"\n"1","lts__t_bytes.sum","by`),
        /a number in 1 of 2 launches/,
      ],
      [
        'a summary of kernels',
        ncu(
          '"Process ID","Kernel Name","Invocations","Metric Name","Metric Unit","Minimum","Maximum","Average"\n"1","k","3","dram__bytes_read.sum","byte","1","3","2"',
        ),
        /it has the column Invocations; allowed: one value per launch/,
      ],
      [
        'two tables',
        ncu(`${ncuHead}\n"0","lts__t_bytes.sum","byte","4"\n${ncuHead}\n"0","lts__t_bytes.sum","byte","5"`),
        /it has several CSV tables; allowed: one/,
      ],
      ['a mark of its encoding', ncu(`\uFEFF${ncuHead}\n"0","lts__t_bytes.sum","byte","4"`), /"l2_bytes":4/],
      [
        'an unknown unit',
        ncu(`${ncuHead}\n"0","lts__t_bytes.sum","hogshead","4"`),
        /lts__t_bytes\.sum is in \\?"hogshead\\?"/,
      ],
      [
        'rates and shares of all its metrics',
        ncu(
          `${ncuHead}\n"0","lts__t_bytes.sum","byte","4"\n"0","dram__bytes_read.sum.per_second","Gbyte/second","2"\n"0","dram__bytes_read.sum.pct_of_peak_sustained_elapsed","%","7"\n"0","smsp__inst_executed.sum.per_cycle_active","inst/cycle","1"`,
        ),
        /"dram_bytes":null,"l2_bytes":4,"instructions":null.*"notes":\[\]/,
      ],
      ...[',', ';', '\t'].map(
        (separator) =>
          [
            `few quotes and ${JSON.stringify(separator)}, as a spreadsheet saves it`,
            ncu(
              [
                '==PROF== Connected',
                ...[
                  'ID,Metric Name,Metric Unit,Metric Value',
                  '0,lts__t_bytes.sum,byte,4',
                  '1,lts__t_bytes.sum,byte,5',
                ],
                '',
              ]
                .join('\n')
                .replaceAll(',', separator),
            ),
            /"launches":2.*"l2_bytes":9,/,
          ] as const,
      ),
      [
        'units between bare commas',
        ncu('ID,Kernel Name,lts__t_bytes.sum\n,,Kbyte\n0,"k<1, 2>","1,5"\n1,k,"2,5"\n'),
        /"launches":2.*"l2_bytes":4000,/,
      ],
      [
        'bytes without a unit',
        ncu(`${ncuHead}\n"0","dram__bytes.sum","","1.25"`),
        /dram__bytes\.sum is in \\?"\\?"; allowed: byte, with a prefix/,
      ],
      ['instructions without a unit', ncu(`${ncuHead}\n"0","smsp__inst_executed.sum","","5"`), /"instructions":5/],
      [
        'no value and no unit',
        ncu(`${ncuHead}\n"0","dram__bytes.sum","","n/a"\n"0","lts__t_bytes.sum","byte","4"`),
        /"dram_bytes":null,"l2_bytes":4/,
      ],
      [
        'an occupancy without a unit',
        ncu(`${ncuHead}\n"0","sm__warps_active.avg.pct_of_peak_sustained_active","","0.5"`),
        /sustained_active is in \\?"\\?"; allowed: %/,
      ],
      [
        'Arabic digits beside another counter',
        ncu(`${ncuHead}\n"0","dram__bytes.sum","Mbyte","١٫٢٥"\n"0","lts__t_bytes.sum","byte","4"`),
        /"l2_bytes":4.*dram__bytes\.sum has a number in only 0 of 1 launches \(\\?"١٫٢٥\\?" is not one number/,
      ],
      [
        'values of instances',
        ncu(`${ncuHead}\n"0","lts__t_bytes.sum","byte","4 (1; 3)"`),
        /has a number in 0 of 1 launches \(\\?"4 \(1; 3\)\\?" is not one number in the digits 0 to 9\)/,
      ],
      [
        'one launch with two values',
        ncu(`${ncuHead}\n"0","lts__t_bytes.sum","byte","5"\n"0","lts__t_bytes.sum","byte","7"`),
        /lts__t_bytes\.sum of the launch with the ID 0 is both 5 and 7; allowed: one value/,
      ],
      [
        'one launch with one value twice, once without a number',
        ncu(`${ncuHead}\n"0","lts__t_bytes.sum","byte","5"\n"0","lts__t_bytes.sum","byte","n/a"`),
        /"launches":1.*"l2_bytes":5.*"notes":\[\]/,
      ],
      [
        'occupancies without times',
        ncu(
          `${ncuHead}\n${[0, 1].map((id) => `"${id}","sm__warps_active.avg.pct_of_peak_sustained_active","%","50"\n"${id}","smsp__inst_executed.sum","inst","5"`).join('\n')}`,
        ),
        /"occupancy":null.*sustained_active of 2 launches cannot be averaged without the weight gpu__time_duration\.sum/,
      ],
      [
        'stalls without instructions',
        ncu(
          `${ncuHead}\n${[0, 1].map((id) => `"${id}","smsp__average_warps_issue_stalled_wait_per_issue_active.ratio","inst","5"\n"${id}","lts__t_bytes.sum","byte","5"`).join('\n')}`,
        ),
        /"l2_bytes":10.*stalls of 2 launches cannot be averaged without the weight smsp__inst_executed\.sum/,
      ],
      [
        'a number for one of two launches beside a whole counter',
        ncu(
          `${ncuHead}\n"0","lts__t_bytes.sum","byte","4"\n"1","lts__t_bytes.sum","byte","4"\n"1","dram__bytes.sum","byte","4"`,
        ),
        /"dram_bytes":null,"l2_bytes":8.*dram__bytes\.sum has a number in only 1 of 2 launches, so the value of the run is unknown/,
      ],
    ],
  ],
  [
    'Kernel Tuner and T4',
    [
      ['a time with a comma', tuner({ time: '1,5' }), /has time = \\?"1,5\\?"; allowed: a number of milliseconds/],
      ['a time with its unit', tuner({ time: '1.5 ms' }), /has time = \\?"1\.5 ms\\?"/],
      ...[{ correct: false }, { verified: false }, { status: 'failed' }, { invalidity: 'runtime' }].map(
        (more) =>
          [
            `${Object.keys(more).join()} of an entry`,
            tuner({ time: 2, ...more }),
            /cache entry \\?"8\\?": (correct|verified|status|invalidity) = (false|failed|runtime) is not supported; allowed/,
          ] as const,
      ),
      [
        'an entry that is correct',
        tuner({ time: 2, correct: true, status: 'ok' }),
        /"outcome":"right","time_s":0\.002/,
      ],
      [
        'a parameter called status',
        tuner({ time: 2, tile: 8, status: 'x' }, { tune_params_keys: ['tile', 'status'] }),
        /"status":"x"/,
      ],
      ['a unit of its samples', tuner({ time: 2, times: [2], times_unit: 'us' }), /"time_s":0\.000002/],
      [
        'times by another name',
        t4({ times: { kernel_time: [2] } }),
        /results\[0\]: it has no time \(its times have kernel_time\); allowed: times\.runtimes, or time among/,
      ],
      ['no time', tuner({ 'GFLOP/s': 100 }), /has no time \(it has: tile, GFLOP\/s\)/],
      [
        'a time beyond the largest number',
        () =>
          parseTuning({ text: '{"tune_params_keys":["t"],"cache":{"a":{"t":8,"time":1e400}}}', name: 'a' })
            .configurations,
        /"outcome":"runtime","time_s":null/,
      ],
      [
        'a failure by name next to its time',
        tuner({ time: 2, __error__: 'CompilationFailedConfig' }),
        /"outcome":"compile"/,
      ],
      ['a sample with a comma', t4({ times: { runtimes: ['2,5'] } }), /results\.0\.times\.runtimes\.0/],
      [
        'a time in another unit than its samples',
        t4({ measurements: [{ name: 'time', value: 2010, unit: 'us' }] }),
        /"time_s":0\.00201,"samples_s":\[0\.002\]/,
      ],
      ['samples and no time', tuner({ times: [2, 4] }), /"outcome":"right","time_s":0\.003/],
      ['a failed sample and no time', tuner({ times: [2, 1e20] }), /"outcome":"runtime","time_s":null/],
      [
        'another version of caches',
        tuner({ time: 2 }, { schema_version: '2.0.0' }),
        /schema_version = 2\.0\.0 is not supported; allowed: 1\.0\.0 to 1\.x/,
      ],
      ['another version of T4', t4({}, { schema_version: '3' }), /schema_version = 3 is not supported/],
      ['hours', t4({}, { metadata: { timeunit: 'hours' } }), /"hours" is not a unit of time/],
      ...['time_unit', 'timeUnit', 'timeunit'].map(
        (name) =>
          [`metadata with ${name}`, t4({}, { metadata: { [name]: 'us' } }), /"samples_s":\[0\.000002\]/] as const,
      ),
      ['a unit of the whole file', t4({}, { metadata: {}, time_unit: 's' }), /"samples_s":\[2\]/],
      [
        'two units of time',
        t4({}, { metadata: { timeunit: 'ms', time_unit: 's' } }),
        /metadata\.timeunit is ms but metadata\.time_unit is s; allowed: one unit of time/,
      ],
      ...['unit', 'units', 'timeunit', 'time_unit', 'timeUnit', 'time_units'].map(
        (name) =>
          [
            `times with ${name}`,
            t4({ times: { runtimes: [2], compilation_time: 3, [name]: 'us' } }, { metadata: {} }),
            /"time_s":0\.000002,"samples_s":\[0\.000002\],"compile_s":0\.000003/,
          ] as const,
      ),
      [
        'times in another unit than the file',
        t4({ times: { runtimes: [2], unit: 'us' } }),
        /results\[0\]: metadata\.timeunit is ms but times\.unit is us; allowed: one unit of time/,
      ],
      [
        'times in no unit of time',
        t4({ times: { runtimes: [2], unit: 'cycles' } }, { metadata: {} }),
        /a\.json, results\[0\]: "cycles" is not a unit of time; allowed: s, ms, us, ns/,
      ],
      ['one unit by two names', t4({}, { metadata: { timeunit: 'ms', time_unit: 'milliseconds' } }), /\[0\.002\]/],
      [
        'two times of one result',
        t4({
          measurements: [
            { name: 'time', value: 5, unit: 'ms' },
            { name: 'Time', value: 7, unit: 'ms' },
          ],
        }),
        /results\[0\]: it measures time twice \(5 and 7\); allowed: once/,
      ],
      [
        'a unit of a cache',
        tuner({ time: 2, times: [2], compile_time: 3 }, { time_unit: 'us' }),
        /"time_s":0\.000002,"samples_s":\[0\.000002\],"compile_s":0\.000003/,
      ],
      ...['time_unit', 'times_unit', 'timeUnit', 'unit', 'units', 'Units'].map(
        (name) => [`an entry with ${name}`, tuner({ time: 2, [name]: 's' }), /"time_s":2,/] as const,
      ),
      ['a cache with unit', tuner({ time: 2 }, { unit: 'us' }), /"time_s":0\.000002,/],
      ['an entry with the unit of something else', tuner({ time: 2, unit: 'GB/s' }), /"GB\/s" is not a unit of time/],
      [
        'a parameter with the name unit',
        () =>
          parseTuning({ text: '{"tune_params_keys":["unit"],"cache":{"4":{"unit":4,"time":2}}}', name: 'a' })
            .configurations,
        /"configuration":\{"unit":4\},"outcome":"right","time_s":0\.002/,
      ],
      [
        'a unit of an entry that is not its cache\u2019s',
        tuner({ time: 2, time_unit: 's' }, { time_unit: 'ms' }),
        /time_unit is ms but an entry's time_unit is s; allowed: one/,
      ],
      [
        'an unknown unit of a cache',
        tuner({ time: 2 }, { time_unit: 'cycles' }),
        /"cycles" is not a unit of time; allowed: s, ms, us, ns/,
      ],
      [
        'a time twice in one entry',
        () =>
          parseTuning({ text: '{"tune_params_keys":["t"],"cache":{"a":{"t":8,"time":1,"time":2}}}', name: 'a' })
            .configurations,
        /a has \\?"time\\?" twice in one object; allowed: once/,
      ],
      [
        'words of Python',
        () => parseTuning({ text: '{"tune_params_keys":["t"],"cache":{"a":{"t":True,"time":1}}}', name: 'a' }),
        /a is not JSON \(Unexpected token .*; allowed: the cache file of Kernel Tuner/,
      ],
      ['a wrong answer', t4({ correctness: 0.5 }), /"outcome":"wrong"/],
      [
        'several times of a result',
        t4({ times: { runtimes: [1, 2] }, measurements: [{ name: 'time', value: [1, 2] }] }),
        /"right","time_s":0\.0015/,
      ],
      [
        'several times and no samples',
        t4({ times: {}, measurements: [{ name: 'time', value: [1, '2'], unit: 'us' }] }),
        /"time_s":0\.0000015,"samples_s":\[0\.000001,0\.000002\]/,
      ],
      [
        'a time of a result as text',
        t4({ times: {}, measurements: [{ name: 'time', value: '2.5' }] }),
        /"right","time_s":0\.0025/,
      ],
      [
        'a time of a result with its unit',
        t4({ measurements: [{ name: 'time', value: '2.5 ms' }] }),
        /results\[0\]: time = \\?"2\.5 ms\\?"; allowed: a number, a list of numbers/,
      ],
      [
        'a failed one of several times',
        t4({ measurements: [{ name: 'time', value: [1, 1e20] }] }),
        /"outcome":"runtime","time_s":null/,
      ],
      [
        'a failed sample of a result without a time',
        t4({ times: { runtimes: [1, 1e20, 3] } }),
        /"outcome":"runtime","time_s":null/,
      ],
      [
        'a failed sample beside a time',
        tuningFile({
          tune_params_keys: ['t'],
          cache: { a: { t: 8, time: 2, times: [1, 1e20, 3] }, b: { t: 9, time: 1e20 } },
        }),
        /"1 samples of 1 configurations are not times, such as 1e20, and were omitted\."/,
      ],
      [
        'a failed sample beside a time of a result',
        tuningFile({
          results: [
            {
              ...{ configuration: { t: 8 }, times: { runtimes: [2, null, 1e20] }, invalidity: 'correct' },
              measurements: [{ name: 'time', value: 2 }],
            },
          ],
        }),
        /"2 samples of 1 configurations are not times/,
      ],
      [
        'a key of another value than its entry',
        tuningFile({ tune_params_keys: ['b', 'c'], cache: { '64,x': { b: 32, c: 'x', time: 2 } } }),
        /the cache entry \\?"64,x\\?" has b = 32, but its key says 64; allowed: a key that matches its values/,
      ],
      [
        'a key of another text than its entry',
        tuningFile({ tune_params_keys: ['b', 'c'], cache: { '32,y': { b: 32, c: 'x', time: 2 } } }),
        /has c = \\?"x\\?", but its key says y/,
      ],
      [
        'keys as Python writes them',
        tuningFile({ tune_params_keys: ['b', 'c'], cache: { '1.0,True': { b: 1, c: true, time: 2 } } }),
        /^\[\]$/,
      ],
      [
        'a time that its samples do not have',
        tuner({ time: 1.5, times: [3, 4] }),
        /cache entry \\?"8\\?": its time is 1\.5 ms, but its samples are 3 to 4 ms; allowed: a time within/,
      ],
      ['a median of its samples', tuner({ time: 1.5, times: [1, 1.5, 8] }), /"time_s":0\.0015/],
      [
        'a time in seconds of samples in milliseconds',
        t4({ measurements: [{ name: 'time', value: 2, unit: 's' }] }),
        /results\[0\]: its time is 2000 ms, but its samples are 2 ms/,
      ],
      ['a list as the time', tuner({ time: [1, 2] }), /cache\.8\.time = \[1,2\]; allowed: number, string/],
      ['a list as a result', t4({ times: [1] }), /results\.0\.times = \[1\]; allowed: object/],
      [
        'an unknown outcome',
        t4({ invalidity: 'maybe' }),
        /results\.0\.invalidity = "maybe"; allowed: timeout, compile, runtime/,
      ],
    ],
  ],
]);
