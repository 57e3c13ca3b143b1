/** Documents with the place of every value in the text, whether JSON or YAML. */
import type { Path } from '../../../contract/scenario/index.ts';

/** A value and the offset in the text where it begins. */
export type SourceNode =
  | { readonly kind: 'scalar'; readonly at: number; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly at: number; readonly items: readonly SourceNode[] }
  | { readonly kind: 'map'; readonly at: number; readonly entries: readonly SourceEntry[] };

export interface SourceEntry {
  readonly key: string;
  readonly keyAt: number;
  readonly value: SourceNode;
}

/** Something wrong with the text itself. */
export interface TextFault {
  readonly at: number;
  readonly message: string;
}

export interface ParsedText {
  /** Null if the text is no document. */
  readonly root: SourceNode | null;
  readonly faults: readonly TextFault[];
}

/** Deeper nesting than this is no scenario, and would only exhaust the stack. */
export const deepestNesting = 32;

export const tooDeep = `is nested deeper than ${deepestNesting} levels, which no scenario is`;

/** The value as plain JSON. Of duplicate keys the last one counts. */
export function plainValue(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
}

/** Duplicate keys in an object. */
export function duplicateKeys(node: SourceNode): readonly TextFault[] {
  if (node.kind === 'scalar') return [];
  if (node.kind === 'list') return node.items.flatMap(duplicateKeys);
  const seen = new Set<string>();
  const faults: TextFault[] = [];
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

/** Index by key for objects with many entries, as a linear search for each of many issues would be slow. */
const byKey = new WeakMap<MapNode, ReadonlyMap<string, SourceEntry>>();
const MANY_ENTRIES = 50;

/** The last entry of a duplicate key counts. */
function entryOf(node: MapNode, step: string | number): SourceEntry | undefined {
  if (node.entries.length < MANY_ENTRIES) return node.entries.findLast(({ key }) => key === step);
  const known = byKey.get(node) ?? new Map(node.entries.map((entry) => [entry.key, entry]));
  byKey.set(node, known);
  return known.get(String(step));
}

const innerOf = (node: SourceNode): readonly SourceNode[] =>
  node.kind === 'list' ? node.items : node.kind === 'map' ? node.entries.map(({ value }) => value) : [];

/** Values of a document, with those that only hold others. Stops counting past `most`. */
export function countValues(node: SourceNode, most: number): number {
  let count = 1;
  for (const each of innerOf(node)) {
    if (count > most) break;
    count += countValues(each, most - count);
  }
  return count;
}

/** Offset of the first object with more than `most` keys; null without one. */
export function firstWithMoreKeys(node: SourceNode, most: number): number | null {
  if (node.kind === 'map' && node.entries.length > most) return node.at;
  for (const each of innerOf(node)) {
    const found = firstWithMoreKeys(each, most);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Offset of the value at `path`, of its key if `atKey`; of the nearest thing
 * around it where the path is not in the text.
 */
export function offsetOf(root: SourceNode, path: Path, atKey: boolean): number {
  let node = root;
  let at = root.at;
  for (const step of path) {
    if (node.kind === 'list' && typeof step === 'number') {
      const item = node.items[step];
      if (item === undefined) return at;
      node = item;
      at = item.at;
    } else if (node.kind === 'map') {
      const entry = entryOf(node, step);
      if (entry === undefined) return at;
      node = entry.value;
      at = entry.keyAt;
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

/** Offsets at which lines begin. */
export function lineStarts(text: string): Uint32Array {
  const starts = [0];
  for (const end of text.matchAll(/\r\n?|\n/g)) starts.push(end.index + end[0].length);
  return Uint32Array.from(starts);
}

/** Turns offsets into 1-based lines and columns. */
export class LineIndex {
  private readonly starts: Uint32Array;

  constructor(text: string | Uint32Array) {
    this.starts = typeof text === 'string' ? lineStarts(text) : text;
  }

  at(offset: number): LineColumn {
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
