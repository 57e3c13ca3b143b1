/**
 * Converts the value of a frame to JSON. Typed arrays and long texts are replaced by null and returned separately with
 * their paths.
 */
import type { NumericArray } from './arrays.ts';

export const MAX_PATH = 32;
/** Texts with more characters than this are sent as sections, outside the JSON header. */
const MAX_INLINE_TEXT = 2 ** 16;
export const TEXT = 'text';
/** Number of values to format before yielding, which needs a millisecond or two. */
const VALUES_PER_STEP = 4000;
/** Number of characters that count as one value when measuring work. */
const CHARACTERS_PER_VALUE = 64;

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

/** A text with an unpaired surrogate stays in the JSON, because it has no UTF-8 encoding. */
const isLongText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > MAX_INLINE_TEXT && value.isWellFormed();

/** Whether JSON represents the value without loss. */
function isRepresentableInJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || (typeof value !== 'object' && !isLongText(value));
}

/**
 * Returns a copy with null in place of typed arrays and long texts. These are appended to `sections` with their paths.
 */
function extractSections(value: unknown, path: Path, sections: Section[]): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new FrameError(`${path.join('.') || 'the value'} is ${value}, which JSON cannot represent`);
  }
  if (isLongText(value)) {
    sections.push({ type: TEXT, path, array: new TextEncoder().encode(value) });
    return null;
  }
  if (value === null || typeof value !== 'object') return value;
  if (path.length > MAX_PATH) throw new FrameError(`the value is nested deeper than ${MAX_PATH} levels`);
  if (ArrayBuffer.isView(value)) {
    const type = typeOfTag[String(Reflect.get(value, Symbol.toStringTag))];
    if (type === undefined) throw new FrameError(`${path.join('.')}: arrays of this type cannot be sent`);
    sections.push({ type, path, array: value as NumericArray });
    return null;
  }
  // Create no path for plain numbers, because creating paths would dominate the time for long lists.
  const take = (item: unknown, step: string | number): unknown =>
    isRepresentableInJson(item) ? item : extractSections(item, [...path, step], sections);
  if (Object.values(value).every(isRepresentableInJson)) return value;
  if (Array.isArray(value)) return value.map(take);
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    // Assigning to the key `__proto__` would set the prototype instead of a property.
    Object.defineProperty(out, key, {
      value: take(item, key),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return out;
}

/** Number of values in `value`, counting stops at `most`. */
function countValues(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + Math.floor(Math.min(value.length, MAX_INLINE_TEXT) / CHARACTERS_PER_VALUE);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 1;
  let sum = 1;
  for (const item of Object.values(value)) {
    sum += countValues(item, most - sum);
    if (sum >= most) break;
  }
  return sum;
}

const isHeavy = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && countValues(value, VALUES_PER_STEP) >= VALUES_PER_STEP;

/** JSON of the items, the first of which has index `first` in its list, without brackets. */
function itemsText(items: readonly unknown[], first: number, path: Path, sections: Section[]): string {
  const bare = items.map((item, i) =>
    isRepresentableInJson(item) ? item : extractSections(item, [...path, first + i], sections),
  );
  return JSON.stringify(bare).slice(1, -1);
}

function* listInSteps(list: readonly unknown[], path: Path, sections: Section[]): Generator<string> {
  let before = '[';
  for (let first = 0; first < list.length; ) {
    let [end, held] = [first, 0];
    while (end < list.length && held < VALUES_PER_STEP) {
      held += countValues(list[end], VALUES_PER_STEP);
      end += 1;
    }
    // Exclude a heavy last item, because it may be as large as all items before it.
    if (end - first > 1 && isHeavy(list[end - 1])) end -= 1;
    yield before;
    before = ',';
    if (end - first === 1) yield* stringifyInSteps(list[first], [...path, first], sections);
    else yield itemsText(list.slice(first, end), first, path, sections);
    first = end;
  }
  yield before === '[' ? '[]' : ']';
}

function* stringifyInSteps(value: unknown, path: Path, sections: Section[]): Generator<string> {
  if (!isHeavy(value)) {
    yield JSON.stringify(extractSections(value, path, sections)) ?? 'null';
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
      yield* stringifyInSteps(item, [...path, key], sections);
    } else {
      const text = JSON.stringify(extractSections(item, [...path, key], sections));
      // Omit values that JSON cannot represent.
      if (text === undefined) continue;
      held += name + text;
    }
    before = ',';
    if (held.length < VALUES_PER_STEP * CHARACTERS_PER_VALUE) continue;
    yield held;
    held = '';
  }
  yield `${held}${before === '{' ? '{}' : '}'}`;
}

/**
 * JSON of the value in pieces; the generator yields regularly. `sections` is complete after the last piece. Throws
 * FrameError for values that frames cannot represent.
 */
export const jsonInSteps = (value: unknown, sections: Section[]): Generator<string> =>
  stringifyInSteps(value, [], sections);
