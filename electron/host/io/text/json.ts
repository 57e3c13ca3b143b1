/**
 * Strict JSON parser that reports positions. JSON.parse reports none, and silently accepts duplicate keys. NaN and
 * Infinity are read as numbers, so that the schema can reject them with their path. The package jsonc-parser is not
 * used: it is larger (4.6 kB instead of 3.2 kB), repairs errors instead of reporting the first, and overflows the stack
 * on deep nesting.
 */
import {
  MAX_NESTING,
  type ParsedText,
  type SourceEntry,
  type SourceNode,
  type TextError,
  TOO_DEEP_TEXT,
} from './source.ts';

class JsonError extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const wordToken = /[-+.\w$]+/y;
const literalWords: ReadonlyMap<string, number | boolean | null> = new Map<string, number | boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

class JsonReader {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  document(): SourceNode {
    const root = this.value(0);
    this.skipSpace();
    if (this.at < this.text.length) throw this.unexpectedError('the end of the file');
    return root;
  }

  private skipSpace(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'end')) this.at += 1;
    const two = this.text.slice(this.at, this.at + 2);
    if (two === '//' || two === '/*' || two.startsWith('#')) {
      throw new JsonError(this.at, 'comments are not part of JSON; write them as "notes", or use a .yaml file');
    }
  }

  private unexpectedError(wanted: string): JsonError {
    const found = this.at < this.text.length ? JSON.stringify(this.text[this.at]) : 'the end of the file';
    return new JsonError(this.at, `expected ${wanted}, found ${found}`);
  }

  private value(depth: number): SourceNode {
    this.skipSpace();
    if (depth > MAX_NESTING) throw new JsonError(this.at, TOO_DEEP_TEXT);
    const at = this.at;
    switch (this.text[at]) {
      case '{':
        return this.map(depth);
      case '[':
        return this.list(depth);
      case '"':
        return { kind: 'scalar', at, value: this.string() };
      case "'":
        throw new JsonError(at, 'text needs double quotes in JSON');
      default:
        return { kind: 'scalar', at, value: this.parseLiteral() };
    }
  }

  private parseLiteral(): number | boolean | null {
    const at = this.at;
    wordToken.lastIndex = at;
    const word = wordToken.exec(this.text)?.[0];
    if (word === undefined) throw this.unexpectedError('a value');
    this.at += word.length;
    const known = literalWords.get(word);
    if (known !== undefined) return known;
    numberToken.lastIndex = at;
    if (numberToken.exec(this.text)?.[0] === word) return Number(word);
    const shown = word.length > 40 ? `${word.slice(0, 40)}…` : word;
    const isNumeric = /^[-+.]?\d/.test(word);
    throw new JsonError(
      at,
      isNumeric ? `${shown} is not a JSON number` : `${shown} is not JSON; text needs double quotes`,
    );
  }

  private string(): string {
    const start = this.at;
    for (let i = start + 1; i < this.text.length; i += 1) {
      const code = this.text.charCodeAt(i);
      if (code === 0x22) {
        this.at = i + 1;
        return this.unescape(start, i + 1);
      }
      if (code === 0x5c) i += 1;
      else if (code < 0x20) throw new JsonError(i, 'a line break or control character inside text; write \\n or \\t');
    }
    throw new JsonError(start, 'this text has no closing quote');
  }

  private unescape(from: number, to: number): string {
    try {
      return JSON.parse(this.text.slice(from, to)) as string;
    } catch {
      throw new JsonError(from, 'this text has a backslash that does not start a JSON escape');
    }
  }

  private list(depth: number): SourceNode {
    const at = this.at;
    const items: SourceNode[] = [];
    this.at += 1;
    this.skipSpace();
    if (this.text[this.at] !== ']') {
      do items.push(this.value(depth + 1));
      while (this.moveToNext(']'));
    }
    this.at += 1;
    return { kind: 'list', at, items };
  }

  private map(depth: number): SourceNode {
    const at = this.at;
    const entries: SourceEntry[] = [];
    this.at += 1;
    this.skipSpace();
    if (this.text[this.at] !== '}') {
      do entries.push(this.entry(depth));
      while (this.moveToNext('}'));
    }
    this.at += 1;
    return { kind: 'map', at, entries };
  }

  private entry(depth: number): SourceEntry {
    this.skipSpace();
    const keyAt = this.at;
    if (this.text[keyAt] !== '"') throw this.unexpectedError('a key in double quotes');
    const key = this.string();
    this.skipSpace();
    if (this.text[this.at] !== ':') throw this.unexpectedError(`':' after the key ${JSON.stringify(key)}`);
    this.at += 1;
    return { key, keyAt, value: this.value(depth + 1) };
  }

  /** Moves to the next entry after a comma and returns true; returns false at the closing bracket. */
  private moveToNext(close: string): boolean {
    this.skipSpace();
    if (this.text[this.at] === close) return false;
    if (this.text[this.at] !== ',') throw this.unexpectedError(`',' or '${close}'`);
    const comma = this.at;
    this.at += 1;
    this.skipSpace();
    if (this.text[this.at] === close) throw new JsonError(comma, `a comma before '${close}' is not allowed in JSON`);
    return true;
  }
}

/** Parses a document. Reports only the first syntax error, because the text after it cannot be interpreted. */
export function parseJson(text: string): ParsedText {
  try {
    return { root: new JsonReader(text).document(), faults: [] };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const fault: TextError = { at: error.at, message: error.message };
    return { root: null, faults: [fault] };
  }
}

/**
 * Rephrases an error of the schema library for the author of the file: the allowed values, without internals of the
 * program.
 */
export const rephraseSchemaError = (message: string): string =>
  message
    .replace(/^Invalid input: expected (.+), received undefined$/, 'is missing; allowed: $1')
    .replace(/^Invalid input: expected (.+), received (.+)$/, 'is of type $2; allowed: $1')
    .replace(/^Too (small|big): expected .+ to (?:be|have) ([<>]=?)(.+)$/, 'is too $1; allowed: $2 $3')
    .replace(/^Invalid (?:input|option): /, '');
