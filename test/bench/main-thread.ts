/** Activity of a page's main thread, frame by frame, from Chromium's own trace. */

interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time of the task in µs; it does not depend on other load of the machine. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

interface FrameCosts {
  /** Processor time of the main thread in each frame, ms: everything between two animation frames. */
  readonly total: readonly number[];
  /** Part of `total` in our own scripts: animation frames, events, messages and their consequences. */
  readonly ours: readonly number[];
  /** Part of `total` in the browser: style, layout, recording, and handing over the paint record. */
  readonly browser: readonly number[];
  /** Average time per frame on other threads, in ms, for rasterization (in software here). */
  readonly raster_ms: number;
  /** Tasks left out because Chromium recorded no processor time; the length of a waiting task is no substitute. */
  readonly unknown: number;
}

export const TRACE_CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8', 'cc'];

/** Style, layout and painting within a task; the rest of a task is script. */
const BROWSER_TASKS = new Set([
  'UpdateLayoutTree',
  'Layout',
  'PrePaint',
  'Paint',
  'Layerize',
  'Commit',
  'HitTest',
  'UpdateLayerTree',
]);
const RASTER_TASKS = new Set(['RasterTask', 'ImageDecodeTask']);

/** `text` is the JSON of the browser's trace. */
export function frameCosts(text: string): FrameCosts {
  const { traceEvents } = JSON.parse(text) as { readonly traceEvents: readonly TraceEvent[] };
  const counts = new Map<string, number>();
  const frames = traceEvents.filter(({ name }) => name === 'FireAnimationFrame');
  for (const { pid, tid } of frames) counts.set(`${pid} ${tid}`, (counts.get(`${pid} ${tid}`) ?? 0) + 1);
  const main = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
  const onMain = traceEvents.filter(({ pid, tid, ph }) => ph === 'X' && `${pid} ${tid}` === main);
  const starts = frames
    .filter(({ pid, tid }) => `${pid} ${tid}` === main)
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
  // Several callbacks of one frame may begin within the same task.
  const begins = starts.filter((ts, i) => i === 0 || ts - (starts[i - 1] ?? 0) > 2000);
  const frameOf = (ts: number): number => {
    let [low, high] = [0, begins.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((begins[middle] ?? 0) > ts) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  };
  const count = Math.max(0, begins.length - 1);
  const [total, browser] = [new Float64Array(count), new Float64Array(count)];
  const add = (to: Float64Array, { ts, dur = 0, tdur = 0 }: TraceEvent): void => {
    const frame = frameOf(ts + dur / 2);
    if (frame >= 0 && frame < count) to[frame] = (to[frame] ?? 0) + tdur / 1000;
  };
  const tasks = onMain.filter(({ name }) => name === 'RunTask' || name === 'ThreadControllerImpl::RunTask');
  // Use only one of the two names if both are recorded, because they describe the same task.
  const named = tasks.some(({ name }) => name === 'RunTask') ? 'RunTask' : 'ThreadControllerImpl::RunTask';
  for (const task of tasks) if (task.name === named) add(total, task);
  for (const event of onMain) if (BROWSER_TASKS.has(event.name)) add(browser, event);
  const unknown = tasks.filter(({ name, tdur }) => name === named && tdur === undefined).length;
  const raster = traceEvents
    .filter(({ name, ph }) => ph === 'X' && RASTER_TASKS.has(name))
    .reduce((sum, { dur = 0 }) => sum + dur / 1000, 0);
  return {
    total: [...total],
    browser: [...browser],
    ours: [...total].map((all, i) => Math.max(0, all - (browser[i] ?? 0))),
    raster_ms: raster / Math.max(1, count),
    unknown,
  };
}

/** The quantile of `values` at `share`, 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
