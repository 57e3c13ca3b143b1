/**
 * Collects spans in any order and builds a trace from them. The spans of a lane are placed in rows in which no two
 * overlap: nested calls below their callers, and concurrent work in parallel rows.
 */
import { BraggError } from '../../../contract/errors.ts';
import type { LaneKind, SpanKind } from '../../../contract/timeline.ts';
import {
  buildLinks,
  buildLongest,
  type Flow,
  type FlowEnd,
  kindNumber,
  NO_STEP,
  type Trace,
  type TraceLane,
} from './trace.ts';

/**
 * Maximum number of rows in a lane, deeper than any call stack that a reader could follow. Further overlapping spans
 * share the last row.
 */
export const MAX_ROWS = 128;

/** Sorts the spans of a lane by start. If spans start together, the longest comes first. */
function sortByStart(spans: Uint32Array, start: Float64Array, duration: Float64Array): void {
  const before = (a: number, b: number): number =>
    (start[a] ?? 0) - (start[b] ?? 0) || (duration[b] ?? 0) - (duration[a] ?? 0) || a - b;
  // Usually the spans are already sorted, which this loop detects.
  for (let i = 1; i < spans.length; i += 1) {
    if (before(spans[i - 1] ?? 0, spans[i] ?? 0) > 0) {
      spans.sort(before);
      return;
    }
  }
}

/**
 * Tolerance in ns: files have microseconds with three decimals, so rounding can make consecutive spans overlap
 * slightly.
 */
const ROUNDING_NS = 0.75;

interface RowAssignment {
  /** Row of each span, in the order of `spans`. */
  readonly row: Uint8Array;
  readonly count: number;
  /** Number of spans that were shortened, because more than MAX_ROWS spans overlap. */
  readonly crowded: number;
}

/**
 * Places spans, sorted by `sortByStart`, each in the first row that is free at its start. For nested calls the row is
 * the depth of the call. Shortens the `duration` of spans in the last row, so that no two spans of a row overlap.
 */
function assignRows(spans: Uint32Array, start: Float64Array, duration: Float64Array): RowAssignment {
  const row = new Uint8Array(spans.length);
  const ends: number[] = [];
  /** Index of the latest span in each row. */
  const last: number[] = [];
  let crowded = 0;
  for (const [i, span] of spans.entries()) {
    const [from, length] = [start[span] ?? 0, duration[span] ?? 0];
    let place = 0;
    while (place < ends.length && (ends[place] ?? 0) > from + ROUNDING_NS) place += 1;
    if (place === MAX_ROWS) {
      place -= 1;
      crowded += 1;
      // The last row is not free: its latest span is shortened to end where this one begins.
      const earlier = last[place] ?? 0;
      duration[earlier] = from - (start[earlier] ?? 0);
    }
    row[i] = place;
    ends[place] = from + length;
    last[place] = span;
  }
  return { row, count: ends.length, crowded };
}

/** Number of colours in the page's palette. */
const TINTS = 8;

/**
 * Colour number of a name: FNV-1a hash of the name without template arguments and parameters. A kernel thus has the
 * same colour in every trace, and its variants share it.
 */
export function tintOf(name: string): number {
  const end = name.search(/[<(]/);
  const length = end > 0 ? end : name.length;
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i += 1) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  // The low bits of an FNV hash alone are distributed poorly for short names.
  return ((hash ^ (hash >>> 15)) >>> 0) % TINTS;
}

/** Initial capacity of a column. */
const INITIAL_CAPACITY = 4096;

type ColumnArray = Float64Array | Uint32Array | Uint8Array;

/** A typed array that grows. Its capacity doubles when it is full, so adding n values copies at most 2n values. */
class GrowableColumn<T extends ColumnArray> {
  #values: T;
  readonly #make: (length: number) => T;
  #length = 0;

  constructor(make: (length: number) => T) {
    this.#make = make;
    this.#values = make(INITIAL_CAPACITY);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = this.#make(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  /** View of the values added so far; valid until the next push. */
  view(): T {
    return this.#values.subarray(0, this.#length) as T;
  }
}

const float64Column = (): GrowableColumn<Float64Array> => new GrowableColumn((length) => new Float64Array(length));
const uint32Column = (): GrowableColumn<Uint32Array> => new GrowableColumn((length) => new Uint32Array(length));
const uint8Column = (): GrowableColumn<Uint8Array> => new GrowableColumn((length) => new Uint8Array(length));

/** Stores each text once and gives it a number. When the texts exceed `mostBytes`, new ones get the number 0. */
class TextStore {
  readonly all: string[];
  readonly #numbers = new Map<string, number>();
  readonly #most: number;
  #bytes = 0;
  /** Number of texts that were not stored because of the limit. */
  refused = 0;

  constructor(first: string, mostBytes = Number.POSITIVE_INFINITY) {
    this.all = [first];
    this.#numbers.set(first, 0);
    this.#most = mostBytes;
  }

  /** Size of all stored texts in UTF-16, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#bytes + 2 * text.length > this.#most) {
      this.refused += 1;
      return 0;
    }
    const number = this.all.length;
    // The text is copied, because a slice would keep the whole chunk of the file in memory from which it was cut.
    const own = text.length > 12 ? Buffer.from(text).toString() : text;
    this.all.push(own);
    this.#numbers.set(own, number);
    this.#bytes += 2 * own.length;
    return number;
  }
}

/**
 * Maximum number of spans; their columns need 1.7 GB, which most machines have. Neither a screen nor a reader can use
 * more.
 */
const MAX_SPANS = 40_000_000;
/**
 * Maximum number of lanes, because each needs a row in the page and a list in the builder. A file with more threads and
 * streams is malicious or damaged.
 */
const MAX_LANES = 20_000;
/** Maximum size of all arguments as text. Arguments that differ in every span would otherwise fill the memory. */
const MAX_DETAIL_BYTES = 64 * 2 ** 20;

export interface LaneDescription {
  readonly process: string;
  readonly name: string;
  readonly kind: LaneKind;
  readonly scope: number;
  /** Sort key: lanes are sorted by it in ascending order, then by their first span. */
  readonly order: number;
  /** Whether the lane is shown even if it has no spans, because an idle thread is informative. */
  readonly alwaysShown?: boolean;
}

export interface NewSpan {
  readonly lane: number;
  readonly name: string;
  readonly kind: SpanKind;
  readonly start_ns: number;
  readonly duration_ns: number;
  /** Correlation number, which links a launching call to the launched work; 0 for none. */
  readonly correlation?: number;
  readonly step?: number;
  /** JSON text of the SpanArguments. */
  readonly detail?: string;
}

export class TraceBuilder {
  readonly #names = new TextStore('');
  readonly #details = new TextStore('', MAX_DETAIL_BYTES);
  readonly #lanes: LaneDescription[] = [];
  readonly #lane = uint32Column();
  readonly #start = float64Column();
  readonly #duration = float64Column();
  readonly #name = uint32Column();
  readonly #kind = uint8Column();
  readonly #detail = uint32Column();
  readonly #correlation = uint32Column();
  readonly #step = uint32Column();
  readonly #flows: Flow[] = [];
  readonly #notes: string[] = [];

  get spanCount(): number {
    return this.#start.length;
  }

  /**
   * Adds a lane and returns its number. Its name can be changed later. Throws BraggError `memory` if there are too many
   * lanes.
   */
  addLane(lane: LaneDescription): number {
    if (this.#lanes.length >= MAX_LANES) {
      const limit = MAX_LANES.toLocaleString('en');
      throw new BraggError('memory', `it has more than ${limit} lanes (threads and streams), the maximum`);
    }
    this.#lanes.push(lane);
    return this.#lanes.length - 1;
  }

  renameLane(lane: number, change: Partial<LaneDescription>): void {
    const known = this.#lanes[lane];
    if (known !== undefined) this.#lanes[lane] = { ...known, ...change };
  }

  /** Adds a span and returns its number. Throws BraggError `memory` if there are too many spans. */
  addSpan(span: NewSpan): number {
    if (this.#start.length >= MAX_SPANS) {
      throw new BraggError('memory', `it has more than ${MAX_SPANS / 1e6} million spans, the maximum`);
    }
    this.#lane.push(span.lane);
    this.#start.push(span.start_ns);
    this.#duration.push(Math.max(0, span.duration_ns));
    this.#name.push(this.#names.numberOf(span.name));
    this.#kind.push(kindNumber(span.kind));
    this.#detail.push(span.detail === undefined ? 0 : this.#details.numberOf(span.detail));
    this.#correlation.push(span.correlation ?? 0);
    this.#step.push(span.step ?? NO_STEP);
    return this.#start.length - 1;
  }

  /** Sets the duration of a span whose end was not known when it was added. */
  setDuration(span: number, duration_ns: number): void {
    this.#duration.set(span, Math.max(0, duration_ns));
  }

  /** Changes the kind of a span that was not known when it was added. */
  setKind(span: number, kind: SpanKind): void {
    this.#kind.set(span, kindNumber(kind));
  }

  addFlow(flow: Flow): void {
    this.#flows.push(flow);
  }

  addNote(sentence: string): void {
    this.#notes.push(sentence);
  }

  build(about: Pick<Trace, 'source' | 'name' | 'about' | 'device'>): Trace {
    const start = this.#start.view();
    const duration = this.#duration.view();
    const laneOrder = this.#laneOrder();
    const place = new Uint32Array(this.#lanes.length);
    for (const [i, lane] of laneOrder.entries()) place[lane] = i;
    const byLane = this.#spansByLane(place);

    const lanes: TraceLane[] = [];
    const laneOf: number[] = [];
    const offsets: number[] = [];
    const order = new Uint32Array(start.length);
    let filled = 0;
    let crowded = 0;
    for (const [i, spans] of byLane.entries()) {
      const { process, name, kind, scope } = this.#lanes[laneOrder[i] ?? 0] as LaneDescription;
      sortByStart(spans, start, duration);
      const rows = assignRows(spans, start, duration);
      crowded += rows.crowded;
      const tracks = Math.max(1, rows.count);
      lanes.push({ process, name, kind, scope, firstTrack: offsets.length, tracks });
      const next = new Uint32Array(tracks);
      for (const row of rows.row) next[row] = (next[row] ?? 0) + 1;
      for (let row = 0; row < tracks; row += 1) {
        const size = next[row] ?? 0;
        offsets.push(filled);
        laneOf.push(i);
        next[row] = filled;
        filled += size;
      }
      for (const [k, span] of spans.entries()) {
        const row = rows.row[k] ?? 0;
        order[next[row] ?? 0] = span;
        next[row] = (next[row] ?? 0) + 1;
      }
    }
    offsets.push(filled);
    return this.#assemble(about, order, lanes, laneOf, offsets, crowded);
  }

  #assemble(
    about: Pick<Trace, 'source' | 'name' | 'about' | 'device'>,
    order: Uint32Array,
    lanes: readonly TraceLane[],
    laneOf: readonly number[],
    offsets: readonly number[],
    crowded: number,
  ): Trace {
    const all = this.#start.view();
    let origin = Number.POSITIVE_INFINITY;
    for (const value of all) if (value < origin) origin = value;
    const taken = <T extends Float64Array | Uint32Array | Uint8Array>(from: T, to: T): T => {
      for (const [i, span] of order.entries()) to[i] = from[span] ?? 0;
      return to;
    };
    const size = order.length;
    const start = taken(all, new Float64Array(size));
    for (let i = 0; i < size; i += 1) start[i] = (start[i] ?? 0) - origin;
    const duration = taken(this.#duration.view(), new Float64Array(size));
    const before = new Float64Array(size + 1);
    let duration_ns = 0;
    for (let i = 0; i < size; i += 1) {
      before[i + 1] = (before[i] ?? 0) + (duration[i] ?? 0);
      duration_ns = Math.max(duration_ns, (start[i] ?? 0) + (duration[i] ?? 0));
    }
    const kind = taken(this.#kind.view(), new Uint8Array(size));
    const laneNumbers = Uint32Array.from(laneOf);
    const trackOffsets = Uint32Array.from(offsets);
    const spanLane = new Uint32Array(size);
    for (const [track, lane] of laneNumbers.entries()) {
      spanLane.fill(lane, trackOffsets[track], trackOffsets[track + 1]);
    }
    const place = new Uint32Array(this.#lanes.length);
    for (const [i, lane] of this.#laneOrder().entries()) place[lane] = i;
    const moved = ({ lanes: ends, at }: FlowEnd): FlowEnd => ({
      lanes: ends.map((lane) => place[lane] ?? 0),
      at: at - origin,
    });
    const call = kindNumber('call');
    const shape = { lanes, offsets: trackOffsets, start, duration };
    const links = buildLinks({
      ...shape,
      correlation: taken(this.#correlation.view(), new Uint32Array(size)),
      launches: (span) => kind[span] === call,
      laneOfSpan: (span) => spanLane[span] ?? 0,
      flows: this.#flows.map(({ from, to }) => ({ from: moved(from), to: moved(to) })),
    });
    return {
      ...about,
      ...shape,
      laneOf: laneNumbers,
      before,
      longest: buildLongest(duration),
      nameOf: taken(this.#name.view(), new Uint32Array(size)),
      names: this.#names.all,
      tints: Uint8Array.from(this.#names.all, tintOf),
      kind,
      detailOf: taken(this.#detail.view(), new Uint32Array(size)),
      details: this.#details.all,
      step: taken(this.#step.view(), new Uint32Array(size)),
      links,
      duration_ns,
      notes: [...this.#notes, ...this.#buildNotes(crowded)],
    };
  }

  #buildNotes(crowded: number): readonly string[] {
    const notes: string[] = [];
    if (crowded > 0)
      notes.push(`${crowded} spans were shortened, because more than ${MAX_ROWS} spans of a lane overlap.`);
    const [copy, memset] = [kindNumber('copy'), kindNumber('memset')];
    // A note is needed if some copies have no size: the sum of bytes is then too small.
    const sized = this.#details.all.map((detail) => /"bytes":\d/.test(detail));
    let unsized = 0;
    for (const [span, kind] of this.#kind.view().entries()) {
      if ((kind === copy || kind === memset) && sized[this.#detail.view()[span] ?? 0] !== true) unsized += 1;
    }
    if (unsized > 0) notes.push(`The size of ${unsized} copies and fills is unknown: sums of bytes exclude them.`);
    const { refused } = this.#details;
    if (refused > 0) notes.push(`The arguments of ${refused} spans were omitted: there are too many different ones.`);
    return notes;
  }

  /** Lanes that have spans or are always shown, in display order. */
  #laneOrder(): readonly number[] {
    const used = new Set(this.#lane.view());
    return [...this.#lanes.keys()]
      .filter((lane) => used.has(lane) || this.#lanes[lane]?.alwaysShown === true)
      .sort((a, b) => (this.#lanes[a]?.order ?? 0) - (this.#lanes[b]?.order ?? 0) || a - b);
  }

  #spansByLane(place: Uint32Array): readonly Uint32Array[] {
    const lane = this.#lane.view();
    const counts = new Uint32Array(this.#laneOrder().length);
    for (const value of lane) {
      const at = place[value] ?? 0;
      counts[at] = (counts[at] ?? 0) + 1;
    }
    const spans = Array.from(counts, (count) => new Uint32Array(count));
    const filled = new Uint32Array(spans.length);
    for (const [span, value] of lane.entries()) {
      const at = place[value] ?? 0;
      const next = filled[at] ?? 0;
      const list = spans[at];
      if (list !== undefined) list[next] = span;
      filled[at] = next + 1;
    }
    return spans;
  }
}
