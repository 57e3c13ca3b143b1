/**
 * Splits a Chrome trace into its events while it is read. A byte scanner finds the beginning and end of each element of
 * the events array, and passes its text on. Memory use is one chunk and one event, whatever the file's size. Two forms
 * are accepted: an object with `traceEvents`, and a bare array, whose closing bracket is optional in the format.
 */
import { BraggError } from '../../../../contract/errors.ts';

/** Limit of an event's size. No profiler writes larger ones, so a quote is missing in such an event. */
const LARGEST_EVENT_BYTES = 16 * 2 ** 20;
/** End of an event and beginning of the next one. */
const NEXT_EVENT = /\}\s*,\s*(?=\{\s*")/g;
/** Largest number of damaged events in one file, because each is read twice. */
const MAX_DAMAGED = 64;
/** Size limit of other values in the object, such as device properties; larger ones are skipped. */
const LARGEST_VALUE_BYTES = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const [COMMA, COLON] = [0x2c, 0x3a];

const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;

type Mode =
  | 'begin'
  /** In the outer object, before a key, a comma or its end. */
  | 'key'
  | 'in-key'
  | 'colon'
  | 'value'
  /** In a value other than the events array, whose text is collected. */
  | 'in-value'
  /** In the events array, between events. */
  | 'events'
  | 'in-event'
  | 'end';

interface JsonEventsSink {
  /** JSON of one event; `offset` is its position in the uncompressed file. */
  event(text: string, offset: number): void;
  /** Text of a damaged event, after which a later event was found. */
  damaged(text: string, offset: number): void;
  /** Another value of the outer object; text is null if the value was too long to store. */
  value(key: string, text: string | null): void;
}

export class JsonEvents {
  readonly #sink: JsonEventsSink;
  #mode: Mode = 'begin';
  /** Whether the outermost value is the array itself. */
  #bare = false;
  #sawEvents = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #key = '';
  /** Parts of the current item from earlier chunks. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #dropped = false;
  #itemOffset = 0;
  /** Position of the current chunk in the file, in bytes. */
  #offset = 0;
  #events = 0;
  #damaged = 0;

  constructor(sink: JsonEventsSink) {
    this.#sink = sink;
  }

  get events(): number {
    return this.#events;
  }

  /** Scans the next chunk. Throws BraggError `foreign-file` with the position at which the file stops being a trace. */
  push(chunk: Buffer): void {
    let from = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      const c = chunk[i] ?? 0;
      switch (this.#mode) {
        case 'in-event':
        case 'in-value':
        case 'in-key':
          i = this.#within(chunk, i, from);
          if (this.#taking()) {
            // The chunk ended before the item.
            this.#keepPart(chunk.subarray(from));
            from = chunk.length;
          } else from = i + 1;
          break;
        default:
          if (isSpace(c)) break;
          if (this.#between(c, this.#offset + i)) from = i;
      }
    }
    if (this.#taking() && from < chunk.length) this.#keepPart(chunk.subarray(from));
    this.#offset += chunk.length;
    if (this.#mode !== 'in-event' || this.#partBytes <= LARGEST_EVENT_BYTES) return;
    if (!this.#resume()) {
      throw new BraggError(
        'foreign-file',
        `the event at byte ${this.#itemOffset} has more than ${LARGEST_EVENT_BYTES / 2 ** 20} MiB`,
      );
    }
  }

  /**
   * Continues with the next event after one with a missing or extra quote, from which on the scanner confused text and
   * structure. Returns false if no further event follows.
   */
  #resume(): boolean {
    if (this.#damaged >= MAX_DAMAGED) return false;
    const whole = Buffer.concat(this.#parts);
    const text = whole.toString('latin1');
    NEXT_EVENT.lastIndex = 0;
    const next = NEXT_EVENT.exec(text);
    if (next === null) return false;
    this.#sink.damaged(text.slice(0, next.index + 1), this.#itemOffset);
    this.#damaged += 1;
    this.#events += 1;
    this.#mode = 'events';
    this.#parts = [];
    this.#partBytes = 0;
    this.#offset = this.#itemOffset + next.index + 1;
    this.push(whole.subarray(next.index + 1));
    return true;
  }

  /** Checks that the input was complete. Throws BraggError `foreign-file`. */
  end(): void {
    if (this.#mode === 'in-event') {
      if (this.#resume()) {
        this.end();
        return;
      }
      const text = Buffer.concat(this.#parts).toString('latin1');
      if (brokenAt(text) !== null) {
        // The rest of the file was read as a string of this event.
        this.#sink.damaged(text, this.#itemOffset);
        return;
      }
    }
    const events = this.#events === 1 ? 'one event' : `${this.#events} events`;
    const place = `it is truncated after ${this.#offset} bytes and ${events}`;
    switch (this.#mode) {
      case 'begin':
        throw new BraggError('foreign-file', 'it is empty');
      case 'end':
        if (!this.#bare && !this.#sawEvents) {
          throw new BraggError('foreign-file', 'it is JSON without a list "traceEvents", so not a Chrome trace');
        }
        return;
      case 'events':
        // The format allows a bare array to remain open, for programs that were killed.
        if (this.#bare) return;
        throw new BraggError('foreign-file', place);
      default:
        throw new BraggError('foreign-file', place);
    }
  }

  #taking(): boolean {
    return this.#mode === 'in-event' || this.#mode === 'in-value' || this.#mode === 'in-key';
  }

  /** Handles a byte outside events and values. Returns true if an item begins with it. */
  #between(c: number, offset: number): boolean {
    switch (this.#mode) {
      case 'begin':
        // A UTF-8 byte order mark has three bytes.
        if (offset < 3 && (c === 0xef || c === 0xbb || c === 0xbf)) return false;
        if (c === OPEN_ARRAY) {
          this.#bare = true;
          this.#mode = 'events';
          return false;
        }
        if (c !== OPEN_OBJECT) throw this.#foreign(c, offset, 'a JSON object or array');
        this.#mode = 'key';
        return false;
      case 'key':
        if (c === COMMA) return false;
        if (c === CLOSE_OBJECT) {
          this.#mode = 'end';
          return false;
        }
        if (c !== QUOTE) throw this.#foreign(c, offset, 'a name in quotes');
        this.#begin('in-key', offset);
        this.#inString = true;
        return true;
      case 'colon':
        if (c !== COLON) throw this.#foreign(c, offset, 'a colon');
        this.#mode = 'value';
        return false;
      case 'value':
        if (this.#key === 'traceEvents') {
          if (c !== OPEN_ARRAY) throw this.#foreign(c, offset, 'the list of events');
          this.#sawEvents = true;
          this.#mode = 'events';
          return false;
        }
        this.#begin('in-value', offset);
        if (c === QUOTE) this.#inString = true;
        else if (c === OPEN_OBJECT || c === OPEN_ARRAY) this.#depth = 1;
        return true;
      case 'events':
        if (c === COMMA) return false;
        if (c === CLOSE_ARRAY) {
          this.#mode = this.#bare ? 'end' : 'key';
          return false;
        }
        if (c !== OPEN_OBJECT) throw this.#foreign(c, offset, 'an event');
        this.#begin('in-event', offset);
        this.#depth = 1;
        return true;
      default:
        throw this.#foreign(c, offset, 'the end of the file');
    }
  }

  #begin(mode: Mode, offset: number): void {
    this.#mode = mode;
    this.#itemOffset = offset;
    this.#parts = [];
    this.#partBytes = 0;
    this.#dropped = false;
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
  }

  /** Scans an event, a value or a key; returns the last index that was read. */
  #within(chunk: Buffer, start: number, from: number): number {
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    for (let i = start; i < chunk.length; i += 1) {
      const c = chunk[i] ?? 0;
      if (inString) {
        if (escaped) escaped = false;
        else if (c === BACKSLASH) escaped = true;
        else if (c === QUOTE) {
          inString = false;
          if (depth === 0) {
            this.#finish(chunk, from, i + 1);
            return i;
          }
        }
      } else if (c === QUOTE) inString = true;
      else if (c === OPEN_OBJECT || c === OPEN_ARRAY) depth += 1;
      else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) {
        if (depth === 0) {
          // A number or word ends at the end of the enclosing object, so this byte is scanned again.
          this.#finish(chunk, from, i);
          return i - 1;
        }
        depth -= 1;
        if (depth === 0) {
          this.#finish(chunk, from, i + 1);
          return i;
        }
      } else if (depth === 0 && c === COMMA) {
        this.#finish(chunk, from, i);
        return i;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    return chunk.length - 1;
  }

  #keepPart(part: Buffer): void {
    if (this.#dropped) return;
    if (this.#mode !== 'in-event' && this.#partBytes + part.length > LARGEST_VALUE_BYTES) {
      this.#dropped = true;
      this.#parts = [];
      return;
    }
    // Copied, because the reader reuses its chunks.
    this.#parts.push(Buffer.from(part));
    this.#partBytes += part.length;
  }

  #finish(chunk: Buffer, from: number, to: number): void {
    const mode = this.#mode;
    const tail = chunk.subarray(Math.min(from, to), to);
    const whole = this.#parts.length === 0 ? tail : Buffer.concat([...this.#parts, tail]);
    const text = this.#dropped || whole.length > LARGEST_EVENT_BYTES ? null : whole.toString('utf8');
    this.#parts = [];
    if (mode === 'in-event') {
      this.#mode = 'events';
      this.#events += 1;
      if (text !== null) this.#sink.event(text, this.#itemOffset);
      return;
    }
    if (mode === 'in-key') {
      this.#mode = 'colon';
      this.#key = keyText(text ?? '""', this.#itemOffset);
      return;
    }
    this.#mode = 'key';
    this.#sink.value(this.#key, text);
  }

  #foreign(c: number, offset: number, wanted: string): BraggError {
    const shown = c >= 0x20 && c < 0x7f ? JSON.stringify(String.fromCharCode(c)) : `byte ${c}`;
    return new BraggError('foreign-file', `at byte ${offset}: ${shown} instead of ${wanted}`);
  }
}

/** Position at which a text stops being JSON. Null if the engine does not report it, or if the text is truncated. */
export function brokenAt(json: string): number | null {
  try {
    JSON.parse(json);
    return null;
  } catch (error) {
    const at = Number(/ at position (\d+)/.exec((error as Error).message)?.[1] ?? Number.NaN);
    return at < json.trimEnd().length ? at : null;
  }
}

function keyText(json: string, offset: number): string {
  try {
    return String(JSON.parse(json));
  } catch {
    throw new BraggError('foreign-file', `the name at byte ${offset} is not JSON`);
  }
}
