/**
 * Imports Chrome Trace Event JSON from PyTorch's profiler, Chrome, Perfetto's tools and our own export. Supported
 * events: complete (X), begin and end (B, E), async (b, e, S, F), instant, flow (s, t, f) and metadata (M). Counter and
 * sample events are only counted, in a note. Format: "Trace Event Format", the Chromium project.
 */

import { BraggError } from '../../../../contract/errors.ts';
import type { SpanKind } from '../../../../contract/timeline.ts';
import { type FieldRules, type HonouredFieldName, honoured, ignoredField } from '../../../../domain/header-fields.ts';
import { parsePythonJson } from '../../../io/files/loose-json.ts';
import { TraceBuilder } from '../builder.ts';
import type { FlowEnd, Trace } from '../trace.ts';
import {
  ANY_WORK,
  type Category,
  ChromeClock,
  convertArguments,
  DEVICE_WORK,
  EventTimeWindows,
  HOST_WORK,
  LONGEST_NS,
  parseCategory,
  workKindByName,
} from './chrome-arguments.ts';
import {
  ChromeLanes,
  type Fields,
  type LanePart,
  numberOf,
  objectOf,
  type TraceThread,
  textOf,
} from './chrome-lanes.ts';
import { invalidJsonPosition, JsonEvents } from './json-events.ts';

/** Number of events, and size of their JSON, that are collected before the clock is set to their median time. */
const FIRST_EVENTS = 8192;
const FIRST_BYTES = 32 * 2 ** 20;
/** Maximum number of categories in the cache. */
const MAX_CATEGORIES = 4096;
/** Maximum number of unknown categories that notes mention. */
const MAX_NOTED = 8;

const displayOnlyField = ignoredField('changes how a viewer shows the event');
const stacks = ignoredField('call stacks are not shown');
const arrows = ignoredField('arrows are drawn from the events s, t and f');
const settings = ignoredField('describes how the trace was recorded');

/** Rules for the keys of the outer object in "Trace Event Format", and for those that PyTorch's profiler adds. */
export const chromeFields = {
  traceevents: honoured,
  deviceproperties: honoured,
  otherdata: honoured,
  displaytimeunit: displayOnlyField,
  stackframes: stacks,
  samples: stacks,
  systemtraceevents: ignoredField('is text from another tracer'),
  controllertracedatakey: settings,
  powertraceasstring: ignoredField('is text from another tracer'),
  metadata: settings,
  schemaversion: settings,
  distributedinfo: settings,
  basetimenanoseconds: ignoredField('times are shown relative to the first event'),
  tracename: settings,
} satisfies FieldRules;
const outer: FieldRules = chromeFields;

/**
 * Last part of the path of a key in which programs state the unit of `ts` and `dur`. `displayTimeUnit` has another
 * meaning.
 */
const TIME_UNIT = /(?:^|\.)(?:time|timestamp|ts|dur|duration)s?_?units?$/i;
const MICROSECONDS = /^(us|µs|μs|usecs?|microseconds?)$/i;

/** Throws BraggError `foreign-file` if a file states another unit than the microseconds of Chrome traces. */
function checkUnit(key: string, value: unknown): void {
  if (!TIME_UNIT.test(key) || typeof value !== 'string' || MICROSECONDS.test(value.trim())) return;
  throw new BraggError('foreign-file', `${key} is ${JSON.stringify(value.slice(0, 40))}; allowed: us`);
}

/** Rules for the keys of an event. Its times are in microseconds. */
export const chromeEventFields = {
  ...{ name: honoured, cat: honoured, ph: honoured, ts: honoured, dur: honoured, pid: honoured, tid: honoured },
  ...{ args: honoured, id: honoured, id2: honoured },
  ...{
    tts: ignoredField('is CPU time, while ts is wall-clock time'),
    tdur: ignoredField('is CPU time'),
  },
  ...{
    scope: honoured,
    cname: displayOnlyField,
    s: displayOnlyField,
    bp: displayOnlyField,
    sf: stacks,
    stack: stacks,
    esf: stacks,
    estack: stacks,
  },
  ...{ bind_id: arrows, flow_in: arrows, flow_out: arrows, use_async_tts: ignoredField('refers to tts') },
} satisfies FieldRules;

/** An event with the keys that the importer reads; others are not accessible. */
type Event = { readonly [Name in HonouredFieldName<typeof chromeEventFields>]?: unknown };
/** Names of processes in PyTorch's traces that contain the profiler's own recordings, not work. */
const RECORDINGS: ReadonlySet<string> = new Set(['Spans', 'Traces']);

const isDeviceKind = (kind: SpanKind | undefined): boolean =>
  kind === 'kernel' || kind === 'copy' || kind === 'memset' || kind === 'graph';

const parts: Readonly<Record<SpanKind, LanePart>> = {
  other: 'main',
  kernel: 'main',
  graph: 'main',
  copy: 'copies',
  memset: 'copies',
  call: 'api',
  range: 'ranges',
};

const END = -1;

/** Indices sorted by time. Events at the same time stay in the order of the file. */
function indicesByTime(at: readonly number[]): Iterable<number> {
  const sorted = at.every((time, i) => i === 0 || time >= (at[i - 1] ?? time));
  return sorted ? at.keys() : [...at.keys()].sort((a, b) => (at[a] ?? 0) - (at[b] ?? 0));
}

export class ChromeImport {
  readonly #builder = new TraceBuilder();
  #clock: ChromeClock | null;
  readonly #times = new EventTimeWindows();
  readonly #categories = new Map<string, Category>();
  /** Numbers of the devices in the arguments of kernels and copies, by process. */
  readonly #devices = new Map<string, Set<number>>();
  #early: { readonly event: Event; readonly ts: number; readonly json: string }[] = [];
  #earlyBytes = 0;
  readonly #json: JsonEvents;
  readonly #lanes = new ChromeLanes(this.#builder);
  /** Times of async end events that came before their begin events in the file. */
  readonly #asyncEnds = new Map<string, number[]>();
  readonly #asyncOpen = new Map<string, { readonly span: number; readonly start: number; readonly name: string }[]>();
  readonly #flows = new Map<string, { readonly thread: TraceThread; readonly at: number }>();
  readonly #flowEnds: {
    readonly from: { thread: TraceThread; at: number };
    readonly to: { thread: TraceThread; at: number };
  }[] = [];
  /** Number of device events with an unknown category, by category. */
  readonly #unknown = new Map<string, number>();
  readonly #unread = { counters: 0, invalid: 0, unmatched: 0, unended: 0, other: 0, far: 0, damaged: 0 };
  #firstDamage = '';
  #ended = false;
  #last = 0;
  /** Devices of the recorded machine. The recorded program may have used only some of them. */
  #properties: readonly { readonly id: number; readonly name: string }[] = [];
  #about = '';

  /** `base_us`: a time close to most events. If null, it is derived from the first events. */
  constructor(base_us: number | null = null) {
    this.#clock = base_us === null ? null : new ChromeClock([base_us]);
    this.#json = new JsonEvents({
      event: (json, offset) => this.#readEvent(json, offset),
      value: (key, json) => this.#readProperty(key, json),
      damaged: (json, offset) => this.#noteDamage(json, offset),
    });
  }

  /**
   * A better base if the first events have wrong times: the time of most device work, or of most events. Null if the
   * present base is good.
   */
  get betterBase_us(): number | null {
    return this.#unread.far === 0 || this.#clock === null ? null : this.#times.betterBase_us(this.#clock);
  }

  get spanCount(): number {
    return this.#builder.spanCount;
  }

  push(chunk: Buffer): void {
    this.#json.push(chunk);
  }

  /** Call after the last chunk. Throws BraggError `foreign-file` if the file is truncated. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#json.end();
    this.#startClock();
  }

  /** Returns the trace. Throws BraggError `foreign-file` if the file is truncated or contains no events. */
  finish(name: string): Trace {
    this.end();
    if (this.#builder.spanCount === 0) {
      if (this.#unread.damaged > 0) throw new BraggError('foreign-file', this.#firstDamage);
      throw new BraggError('foreign-file', `none of its ${this.#json.eventCount} events has a time and a duration`);
    }
    this.#closeOpenSpans();
    this.#lanes.nameLanes();
    for (const { from, to } of this.#flowEnds) {
      this.#builder.addFlow({ from: flowEnd(from), to: flowEnd(to) });
    }
    const { counters, invalid, unmatched, unended, other, far, damaged } = this.#unread;
    const note = (count: number, what: string): void => {
      if (count > 0) this.#builder.addNote(`${count} ${what}`);
    };
    note(counters, 'counter values are not shown.');
    note(other, 'events of kinds without a duration are not shown.');
    note(unmatched, 'events have an end but no beginning and were omitted.');
    note(unended, 'events have no duration and are shown as moments.');
    note(invalid, 'events have no valid time, phase or duration and were omitted.');
    note(far, 'events are more than three years away from the others and were omitted.');
    for (const [cat, count] of this.#unknown) {
      note(count, `events of the category ${cat} belong to a device of unknown kind, and are not counted.`);
    }
    for (const [pid, devices] of this.#devices) {
      if (devices.size < 2) continue;
      const all = [...devices].sort((a, b) => a - b).join(', ');
      this.#builder.addNote(`Work of devices ${all} is in one process (${pid}) and is counted as one GPU.`);
    }
    note(damaged, `damaged events were omitted: ${this.#firstDamage}.`);
    const device = this.#deviceName();
    const about = this.#about === '' ? (device ?? '') : this.#about;
    return this.#builder.build({ source: 'chrome-trace', name, about, device });
  }

  /** Names of the devices that did work. If events contain no known device number, the names of all devices. */
  #deviceName(): string | null {
    const used = new Set([...this.#devices.values()].flatMap((devices) => [...devices]));
    const worked = this.#properties.filter(({ id }) => used.has(id));
    const names = (worked.length > 0 ? worked : this.#properties).map(({ name }) => name).filter((name) => name !== '');
    return names.length === 0 ? null : [...new Set(names)].join(', ');
  }

  #readProperty(key: string, json: string | null): void {
    if (json === null) return;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      throw new BraggError('foreign-file', `the value of ${JSON.stringify(key)} is not JSON`);
    }
    checkUnit(key, value);
    for (const [inner, one] of Object.entries(objectOf(value))) checkUnit(`${key}.${inner}`, one);
    if (outer[key.toLowerCase()]?.kind !== 'honoured') return;
    if (key === 'deviceProperties' && Array.isArray(value)) {
      this.#properties = value.map((one: unknown, i) => {
        const { id, name } = objectOf(one);
        return { id: numberOf(id) ?? i, name: textOf(name) };
      });
    }
    if (key === 'otherData') {
      const { variant, machine, about } = objectOf(value);
      const known = [variant, machine, about].map(textOf).filter((part) => part !== '');
      if (known.length > 0) this.#about = known.join(', ');
    }
  }

  #readEvent(json: string, offset: number): void {
    let event: Event;
    try {
      event = objectOf(parsePythonJson(json));
    } catch {
      this.#noteDamage(json, offset);
      return;
    }
    const phase = event['ph'];
    if (phase === 'M') {
      this.#lanes.readMetadata(event);
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
    this.#times.add(ts, isDeviceKind(this.#categoryOf(event).kind));
    if (this.#clock !== null) {
      this.#readTimedEvent(event, phase, this.#clock.toNanoseconds(ts, json));
      return;
    }
    this.#early.push({ event, ts, json });
    this.#earlyBytes += json.length;
    if (this.#early.length >= FIRST_EVENTS || this.#earlyBytes > FIRST_BYTES) this.#startClock();
  }

  /** Sets the clock, and adds the events that were collected for it. */
  #startClock(): void {
    if (this.#clock !== null) return;
    const clock = new ChromeClock(this.#early.map(({ ts }) => ts));
    this.#clock = clock;
    for (const { event, ts, json } of this.#early)
      this.#readTimedEvent(event, textOf(event['ph']), clock.toNanoseconds(ts, json));
    this.#early = [];
  }

  /** Counts a damaged event. A note describes the first one, with the position at which its JSON becomes invalid. */
  #noteDamage(json: string, offset: number): void {
    this.#unread.damaged += 1;
    if (this.#unread.damaged > 1) return;
    const at = invalidJsonPosition(json);
    this.#firstDamage = `the event at byte ${offset} is not JSON${at === null ? '' : ` from byte ${offset + at}`}`;
  }

  #readTimedEvent(event: Event, phase: string, at: number): void {
    if (Math.abs(at) > LONGEST_NS) {
      this.#unread.far += 1;
      return;
    }
    this.#last = Math.max(this.#last, at);
    switch (phase) {
      case 'X':
        this.#readComplete(event, at);
        break;
      case 'B':
        this.#readBegin(event, at);
        break;
      case 'E':
        this.#readEnd(event, at);
        break;
      case 'b':
      case 'S':
        this.#readAsyncBegin(event, at);
        break;
      case 'e':
      case 'F':
        this.#readAsyncEnd(event, at);
        break;
      case 'i':
      case 'I':
      case 'R':
      case 'n':
        this.#addSpan(event, at, 0);
        break;
      case 's':
      case 't':
      case 'f':
        this.#readFlow(event, phase, at);
        break;
      default:
        this.#unread.other += 1;
    }
  }

  #readComplete(event: Event, at: number): void {
    // A program that is stopped writes its last events without a duration.
    if (event['dur'] === undefined || event['dur'] === null) this.#unread.unended += 1;
    const dur = numberOf(event['dur'] ?? 0);
    if (dur === null || dur < 0 || dur * 1000 > LONGEST_NS) {
      this.#unread.invalid += 1;
      return;
    }
    this.#last = Math.max(this.#last, at + dur * 1000);
    this.#addSpan(event, at, dur * 1000);
  }

  #readBegin(event: Event, at: number): void {
    const { marks } = this.#lanes.threadOf(event);
    marks.at.push(at);
    marks.span.push(this.#addSpan(event, at, 0));
  }

  #readEnd(event: Event, at: number): void {
    const { marks } = this.#lanes.threadOf(event);
    marks.at.push(at);
    marks.span.push(END);
  }

  /** Matches each end event with the latest begin event before it. Returns the spans without an end event. */
  #matchEnds({ marks: { at, span } }: TraceThread): readonly { readonly span: number; readonly start: number }[] {
    const open: { span: number; start: number }[] = [];
    for (const i of indicesByTime(at)) {
      const [start, own] = [at[i] ?? 0, span[i] ?? END];
      if (own !== END) {
        open.push({ span: own, start });
        continue;
      }
      const begun = open.pop();
      if (begun === undefined) this.#unread.unmatched += 1;
      else this.#builder.setDuration(begun.span, start - begun.start);
    }
    return open;
  }

  #asyncKey(event: Event): string {
    const id2 = objectOf(event['id2']);
    const local = id2['local'] === undefined ? '' : `${textOf(event['pid'])} ${textOf(id2['local'])}`;
    return `${textOf(event['cat'])}\0${textOf(event['scope'])}\0${local || textOf(event['id'] ?? id2['global'])}`;
  }

  #readAsyncBegin(event: Event, at: number): void {
    const key = this.#asyncKey(event);
    const span = this.#addSpan(event, at, 0, 'async');
    const ends = this.#asyncEnds.get(key);
    const first = ends?.findIndex((end) => end >= at) ?? -1;
    if (ends !== undefined && first >= 0) {
      const [end = at] = ends.splice(first, 1);
      this.#builder.setDuration(span, end - at);
      return;
    }
    const open = this.#asyncOpen.get(key) ?? [];
    this.#asyncOpen.set(key, open);
    open.push({ span, start: at, name: textOf(event['name']) });
  }

  #readAsyncEnd(event: Event, at: number): void {
    const key = this.#asyncKey(event);
    const open = this.#asyncOpen.get(key);
    // Several processes may use the same id at the same time, so the name must match too.
    const last = open?.findLastIndex(({ name }) => name === textOf(event['name'])) ?? -1;
    const [begun] = open?.splice(last < 0 ? open.length - 1 : last, 1) ?? [];
    if (begun === undefined) {
      const ends = this.#asyncEnds.get(key) ?? [];
      this.#asyncEnds.set(key, ends);
      ends.push(at);
      return;
    }
    this.#builder.setDuration(begun.span, at - begun.start);
    if (open?.length === 0) this.#asyncOpen.delete(key);
  }

  /** Spans without an end event end with the trace. */
  #closeOpenSpans(): void {
    const open = [...this.#lanes.threads.map((thread) => this.#matchEnds(thread)), ...this.#asyncOpen.values()];
    for (const ends of this.#asyncEnds.values()) this.#unread.unmatched += ends.length;
    let count = 0;
    for (const spans of open) {
      for (const { span, start } of spans) {
        this.#builder.setDuration(span, this.#last - start);
        count += 1;
      }
    }
    if (count > 0) this.#builder.addNote(`${count} events have no end and are extended to the end of the trace.`);
  }

  #addSpan(event: Event, start_ns: number, duration_ns: number, forced?: LanePart): number {
    const category = this.#categoryOf(event);
    const args = objectOf(event['args']);
    const kind = this.#kindOf(event, category, args);
    const thread = this.#lanes.threadOf(event);
    if (isDeviceKind(kind)) {
      thread.device = true;
      const device = numberOf(args['device']);
      if (device !== null) this.#devices.set(thread.pid, (this.#devices.get(thread.pid) ?? new Set()).add(device));
    }
    const name = textOf(event['name']) || '(no name)';
    const step = stepOf(name, category.words, args);
    const span = this.#builder.addSpan({
      lane: this.#lanes.laneOf(
        thread,
        forced ?? parts[kind],
        forced === 'async' ? category.words.join(',') || name : '',
      ),
      name,
      kind,
      start_ns,
      duration_ns,
      correlation: correlationOf(args['correlation']),
      detail: convertArguments(args),
      ...(step === null ? {} : { step }),
    });
    if (forced !== undefined || !category.isVague) return span;
    thread.uncategorized.push(span);
    const work = workKindByName(name, args);
    if (work !== null) thread.named.set(span, work);
    return span;
  }

  #kindOf(event: Event, { kind, words, isVague }: Category, args: Fields): SpanKind {
    if (words.some((word) => ANY_WORK.has(word))) return workKindByName(textOf(event['name']), args) ?? 'kernel';
    if (kind !== undefined) return kind;
    if (RECORDINGS.has(textOf(event['pid']))) return 'range';
    const isOnStream = numberOf(args['device']) !== null && numberOf(args['stream']) !== null;
    const isOfDevice = isOnStream || words.some((word) => DEVICE_WORK.test(word));
    if (isVague || !isOfDevice || words.some((word) => HOST_WORK.has(word))) return 'other';
    const cat = words.join(',').slice(0, 40);
    if (this.#unknown.size < MAX_NOTED || this.#unknown.has(cat)) {
      this.#unknown.set(cat, (this.#unknown.get(cat) ?? 0) + 1);
    }
    return 'range';
  }

  /** Interpreted categories are cached: a trace has few of them, but many events of each. */
  #categoryOf(event: Event): Category {
    const cat = textOf(event['cat']);
    const known = this.#categories.get(cat) ?? parseCategory(cat);
    if (this.#categories.size < MAX_CATEGORIES) this.#categories.set(cat, known);
    return known;
  }

  #readFlow(event: Event, phase: 's' | 't' | 'f', at: number): void {
    const category = textOf(event['cat']);
    // PyTorch also writes a flow for each launch, which correlation numbers already link.
    if (category === 'ac2g') return;
    const key = `${category}\0${textOf(event['name'])}\0${textOf(event['id'])}`;
    const end = { thread: this.#lanes.threadOf(event), at };
    const before = this.#flows.get(key);
    if (phase !== 's' && before !== undefined) this.#flowEnds.push({ from: before, to: end });
    if (phase === 'f') this.#flows.delete(key);
    else this.#flows.set(key, end);
  }
}

/** A flow event states only a thread, so the linked span may be in any lane of that thread. */
function flowEnd({ thread, at }: { readonly thread: TraceThread; readonly at: number }): FlowEnd {
  return { lanes: [...thread.lanes].filter(([key]) => !key.startsWith('async')).map(([, lane]) => lane), at };
}

function correlationOf(value: unknown): number {
  const number = numberOf(value);
  return number !== null && number > 0 && number < 2 ** 32 ? Math.floor(number) : 0;
}

/** Number of a simulation step. In our exports it is an argument; in PyTorch's traces it is part of the name. */
function stepOf(name: string, categories: readonly string[], args: Fields): number | null {
  if (categories.includes('step')) {
    const step = numberOf(args['step']);
    return step !== null && step >= 0 && step < 2 ** 32 - 1 ? Math.floor(step) : null;
  }
  const found = /^ProfilerStep#(\d{1,9})$/.exec(name);
  return found === null ? null : Number(found[1]);
}
