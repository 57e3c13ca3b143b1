/**
 * Splits the JSON of a Chrome trace into events while the file is being read. A byte scanner finds the begin and end of
 * each element of the events array, and passes on its text. Memory use is one chunk plus one event, whatever the size
 * of the file. Two forms are accepted: an object with the key `traceEvents`, or an array, whose closing bracket is
 * optional in the format.
 */
import { BraggError } from '../../../../contract/errors.ts';

/** Maximum size of an event in bytes. No profiler writes larger ones; a missing quote makes an event appear larger. */
const LARGEST_EVENT_BYTES = 16 * 2 ** 20;
/** Pattern for the end of an event and the beginning of the next. */
const NEXT_EVENT = /\}\s*,\s*(?=\{\s*")/g;
/** Maximum number of damaged events in a file; each of them is read twice. */
const MAX_DAMAGED = 64;
/** Maximum size of other values in the outer object, such as device properties. Larger values are skipped. */
const LARGEST_VALUE_BYTES = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const [COMMA, COLON] = [0x2c, 0x3a];

const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;

type Mode =
  | 'begin'
  /** Within the outer object, before a key, a comma or the end of the object. */
  | 'key'
  | 'in-key'
  | 'colon'
  | 'value'
  /** Within a value of the outer object other than the events array; its text is collected. */
  | 'in-value'
  /** Within the events array, between two events. */
  | 'events'
  | 'in-event'
  | 'end';

interface JsonEventsSink {
  /** Receives the JSON of an event. `offset` is its position in the uncompressed file. */
  event(text: string, offset: number): void;
  /** Receives the text of a damaged event, if a later event was found. */
  damaged(text: string, offset: number): void;
  /** Receives another value of the outer object. `text` is null if the value is too long to be stored. */
  value(key: string, text: string | null): void;
}

export class JsonEvents {
  readonly #sink: JsonEventsSink;
  #mode: Mode = 'begin';
  /** Whether the file is an array of events, without an outer object. */
  #bare = false;
  #sawEvents = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #key = '';
  /** Parts of the current item (event or value) in earlier chunks. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #dropped = false;
  #itemOffset = 0;
  /** Position of the current chunk in the uncompressed file, in bytes. */
  #offset = 0;
  #events = 0;
  #damaged = 0;

  constructor(sink: JsonEventsSink) {
    this.#sink = sink;
  }

  get eventCount(): number {
    return this.#events;
  }

  /** Scans the next chunk. Throws BraggError `foreign-file`, with the position, if the file stops being a trace. */
  push(chunk: Buffer): void {
    let from = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      const c = chunk[i] ?? 0;
      switch (this.#mode) {
        case 'in-event':
        case 'in-value':
        case 'in-key':
          i = this.#scanItem(chunk, i, from);
          if (this.#isStoring()) {
            // The item continues in the next chunk.
            this.#storePart(chunk.subarray(from));
            from = chunk.length;
          } else from = i + 1;
          break;
        default:
          if (isSpace(c)) break;
          if (this.#scanBetweenItems(c, this.#offset + i)) from = i;
      }
    }
    if (this.#isStoring() && from < chunk.length) this.#storePart(chunk.subarray(from));
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
   * Continues after a damaged event. In an event with a missing or extra quote, the scanner confuses text and structure
   * from that quote on. Returns false if no further event is found.
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

  /** Call after the last chunk. Throws BraggError `foreign-file` if the file is truncated. */
  end(): void {
    if (this.#mode === 'in-event') {
      if (this.#resume()) {
        this.end();
        return;
      }
      const text = Buffer.concat(this.#parts).toString('latin1');
      if (invalidJsonPosition(text) !== null) {
        // A quote is missing in this event, so the rest of the file was scanned as one string.
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
        // An array of events need not be closed, so that killed programs leave a valid file.
        if (this.#bare) return;
        throw new BraggError('foreign-file', place);
      default:
        throw new BraggError('foreign-file', place);
    }
  }

  #isStoring(): boolean {
    return this.#mode === 'in-event' || this.#mode === 'in-value' || this.#mode === 'in-key';
  }

  /** Handles a byte between items. Returns true if an item begins with it. */
  #scanBetweenItems(c: number, offset: number): boolean {
    switch (this.#mode) {
      case 'begin':
        // The first three bytes may be a UTF-8 byte order mark.
        if (offset < 3 && (c === 0xef || c === 0xbb || c === 0xbf)) return false;
        if (c === OPEN_ARRAY) {
          this.#bare = true;
          this.#mode = 'events';
          return false;
        }
        if (c !== OPEN_OBJECT) throw this.#syntaxError(c, offset, 'a JSON object or array');
        this.#mode = 'key';
        return false;
      case 'key':
        if (c === COMMA) return false;
        if (c === CLOSE_OBJECT) {
          this.#mode = 'end';
          return false;
        }
        if (c !== QUOTE) throw this.#syntaxError(c, offset, 'a name in quotes');
        this.#begin('in-key', offset);
        this.#inString = true;
        return true;
      case 'colon':
        if (c !== COLON) throw this.#syntaxError(c, offset, 'a colon');
        this.#mode = 'value';
        return false;
      case 'value':
        if (this.#key === 'traceEvents') {
          if (c !== OPEN_ARRAY) throw this.#syntaxError(c, offset, 'the list of events');
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
        if (c !== OPEN_OBJECT) throw this.#syntaxError(c, offset, 'an event');
        this.#begin('in-event', offset);
        this.#depth = 1;
        return true;
      default:
        throw this.#syntaxError(c, offset, 'the end of the file');
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

  /** Scans an event, a value or a key. Returns the index of the last scanned byte. */
  #scanItem(chunk: Buffer, start: number, from: number): number {
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
          // The byte that ends a number or a word may also end the enclosing object, so it is scanned again.
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

  #storePart(part: Buffer): void {
    if (this.#dropped) return;
    if (this.#mode !== 'in-event' && this.#partBytes + part.length > LARGEST_VALUE_BYTES) {
      this.#dropped = true;
      this.#parts = [];
      return;
    }
    // The part is copied, because the reader reuses the memory of its chunks.
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

  #syntaxError(c: number, offset: number, wanted: string): BraggError {
    const shown = c >= 0x20 && c < 0x7f ? JSON.stringify(String.fromCharCode(c)) : `byte ${c}`;
    return new BraggError('foreign-file', `at byte ${offset}: ${shown} instead of ${wanted}`);
  }
}

/**
 * Position at which a text stops being valid JSON. Null if the text is truncated, or if the JavaScript engine does not
 * report the position.
 */
export function invalidJsonPosition(json: string): number | null {
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
