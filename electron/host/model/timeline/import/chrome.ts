/**
 * Chrome Trace Event JSON: of PyTorch's profiler, of Chrome and Perfetto's
 * tools, and our own export. Complete events (X), begin and end (B, E), async
 * ones (b, e, S, F), instants, flows (s, t, f) and metadata (M); counters and
 * samples are counted in a note. Format: "Trace Event Format", the Chromium
 * project.
 */
import { decimalOf } from '../../../../contract/csv.ts';
import { BraggError } from '../../../../contract/errors.ts';
import type { LaneKind, SpanKind } from '../../../../contract/timeline.ts';
import { parseLoose } from '../../../io/files/loose-json.ts';
import { TraceBuilder } from '../builder.ts';
import type { FlowEnd } from '../links.ts';
import type { Trace } from '../trace.ts';
import { ChromeClock, chromeArguments } from './chrome-arguments.ts';
import { brokenAt, JsonEvents } from './json-events.ts';

/** Three years: a time farther from the others is wrong, and would shrink them all to nothing. */
const LONGEST_NS = 1e17;
/** Events with a time that are collected before their median is taken for the clock, and their text. */
const FIRST_EVENTS = 8192;
const FIRST_BYTES = 32 * 2 ** 20;

/** Device processes and streams of XLA, whose events have no category. Its other lanes repeat the kernels by module. */
const XLA_DEVICE = /\/device:(GPU|TPU):\d+|^GPU:?\s*\d+$/i;
const XLA_STREAM = /^stream\b/i;
const XLA_COPY = /memcpy|[hdp]2[hdp]|copy/i;

type Event = Readonly<Record<string, unknown>>;

/** In lower case: the first versions of PyTorch's profiler wrote `Kernel`, `Memcpy`, `Runtime`. */
const categories: Readonly<Record<string, SpanKind>> = {
  kernel: 'kernel',
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
  gpu_user_annotation: 'range',
};

/** Copies are separate from kernels, and runtime calls from their callers. */
type Part = 'main' | 'api' | 'copies' | 'async' | 'ranges';

const parts: Readonly<Record<SpanKind, Part>> = {
  other: 'main',
  kernel: 'main',
  graph: 'main',
  copy: 'copies',
  memset: 'copies',
  call: 'api',
  range: 'ranges',
};

interface Thread {
  readonly pid: string;
  readonly tid: string;
  name: string | null;
  order: number;
  /** Lanes by part; the async one by name too. */
  readonly lanes: Map<string, number>;
  device: boolean;
  /** Spans without a category, in streams of XLA alone kernels and copies: names of threads may come last. */
  readonly uncategorized: number[];
  /** Begins and ends (span -1) in the order of the file, which need not be that of time. */
  readonly marks: { readonly at: number[]; readonly span: number[] };
}

const END = -1;

/** Indices in ascending time; events of one time stay in their order. */
function byTime(at: readonly number[]): Iterable<number> {
  const sorted = at.every((time, i) => i === 0 || time >= (at[i - 1] ?? time));
  return sorted ? at.keys() : [...at.keys()].sort((a, b) => (at[a] ?? 0) - (at[b] ?? 0));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : value === undefined ? '' : String(value));
const numberOf = (value: unknown): number | null => {
  const converted = typeof value === 'string' ? decimalOf(value.trim()) : value;
  return typeof converted === 'number' && Number.isFinite(converted) ? converted : null;
};
const objectOf = (value: unknown): Event =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Event) : {};

/** PyTorch gives words in place of some numbers, and nothing for what is of no thread. */
function called(what: string, id: string | number): string {
  if (id === '') return `no ${what}`;
  return /^-?\d+$/.test(String(id)) ? `${what} ${id}` : String(id);
}

export class ChromeImport {
  readonly #builder = new TraceBuilder();
  #clock: ChromeClock | null = null;
  #early: { readonly event: Event; readonly ts: number; readonly json: string }[] = [];
  #earlyBytes = 0;
  readonly #json: JsonEvents;
  readonly #threads = new Map<string, Thread>();
  readonly #processes = new Map<string, { name: string | null; labels: string | null; order: number }>();
  /** Times of ends that came before their beginnings. */
  readonly #asyncEnds = new Map<string, number[]>();
  readonly #asyncOpen = new Map<string, { readonly span: number; readonly start: number; readonly name: string }[]>();
  readonly #flows = new Map<string, { readonly thread: Thread; readonly at: number }>();
  readonly #flowEnds: { readonly from: { thread: Thread; at: number }; readonly to: { thread: Thread; at: number } }[] =
    [];
  readonly #unread = { counters: 0, invalid: 0, unmatched: 0, unended: 0, other: 0, far: 0, damaged: 0 };
  #firstDamage = '';
  #last = 0;
  #device: string | null = null;
  #about = '';

  constructor() {
    this.#json = new JsonEvents({
      event: (json, offset) => this.#event(json, offset),
      value: (key, json) => this.#property(key, json),
      damaged: (json, offset) => this.#damaged(json, offset),
    });
  }

  get spans(): number {
    return this.#builder.spans;
  }

  push(chunk: Buffer): void {
    this.#json.push(chunk);
  }

  /** Throws BraggError `foreign-file` when the file was cut off or holds no events. */
  finish(name: string): Trace {
    this.#json.end();
    this.#startClock();
    if (this.#builder.spans === 0) {
      if (this.#unread.damaged > 0) throw new BraggError('foreign-file', this.#firstDamage);
      throw new BraggError('foreign-file', `none of its ${this.#json.events} events has a time and a duration`);
    }
    this.#closeOpen();
    this.#nameLanes();
    for (const { from, to } of this.#flowEnds) {
      this.#builder.flow({ from: flowEnd(from), to: flowEnd(to) });
    }
    const { counters, invalid, unmatched, unended, other, far, damaged } = this.#unread;
    const note = (count: number, what: string): void => {
      if (count > 0) this.#builder.note(`${count} ${what}`);
    };
    note(counters, 'counter values are not shown.');
    note(other, 'events of kinds without a duration are not shown.');
    note(unmatched, 'events end without a beginning and were left out.');
    note(unended, 'events have no duration and are shown as moments.');
    note(invalid, 'events have no valid time, phase or duration and were left out.');
    note(far, 'events are more than three years away from the others and were left out.');
    note(damaged, `damaged events were left out: ${this.#firstDamage}.`);
    return this.#builder.build({ source: 'chrome-trace', name, about: this.#about, device: this.#device });
  }

  #property(key: string, json: string | null): void {
    if (json === null) return;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      throw new BraggError('foreign-file', `the value of ${JSON.stringify(key)} is not JSON`);
    }
    if (key === 'deviceProperties' && Array.isArray(value)) {
      this.#device = text(objectOf(value[0])['name']) || null;
      this.#about = this.#device ?? this.#about;
    }
    if (key === 'otherData') {
      const { variant, machine, about } = objectOf(value);
      const known = [variant, machine, about].map(text).filter((part) => part !== '');
      if (known.length > 0) this.#about = known.join(', ');
    }
  }

  #event(json: string, offset: number): void {
    let event: Event;
    try {
      event = objectOf(parseLoose(json));
    } catch {
      this.#damaged(json, offset);
      return;
    }
    const phase = event['ph'];
    if (phase === 'M') {
      this.#metadata(event);
      return;
    }
    if (phase === 'C') {
      this.#unread.counters += 1;
      return;
    }
    const ts = numberOf(event['ts']);
    if (typeof phase !== 'string' || ts === null) {
      this.#unread.invalid += 1;
      return;
    }
    if (this.#clock !== null) {
      this.#timed(event, phase, this.#clock.ns(ts, json));
      return;
    }
    this.#early.push({ event, ts, json });
    this.#earlyBytes += json.length;
    if (this.#early.length >= FIRST_EVENTS || this.#earlyBytes > FIRST_BYTES) this.#startClock();
  }

  /** Adds the events that were collected to find the clock. */
  #startClock(): void {
    if (this.#clock !== null) return;
    const clock = new ChromeClock(this.#early.map(({ ts }) => ts));
    this.#clock = clock;
    for (const { event, ts, json } of this.#early) this.#timed(event, text(event['ph']), clock.ns(ts, json));
    this.#early = [];
  }

  /** The first damaged event is named by where it stops being JSON. */
  #damaged(json: string, offset: number): void {
    this.#unread.damaged += 1;
    if (this.#unread.damaged > 1) return;
    const at = brokenAt(json);
    this.#firstDamage = `the event at byte ${offset} is not JSON${at === null ? '' : ` from byte ${offset + at}`}`;
  }

  #timed(event: Event, phase: string, at: number): void {
    if (Math.abs(at) > LONGEST_NS) {
      this.#unread.far += 1;
      return;
    }
    this.#last = Math.max(this.#last, at);
    switch (phase) {
      case 'X':
        this.#complete(event, at);
        break;
      case 'B':
        this.#begin(event, at);
        break;
      case 'E':
        this.#end(event, at);
        break;
      case 'b':
      case 'S':
        this.#asyncBegin(event, at);
        break;
      case 'e':
      case 'F':
        this.#asyncEnd(event, at);
        break;
      case 'i':
      case 'I':
      case 'R':
      case 'n':
        this.#add(event, at, 0);
        break;
      case 's':
      case 't':
      case 'f':
        this.#flow(event, phase, at);
        break;
      default:
        this.#unread.other += 1;
    }
  }

  #complete(event: Event, at: number): void {
    // A program that is stopped writes its last events without their durations.
    if (event['dur'] === undefined || event['dur'] === null) this.#unread.unended += 1;
    const dur = numberOf(event['dur'] ?? 0);
    if (dur === null || dur < 0 || dur * 1000 > LONGEST_NS) {
      this.#unread.invalid += 1;
      return;
    }
    this.#last = Math.max(this.#last, at + dur * 1000);
    this.#add(event, at, dur * 1000);
  }

  #begin(event: Event, at: number): void {
    const { marks } = this.#thread(event);
    marks.at.push(at);
    marks.span.push(this.#add(event, at, 0));
  }

  #end(event: Event, at: number): void {
    const { marks } = this.#thread(event);
    marks.at.push(at);
    marks.span.push(END);
  }

  /** Each end belongs to the last beginning before it in time. Returns spans that never end. */
  #matched({ marks: { at, span } }: Thread): readonly { readonly span: number; readonly start: number }[] {
    const open: { span: number; start: number }[] = [];
    for (const i of byTime(at)) {
      const [start, own] = [at[i] ?? 0, span[i] ?? END];
      if (own !== END) {
        open.push({ span: own, start });
        continue;
      }
      const begun = open.pop();
      if (begun === undefined) this.#unread.unmatched += 1;
      else this.#builder.finish(begun.span, start - begun.start);
    }
    return open;
  }

  #asyncKey(event: Event): string {
    const id2 = objectOf(event['id2']);
    const local = id2['local'] === undefined ? '' : `${text(event['pid'])} ${text(id2['local'])}`;
    return `${text(event['cat'])}\0${local || text(event['id'] ?? id2['global'])}`;
  }

  #asyncBegin(event: Event, at: number): void {
    const key = this.#asyncKey(event);
    const span = this.#add(event, at, 0, 'async');
    const ends = this.#asyncEnds.get(key);
    const first = ends?.findIndex((end) => end >= at) ?? -1;
    if (ends !== undefined && first >= 0) {
      const [end = at] = ends.splice(first, 1);
      this.#builder.finish(span, end - at);
      return;
    }
    const open = this.#asyncOpen.get(key) ?? [];
    this.#asyncOpen.set(key, open);
    open.push({ span, start: at, name: text(event['name']) });
  }

  #asyncEnd(event: Event, at: number): void {
    const key = this.#asyncKey(event);
    const open = this.#asyncOpen.get(key);
    // Processes may use the same number at once: the name distinguishes their events.
    const last = open?.findLastIndex(({ name }) => name === text(event['name'])) ?? -1;
    const [begun] = open?.splice(last < 0 ? open.length - 1 : last, 1) ?? [];
    if (begun === undefined) {
      const ends = this.#asyncEnds.get(key) ?? [];
      this.#asyncEnds.set(key, ends);
      ends.push(at);
      return;
    }
    this.#builder.finish(begun.span, at - begun.start);
    if (open?.length === 0) this.#asyncOpen.delete(key);
  }

  /** Unfinished spans end with the trace. */
  #closeOpen(): void {
    const open = [...[...this.#threads.values()].map((thread) => this.#matched(thread)), ...this.#asyncOpen.values()];
    for (const ends of this.#asyncEnds.values()) this.#unread.unmatched += ends.length;
    let count = 0;
    for (const spans of open) {
      for (const { span, start } of spans) {
        this.#builder.finish(span, this.#last - start);
        count += 1;
      }
    }
    if (count > 0) this.#builder.note(`${count} events have no end and last until the trace does.`);
  }

  #add(event: Event, start_ns: number, duration_ns: number, forced?: Part): number {
    const category = text(event['cat']).toLowerCase();
    const kind: SpanKind = categories[category] ?? 'other';
    const args = objectOf(event['args']);
    const thread = this.#thread(event);
    if (kind === 'kernel' || kind === 'copy' || kind === 'memset' || kind === 'graph') thread.device = true;
    const name = text(event['name']) || '(no name)';
    const step = stepOf(name, category, args);
    const span = this.#builder.span({
      lane: this.#lane(thread, forced ?? parts[kind], forced === 'async' ? category || name : ''),
      name,
      kind,
      start_ns,
      duration_ns,
      correlation: correlationOf(args['correlation']),
      detail: chromeArguments(args),
      ...(step === null ? {} : { step }),
    });
    if (category === '' && forced === undefined) thread.uncategorized.push(span);
    return span;
  }

  /** Kernels and copies of XLA, which only the names of their process and thread tell apart from the host's work. */
  #markXlaWork(thread: Thread): void {
    const process = this.#processes.get(thread.pid);
    const isDevice = [process?.name, process?.labels].some((name) => XLA_DEVICE.test(name ?? ''));
    if (!isDevice || !XLA_STREAM.test(thread.name ?? '')) return;
    thread.device = true;
    const kind = XLA_COPY.test(thread.name ?? '') ? 'copy' : 'kernel';
    for (const span of thread.uncategorized) this.#builder.rekind(span, kind);
  }

  #thread(event: Event): Thread {
    const [pid, tid] = [text(event['pid']), text(event['tid'])];
    const key = `${pid}\0${tid}`;
    const known = this.#threads.get(key);
    if (known !== undefined) return known;
    const thread: Thread = {
      pid,
      tid,
      name: null,
      order: 0,
      lanes: new Map(),
      device: false,
      uncategorized: [],
      marks: { at: [], span: [] },
    };
    this.#threads.set(key, thread);
    return thread;
  }

  #lane(thread: Thread, part: Part, asyncName: string): number {
    const key = `${part}${asyncName}`;
    const known = thread.lanes.get(key);
    if (known !== undefined) return known;
    const lane = this.#builder.lane({ process: thread.pid, name: asyncName, kind: 'thread', scope: 0, order: 0 });
    thread.lanes.set(key, lane);
    return lane;
  }

  #metadata(event: Event): void {
    const args = objectOf(event['args']);
    const pid = text(event['pid']);
    const process = this.#processes.get(pid) ?? { name: null, labels: null, order: 0 };
    this.#processes.set(pid, process);
    switch (event['name']) {
      case 'process_name':
        process.name = text(args['name']).trim();
        break;
      case 'process_labels':
        process.labels = text(args['labels']).trim();
        break;
      case 'process_sort_index':
        process.order = numberOf(args['sort_index']) ?? 0;
        break;
      case 'thread_name':
        this.#thread(event).name = text(args['name']).trim();
        break;
      case 'thread_sort_index':
        this.#thread(event).order = numberOf(args['sort_index']) ?? 0;
        break;
    }
  }

  #nameLanes(): void {
    const threads = [...this.#threads.values()].filter(({ lanes }) => lanes.size > 0);
    for (const thread of threads) this.#markXlaWork(thread);
    const sorted = threads.sort((a, b) => {
      const order = (pid: string): number => this.#processes.get(pid)?.order ?? 0;
      // The host above the device, as launches come before their work.
      return Number(a.device) - Number(b.device) || order(a.pid) - order(b.pid) || a.order - b.order;
    });
    for (const [i, thread] of sorted.entries()) {
      const known = this.#processes.get(thread.pid);
      const label = [known?.name, known?.labels].filter((part) => part).join(', ');
      const process = label === '' ? called('process', thread.pid) : label;
      const name = thread.name || called(thread.device ? 'stream' : 'thread', thread.tid);
      const alone = thread.lanes.size === 1;
      for (const [j, [key, lane]] of [...thread.lanes].entries()) {
        const [kind, laneName] = laneAbout(key, name, alone, thread.device);
        this.#builder.rename(lane, { process, name: laneName, kind, order: i * 64 + partOrder(key) + Math.min(j, 40) });
      }
    }
  }

  #flow(event: Event, phase: 's' | 't' | 'f', at: number): void {
    const category = text(event['cat']);
    // PyTorch draws each launch that the correlation numbers say already.
    if (category === 'ac2g') return;
    const key = `${category}\0${text(event['name'])}\0${text(event['id'])}`;
    const end = { thread: this.#thread(event), at };
    const before = this.#flows.get(key);
    if (phase !== 's' && before !== undefined) this.#flowEnds.push({ from: before, to: end });
    if (phase === 'f') this.#flows.delete(key);
    else this.#flows.set(key, end);
  }
}

/** A flow names a thread; the span may be in any of its lanes. */
function flowEnd({ thread, at }: { readonly thread: Thread; readonly at: number }): FlowEnd {
  return { lanes: [...thread.lanes].filter(([key]) => !key.startsWith('async')).map(([, lane]) => lane), at };
}

function correlationOf(value: unknown): number {
  const number = numberOf(value);
  return number !== null && number > 0 && number < 2 ** 32 ? Math.floor(number) : 0;
}

/** Ours by argument; PyTorch's by the name of the step. */
function stepOf(name: string, category: string, args: Event): number | null {
  if (category === 'step') {
    const step = numberOf(args['step']);
    return step !== null && step >= 0 && step < 2 ** 32 - 1 ? Math.floor(step) : null;
  }
  const found = /^ProfilerStep#(\d{1,9})$/.exec(name);
  return found === null ? null : Number(found[1]);
}

function laneAbout(key: string, thread: string, alone: boolean, device: boolean): readonly [LaneKind, string] {
  if (key.startsWith('async')) return ['async', key.slice('async'.length)];
  if (key.startsWith('api')) return ['api', alone ? thread : `${thread}: CUDA calls`];
  if (key.startsWith('copies')) return ['copies', alone ? thread : `${thread}: copies`];
  if (key.startsWith('ranges')) return ['thread', `${thread}: ranges`];
  return [device ? 'stream' : 'thread', thread];
}

const partOrder = (key: string): number => (key.startsWith('main') ? 0 : key.startsWith('api') ? 1 : 2);
