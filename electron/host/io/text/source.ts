/**
 * Document trees of JSON and YAML texts, with the position of every value. The YAML parser accepts the subset that
 * scenarios need. It rejects anchors, tags and further documents: scenarios do not need them, and anchors let a small
 * file expand to a large document.
 */
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
} from 'yaml';
import type { Path } from '../../../contract/scenario/index.ts';

/** A value of a document. `at` is the offset in the text where it begins. */
export type SourceNode =
  | { readonly kind: 'scalar'; readonly at: number; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly at: number; readonly items: readonly SourceNode[] }
  | { readonly kind: 'map'; readonly at: number; readonly entries: readonly SourceEntry[] };

export interface SourceEntry {
  readonly key: string;
  readonly keyAt: number;
  readonly value: SourceNode;
}

/** A syntax error in the text. */
export interface TextError {
  readonly at: number;
  readonly message: string;
}

export interface ParsedText {
  /** Root of the document; null if the text has a syntax error. */
  readonly root: SourceNode | null;
  readonly faults: readonly TextError[];
}

/** Maximum depth of nesting. Scenarios are less deep; deeper documents could overflow the stack. */
export const MAX_NESTING = 32;

export const TOO_DEEP_TEXT = `is nested deeper than ${MAX_NESTING} levels, the limit for scenarios`;

/** Converts a tree to plain JSON values. If a key is duplicated, its last value is used. */
export function plainValue(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
}

/** An error for each duplicate key in the tree. */
export function duplicateKeys(node: SourceNode): readonly TextError[] {
  if (node.kind === 'scalar') return [];
  if (node.kind === 'list') return node.items.flatMap(duplicateKeys);
  const seen = new Set<string>();
  const faults: TextError[] = [];
  for (const { key, keyAt, value } of node.entries) {
    if (seen.has(key)) {
      faults.push({
        at: keyAt,
        message: `the key ${JSON.stringify(key)} is given twice in the same object; allowed: once`,
      });
    }
    seen.add(key);
    faults.push(...duplicateKeys(value));
  }
  return faults;
}

type MapNode = Extract<SourceNode, { kind: 'map' }>;

/** Index by key for objects with many entries. A linear search for each of many issues would be slow. */
const cachedEntries = new WeakMap<MapNode, ReadonlyMap<string, SourceEntry>>();
const MANY_ENTRIES = 50;

/** Entry of an object by key; the last one if the key is duplicated. */
function findEntry(node: MapNode, step: string | number): SourceEntry | undefined {
  if (node.entries.length < MANY_ENTRIES) return node.entries.findLast(({ key }) => key === step);
  const known = cachedEntries.get(node) ?? new Map(node.entries.map((entry) => [entry.key, entry]));
  cachedEntries.set(node, known);
  return known.get(String(step));
}

const childrenOf = (node: SourceNode): readonly SourceNode[] =>
  node.kind === 'list' ? node.items : node.kind === 'map' ? node.entries.map(({ value }) => value) : [];

/** Number of values in a tree, including lists and objects. Stops counting above `most`. */
export function countValues(node: SourceNode, most: number): number {
  let count = 1;
  for (const each of childrenOf(node)) {
    if (count > most) break;
    count += countValues(each, most - count);
  }
  return count;
}

/** Offset of the first object with more than `most` keys; null if there is none. */
export function findObjectWithMoreKeys(node: SourceNode, most: number): number | null {
  if (node.kind === 'map' && node.entries.length > most) return node.at;
  for (const each of childrenOf(node)) {
    const found = findObjectWithMoreKeys(each, most);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Offset of the value at `path`, or of its key if `atKey` is true. If the document does not contain the path: offset of
 * the innermost enclosing value.
 */
export function offsetOfPath(root: SourceNode, path: Path, atKey: boolean): number {
  let node = root;
  let at = root.at;
  for (const step of path) {
    if (node.kind === 'list' && typeof step === 'number') {
      const item = node.items[step];
      if (item === undefined) return at;
      node = item;
      at = item.at;
    } else if (node.kind === 'map') {
      const toSourceEntry = findEntry(node, step);
      if (toSourceEntry === undefined) return at;
      node = toSourceEntry.value;
      at = toSourceEntry.keyAt;
    } else {
      return at;
    }
  }
  return atKey ? at : node.at;
}

interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** Offset of the first character of each line. */
export function lineStarts(text: string): Uint32Array {
  const starts = [0];
  for (const end of text.matchAll(/\r\n?|\n/g)) starts.push(end.index + end[0].length);
  return Uint32Array.from(starts);
}

/** Converts offsets to lines and columns, which start with 1. */
export class LineIndex {
  private readonly starts: Uint32Array;

  constructor(text: string | Uint32Array) {
    this.starts = typeof text === 'string' ? lineStarts(text) : text;
  }

  positionOf(offset: number): LineColumn {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 };
  }
}

/** Maximum size of the YAML parser's stack: it has up to three entries per level of nesting. */
const MAX_PARSER_STACK = 3 * MAX_NESTING + 8;

class YamlError extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/**
 * Tokens of the YAML text. Throws for too deep nesting here, before a recursive function of the library processes them.
 */
function readTokens(text: string): CST.Token[] {
  const parser = new Parser();
  const all: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) all.push(token);
    if (parser.stack.length > MAX_PARSER_STACK) throw new YamlError(parser.offset, TOO_DEEP_TEXT);
  }
  for (const token of parser.end()) all.push(token);
  return all;
}

/** First line of the YAML library's message; an excerpt of the text follows in further lines. */
function firstLine(message: string): string {
  const line = message.split('\n')[0] ?? '';
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

function yamlRuleErrors(document: Document.Parsed): TextError[] {
  const found = [...document.errors, ...document.warnings.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')];
  const faults = found.map(({ pos, message }) => ({ at: pos[0], message: firstLine(message) }));
  const version = document.directives.yaml;
  if (version.explicit && version.version !== '1.2') {
    faults.push({ at: 0, message: `YAML ${version.version} reads on, off and numbers differently; allowed: YAML 1.2` });
  }
  return faults;
}

function toSourceNode(node: ParsedNode | null, at: number, depth: number, faults: TextError[]): SourceNode {
  if (node === null) return { kind: 'scalar', at, value: null };
  const here = node.range[0];
  if (depth > MAX_NESTING) throw new YamlError(here, TOO_DEEP_TEXT);
  if (isAlias(node)) {
    faults.push({ at: here, message: 'aliases (*name) are not supported; write the value out' });
    return { kind: 'scalar', at: here, value: null };
  }
  if (node.anchor !== undefined) faults.push({ at: here, message: 'anchors (&name) are not supported' });
  if (node.tag !== undefined) {
    faults.push({ at: here, message: 'tags (!name) are not supported' });
    return { kind: 'scalar', at: here, value: null };
  }
  if (isSeq<ParsedNode>(node)) {
    return { kind: 'list', at: here, items: node.items.map((item) => toSourceNode(item, here, depth + 1, faults)) };
  }
  if (isMap<ParsedNode, ParsedNode | null>(node)) {
    const entries = node.items.map((pair) => entry(pair.key, pair.value, depth, faults));
    return { kind: 'map', at: here, entries };
  }
  return { kind: 'scalar', at: here, value: scalarValue(node, here, faults) };
}

function entry(key: ParsedNode, value: ParsedNode | null, depth: number, faults: TextError[]): SourceEntry {
  const keyAt = key.range[0];
  if (!isScalar(key) || key.anchor !== undefined || key.tag !== undefined) {
    faults.push({ at: keyAt, message: 'a key must be a plain word' });
    return { key: '?', keyAt, value: { kind: 'scalar', at: keyAt, value: null } };
  }
  return { key: String(key.value), keyAt, value: toSourceNode(value, keyAt, depth + 1, faults) };
}

function scalarValue(node: ParsedNode, at: number, faults: TextError[]): string | number | boolean | null {
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  faults.push({ at, message: 'this value is neither text, number, true, false nor null' });
  return null;
}

export function parseYaml(text: string): ParsedText {
  try {
    const composer = new Composer({
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
      schema: 'core',
      version: '1.2',
    });
    const documents = [...composer.compose(readTokens(text), true, text.length)];
    const document = documents[0];
    if (document === undefined || document.contents === null) {
      return {
        root: null,
        faults: [...(document ? yamlRuleErrors(document) : []), { at: 0, message: 'the file is empty' }],
      };
    }
    const faults = yamlRuleErrors(document);
    const second = documents[1];
    if (second) faults.push({ at: second.range[0], message: 'a second document begins here; allowed: one document' });
    if (document.errors.length > 0) return { root: null, faults };
    return { root: toSourceNode(document.contents, 0, 0, faults), faults };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { root: null, faults: [{ at: error.at, message: error.message }] };
  }
}
