/**
 * Timelines of runs and of traces from other profilers. The host stores every span. The page requests a window at the
 * width of its pixels and receives at most two rectangles per pixel and track. All times are nanoseconds since the
 * trace's first span.
 */
import { z } from 'zod';
import { wireErrorSchema } from './errors.ts';
import { fileRefSchema } from './files.ts';
import { runIdSchema } from './run.ts';
import { bytes, float32, float64, uint8, uint32 } from './wire/arrays.ts';

const count = z.number().int().nonnegative();
const ns = z.number();
const share = z.number().nullable();

export const traceIdSchema = z.string().min(1).max(64);
export type TraceId = z.infer<typeof traceIdSchema>;

/** `api`: calls of the CUDA runtime or driver; `stream`: kernels and graphs; `copies`: copies and fills of a stream. */
const laneKindSchema = z.enum(['thread', 'api', 'stream', 'copies', 'async']);
export type LaneKind = z.infer<typeof laneKindSchema>;

export const spanKinds = ['other', 'kernel', 'copy', 'memset', 'graph', 'call', 'range'] as const;
const spanKindSchema = z.enum(spanKinds);
export type SpanKind = z.infer<typeof spanKindSchema>;

const laneSchema = z.strictObject({
  /** Owner of the lane, such as a process or a GPU. */
  process: z.string(),
  name: z.string(),
  kind: laneKindSchema,
  /** First row of the lane, an index into the tracks; spans of one track never overlap. */
  firstTrack: count,
  tracks: count,
  spans: count,
});
export type Lane = Readonly<z.infer<typeof laneSchema>>;

const traceInfoSchema = z.strictObject({
  id: traceIdSchema,
  name: z.string(),
  source: z.enum(['run', 'chrome-trace', 'nsight-systems']),
  /** Run of this session that the timeline belongs to. */
  run: runIdSchema.nullable(),
  /** Variant and machine, if known. */
  about: z.string(),
  duration_ns: ns,
  spans: count,
  lanes: z.array(laneSchema),
  /** Start of the first kernel or graph, used to align timelines; null if there is none. */
  firstKernel_ns: ns.nullable(),
  /** Parts of the file that could not be imported, as sentences. */
  notes: z.array(z.string()),
  /** Memory that the timeline uses. */
  memory_bytes: count,
});
export type TraceInfo = Readonly<z.infer<typeof traceInfoSchema>>;

const traceStateSchema = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('reading'),
    id: traceIdSchema,
    name: z.string(),
    read_bytes: count,
    total_bytes: count,
    spans: count,
  }),
  z.strictObject({ state: z.literal('open'), info: traceInfoSchema }),
  z.strictObject({ state: z.literal('failed'), id: traceIdSchema, name: z.string(), error: wireErrorSchema }),
]);
export type TraceState = Readonly<z.infer<typeof traceStateSchema>>;

/** Limits of a request; more pixels and tracks than any screen has. */
export const MAX_PIXELS = 16_384;
export const MAX_TRACKS = 1024;

const tracks = z.array(count).max(MAX_TRACKS);

/** Rectangles, track after track, each from left to right. */
const windowSchema = z.strictObject({
  from_ns: ns,
  to_ns: ns,
  pixels: count,
  tracks,
  /** Index of each track's first rectangle; one more entry than tracks. */
  offsets: uint32,
  /** Edges in pixels from the left of the request; a span narrower than a pixel has its exact edges. */
  left: float32,
  right: float32,
  /** Index of the span, or of the longest span in that pixel. */
  span: uint32,
  name: uint32,
  /** Number of spans that the rectangle represents. */
  count: uint32,
  /** Colour index, the same for the same name in every trace. */
  tint: uint8,
  /** Share of the rectangle's time in which a span ran, 0 to 255. */
  busy: uint8,
});
export type TimelineWindow = Readonly<z.infer<typeof windowSchema>>;

/** A span with its track and time. */
const placedSpanSchema = z.strictObject({
  span: count,
  track: count,
  name: z.string(),
  kind: spanKindSchema,
  start_ns: ns,
  duration_ns: ns,
});
export type PlacedSpan = Readonly<z.infer<typeof placedSpanSchema>>;

const spanFieldSchema = z.strictObject({ name: z.string(), value: z.string(), unit: z.string() });
export type SpanField = Readonly<z.infer<typeof spanFieldSchema>>;

const spanDetailsSchema = z.strictObject({
  ...placedSpanSchema.shape,
  lane: z.string(),
  process: z.string(),
  step: count.nullable(),
  /** Grid, block, registers, shared memory, bytes and similar fields, if the trace has them. */
  fields: z.array(spanFieldSchema),
  bytes: z.number().nullable(),
  bytes_per_s: z.number().nullable(),
  /** Share of the copy bandwidth measured on this GPU. */
  shareOfCeiling: share,
  /** Spans that this span launched, and spans that launched it; at most 1000 each. */
  launched: z.array(placedSpanSchema),
  launchedBy: z.array(placedSpanSchema),
  /** Total number of launched spans, including those not listed. */
  launchedCount: count,
});
export type SpanDetails = Readonly<z.infer<typeof spanDetailsSchema>>;

const namedTimeSchema = z.strictObject({
  name: z.string(),
  count,
  sum_ns: ns,
  median_ns: ns,
  min_ns: ns,
  /** Mean of full durations, even if a span is cut by the selection. */
  mean_ns: ns,
  p95_ns: ns,
  share,
});
export type NamedTime = Readonly<z.infer<typeof namedTimeSchema>>;

const statisticsSchema = z.strictObject({
  from_ns: ns,
  to_ns: ns,
  /** Number of spans that overlap the selection. */
  count,
  /** Time of the spans within the selection; nested and concurrent spans each count. */
  sum_ns: ns,
  /** Median of full durations. */
  median_ns: ns,
  min_ns: ns,
  max_ns: ns,
  /** Mean of full durations. */
  mean_ns: ns,
  p95_ns: ns,
  /** Time in which at least one of the spans ran, as a share of the selected time. */
  busyShare: share,
  /** Gaps in which none of the spans ran, between the first and the last. */
  gaps: z.strictObject({ count, sum_ns: ns, longest_ns: ns, median_ns: ns }),
  /** Names in order of time, the largest first. */
  names: z.array(namedTimeSchema),
});
export type TimelineStatistics = Readonly<z.infer<typeof statisticsSchema>>;

/** Host operation by name: activity of threads, or calls of the CUDA runtime and driver. */
const hostOperationSchema = z.strictObject({
  name: z.string(),
  count,
  /** Time from begin to end; nested calls of the same name count once. */
  sum_ns: ns,
  /** Time without the operations nested in it on the same thread. */
  own_ns: ns,
  /** Part of the self time of all operations, listed or not. */
  share,
  /** Number of threads that ran it. */
  threads: count,
  /**
   * Excess of the thread with the largest self time over the mean of its process's threads; null for a single thread.
   */
  imbalance: share,
});
export type HostOperation = Readonly<z.infer<typeof hostOperationSchema>>;

/** Threads of one process, or of one variant in a session. */
const threadUseSchema = z.strictObject({
  process: z.string(),
  /** Time from the start of the first span to the end of the last one. */
  extent_ns: ns,
  /** Share of that time in which a thread was busy, averaged over the threads. */
  busyShare: share,
  /** Excess of the largest busy time over the mean, in work shared by several threads; null if there was none. */
  imbalance: share,
  threads: z.array(z.strictObject({ name: z.string(), busy_ns: ns, share })),
  /** Total number of threads, including those not listed. */
  threadCount: count,
});
export type ThreadUse = Readonly<z.infer<typeof threadUseSchema>>;

const hostTimeSchema = z.strictObject({
  /** Operations in order of self time, the largest first. */
  operations: z.array(hostOperationSchema),
  operationCount: count,
  calls: z.array(hostOperationSchema),
  processes: z.array(threadUseSchema),
});
export type HostTime = Readonly<z.infer<typeof hostTimeSchema>>;

/** Reasons why no kernel runs. A gap may have several causes in sequence. */
export const idleCauses = ['copy', 'wait', 'launch', 'host', 'queue', 'unknown'] as const;
const idleCauseSchema = z.enum(idleCauses);
export type IdleCause = z.infer<typeof idleCauseSchema>;

export const idleWords: Readonly<Record<IdleCause, string>> = {
  copy: 'a copy or a fill runs',
  wait: 'the CPU waits in a call',
  launch: 'the next kernel is being launched',
  host: 'the CPU does something else',
  queue: 'the next kernel is in the queue',
  unknown: 'no launch was recorded',
};

/** Idle times between the first and the last kernel. */
const idleTimeSchema = z.strictObject({
  count,
  sum_ns: ns,
  /** Time from the start of the first kernel to the end of the last one. */
  extent_ns: ns,
  /**
   * Causes in order of time, the largest first, without those of zero time. `count` is the number of gaps with this
   * cause.
   */
  causes: z.array(z.strictObject({ cause: idleCauseSchema, count, sum_ns: ns, share })),
  longest: z.array(
    z.strictObject({
      start_ns: ns,
      duration_ns: ns,
      /** Cause of the largest part of the gap. */
      cause: idleCauseSchema,
      /** Kernel that ended the gap: its name, and its span. */
      next: z.string(),
      span: count,
      /** Host activity during that part: innermost operation or call; null if nothing was recorded. */
      host: z.string().nullable(),
    }),
  ),
});
export type IdleTime = Readonly<z.infer<typeof idleTimeSchema>>;

const traceSummarySchema = z.strictObject({
  duration_ns: ns,
  spans: count,
  /** Time from the first launch or device work to the end of the last device work; null without a GPU. */
  device_ns: ns.nullable(),
  kernels: z.strictObject({ count, unique: count, sum_ns: ns, top: z.array(namedTimeSchema) }),
  copies: z.strictObject({ count, sum_ns: ns, bytes: z.number() }),
  /** Number of graph launches, and the share of kernel time that ran in graphs. */
  graphs: z.strictObject({ launches: count, kernels: count, share }),
  /** Launch calls, and their share of the device's time from first to last. */
  launches: z.strictObject({ count, sum_ns: ns, share }),
  /** Share of that time in which a GPU was idle, averaged over the GPUs. */
  idleShare: share,
  /** Idle share of each GPU with work. */
  gpus: z.array(z.strictObject({ name: z.string(), idleShare: z.number() })),
  /** Null if fewer than two kernels ran. */
  idle: idleTimeSchema.nullable(),
  host: hostTimeSchema,
});
export type TraceSummary = Readonly<z.infer<typeof traceSummarySchema>>;

const traceRequestSchema = z.strictObject({ trace: traceIdSchema });
const interval = { from_ns: ns, to_ns: ns };

const timelineSourceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), run: runIdSchema }),
  z.strictObject({ kind: z.literal('file'), file: fileRefSchema }),
  /** A file uploaded with `timeline.upload`. */
  z.strictObject({ kind: z.literal('upload'), upload: z.string().min(1).max(64) }),
]);

/** Largest piece of a dropped file, so that neither side ever has the full file in memory. */
export const UPLOAD_PIECE_BYTES = 4 * 2 ** 20;

export const timelineMethods = {
  /** Starts the upload of a file from the page; `timeline.open` then reads it. */
  'timeline.upload': {
    params: z.strictObject({ name: z.string().min(1).max(255), size_bytes: count }),
    result: z.strictObject({ upload: z.string() }),
  },
  /** Uploads the next piece; pieces must be in order. */
  'timeline.uploadPiece': {
    params: z.strictObject({ upload: z.string().min(1).max(64), offset: count, bytes }),
    result: z.strictObject({}),
  },
  /** Reads a timeline; progress is on the stream `timelines`. Cancelling stops reading. */
  'timeline.open': { params: z.strictObject({ source: timelineSourceSchema }), result: traceInfoSchema },
  'timeline.close': { params: traceRequestSchema, result: z.strictObject({}) },
  'timeline.window': {
    params: z.strictObject({ trace: traceIdSchema, ...interval, pixels: count.min(1).max(MAX_PIXELS), tracks }),
    result: windowSchema,
  },
  'timeline.names': {
    params: z.strictObject({ trace: traceIdSchema, names: z.array(count).max(4096) }),
    result: z.strictObject({ texts: z.array(z.string()) }),
  },
  'timeline.span': { params: z.strictObject({ trace: traceIdSchema, span: count }), result: spanDetailsSchema },
  /**
   * Launches with both ends on the tracks and at least one in the window. If there are more than `limit`, only their
   * count.
   */
  'timeline.arrows': {
    params: z.strictObject({ trace: traceIdSchema, ...interval, tracks, limit: count.max(2000) }),
    result: z.strictObject({
      count,
      fromTrack: uint32,
      toTrack: uint32,
      from_ns: float64,
      to_ns: float64,
    }),
  },
  /** Spans whose name contains the text, ignoring case; in order of time. */
  'timeline.search': {
    params: z.strictObject({ trace: traceIdSchema, text: z.string().min(1).max(200), limit: count.max(100_000) }),
    result: z.strictObject({ count, names: count, sum_ns: ns, span: uint32, track: uint32, start_ns: float64 }),
  },
  /** Statistics of the given tracks, or of all if null; only for the spans called `name` if given. */
  'timeline.statistics': {
    params: z.strictObject({
      trace: traceIdSchema,
      ...interval,
      tracks: tracks.nullable(),
      name: z.string().max(100_000).nullable(),
    }),
    result: statisticsSchema,
  },
  /** Time intervals of the simulation's steps; empty for traces of other programs without steps. */
  'timeline.steps': {
    params: traceRequestSchema,
    result: z.strictObject({ step: uint32, start_ns: float64, end_ns: float64 }),
  },
  'timeline.summary': { params: traceRequestSchema, result: traceSummarySchema },
  /**
   * Chrome Trace Event JSON of the full timeline, or of the spans that overlap the interval; compressed by gzip if it
   * is large.
   */
  'timeline.export': {
    params: z.strictObject({ trace: traceIdSchema, within: z.tuple([ns, ns]).nullable() }),
    result: z.strictObject({ name: z.string(), mime: z.string(), bytes }),
  },
} as const;

/** Timelines that are open, being read, or unreadable; sent whenever one changes. */
export const timelinesFrameSchema = z.strictObject({ timelines: z.array(traceStateSchema) });
