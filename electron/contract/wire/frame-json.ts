/** A frame's value as JSON, with nulls where arrays and long texts stood, and those with their places. */
import type { NumericArray } from './arrays.ts';

export const MAX_PATH = 32;
/** Longer ones are sections: they count for the frame, and not for its header. */
const LONG_TEXT = 2 ** 16;
export const TEXT = 'text';
/** Values that are written at once: a millisecond or two. */
const WHOLE = 4000;
/** Characters that count as one value. */
const CHARACTERS = 64;

export class FrameError extends Error {
  override readonly name: string = 'FrameError';
}

const typeOfTag: Readonly<Record<string, string>> = {
  Uint8Array: 'u8',
  Int8Array: 'i8',
  Uint16Array: 'u16',
  Int16Array: 'i16',
  Uint32Array: 'u32',
  Int32Array: 'i32',
  Float32Array: 'f32',
  Float64Array: 'f64',
  BigUint64Array: 'u64',
};

type Path = readonly (string | number)[];
export type Section = { readonly type: string; readonly path: Path; readonly array: NumericArray };

/** UTF-8 has no halves of pairs: a text with one stays in the JSON. */
const isLongText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > LONG_TEXT && value.isWellFormed();

/** JSON has it as it is. */
function isCarried(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || (typeof value !== 'object' && !isLongText(value));
}

/** The value with nulls where typed arrays stood, and those arrays with their places. */
function takeSections(value: unknown, path: Path, sections: Section[]): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new FrameError(`${path.join('.') || 'the value'} is ${value}, which JSON cannot carry`);
  }
  if (isLongText(value)) {
    sections.push({ type: TEXT, path, array: new TextEncoder().encode(value) });
    return null;
  }
  if (value === null || typeof value !== 'object') return value;
  if (path.length > MAX_PATH) throw new FrameError(`the value is nested deeper than ${MAX_PATH} levels`);
  if (ArrayBuffer.isView(value)) {
    const type = typeOfTag[String(Reflect.get(value, Symbol.toStringTag))];
    if (type === undefined) throw new FrameError(`${path.join('.')}: arrays of this type are not carried`);
    sections.push({ type, path, array: value as NumericArray });
    return null;
  }
  // A path for each of a million numbers would take longer than everything else here.
  const take = (item: unknown, step: string | number): unknown =>
    isCarried(item) ? item : takeSections(item, [...path, step], sections);
  if (Object.values(value).every(isCarried)) return value;
  if (Array.isArray(value)) return value.map(take);
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    // `__proto__` as a key would set the prototype instead of a property.
    Object.defineProperty(out, key, {
      value: take(item, key),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return out;
}

/** Values in it, counted up to `most`. */
function weight(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + Math.floor(Math.min(value.length, LONG_TEXT) / CHARACTERS);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 1;
  let sum = 1;
  for (const item of Object.values(value)) {
    sum += weight(item, most - sum);
    if (sum >= most) break;
  }
  return sum;
}

const isHeavy = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && weight(value, WHOLE) >= WHOLE;

/** Items from `first` on, without brackets. */
function itemsText(items: readonly unknown[], first: number, path: Path, sections: Section[]): string {
  const bare = items.map((item, i) => (isCarried(item) ? item : takeSections(item, [...path, first + i], sections)));
  return JSON.stringify(bare).slice(1, -1);
}

function* listInSteps(list: readonly unknown[], path: Path, sections: Section[]): Generator<string> {
  let before = '[';
  for (let first = 0; first < list.length; ) {
    let [end, held] = [first, 0];
    while (end < list.length && held < WHOLE) {
      held += weight(list[end], WHOLE);
      end += 1;
    }
    // The last one may be as heavy as all before it.
    if (end - first > 1 && isHeavy(list[end - 1])) end -= 1;
    yield before;
    before = ',';
    if (end - first === 1) yield* inSteps(list[first], [...path, first], sections);
    else yield itemsText(list.slice(first, end), first, path, sections);
    first = end;
  }
  yield before === '[' ? '[]' : ']';
}

function* inSteps(value: unknown, path: Path, sections: Section[]): Generator<string> {
  if (!isHeavy(value)) {
    yield JSON.stringify(takeSections(value, path, sections)) ?? 'null';
    return;
  }
  if (path.length > MAX_PATH) throw new FrameError(`the value is nested deeper than ${MAX_PATH} levels`);
  if (Array.isArray(value)) {
    yield* listInSteps(value, path, sections);
    return;
  }
  let before = '{';
  let held = '';
  for (const [key, item] of Object.entries(value)) {
    const name = `${before}${JSON.stringify(key)}:`;
    if (isHeavy(item)) {
      yield held + name;
      held = '';
      yield* inSteps(item, [...path, key], sections);
    } else {
      const text = JSON.stringify(takeSections(item, [...path, key], sections));
      // Values without a JSON representation are omitted.
      if (text === undefined) continue;
      held += name + text;
    }
    before = ',';
    if (held.length < WHOLE * CHARACTERS) continue;
    yield held;
    held = '';
  }
  yield `${held}${before === '{' ? '{}' : '}'}`;
}

/** Its text in pieces. `sections` are complete after the last. Throws FrameError for what cannot be carried. */
export const jsonInSteps = (value: unknown, sections: Section[]): Generator<string> => inSteps(value, [], sections);
