/**
 * Timelines of runs, and traces of other profilers. The host stores all spans. The page requests a time window with a
 * width in pixels and receives at most two rectangles per pixel and track. Times are in nanoseconds since the trace's
 * first span.
 */
import { z } from 'zod';
import { wireErrorSchema } from './errors.ts';
import { fileRefSchema } from './files.ts';
import { runIdSchema } from './run.ts';
import { bytes, float32, float64, uint8, uint32 } from './wire/arrays.ts';

const count = z.number().int().nonnegative();
const nanoseconds = z.number();
const share = z.number().nullable();

export const traceIdSchema = z.string().min(1).max(64);
export type TraceId = z.infer<typeof traceIdSchema>;

/**
 * `api`: calls of the CUDA runtime or driver. `stream`: kernels and graphs. `copies`: memory copies and fills of a
 * stream.
 */
const laneKindSchema = z.enum(['thread', 'api', 'stream', 'copies', 'async']);
export type LaneKind = z.infer<typeof laneKindSchema>;

export const spanKinds = ['other', 'kernel', 'copy', 'memset', 'graph', 'call', 'range'] as const;
const spanKindSchema = z.enum(spanKinds);
export type SpanKind = z.infer<typeof spanKindSchema>;

const laneSchema = z.strictObject({
  /** Process or GPU that the lane belongs to. */
  process: z.string(),
  name: z.string(),
  kind: laneKindSchema,
  /** Index of the lane's first track. A lane has several tracks, so that spans of one track never overlap. */
  firstTrack: count,
  tracks: count,
  spans: count,
});
export type Lane = Readonly<z.infer<typeof laneSchema>>;

const traceInfoSchema = z.strictObject({
  id: traceIdSchema,
  name: z.string(),
  source: z.enum(['run', 'chrome-trace', 'nsight-systems']),
  /** Run that the timeline was recorded from; null for an imported trace. */
  run: runIdSchema.nullable(),
  /** Variant and machine, as far as they are known. */
  about: z.string(),
  duration_ns: nanoseconds,
  spans: count,
  lanes: z.array(laneSchema),
  /** Start of the first kernel or graph, by which timelines can be aligned; null if there is none. */
  firstKernel_ns: nanoseconds.nullable(),
  /** Sentences about parts of the file that could not be imported. */
  notes: z.array(z.string()),
  /** Memory that the timeline occupies in the host. */
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

/** Limits of a request, larger than any screen. */
export const MAX_PIXELS = 16_384;
export const MAX_TRACKS = 1024;

const tracksSchema = z.array(count).max(MAX_TRACKS);

/** Rectangles of the requested window, ordered by track and then from left to right. */
const windowSchema = z.strictObject({
  from_ns: nanoseconds,
  to_ns: nanoseconds,
  pixels: count,
  tracks: tracksSchema,
  /** Index of the first rectangle of each track, followed by the total number of rectangles. */
  offsets: uint32,
  /**
   * Left and right edge in pixels, measured from the left of the window. A span narrower than a pixel is not widened.
   */
  left: float32,
  right: float32,
  /** Index of the span; if a rectangle represents several, of the longest. */
  span: uint32,
  name: uint32,
  /** Number of spans that the rectangle represents. */
  count: uint32,
  /** Colour index, which depends only on the span's name. */
  tint: uint8,
  /** Fraction of the rectangle's time in which a span ran, scaled to 0…255. */
  busy: uint8,
});
export type TimelineWindow = Readonly<z.infer<typeof windowSchema>>;

/** Span with its track and times. */
const placedSpanSchema = z.strictObject({
  span: count,
  track: count,
  name: z.string(),
  kind: spanKindSchema,
  start_ns: nanoseconds,
  duration_ns: nanoseconds,
});
export type PlacedSpan = Readonly<z.infer<typeof placedSpanSchema>>;

const spanFieldSchema = z.strictObject({ name: z.string(), value: z.string(), unit: z.string() });
export type SpanField = Readonly<z.infer<typeof spanFieldSchema>>;

const spanDetailsSchema = z.strictObject({
  ...placedSpanSchema.shape,
  lane: z.string(),
  process: z.string(),
  step: count.nullable(),
  /** Fields that the trace recorded, such as grid, block, registers, shared memory and bytes. */
  fields: z.array(spanFieldSchema),
  bytes: z.number().nullable(),
  bytes_per_s: z.number().nullable(),
  /** Bandwidth of the copy, relative to the copy bandwidth measured on this GPU. */
  shareOfCeiling: share,
  /** Spans that this span launched, and spans that launched it, up to 1000 each. */
  launched: z.array(placedSpanSchema),
  launchedBy: z.array(placedSpanSchema),
  /** Number of spans that it launched, including those not listed. */
  launchedCount: count,
});
export type SpanDetails = Readonly<z.infer<typeof spanDetailsSchema>>;

const namedTimeSchema = z.strictObject({
  name: z.string(),
  count,
  sum_ns: nanoseconds,
  median_ns: nanoseconds,
  min_ns: nanoseconds,
  /** Mean of the full durations, including time outside the selection. */
  mean_ns: nanoseconds,
  p95_ns: nanoseconds,
  share,
});
export type NamedTime = Readonly<z.infer<typeof namedTimeSchema>>;

const statisticsSchema = z.strictObject({
  from_ns: nanoseconds,
  to_ns: nanoseconds,
  /** Number of spans that overlap the selected time. */
  count,
  /** Sum of the spans' times within the selection. Nested and concurrent spans are all counted. */
  sum_ns: nanoseconds,
  /** Median of the full durations, including time outside the selection. */
  median_ns: nanoseconds,
  min_ns: nanoseconds,
  max_ns: nanoseconds,
  /** Mean of the full durations, including time outside the selection. */
  mean_ns: nanoseconds,
  p95_ns: nanoseconds,
  /** Fraction of the selected time in which at least one span ran. */
  busyShare: share,
  /** Gaps between the first and the last span in which none ran. */
  gaps: z.strictObject({ count, sum_ns: nanoseconds, longest_ns: nanoseconds, median_ns: nanoseconds }),
  /** Statistics by span name, ordered by total time, largest first. */
  names: z.array(namedTimeSchema),
});
export type TimelineStatistics = Readonly<z.infer<typeof statisticsSchema>>;

/** Statistics of a host operation by name: a thread's activity, or a call of the CUDA runtime or driver. */
const hostOperationSchema = z.strictObject({
  name: z.string(),
  count,
  /** Total time including nested operations. Recursive calls are counted once. */
  sum_ns: nanoseconds,
  /** Self time: excludes operations nested in it on the same thread. */
  own_ns: nanoseconds,
  /** Fraction of the self time of all operations, including those not listed. */
  share,
  /** Number of threads that ran the operation. */
  threads: count,
  /** Largest self time of a thread relative to the mean over the process's threads, minus 1; null for one thread. */
  imbalance: share,
});
export type HostOperation = Readonly<z.infer<typeof hostOperationSchema>>;

/** Threads of one process, or of one variant in a session. */
const threadUseSchema = z.strictObject({
  process: z.string(),
  /** Time between the start of the first span and the end of the last one. */
  extent_ns: nanoseconds,
  /** Fraction of that time in which a thread was busy, averaged over all threads. */
  busyShare: share,
  /**
   * Largest busy time of a thread relative to the mean, minus 1, in work shared by several threads; null without such
   * work.
   */
  imbalance: share,
  threads: z.array(z.strictObject({ name: z.string(), busy_ns: nanoseconds, share })),
  /** Number of threads, including those not listed. */
  threadCount: count,
});
export type ThreadUse = Readonly<z.infer<typeof threadUseSchema>>;

const hostTimeSchema = z.strictObject({
  /** Operations ordered by self time, largest first. */
  operations: z.array(hostOperationSchema),
  operationCount: count,
  calls: z.array(hostOperationSchema),
  processes: z.array(threadUseSchema),
});
export type HostTime = Readonly<z.infer<typeof hostTimeSchema>>;

/** Reasons why the GPU runs no kernel. One gap can have several causes, one after another. */
export const idleCauses = ['copy', 'wait', 'launch', 'host', 'queue', 'unknown'] as const;
const idleCauseSchema = z.enum(idleCauses);
export type IdleCause = z.infer<typeof idleCauseSchema>;

export const idleCauseTexts: Readonly<Record<IdleCause, string>> = {
  copy: 'a copy or a fill runs',
  wait: 'the CPU waits in a call',
  launch: 'the next kernel is being launched',
  host: 'the CPU does something else',
  queue: 'the next kernel is in the queue',
  unknown: 'no launch was recorded',
};

/** Idle time of the GPU between its first and last kernel. */
const idleTimeSchema = z.strictObject({
  count,
  sum_ns: nanoseconds,
  /** Time between the start of the first kernel and the end of the last one. */
  extent_ns: nanoseconds,
  /**
   * Causes ordered by time, largest first; causes without any time are omitted. `count` is the number of gaps with the
   * cause.
   */
  causes: z.array(z.strictObject({ cause: idleCauseSchema, count, sum_ns: nanoseconds, share })),
  longest: z.array(
    z.strictObject({
      start_ns: nanoseconds,
      duration_ns: nanoseconds,
      /** Cause of most of the gap's time. */
      cause: idleCauseSchema,
      /** Name and span of the kernel that starts after the gap. */
      next: z.string(),
      span: count,
      /** Innermost host operation or call during the main cause; null if none was recorded. */
      host: z.string().nullable(),
    }),
  ),
});
export type IdleTime = Readonly<z.infer<typeof idleTimeSchema>>;

const traceSummarySchema = z.strictObject({
  duration_ns: nanoseconds,
  spans: count,
  /** Time between the first launch or GPU activity and the end of the last GPU activity; null without a GPU. */
  device_ns: nanoseconds.nullable(),
  kernels: z.strictObject({ count, unique: count, sum_ns: nanoseconds, top: z.array(namedTimeSchema) }),
  copies: z.strictObject({ count, sum_ns: nanoseconds, bytes: z.number() }),
  /** Number of graph launches, number of kernels in graphs, and fraction of the kernel time that they account for. */
  graphs: z.strictObject({ launches: count, kernels: count, share }),
  /** Number and total time of launch calls, and their time as a fraction of `device_ns`. */
  launches: z.strictObject({ count, sum_ns: nanoseconds, share }),
  /** Fraction of `device_ns` in which a GPU was idle, averaged over the GPUs. */
  idleShare: share,
  /** Idle fraction of each GPU that did work. */
  gpus: z.array(z.strictObject({ name: z.string(), idleShare: z.number() })),
  /** Idle time between kernels; null for fewer than two kernels. */
  idle: idleTimeSchema.nullable(),
  host: hostTimeSchema,
});
export type TraceSummary = Readonly<z.infer<typeof traceSummarySchema>>;

const traceRequestSchema = z.strictObject({ trace: traceIdSchema });
const intervalSchema = { from_ns: nanoseconds, to_ns: nanoseconds };

const timelineSourceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), run: runIdSchema }),
  z.strictObject({ kind: z.literal('file'), file: fileRefSchema }),
  /** A file uploaded with `timeline.upload`. */
  z.strictObject({ kind: z.literal('upload'), upload: z.string().min(1).max(64) }),
]);

/** Largest piece of an uploaded file, bytes. Neither page nor host ever has the complete file in memory. */
export const UPLOAD_PIECE_BYTES = 4 * 2 ** 20;

export const timelineMethods = {
  /** Starts the upload of a file from the page. `timeline.open` reads the file after the last piece. */
  'timeline.upload': {
    params: z.strictObject({ name: z.string().min(1).max(255), size_bytes: count }),
    result: z.strictObject({ upload: z.string() }),
  },
  /** Uploads the next piece of a file, in order. */
  'timeline.uploadPiece': {
    params: z.strictObject({ upload: z.string().min(1).max(64), offset: count, bytes }),
    result: z.strictObject({}),
  },
  /** Reads a timeline; the stream `timelines` reports the progress. Cancelling the call stops reading. */
  'timeline.open': { params: z.strictObject({ source: timelineSourceSchema }), result: traceInfoSchema },
  'timeline.close': { params: traceRequestSchema, result: z.strictObject({}) },
  'timeline.window': {
    params: z.strictObject({
      trace: traceIdSchema,
      ...intervalSchema,
      pixels: count.min(1).max(MAX_PIXELS),
      tracks: tracksSchema,
    }),
    result: windowSchema,
  },
  'timeline.names': {
    params: z.strictObject({ trace: traceIdSchema, names: z.array(count).max(4096) }),
    result: z.strictObject({ texts: z.array(z.string()) }),
  },
  'timeline.span': { params: z.strictObject({ trace: traceIdSchema, span: count }), result: spanDetailsSchema },
  /**
   * Returns launches as pairs of spans: both spans are on the given tracks, and at least one is in the window. If there
   * are more than `limit`, returns only their number.
   */
  'timeline.arrows': {
    params: z.strictObject({ trace: traceIdSchema, ...intervalSchema, tracks: tracksSchema, limit: count.max(2000) }),
    result: z.strictObject({
      count,
      fromTrack: uint32,
      toTrack: uint32,
      from_ns: float64,
      to_ns: float64,
    }),
  },
  /** Finds spans whose name contains the text, ignoring case; ordered by time. */
  'timeline.search': {
    params: z.strictObject({ trace: traceIdSchema, text: z.string().min(1).max(200), limit: count.max(100_000) }),
    result: z.strictObject({
      count,
      names: count,
      sum_ns: nanoseconds,
      span: uint32,
      track: uint32,
      start_ns: float64,
    }),
  },
  /**
   * Computes statistics over the given tracks; null selects all. If `name` is given, only spans of that name count.
   */
  'timeline.statistics': {
    params: z.strictObject({
      trace: traceIdSchema,
      ...intervalSchema,
      tracks: tracksSchema.nullable(),
      name: z.string().max(100_000).nullable(),
    }),
    result: statisticsSchema,
  },
  /** Time intervals of the simulation's steps; empty for traces of other programs. */
  'timeline.steps': {
    params: traceRequestSchema,
    result: z.strictObject({ step: uint32, start_ns: float64, end_ns: float64 }),
  },
  'timeline.summary': { params: traceRequestSchema, result: traceSummarySchema },
  /**
   * Exports the timeline, or the spans that overlap an interval, as Chrome Trace Event JSON. Large exports are
   * compressed with gzip.
   */
  'timeline.export': {
    params: z.strictObject({ trace: traceIdSchema, within: z.tuple([nanoseconds, nanoseconds]).nullable() }),
    result: z.strictObject({ name: z.string(), mime: z.string(), bytes }),
  },
} as const;

/** All timelines, whether open, being read, or unreadable. Sent whenever one of them changes. */
export const timelinesFrameSchema = z.strictObject({ timelines: z.array(traceStateSchema) });
