/**
 * Interprets events of Chrome traces from PyTorch, other programs and our own export: their arguments, times and kinds.
 * Kernels and copies are recognised by category. In traces without categories, the names of lanes and events decide.
 */
import type { SpanKind } from '../../../../contract/timeline.ts';
import { argumentsText, type SpanArguments } from '../details.ts';

/** Categories that some programs use for both host and device work. */
const AMBIGUOUS_CATEGORIES: ReadonlySet<string> = new Set(['', 'op', 'cuda', 'hip']);

/**
 * Kind of span for each category, in lower case: the first versions of PyTorch's profiler wrote `Kernel`, `Memcpy`,
 * `Runtime`.
 */
const categories: Readonly<Record<string, SpanKind>> = {
  kernel: 'kernel',
  cuda_kernel: 'kernel',
  gpu_kernel: 'kernel',
  concurrent_kernel: 'kernel',
  copy: 'copy',
  memcpy: 'copy',
  gpu_memcpy: 'copy',
  memset: 'memset',
  gpu_memset: 'memset',
  graph: 'graph',
  runtime: 'call',
  cuda_runtime: 'call',
  cuda_driver: 'call',
  xpu_runtime: 'call',
  privateuse1_runtime: 'call',
  'driver call': 'call',
  // These categories are written by ROCm's rocprofv3.
  kernel_dispatch: 'kernel',
  memory_copy: 'copy',
  hip_runtime_api: 'call',
  hip_compiler_api: 'call',
  hsa_core_api: 'call',
  hsa_amd_ext_api: 'call',
  gpu_user_annotation: 'range',
  // A stream that waits for an event does no work, and neither does the host.
  cuda_sync: 'range',
  // In PyTorch's traces, the overhead of the profiler itself and its sections.
  overhead: 'range',
  cuda_profiler_range: 'range',
  // These categories are written by PyTorch for other accelerators.
  hpu_op: 'kernel',
  mtia_ccp_events: 'kernel',
  mtia_runtime: 'call',
  glow_runtime: 'call',
  xpu_driver: 'call',
  privateuse1_driver: 'call',
};
/** Categories that contain all work of a device. Copies are distinguished by the names of the events. */
export const ANY_WORK: ReadonlySet<string> = new Set(['hpu_op', 'mtia_ccp_events']);
/** Pattern for categories of other accelerators' device work. */
export const DEVICE_WORK = /^(?:gpu|npu|hpu|tpu|xpu|mlu|gcu|musa|mtia)(?:_\w+)?_(?:ops?|kernels?|events?|tasks?|work)$/;
/** Categories of host work. Their arguments may also name a device and a stream. */
export const HOST_WORK: ReadonlySet<string> = new Set([
  'cpu_op',
  'user_annotation',
  'python_function',
  'cpu_instant_event',
]);
export interface Category {
  /** Kind of span; undefined for a category that does not describe GPU work. */
  readonly kind: SpanKind | undefined;
  readonly words: readonly string[];
  /** Whether both host and device events have the category. */
  readonly isVague: boolean;
}

/** Interprets the field `cat`, a comma-separated list of categories. The first known one decides. */
export function parseCategory(cat: string): Category {
  const words = cat
    .toLowerCase()
    .split(',')
    .map((word) => word.trim());
  const known = words.find((word) => categories[word] !== undefined);
  return {
    kind: known === undefined ? undefined : categories[known],
    words,
    isVague: words.every((word) => AMBIGUOUS_CATEGORIES.has(word)),
  };
}

type WorkKind = Extract<SpanKind, 'kernel' | 'copy' | 'memset'>;

const COPY_NAME = /^\W*(?:(?:cuda|hip|hc|gpu)\W*)?mem ?cpy|^copy(?:host|device)to(?:host|device)/i;
const FILL_NAME = /^\W*(?:(?:cuda|hip|gpu)\W*)?mem ?set/i;

/** Recognises copies and memsets by name, for lanes that mix all kinds of work; null for other work. */
export function workKindByName(name: string, args: Readonly<Record<string, unknown>>): WorkKind | null {
  if (args['memcpy_details'] !== undefined || COPY_NAME.test(name)) return 'copy';
  return args['memset_details'] !== undefined || FILL_NAME.test(name) ? 'memset' : null;
}

const workKindOfWord = (word: string): WorkKind =>
  /mem ?cpy|[hdp]2[hdp]|copy/i.test(word) ? 'copy' : /mem ?set/i.test(word) ? 'memset' : 'kernel';

/**
 * Kind of the work in a lane, from a name such as `Stream #14(Memset)`. If the name lists several kinds, as
 * `(Compute,Memset)`, it is `kernel`.
 */
export function workKindOfLane(lane: string): WorkKind {
  const words = /\(([^)]*)\)/.exec(lane)?.[1]?.split(',') ?? [lane];
  const kinds = new Set(words.map(workKindOfWord));
  return kinds.size === 1 ? ([...kinds][0] ?? 'kernel') : 'kernel';
}

interface DeviceLane {
  /** Name of the device, the same for all of its lanes. */
  readonly device: string;
  /**
   * Rank of the lane. A lane with a higher rank repeats the work of lanes with a lower rank, so its spans are not
   * counted.
   */
  readonly repeats: number;
}

/** Patterns for the names of device processes and threads, in traces of programs that write no categories. */
const DEVICES: readonly {
  readonly process: RegExp;
  readonly lane: RegExp;
  readonly device: (process: RegExpExecArray, lane: string) => string;
  readonly repeats?: number;
}[] = [
  // TensorFlow's timeline has a process for each stream, one with all streams combined, and one for copies.
  { process: /(\/device:GPU:\d+)\/stream:\d+\b/i, lane: /^/, device: ([, of = '']) => of },
  { process: /(\/device:GPU:\d+)\/(?:stream:all|memcpy)\b/i, lane: /^/, device: ([, of = '']) => of, repeats: 1 },
  // XLA has further lanes, which repeat the kernels by operation and by module.
  { process: /\/device:(?:GPU|TPU):\d+|^GPU:?\s*\d+$/i, lane: /^stream\b/i, device: ({ input }) => input },
  // PyTorch's older profiler has a thread for each device.
  { process: /^CUDA functions$/i, lane: /^/, device: (_, lane) => `GPU ${/\d+/.exec(lane)?.[0] ?? 0}` },
  // ROCm's rocprof puts a number in front of the process name.
  { process: /^\d+ (GPU ?\d+)$/i, lane: /^/, device: ([, of = '']) => of },
  // Files converted from nvprof and nsys list the work by kind, and repeat it by stream or by kernel.
  {
    process: /^\[(\d+)(?::\d+)?\] Overview$/i,
    lane: /^(?:compute|mem ?cpy|mem ?set)\b/i,
    device: ([, of]) => `GPU ${of}`,
  },
  { process: /^\[(\d+)(?::\d+)?\] Compute$/i, lane: /^/, device: ([, of]) => `GPU ${of}`, repeats: 1 },
  { process: /^(?:CUDA |GPU )?device (\d+)\b/i, lane: /^(?:CUDA )?stream\W*\d+/i, device: ([, of]) => `GPU ${of}` },
];

/** Device to which a lane belongs; null for lanes of the host or with unknown names. */
export function deviceLane(process: string, lane: string): DeviceLane | null {
  for (const { process: known, lane: own, device, repeats = 0 } of DEVICES) {
    const found = known.exec(process);
    if (found !== null && own.test(lane)) return { device: device(found, lane), repeats };
  }
  return null;
}

/** Whether the names look like those of a GPU, although no known program writes them. */
export const looksLikeDevice = (process: string, lane: string): boolean =>
  [process, lane].some((name) => /\b(?:GPU|TPU|CUDA|HIP)\b|GPU\d|^\d+ COPY$|^stream\W*\d+/i.test(name)) &&
  ![process, lane].some((name) => /\b(?:API|host|CPU|launch\w*|runtime|driver|thread)\b/i.test(name));

// Chrome traces state times as decimal microseconds. PyTorch counts them from 1970; a double resolves only 0.25 µs
// then. Such times are therefore parsed from the digits in the text.

/** Limit in µs (2^42) below which a double resolves a nanosecond. */
const EXACT_BELOW = 2 ** 42;

const DIGITS = /"ts"\s*:\s*"?(\d+)(?:\.(\d+))?/;

export class ChromeClock {
  readonly #base_us: number;

  /**
   * `some_us`: times of some events. Converted times are relative to their median, which a single wrong time does not
   * affect.
   */
  constructor(some_us: readonly number[]) {
    const sorted = [...some_us].sort((a, b) => a - b);
    this.#base_us = Math.floor(sorted[Math.floor((sorted.length - 1) / 2)] ?? 0);
  }

  isNear(ts: number): boolean {
    return Math.abs(ts - this.#base_us) <= WINDOW_US;
  }

  /** Converts the field `ts` to nanoseconds. `text` is the event's JSON. */
  toNanoseconds(ts: number, text: string): number {
    if (Math.abs(ts) < EXACT_BELOW) return (ts - this.#base_us) * 1000;
    const found = DIGITS.exec(text);
    const whole = Number(found?.[1]);
    // The pattern may have found another `ts`, within the arguments.
    if (found === null || Math.abs(whole - Math.trunc(ts)) > 1) return (ts - this.#base_us) * 1000;
    return (whole - this.#base_us) * 1000 + Number(`0.${found[2] ?? '0'}`) * 1000;
  }
}

/**
 * Longest trace, in ns: about three years. A time farther from the others is wrong, and would make all other spans
 * invisibly short.
 */
export const LONGEST_NS = 1e17;
const WINDOW_US = LONGEST_NS / 1000;
/** Maximum number of time windows in a file; each wrong time may add one. */
const MAX_WINDOWS = 4096;

interface TimeWindow {
  events: number;
  device: number;
  sum_us: number;
}

/**
 * Counts the events in windows of three years, to find the window with the correct times. It considers all events,
 * because the first ones of a file may have wrong times.
 */
export class EventTimeWindows {
  readonly #windows = new Map<number, TimeWindow>();

  add(ts: number, device: boolean): void {
    const at = Math.floor(ts / WINDOW_US);
    let window = this.#windows.get(at);
    if (window === undefined) {
      if (this.#windows.size >= MAX_WINDOWS) return;
      window = { events: 0, device: 0, sum_us: 0 };
      this.#windows.set(at, window);
    }
    window.events += 1;
    window.device += Number(device);
    window.sum_us += ts;
  }

  /**
   * Mean time, in µs, of the window with most device work; of the window with most events if there is no device work.
   * Null if `clock` is already near it.
   */
  betterBase_us(clock: ChromeClock): number | null {
    const [most] = [...this.#windows.values()].sort((a, b) => b.device - a.device || b.events - a.events);
    if (most === undefined) return null;
    const mean_us = most.sum_us / most.events;
    return Number.isFinite(mean_us) && !clock.isNear(mean_us) ? mean_us : null;
  }
}

/** Names of arguments that differ in every span, and are of use only to the program that wrote them. */
const PER_SPAN =
  /^(external id|ev idx|record function id|correlation|cbid|sequence number|fwd thread id|python (parent )?id|python module id|queued|step|ts|id)$/i;
const MAX_ARGUMENTS = 12;
const LONGEST_VALUE = 200;

function toNumber(value: unknown): number | undefined {
  const converted = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof converted === 'number' && Number.isFinite(converted) ? converted : undefined;
}

const SIZE = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)(?:b|bytes?)\s*$/i;
const POWERS = ['', 'k', 'm', 'g', 't'];
/** Size of a copy or memset in XLA's textual details. */
const DETAILED_SIZE = /\b(?:size|num_bytes):(\d+)/;

/** Number of bytes, from a number or from a text such as `4 MB`. */
function parseByteCount(value: unknown): number | undefined {
  const [, digits, prefix = '', binary = ''] = typeof value === 'string' ? (SIZE.exec(value) ?? []) : [];
  if (digits === undefined) {
    const found = toNumber(value);
    // Some profilers write -1 for a peer-to-peer copy whose size is unknown.
    return found !== undefined && found < 0 ? undefined : found;
  }
  return Math.round(Number(digits) * (binary === '' ? 1000 : 1024) ** POWERS.indexOf(prefix.toLowerCase()));
}

/** Sizes of a grid or block: `[2, 3, 4]` in PyTorch's traces, `2 × 3 × 4` in our exports. */
function parseSizes(value: unknown): readonly number[] | undefined {
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[×x,]/) : [];
  const numbers = parts.map(toNumber);
  return parts.length === 3 && numbers.every((part) => part !== undefined) ? (numbers as number[]) : undefined;
}

type NumericArgument = Exclude<keyof SpanArguments, 'grid' | 'block' | 'more'>;

const numeric: Readonly<Record<string, NumericArgument>> = {
  'registers per thread': 'registers',
  'static shared memory, bytes': 'staticShared_bytes',
  'dynamic shared memory, bytes': 'dynamicShared_bytes',
  'shared memory': 'shared_bytes',
  bytes: 'bytes',
  stream: 'stream',
  device: 'device',
  graph: 'graph',
  'graph id': 'graph',
  'graph node': 'graphNode',
  'graph node id': 'graphNode',
};

function shortenValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}

export function convertArguments(args: Readonly<Record<string, unknown>>): string {
  const values: { -readonly [K in keyof SpanArguments]: SpanArguments[K] } = {};
  const more: Record<string, string> = {};
  let others = 0;
  for (const [name, value] of Object.entries(args)) {
    const key = name.toLowerCase();
    if (PER_SPAN.test(key)) continue;
    if (key === 'grid' || key === 'block') {
      const found = parseSizes(value);
      if (found !== undefined) values[key] = found;
      continue;
    }
    const known = numeric[key];
    const found = known === undefined ? undefined : known === 'bytes' ? parseByteCount(value) : toNumber(value);
    if (key === 'memcpy_details' || key === 'memset_details') {
      const size = DETAILED_SIZE.exec(String(value))?.[1];
      if (size !== undefined) values.bytes ??= Number(size);
    }
    if (known !== undefined && found !== undefined) values[known] = found;
    else if (others < MAX_ARGUMENTS) {
      const text = shortenValue(value);
      if (text === null) continue;
      more[name] = text;
      others += 1;
    }
  }
  if (others > 0) values.more = more;
  return argumentsText(values);
}
